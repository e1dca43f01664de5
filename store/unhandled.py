"""Mails that nobody could handle: which wait for a manager, and what he made of them."""

from __future__ import annotations

import json
from datetime import datetime

import peewee

from store import sql
from store.instants import from_micros
from store.records import InboxState, SettleUnhandled, TellUnhandled, Unhandled
from store.writing import Writing

NOT_UNDERSTOOD = ("malformed", "unknown-command")
"""The reasons with which a mail is answered of which nothing could be made."""


def waiting(db: peewee.Database, club_id: int, since: datetime, until: datetime) -> tuple[Unhandled, ...]:
    """Return the mails of members that came in (since, until] and wait for somebody, the oldest first.

    None waits that a manager has dealt with, or whose writer was understood since.
    """
    text = (
        "SELECT i.number, i.received_at, m.handle, i.state, i.reason, c.mail IS NOT NULL, r.record_json"
        " FROM inbox i JOIN reading r ON r.inbox_id = i.id JOIN member m ON m.id = r.member_id"
        " LEFT JOIN card c ON c.club_id = i.club_id AND c.mail = i.number"
        " WHERE i.club_id = ? AND i.received_at > ? AND i.received_at <= ? AND c.settled_at IS NULL"
        f" AND ({_NOT_HANDLED}) AND m.status <> 'left' AND NOT EXISTS"
        " (SELECT 1 FROM inbox o JOIN reading p ON p.inbox_id = o.id WHERE p.member_id = m.id"
        " AND o.number > i.number AND (o.state IN ('executed', 'pending')"
        f" OR (o.state = 'answered' AND o.reason NOT IN ({sql.marks(len(NOT_UNDERSTOOD))}, 'empty'))))"
        " ORDER BY i.number"
    )
    values = (club_id, since, until, *NOT_UNDERSTOOD, *NOT_UNDERSTOOD)
    return tuple(map(_unhandled, sql.rows(db, text, values)))


_NOT_HANDLED = (
    f"i.state = 'quarantined' OR (i.state = 'answered' AND i.reason IN ({sql.marks(len(NOT_UNDERSTOOD))}))"
)


def is_settled(db: peewee.Database, club_id: int, number: int) -> bool:
    """Tell whether a manager has dealt with a mail."""
    text = "SELECT 1 FROM card WHERE club_id = ? AND mail = ? AND settled_at IS NOT NULL"
    return sql.value(db, text, (club_id, number)) is not None


def tell(writing: Writing, change: TellUnhandled) -> None:
    """The managers were shown these mails; once is enough."""
    text = "INSERT INTO card (club_id, mail, told_at, redone) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING"
    rows = [(writing.club_id, number, writing.at) for number in change.mails]
    sql.run_many(writing.db, text, rows)


def settle(writing: Writing, change: SettleUnhandled) -> None:
    """A manager dealt with it, whether he had been shown it or not."""
    tell(writing, TellUnhandled((change.mail,)))
    text = "UPDATE card SET settled_at = ?, settled_by = ?, redone = ? WHERE club_id = ? AND mail = ?"
    sql.run(writing.db, text, (writing.at, change.by, int(change.redone), writing.club_id, change.mail))


def _unhandled(row: sql.Row) -> Unhandled:
    number, received_at, member, state, reason, told, record = row
    return Unhandled(
        number, from_micros(received_at), member, InboxState(state), reason, bool(told), json.loads(record)
    )
