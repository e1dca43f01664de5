"""The program under test, as `mailflow run` wires it: entry, desk and sender upon a database.

Throwing the object away is its death; another one made of the same database is its restart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mailflow import sending, service
from mailflow.app import Office
from mailflow.desk import Desk
from mailflow.doors.sender import Sender
from mailflow.doors.transport import Transport
from mailflow.identify import Trust
from mailflow.proofs import Keyring
from mailflow.settings import Settings
from mailflow.simulation.mailbox import Box, Reader
from store.database import Database, for_club
from store.records import ClubRow

KEY = b"a simulated club has no secrets."


@dataclass
class Process:
    """`keep` is what the SMTP entry calls before it says 250; `reader` reads the mailbox, if there is one."""

    office: Office
    sender: Sender
    keep: Callable[[bytes, datetime], int]
    reader: Reader

    @classmethod
    def started(
        cls,
        settings: Settings,
        db: Database,
        club: ClubRow,
        transport: Transport,
        clock: Callable[[], datetime],
        holder: str = "sender",
    ) -> Process:
        """Start the program."""
        own = for_club(db, club.id)
        desk = Desk(own, club, Keyring(KEY), Trust.CONFIRM, settings.border, settings.caution)
        desk.agenda.start(clock())
        office = Office(settings, own, club, desk)
        sender = Sender(own, club.id, sending.finished(office), transport, clock, holder)
        return cls(office, sender, service.keeper(office, lambda: None), Reader(own, club.id, clock))

    def look(self, box: Box) -> bool:
        """Read the mailbox; False where it could not all be done."""
        return self.reader.look(box)

    def work(self, now: datetime, known_until: datetime) -> None:
        """What waits is handled, and what is due by the time up to which all mail is known is run."""
        while self.office.desk.work(now, service.MAILS_AT_A_TIME, known_until):
            pass

    def send(self) -> None:
        """What is queued is sent."""
        self.sender.run()


NOWHERE = Path("/nonexistent")
