"""The tables of club.toml that say how a club is served, one file for each."""
