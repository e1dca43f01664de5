"""How each mail was read, kept with it, so that its fate can be explained later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import peewee

from store import sql
from store.instants import from_micros
from store.records import FORGED, Forged, InboxState, MailReading, fold_handle


def keep(
    db: peewee.Database, club_id: int, mail_id: int, member: str | None, record: Mapping[str, Any]
) -> None:
    """Keep how a mail was read; a mail that is read again keeps the latest."""
    text = (
        "INSERT INTO reading (inbox_id, member_id, record_json)"
        " VALUES (?, (SELECT id FROM member WHERE club_id = ? AND folded = ?), ?)"
        " ON CONFLICT (inbox_id) DO UPDATE"
        " SET member_id = excluded.member_id, record_json = excluded.record_json"
    )
    folded = None if member is None else fold_handle(member)
    sql.run(db, text, (mail_id, club_id, folded, json.dumps(record, ensure_ascii=False)))


def fetch(db: peewee.Database, club_id: int, number: int) -> MailReading | None:
    """Return how the club's mail with this number was read; None if there is none."""
    found = sql.row(db, _SELECT, (club_id, number))
    if found is None:
        return None
    number, received_at, state, reason, member, record = found
    return MailReading(
        number, from_micros(received_at), InboxState(state), reason, member, json.loads(record)
    )


def forged_since(db: peewee.Database, club_id: int, since: datetime) -> tuple[Forged, ...]:
    """Return for each member in whose name mails were refused as forged how many, by handle.

    Mails count by when they were received. Those that bear no member's address come first, together.
    """
    text = (
        "SELECT m.handle, count(*), max(i.number), max(i.received_at) FROM inbox i"
        " LEFT JOIN reading r ON r.inbox_id = i.id LEFT JOIN member m ON m.id = r.member_id"
        " WHERE i.club_id = ? AND i.state = 'ignored' AND i.received_at >= ? AND i.reason = ?"
        " GROUP BY m.id, m.handle, m.folded ORDER BY coalesce(m.folded, '')"
    )
    rows = sql.rows(db, text, (club_id, since, FORGED))
    return tuple(Forged(member, count, number, from_micros(at)) for member, count, number, at in rows)


_SELECT = (
    "SELECT i.number, i.received_at, i.state, i.reason, m.handle, r.record_json FROM reading r"
    " JOIN inbox i ON i.id = r.inbox_id LEFT JOIN member m ON m.id = r.member_id"
    " WHERE i.club_id = ? AND i.number = ?"
)
