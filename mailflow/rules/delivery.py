"""P-6: when an address counts as one that mails do not reach."""

from __future__ import annotations

from datetime import timedelta

from mailflow.model import Club
from store.records import Bouncing

LOOKED_BACK = timedelta(days=30)
HARD_MAX, SOFT_MAX = 2, 5
"""So many mails lost for good, or for reasons that may pass: once may be chance, or somebody's mischief."""


def keep_bouncing(club: Club) -> tuple[Bouncing, ...]:
    """P-6: the addresses that keep bouncing, the worst first. Managers are told, nothing is blocked."""
    return tuple(one for one in club.books.bouncing(club.now - LOOKED_BACK) if keeps_bouncing(one))


def keeps_bouncing(one: Bouncing) -> bool:
    return one.hard >= HARD_MAX or one.hard + one.soft >= SOFT_MAX
