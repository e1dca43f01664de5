"""`mailflow doctor`: whether a club can be served from here, and what becomes of its mail on the way."""
