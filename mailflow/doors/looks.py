"""Up to when all mail of a mailbox is known: what is due later waits for the next look (R-DIS-5)."""

from __future__ import annotations

from datetime import datetime, timedelta

from mailflow.sections.imap import Imap
from store import mailboxes
from store.database import Database

GRACE = timedelta(hours=12)
"""How long what is due waits for a mailbox that is away, or for a mail that it does not give."""


def known_until(
    db: Database, club_id: int, settings: Imap, hoping_since: datetime, now: datetime
) -> datetime:
    """Return that instant for a process that does not read the mailbox itself, or shares the reading."""
    if not settings.host:
        return now
    looked_at = mailboxes.looked_at(db, club_id, settings.account, settings.folder)
    return waited_for(looked_at, hoping_since, now)


def waited_for(looked_at: datetime | None, hoping_since: datetime, now: datetime) -> datetime:
    """What is due later than the last look waits until the mailbox has been looked through once more.

    A mailbox that has been away for long is waited for no more: then it is `now`.
    """
    if now - max(looked_at or hoping_since, hoping_since) > GRACE:
        return now
    return looked_at or datetime.min.replace(tzinfo=now.tzinfo)
