"""Mails as members' programs send them, what mailflow must read in each, and the story of the demo."""
