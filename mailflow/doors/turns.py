"""Whose turn it is at a mailbox: a lease that one process holds, with a number that fences out a slow one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from mailflow.errors import MailflowError
from store import leases
from store.database import Database

HELD = timedelta(seconds=90)
RENEWED_AFTER = timedelta(seconds=30)


class NotOurTurn(MailflowError):
    """Another process holds the lease."""


class Turn:
    """A lease of one club's subject, for the process that is called `holder`."""

    def __init__(
        self, db: Database, club_id: int, name: str, holder: str, clock: Callable[[], datetime]
    ) -> None:
        self._db = db
        self._club_id = club_id
        self._name = name
        self._holder = holder
        self._clock = clock
        self._fence: int | None = None
        self._renewed_at = clock()

    def take(self) -> None:
        """Take the lease, or keep it. Raises NotOurTurn."""
        now = self._clock()
        self._fence = leases.take(self._db, self._club_id, self._name, self._holder, now, HELD)
        self._renewed_at = now
        if self._fence is None:
            raise NotOurTurn(self._name)

    def renew(self) -> None:
        """Hold it for longer, where it is time for that. Raises NotOurTurn."""
        now = self._clock()
        if abs(now - self._renewed_at) < RENEWED_AFTER:
            return
        if self._fence is None or not leases.renew(
            self._db, self._club_id, self._name, self._fence, now, HELD
        ):
            raise NotOurTurn(self._name)
        self._renewed_at = now

    def check(self) -> None:
        """Raise, within a transaction, where the lease has passed to another: nothing is written then."""
        if self._fence is None:
            raise NotOurTurn(self._name)
        leases.check(self._db, self._club_id, self._name, self._fence)

    def give_back(self) -> None:
        """Let another take over at once."""
        if self._fence is not None:
            leases.release(self._db, self._club_id, self._name, self._fence)
            self._fence = None
