"""Bytes of a mail to what a person said: pure, without database, clock or configuration."""
