"""Faults that are planted to see whether the sweep finds them: each breaks one promise of TRUST § 5."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from mailflow import shifts
from mailflow.doors import relay
from mailflow.doors.imap_session import Fetched, Session
from store import delivery, inbox
from store.database import unit_of_work
from store.records import OutboxMail

from . import process


def taken_before_it_is_kept() -> None:
    """P-1: 250 is said, and the mail kept only when the desk next works."""
    real, put_off = process.keeper, []

    def keeper(office: Any, then: Callable[[], object]) -> Callable[[bytes, datetime], int]:
        keep = real(office, then)

        def later(raw: bytes, at: datetime) -> int:
            put_off.append((raw, at))
            return 0

        work = office.desk.work

        def working(*args: Any, **more: Any) -> Any:
            while put_off:
                keep(*put_off.pop(0))
            return work(*args, **more)

        office.desk.work = working
        return later

    process.keeper = keeper


def marked_before_it_is_sent() -> None:
    """P-1: a mail counts as sent before the relay has it."""
    real = relay.RelayTransport.send

    def send(this: Any, mail: OutboxMail, raw: bytes) -> None:
        with unit_of_work(process.DATABASE[0]):
            delivery.mark_sent(process.DATABASE[0], mail.id, mail.created_at)
        real(this, mail, raw)

    relay.RelayTransport.send = send  # type: ignore[method-assign]


def told_apart_by_nothing() -> None:
    """P-2: a mail offered again, because its 250 was lost, is another mail."""
    inbox.note_fingerprint = lambda *args: True


def written_anew_each_time() -> None:
    """P-4: what is sent again has other bytes."""
    real, numbers = relay.RelayTransport.send, itertools.count()

    def send(this: Any, mail: OutboxMail, raw: bytes) -> None:
        tried = f"\r\nX-Try: {os.getpid()} {next(numbers)}\r\n\r\n".encode()
        real(this, mail, raw.replace(b"\r\n\r\n", tried, 1))

    relay.RelayTransport.send = send  # type: ignore[method-assign]


FAULTS: Mapping[str, Callable[[], None]] = {
    "taken before it is kept": taken_before_it_is_kept,
    "marked before it is sent": marked_before_it_is_sent,
    "told apart by nothing": told_apart_by_nothing,
    "written anew each time": written_anew_each_time,
}


SEEN_AT: Mapping[str, str] = {
    "taken before it is kept": "entry says",
    "marked before it is sent": "to relay",
    "told apart by nothing": "entry says",
    "written anew each time": "from relay",
}
"""The steps at which a fault can do harm: of all others the greatest part would be died at for nothing."""


def moved_before_it_is_kept() -> None:
    """P-1: a mail leaves the folder that is read before it is committed."""
    real = Session.mails

    def mails(this: Session, uids: Sequence[int]) -> dict[int, Fetched]:
        found = real(this, uids)
        this.move(list(found), this.make_folder("mailflow-done"))
        return found

    Session.mails = mails  # type: ignore[method-assign]


MAILBOX_FAULTS: Mapping[str, Callable[[], None]] = {"moved before it is kept": moved_before_it_is_kept}


def never_followed() -> None:
    """P-5: a club stays with the worker that died there."""
    shifts.LEASE = timedelta(days=3650)


WORKER_FAULTS: Mapping[str, Callable[[], None]] = {"never followed": never_followed}
