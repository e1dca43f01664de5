"""Which jobs were run, and for which instant: a job that was missed is seen, none is run twice (P-9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import peewee

from store import sql
from store.instants import maybe_from_micros


def last_due(db: peewee.Database, club_id: int, job: str) -> datetime | None:
    """Return the latest instant at which the job was due and for which it was run."""
    text = "SELECT max(due_at) FROM run WHERE club_id = ? AND job = ?"
    return maybe_from_micros(sql.value(db, text, (club_id, job)))


def last_dues(db: peewee.Database, club_id: int, jobs: Sequence[str]) -> Mapping[str, datetime | None]:
    """Return the same for several jobs at once: it is asked for before every mail."""
    each = ", ".join(["(SELECT max(due_at) FROM run WHERE club_id = ? AND job = ?)"] * len(jobs))
    values = [value for job in jobs for value in (club_id, job)]
    found = sql.row(db, f"SELECT {each}", values) or ()
    return dict(zip(jobs, map(maybe_from_micros, found), strict=True))


def previous_due(db: peewee.Database, club_id: int, job: str) -> datetime | None:
    """Return when the job was due the time before that; None if it was run once at most."""
    text = "SELECT due_at FROM run WHERE club_id = ? AND job = ? ORDER BY due_at DESC LIMIT 1 OFFSET 1"
    return maybe_from_micros(sql.value(db, text, (club_id, job)))


def note(db: peewee.Database, club_id: int, job: str, due_at: datetime, ran_at: datetime) -> bool:
    """Note that the job was run; False if it is noted for that instant already."""
    text = "INSERT INTO run (club_id, job, due_at, ran_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
    return bool(sql.run(db, text, (club_id, job, due_at, ran_at)).rowcount == 1)
