"""`mailflow run`: the SMTP entry, the desk and the sender, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import fcntl
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from mailflow.app import Office, name_of, transport_of
from mailflow.compose import compose
from mailflow.doors.clock import Beat
from mailflow.doors.sender import Sender
from mailflow.doors.smtp import Entry, SmtpDoor
from mailflow.errors import SettingsError
from mailflow.shifts import Shifts
from store import fences, inbox
from store.database import unit_of_work
from store.errors import StoreUnavailable
from store.records import OutboxMail

log = logging.getLogger("mailflow")

Clock = Callable[[], datetime]


def serve(
    office: Office,
    clock: Clock,
    stopwatch: Callable[[], float],
    holder: str,
    started: Callable[[int], None],
) -> None:
    """Serve the club; `started` is told the port once mail can come in. Raises SettingsError.

    `holder` names this process, where several serve the club.
    """
    sender = sender_of(office, stopwatch, clock, name_of(office.settings))

    def work() -> None:
        try:
            with shifts.at_desk(office) as ours:
                if ours:
                    office.desk.work(clock())
                    sender.run()
        except StoreUnavailable as error:
            log.error("the database cannot be written now, trying again: %s", error)

    beat = Beat(work)
    with only_one(office.settings.lock_file), Shifts(holder, clock) as shifts:
        entry = Entry(office.club.address, keeper(office, beat.wake), clock, office.db.close)
        door = SmtpDoor(entry, office.settings.listen)
        door.start()
        try:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: beat.stop())
            started(door.port)
            beat.run()
        finally:
            door.stop()


def keeper(office: Office, then: Callable[[], object]) -> Callable[[bytes, datetime], int]:
    """Return what the SMTP entry calls: keeps a mail, commits, and then calls `then`."""

    def keep(raw: bytes, received_at: datetime) -> int:
        with unit_of_work(office.db):
            mail_id = inbox.keep(office.db, office.club.id, "smtp", raw, received_at)
        then()
        return mail_id

    return keep


def sender_of(office: Office, stopwatch: Callable[[], float], clock: Clock, holder: str) -> Sender:
    """Return what sends the club's mails. `holder`: see Sender."""
    transport = transport_of(office, stopwatch)
    return Sender(office.desk.db, office.club.id, finished(office), transport, clock, holder)


def finished(office: Office) -> Callable[[OutboxMail], bytes]:
    """Return what the sender calls to make the bytes of a mail; it raises LeaseLost for another's to send."""

    plus = office.settings.border.plus

    def made(mail: OutboxMail) -> bytes:
        fences.check(office.desk.db)
        return compose(mail, office.club, office.desk.register.token_of(mail), plus)

    return made


@contextmanager
def only_one(lock_file: Path) -> Iterator[None]:
    """Hold the folder's lock, so that a second copy started by mistake stops at once (P-5)."""
    with lock_file.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SettingsError(f"another mailflow is at work in {lock_file.parent}") from error
        yield
