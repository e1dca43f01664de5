"""How mail comes into the process that is killed, at the beat of its driver: by SMTP, or from a mailbox."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

from mailflow.app import Office, name_of
from mailflow.doors.imap import MailboxDoor
from mailflow.doors.imap_session import Session
from mailflow.doors.smtp import Entry, SmtpDoor
from mailflow.service import at_desk, keeper

BOUND_SECONDS = 20


class WayIn(Protocol):
    """`port` is 0 where nobody listens."""

    port: int

    def work(self, now: datetime) -> None: ...
    def stop(self) -> None: ...


def way_in(office: Office, clock: Callable[[], datetime], keep: Callable[..., Any] = keeper) -> WayIn:
    """Open the mailbox of the settings if they name one, else the SMTP entry."""
    return ByMailbox(office, clock) if office.settings.imap.host else ByServer(office, clock, keep)


class ByServer:
    """The SMTP entry keeps mails when they come; the desk works when it is told to."""

    def __init__(self, office: Office, clock: Callable[[], datetime], keep: Callable[..., Any]) -> None:
        self._office = office
        entry = Entry(office.club.address, keep(office, lambda: None), clock, office.db.close)
        self._door = SmtpDoor(entry, office.settings.listen)
        self._door.start()
        self.port = self._door.port

    def work(self, now: datetime) -> None:
        self._office.desk.work(now)

    def stop(self) -> None:
        self._door.stop()


class ByMailbox:
    """The mailbox is looked through, the desk works, the mailbox is looked through: one after the other."""

    port = 0

    def __init__(self, office: Office, clock: Callable[[], datetime]) -> None:
        self._office = office
        settings, holder = office.settings.imap, name_of(office.settings)
        self._door = Beaten(office.db, office.club.id, settings, holder, clock, lambda: 0.0, lambda: None)
        self._door.start()
        self._door.rests()

    def work(self, now: datetime) -> None:
        self._door.beat()
        at_desk(self._office, self._door, now)
        self._door.beat()

    def stop(self) -> None:
        self._door.stop()


class Beaten(MailboxDoor):
    """A mailbox door that does its round when it is told to, and at no other time."""

    def __init__(self, *args: Any) -> None:
        self._resting = threading.Event()
        super().__init__(*args)

    def wake(self) -> None:
        """The driver's beat wakes it."""

    def look(self) -> None:
        """Likewise."""

    def beat(self) -> None:
        """Have it take what is new and move what was handled."""
        self._resting.clear()
        super().look()
        self.rests()

    def rests(self) -> None:
        assert self._resting.wait(BOUND_SECONDS), "the mailbox door has stuck"

    def _rest(self, session: Session, watching: Any) -> None:
        self._resting.set()
        super()._rest(session, watching)
