"""The sender of a club, and its thread: a slow or broken relay holds up no member's command.

Each mail is claimed before it is sent, so that the thread needs no lease of the desk's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from mailflow.app import Office, signer_of, transport_of
from mailflow.compose import compose
from mailflow.doors.clock import Beat
from mailflow.doors.sender import Sender
from mailflow.errors import described
from store import fences
from store.database import Database
from store.errors import StoreUnavailable
from store.records import OutboxMail

log = logging.getLogger("mailflow.sender")

Clock = Callable[[], datetime]

STOP_SECONDS = 5
"""How long a stop waits for the mail that is just being sent; without a mark it goes out once more."""


def sender_of(
    office: Office, db: Database, stopwatch: Callable[[], float], clock: Clock, holder: str
) -> Sender:
    """Return what sends the club's mails and marks them in `db`. Raises SettingsError."""
    transport = transport_of(office, stopwatch)
    return Sender(db, office.club.id, finished(office), transport, clock, holder)


def finished(office: Office) -> Callable[[OutboxMail], bytes]:
    """Return what the sender calls to make the bytes of a mail; it raises LeaseLost for another's to send."""

    plus, signer = office.settings.border.plus, signer_of(office.settings)

    def made(mail: OutboxMail) -> bytes:
        fences.check(office.desk.db)
        raw = compose(mail, office.club, office.desk.register.token_of(mail), plus)
        return raw if signer is None else signer.signed(raw, mail.created_at)

    return made


@contextmanager
def sending(sender: Sender, broken: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Have mails sent in a thread of their own; gives what wakes it. `broken` is called if a bug ends it."""

    def work() -> None:
        try:
            sender.run()
        except StoreUnavailable as error:
            log.error("the database cannot be written now, trying again: %s", error)

    def live() -> None:
        try:
            beat.run()
        except Exception as error:
            log.error("the sender has stopped: %s", described(error))
            broken()
        finally:
            sender.db.close()  # this thread's own connection

    beat = Beat(work)
    thread = threading.Thread(target=live, name="sender", daemon=True)
    thread.start()
    try:
        yield beat.wake
    finally:
        sender.stop()
        beat.stop()
        thread.join(STOP_SECONDS)
