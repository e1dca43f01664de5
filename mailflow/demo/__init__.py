"""`mailflow demo`: a club's life on this machine, to look at and to try."""
