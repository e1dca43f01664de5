"""The only place where mailflow asks the machine for the time or for randomness.

Everything else is handed a clock and a source of random bytes, so that a scenario can be replayed to
the same result (P-9). A test refuses ambient calls anywhere else.
"""

from __future__ import annotations

import random
import secrets
import time
from datetime import UTC, datetime


def now() -> datetime:
    """Return the present instant, in UTC."""
    return datetime.now(UTC)


def stopwatch() -> float:
    """Return seconds on a clock that only goes forward, for measuring."""
    return time.perf_counter()


def random_key(size_bytes: int = 32) -> bytes:
    """Return bytes fit for a secret key."""
    return secrets.token_bytes(size_bytes)


Dice = random.Random
"""Chance that can be had again: what a simulation draws from."""


def dice(*seed: object) -> Dice:
    """Return dice that fall the same way each time for the same seed, on any machine."""
    return random.Random("\0".join(map(str, seed)))
