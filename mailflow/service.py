"""`mailflow run`: the entries, the desk and the sender, until SIGTERM or Ctrl-C.

Mail comes in by SMTP, from a mailbox, or both ways, each in threads of its own with a connection of its own
to the database. The desk works in the main thread, the sender in one of its own.
"""

from __future__ import annotations

import fcntl
import logging
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from mailflow import intake
from mailflow.app import Office, name_of
from mailflow.doors.clock import Beat
from mailflow.doors.imap import MailboxDoor
from mailflow.doors.smtp import Entry, SmtpDoor
from mailflow.errors import SettingsError
from mailflow.register import Handled
from mailflow.sending import sender_of, sending
from mailflow.settings import Settings
from mailflow.shifts import Shifts
from store.database import unit_of_work
from store.errors import StoreUnavailable

log = logging.getLogger("mailflow")

Clock = Callable[[], datetime]

MAILS_AT_A_TIME = 50
"""Mails that the desk handles before it looks at anything else."""


def serve(
    office: Office,
    clock: Clock,
    stopwatch: Callable[[], float],
    holder: str,
    started: Callable[[str], None],
) -> None:
    """Serve the club; `started` is told how mail comes in, once it can. Raises SettingsError.

    `holder` names this process, where several serve the club.
    """
    sender = sender_of(office, office.db, stopwatch, clock, name_of(office.settings))

    def work() -> None:
        try:
            if mailbox is not None:
                mailbox.watch()
            with shifts.at_desk(office) as ours:
                handled = at_desk(office, mailbox, clock()) if ours else []
                if len(handled) >= MAILS_AT_A_TIME:
                    beat.wake()
            log_handled(handled)
            wake_sender()
        except StoreUnavailable as error:
            log.error("the database cannot be written now, trying again: %s", error)

    beat = Beat(work)
    with only_one(office.settings.lock_file), Shifts(holder, clock) as shifts:
        mailbox = mailbox_door(office, clock, stopwatch, beat.wake)
        with (
            smtp_entry(office, clock, beat.wake) as port,
            reading(mailbox),
            sending(sender, beat.stop) as wake_sender,
        ):
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: beat.stop())
            started(entries(office.settings, port))
            beat.run()


def log_handled(handled: Sequence[Handled]) -> None:
    """One line a mail, by its number: what became of it, and of each of its commands (T-28: no words)."""
    for mail in handled:
        came = ", ".join(f"{line.outcome} {line.rule}" if line.rule else line.outcome for line in mail.lines)
        facts = {"mail": mail.mail_id, "state": mail.state.value, "reason": mail.reason, "commands": came}
        log.info("mail %d %s: %s", mail.mail_id, mail.state.value, came or mail.reason, extra=facts)


def at_desk(office: Office, mailbox: MailboxDoor | None, now: datetime) -> list[Handled]:
    """Have some mails handled and what is due run, and the mailbox told: it moves what was handled.

    R-DIS-5: what is due waits until all mail of before is known.
    """
    if mailbox is None:
        return office.desk.work(now, MAILS_AT_A_TIME)
    known_until = mailbox.known_until(now)
    handled = office.desk.work(now, MAILS_AT_A_TIME, known_until)
    if handled:
        mailbox.wake()
    waiting_since = office.desk.waits_since(now)
    if waiting_since is not None and waiting_since > known_until:
        mailbox.look()
    return handled


def mailbox_door(
    office: Office, clock: Clock, stopwatch: Callable[[], float], then: Callable[[], object]
) -> MailboxDoor | None:
    """Make the door to the mailbox of the settings, if they name one."""
    settings = office.settings.imap
    if not settings.host:
        return None
    holder = name_of(office.settings)
    shared = office.settings.server is not None
    return MailboxDoor(office.db, office.club.id, settings, holder, clock, stopwatch, then, shared)


@contextmanager
def reading(mailbox: MailboxDoor | None) -> Iterator[None]:
    """Have the mailbox read as long as it is needed."""
    if mailbox is not None:
        mailbox.start()
    try:
        yield
    finally:
        if mailbox is not None:
            mailbox.stop()


@contextmanager
def smtp_entry(office: Office, clock: Clock, then: Callable[[], object]) -> Iterator[int | None]:
    """Listen for mail, if the settings say where; the port in use, or None. Raises SettingsError."""
    if not office.settings.listen.host:
        if not office.settings.imap.host:
            raise SettingsError("no mail can come in: neither [smtp] nor [imap] names a host")
        yield None
        return
    entry = Entry(office.club.address, keeper(office, then), clock, office.db.close)
    door = SmtpDoor(entry, office.settings.listen)
    door.start()
    try:
        yield door.port
    finally:
        door.stop()


def entries(settings: Settings, port: int | None) -> str:
    """Say for the operator how mail comes in."""
    ways = [] if port is None else [f"on port {port}"]
    if settings.imap.host:
        ways.append(f"from {settings.imap.folder} of {settings.imap.account}")
    return " and ".join(ways)


def keeper(office: Office, then: Callable[[], object]) -> Callable[[bytes, datetime], int]:
    """Return what the SMTP entry calls: keeps a mail, commits, and then calls `then`."""

    def keep(raw: bytes, received_at: datetime) -> int:
        with unit_of_work(office.db):
            mail_id = intake.keep(office.db, office.club.id, "smtp", raw, received_at)
        then()
        return mail_id

    return keep


@contextmanager
def only_one(lock_file: Path) -> Iterator[None]:
    """Hold the folder's lock, so that a second copy started by mistake stops at once (P-5)."""
    with lock_file.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SettingsError(f"another mailflow is at work in {lock_file.parent}") from error
        yield
