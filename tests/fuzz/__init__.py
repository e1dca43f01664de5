"""Bytes no program would send (`python -m tests.fuzz`), and slow ones (`python -m tests.fuzz.hostile`)."""
