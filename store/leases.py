"""Leases: of several processes, on one host or many, one is at work on a club's subject at a time (P-5).

A lease is taken for a while and renewed; a holder that dies is followed by another when that while is over.
Each taking gives a greater fencing number. A holder that was too slow finds, within its next transaction,
that its number no longer stands, and writes nothing. So clocks that differ, or a process that was
suspended, can cost time and never an effect twice. No lease is ever waited for.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import peewee

from store import sql
from store.fences import check_number as check
from store.handles import Postgresql

__all__ = ["check", "left_by_another", "release", "renew", "take"]


def take(
    db: peewee.Database, club_id: int, name: str, holder: str, now: datetime, duration: timedelta
) -> int | None:
    """Take a lease that is free, has run out or is the holder's own; return its fencing number, or None.

    `holder` names one process: a second one under the same name would put the first out. None also when
    the present holder is within a transaction, however late it is. Outside of any unit of work.
    """
    skip = " FOR UPDATE SKIP LOCKED" if isinstance(db, Postgresql) else ""
    text = (
        "UPDATE lease SET holder = ?, fence = fence + 1, until_at = ? WHERE (club_id, name) IN"
        " (SELECT club_id, name FROM lease WHERE club_id = ? AND name = ?"
        f" AND (holder IS NULL OR holder = ? OR until_at <= ?){skip}) RETURNING fence"
    )
    until = now + duration
    fence = _one(db, text, (holder, until, club_id, name, holder, now))
    if fence is None:
        text = (
            "INSERT INTO lease (club_id, name, holder, fence, until_at) VALUES (?, ?, ?, 1, ?)"
            " ON CONFLICT DO NOTHING RETURNING fence"
        )
        fence = _one(db, text, (club_id, name, holder, until))
    return fence


def left_by_another(db: peewee.Database, club_id: int, name: str, holder: str) -> bool:
    """Tell whether somebody else has, or had, the lease and never gave it back."""
    text = "SELECT holder FROM lease WHERE club_id = ? AND name = ?"
    found = sql.value(db, text, (club_id, name))
    return found is not None and found != holder


def renew(
    db: peewee.Database, club_id: int, name: str, fence: int, now: datetime, duration: timedelta
) -> bool:
    """Hold a lease for longer; False if another has it. Outside of any unit of work."""
    text = "UPDATE lease SET until_at = ? WHERE club_id = ? AND name = ? AND fence = ? AND holder IS NOT NULL"
    return bool(sql.run(db, text, (now + duration, club_id, name, fence)).rowcount == 1)


def release(db: peewee.Database, club_id: int, name: str, fence: int) -> None:
    """Give a lease back, if it is still held under this number. Outside of any unit of work."""
    text = "UPDATE lease SET holder = NULL, until_at = 0 WHERE club_id = ? AND name = ? AND fence = ?"
    sql.run(db, text, (club_id, name, fence))


def _one(db: peewee.Database, text: str, params: Sequence[Any]) -> int | None:
    """Run a statement that is a transaction by itself, and return its number."""
    found = sql.value(db, text, params)
    return None if found is None else int(found)
