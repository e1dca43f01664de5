"""mailflow: a bookkeeper for a circle of players, living at an e-mail address."""

__version__ = "0.1.0"
