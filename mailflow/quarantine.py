"""Mails that were set aside (P-8): look at one, have it handled again, or let it rest."""

from __future__ import annotations

from datetime import datetime

from mailflow.errors import MailflowError
from store import audit, inbox
from store.database import Database, unit_of_work
from store.errors import UnknownName
from store.records import InboxMail, InboxState


class NotSetAside(MailflowError):
    """A number that names no mail in quarantine."""


def set_aside(db: Database, club_id: int, number: int) -> InboxMail:
    """Return a mail that is set aside. Raises NotSetAside."""
    try:
        mail = inbox.numbered(db, club_id, number)
    except UnknownName as error:
        raise NotSetAside(f"there is no mail {number}") from error
    if mail.state is not InboxState.QUARANTINED:
        raise NotSetAside(f"mail {number} is not set aside: it is {mail.state}")
    return mail


def take_up(db: Database, club_id: int, number: int, now: datetime) -> int:
    """Keep a mail once more, as if it came at the time when it did come; return its new number.

    A new number, because what is said in answer to a mail is unique on its number. Raises NotSetAside.
    """
    with unit_of_work(db):
        mail = set_aside(db, club_id, number)
        source = f"quarantine:{mail.number}"
        again = inbox.keep(db, club_id, source, mail.raw, mail.received_at, carried=mail.carried)
        inbox.forget_fingerprint(db, mail.id)
        _ended(db, club_id, mail, f"taken up as {again}", now)
    return inbox.fetch(db, again).number


def drop(db: Database, club_id: int, number: int, now: datetime) -> None:
    """Let a mail rest; its bytes stay. Raises NotSetAside."""
    with unit_of_work(db):
        mail = set_aside(db, club_id, number)
        _ended(db, club_id, mail, f"dropped: {mail.reason}", now)


def _ended(db: Database, club_id: int, mail: InboxMail, reason: str, now: datetime) -> None:
    inbox.finish(db, mail.id, InboxState.IGNORED, reason, InboxState.QUARANTINED)
    audit.record(db, club_id, now, f"operator:mail:{mail.number}", "quarantine", {"reason": reason})
