"""How each mail was read, kept with it, so that its fate can be explained later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import peewee

from store import sql
from store.instants import from_micros
from store.records import InboxState, MailReading, fold_handle


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


_SELECT = (
    "SELECT i.number, i.received_at, i.state, i.reason, m.handle, r.record_json FROM reading r"
    " JOIN inbox i ON i.id = r.inbox_id LEFT JOIN member m ON m.id = r.member_id"
    " WHERE i.club_id = ? AND i.number = ?"
)
