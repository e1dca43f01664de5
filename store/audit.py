"""The audit chain (P-10): what happened and why, each row bearing the hash of the one before.

Whoever changes, drops or inserts a row changes every later hash, and the last one, the head, is printed
in every digest. What members wrote does not belong in here: the chain could never forget it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import peewee

from store import sql, tables
from store.instants import to_micros

GENESIS = "0" * 64
"""The head of a chain without a row."""


def record(
    db: peewee.Database, club_id: int, at: datetime, cause: str, kind: str, payload: Mapping[str, Any]
) -> None:
    """Append a row: `cause` is what made it happen, `payload` holds plain JSON values."""
    number, previous = _last(db, club_id)
    text = canonical(payload)
    sql.insert(
        db,
        tables.Audit,
        club_id=club_id,
        number=number + 1,
        at=at,
        cause=cause,
        kind=kind,
        payload_json=text,
        hash=chained(previous, number + 1, to_micros(at), cause, kind, text),
    )


def head(db: peewee.Database, club_id: int) -> str:
    """Return the hash of the last row."""
    return _last(db, club_id)[1]


def number_of(db: peewee.Database, club_id: int, head: str) -> int | None:
    """Return the number of the row with this hash: a head as printed in a digest is still in the chain.

    None says that the chain was cut or rewritten since.
    """
    found = sql.value(db, "SELECT number FROM audit WHERE club_id = ? AND hash = ?", (club_id, head))
    return None if found is None else int(found)


def chained(previous: str, number: int, at: int, cause: str, kind: str, payload_json: str) -> str:
    """Return the hash of a row that follows `previous`; `at` in microseconds."""
    content = canonical([previous, number, at, cause, kind, payload_json])
    return hashlib.sha256(content.encode()).hexdigest()


def canonical(value: Any) -> str:
    """Write JSON so that equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _last(db: peewee.Database, club_id: int) -> tuple[int, str]:
    text = "SELECT number, hash FROM audit WHERE club_id = ? ORDER BY number DESC LIMIT 1"
    found = sql.row(db, text, (club_id,))
    return (0, GENESIS) if found is None else (found[0], found[1])
