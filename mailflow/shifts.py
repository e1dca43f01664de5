"""Shifts: of the processes that serve a club from one PostgreSQL database, one is at its desk (P-5).

Who is at work holds the club's lease `desk`, and each of his transactions checks it. So a club's mails keep
their order, a second process that wakes up late writes nothing, and the work of one that was killed is taken
up by another when its lease has run out. A club in a file needs none of it: the folder's lock stands for it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from mailflow.app import Office
from store import leases
from store.database import Database, Fence, under
from store.errors import StoreError, StoreUnavailable

log = logging.getLogger("mailflow.shifts")

DESK = "desk"
LEASE = timedelta(seconds=60)
"""How long the work of a killed process waits for another at most."""
LONGEST = timedelta(minutes=15)
"""A shift is not prolonged beyond: who takes so long hangs."""

Clock = Callable[[], datetime]


@dataclass(frozen=True)
class Held:
    """A lease that is being held, and since when."""

    db: Database
    club_id: int
    fence: Fence
    since: datetime


class Shifts:
    """What one process works at. `holder` names it and no other; its leases are renewed while it works."""

    def __init__(self, holder: str, clock: Clock) -> None:
        self._holder = holder
        self._clock = clock
        self._held: Held | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_renewing, name="leases", daemon=True)

    def __enter__(self) -> Shifts:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    @contextmanager
    def at_desk(self, office: Office) -> Iterator[bool]:
        """Take the club's desk for what is done within; False when another process is at it.

        What another left behind without ending its shift may have been what killed it: the desk is told
        to count that (P-8).
        """
        if office.settings.server is None:
            yield True
            return
        db, club_id = office.desk.db, office.club.id
        left = leases.left_by_another(db, club_id, DESK, self._holder)
        number = leases.take(db, club_id, DESK, self._holder, self._clock(), LEASE)
        if number is None:
            yield False
            return
        if left:
            office.desk.count_a_start()
        fence = Fence(DESK, number)
        self._held = Held(db, club_id, fence, self._clock())
        try:
            with under(db, fence):
                yield True
        except StoreUnavailable:
            self._give_back(db, club_id, number)  # nobody died: another may go on at once
            raise
        finally:
            self._held = None
        self._give_back(db, club_id, number)

    def _give_back(self, db: Database, club_id: int, number: int) -> None:
        with suppress(StoreUnavailable):
            leases.release(db, club_id, DESK, number)

    def renew(self) -> None:
        """Prolong the lease in hand, if there is one; what cannot be prolonged is found lost when used."""
        held, now = self._held, self._clock()
        if held is None or now - held.since > LONGEST:
            return
        try:
            leases.renew(held.db, held.club_id, held.fence.lease, held.fence.number, now, LEASE)
        except StoreError as error:
            log.warning("a lease could not be renewed: %s", error)

    def _keep_renewing(self) -> None:
        while not self._ended.wait(LEASE.total_seconds() / 3):
            held = self._held
            if held is not None:
                self.renew()
                held.db.close()  # this thread's own connection
