"""Read the whole journal in order, a stretch at a time, so that its length does not matter."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import peewee

from store import sql
from store.instants import from_micros
from store.records import JournalEntry

STRETCH = 2_000
"""Entries read at a time."""


def entries(db: peewee.Database, club_id: int) -> Iterator[JournalEntry]:
    """Give all entries of a club by their numbers.

    Each stretch is a query of its own; as the journal is append-only, what is given is the journal at
    some moment between the first stretch and the last.
    """
    after = 0
    while lines := sql.rows(db, _LINES, (club_id, after, after + STRETCH)):
        for head, postings in groupby(lines, key=lambda line: line[:6]):
            number, kind, at, game, memo, reverses = head
            pairs = tuple((code, cents) for *_, code, cents in postings)
            yield JournalEntry(number, kind, from_micros(at), game, memo, reverses, pairs)
        after += STRETCH


_LINES = (
    "SELECT e.number, e.kind, e.at, g.number, coalesce(o.memo, ''), r.number, a.code, p.amount_cents"
    " FROM entry e JOIN posting p ON p.entry_id = e.id JOIN account a ON a.id = p.account_id"
    " LEFT JOIN game g ON g.id = e.game_id LEFT JOIN memo o ON o.entry_id = e.id"
    " LEFT JOIN entry r ON r.id = e.reverses"
    " WHERE e.club_id = ? AND e.number > ? AND e.number <= ? ORDER BY e.number, p.line"
)
