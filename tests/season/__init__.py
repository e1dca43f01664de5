"""A season of a club at the real desk under a virtual clock: what trust costs its members, in replies."""
