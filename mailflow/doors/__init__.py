"""Doors touch the world: they keep or send bytes and know nothing of poker."""
