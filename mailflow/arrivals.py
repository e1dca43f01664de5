"""When mail came in last, and up to when the mailbox is known, for `mailflow status`."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from mailflow.app import Office
from store import inbox, mailboxes

INSTANT = "%a %d %b %Y %H:%M %Z"


def arrivals(office: Office) -> Iterator[str]:
    """Say it in lines; the mailbox only where one is read."""
    zone, imap = ZoneInfo(office.club.timezone), office.settings.imap
    came = inbox.latest_at(office.db, office.club.id)
    yield f"  last mail in: {came.astimezone(zone).strftime(INSTANT) if came else 'none yet'}"
    if imap.host:
        looked = mailboxes.looked_at(office.db, office.club.id, imap.account, imap.folder)
        seen = f", looked through {looked.astimezone(zone).strftime(INSTANT)}" if looked else ""
        yield f"  mailbox {imap.folder} of {imap.account}{seen}"
