"""What an address, or a member, did of late that is limited (TRUST § 3, T-7, T-16, T-20, T-30).

Kept, so that a restart forgets nothing; each row is one thing done at one instant. What the kinds mean, and
how many of them are too many, is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby

import peewee

from store import sql, tables
from store.instants import from_micros
from store.records import Tallied


def of(db: peewee.Database, club_id: int, subjects: Sequence[str]) -> tuple[Tallied, ...]:
    """Return what is kept about these subjects, the oldest first."""
    text = (
        "SELECT subject, kind, at FROM tally"
        f" WHERE club_id = ? AND subject IN ({sql.marks(len(subjects))}) ORDER BY at, id"
    )
    return tuple(Tallied(s, k, from_micros(at)) for s, k, at in sql.rows(db, text, (club_id, *subjects)))


def add(db: peewee.Database, club_id: int, done: Iterable[Tallied]) -> None:
    """Keep what was done."""
    text = sql.insert_text(tables.Tally, "club_id", "subject", "kind", "at")
    sql.run_many(db, text, [(club_id, one.subject, one.kind, one.at) for one in done])


def drop_before(
    db: peewee.Database, club_id: int, subjects: Sequence[str], at: datetime, but: Sequence[str]
) -> None:
    """Forget what these subjects did before an instant, some kinds excepted."""
    text = (
        f"DELETE FROM tally WHERE club_id = ? AND at < ? AND subject IN ({sql.marks(len(subjects))})"
        f" AND kind NOT IN ({sql.marks(len(but))})"
    )
    sql.run(db, text, (club_id, at, *subjects, *but))


def drop(db: peewee.Database, club_id: int, subjects: Sequence[str], kinds: Sequence[str] = ()) -> int:
    """Forget what these subjects did, all of it or some kinds, and return how much that was."""
    text = f"DELETE FROM tally WHERE club_id = ? AND subject IN ({sql.marks(len(subjects))})"
    if kinds:
        text += f" AND kind IN ({sql.marks(len(kinds))})"
    return int(sql.run(db, text, (club_id, *subjects, *kinds)).rowcount)


def sweep(db: peewee.Database, club_id: int, at: datetime, but: Sequence[str]) -> None:
    """Forget what anybody did before an instant, some kinds excepted."""
    text = f"DELETE FROM tally WHERE club_id = ? AND at < ? AND kind NOT IN ({sql.marks(len(but))})"
    sql.run(db, text, (club_id, at, *but))


def everybodys(db: peewee.Database, club_id: int) -> Mapping[str, tuple[Tallied, ...]]:
    """Return all that is kept, by subject, in the order of the subjects."""
    text = "SELECT subject, kind, at FROM tally WHERE club_id = ? ORDER BY subject, at, id"
    found = (Tallied(s, k, from_micros(at)) for s, k, at in sql.rows(db, text, (club_id,)))
    return {subject: tuple(rows) for subject, rows in groupby(found, key=lambda one: one.subject)}
