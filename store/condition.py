"""What a database is like, looked at without touching it: nothing is migrated, made or locked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import peewee

from store import sql
from store.database import OLDEST, WAL_SINCE, journal_mode
from store.errors import StoreError
from store.handles import Postgresql, Server
from store.instants import maybe_from_micros
from store.migrations import shipped, version

PATIENCE_SECONDS = 2


@dataclass(frozen=True)
class Condition:
    """`schema` is the database's, `newest` this program's. `written_at`: of the club's last row."""

    schema: int
    newest: int
    written_at: datetime | None


def condition(place: Path | Server, address: str) -> Condition:
    """Look at the books of the club with this address. Raises StoreError for what is no database of ours."""
    with _reading(place) as db:
        schema = version(db)
        text = (
            "SELECT a.at FROM audit a JOIN club c ON c.id = a.club_id WHERE c.address = ?"
            " ORDER BY a.number DESC LIMIT 1"
        )
        row = sql.row(db, text, (address,)) if schema else None
    return Condition(schema, shipped()[-1].number, maybe_from_micros(row[0]) if row else None)


def latest_mails(place: Path | Server, address: str, count: int, head_bytes: int) -> tuple[bytes, ...]:
    """Return the beginnings of the mails that a club received last, the newest first. Raises StoreError."""
    text = (
        "SELECT substr(r.content, 1, CAST(? AS INTEGER)) FROM inbox_raw r JOIN inbox i ON i.id = r.inbox_id"
        " JOIN club c ON c.id = i.club_id WHERE c.address = ? ORDER BY i.id DESC LIMIT ?"
    )
    with _reading(place) as db:
        return tuple(bytes(content) for (content,) in sql.rows(db, text, (head_bytes, address, count)))


def damage(file: Path) -> str | None:
    """Have SQLite look through the file; return the first thing that is wrong. Raises StoreError."""
    with _reading(file) as db:
        first = str(sql.rows(db, "PRAGMA integrity_check(1)")[0][0])
    return None if first == "ok" else " ".join(first.split())


def sqlite_version() -> tuple[str, str | None]:
    """Return the library's version, and why it cannot serve, if it cannot."""
    present = sqlite3.sqlite_version_info
    wanted = ".".join(map(str, OLDEST))
    return sqlite3.sqlite_version, None if present >= OLDEST else f"it must be {wanted} or newer"


def journal() -> str:
    """Say how this SQLite keeps a transaction safe."""
    if journal_mode(sqlite3.sqlite_version_info) == "WAL":
        return "write-ahead log"
    return f"rollback journal: the write-ahead log is sound since {'.'.join(map(str, WAL_SINCE))}"


@contextmanager
def _reading(place: Path | Server) -> Iterator[peewee.Database]:
    if isinstance(place, Server):
        db: peewee.Database = Postgresql(place)
    else:
        address = f"{place.absolute().as_uri()}?mode=ro"
        db = peewee.SqliteDatabase(address, uri=True, timeout=PATIENCE_SECONDS)
    try:
        yield db
    except StoreError as error:
        raise StoreError(f"{place} cannot be read: {error}") from error
    finally:
        if not db.is_closed():
            db.close()
