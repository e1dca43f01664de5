"""What every change is written with: where, when, and under which effect key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import peewee

from store import people
from store.people import Person


@dataclass(frozen=True)
class Writing:
    """One change being written. `effect_key` makes its journal entry unique (P-2)."""

    db: peewee.Database
    club_id: int
    at: datetime
    effect_key: str

    def person(self, handle: str) -> Person:
        """Return a member. Raises UnknownName."""
        return people.find(self.db, self.club_id, handle)
