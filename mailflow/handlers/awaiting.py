"""What awaits the managers: a part of their weekly digest, whose words are `digest.manager.md`."""

from __future__ import annotations

from typing import Any

from mailflow.model import Club
from mailflow.rules.delivery import keep_bouncing
from mailflow.rules.inactivity import imbalance_cents
from store.records import GameState, Injunction, InjunctionState


def awaiting_managers(club: Club) -> dict[str, Any]:
    """R-INA-3, R-INA-5, R-DIS-4, P-6: the manager's cases, proposals, overdue orders, lost addresses."""
    injunctions = club.books.injunctions()
    return {
        "cases": [g.number for g in club.books.open_games() if g.state is GameState.ARBITRATION],
        "proposals": [i.member for i in injunctions if _still_to_settle(i, club)],
        "overdue": [i.member for i in injunctions if i.due_at is not None and i.due_at <= club.now],
        "bouncing": list(keep_bouncing(club)),
    }


def _still_to_settle(injunction: Injunction, club: Club) -> bool:
    """R-INA-3: a proposal is kept in view until it is launched or the balance is even."""
    member = club.member(injunction.member)
    proposed = injunction.state is InjunctionState.PROPOSED
    return proposed and member is not None and imbalance_cents(member, club) != 0
