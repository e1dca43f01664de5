"""Open a database, ready to use: settings that keep promises, and the present schema.

A thread that uses a `Database` gets a connection of its own to the same database, with the same settings;
it closes it with `db.close()`. A database in memory has one connection and serves one thread.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import peewee

from store import handles, sql
from store.errors import StoreError, StoreUnavailable
from store.handles import Fence, Postgresql, Server, for_club, under
from store.migrations import MOVED, migrate
from store.transactions import Savepoint, in_transaction, savepoint, unit_of_work

__all__ = [
    "Database",
    "Fence",
    "Savepoint",
    "Server",
    "for_club",
    "in_transaction",
    "moved_to",
    "open_database",
    "savepoint",
    "under",
    "unit_of_work",
    "wipe",
]

Database = peewee.Database
"""An open database, for those above to hand around; what it is made of stays in this package."""

WAL_SINCE = (3, 51, 3)
"""The first SQLite whose write-ahead log does not lose a transaction on reset (TRUST § 5)."""

OLDEST = (3, 37, 0)
"""The first SQLite with strict tables."""

OLDEST_POSTGRESQL = 13_00_00
"""The oldest PostgreSQL that its makers still mend, as its servers number themselves."""


def open_database(place: Path | Server | None) -> peewee.Database:
    """Open a file, made if missing, a database on a server, or for None a new one in memory; migrate it.

    Raises StoreError for what cannot serve as our database: another program's, or newer than this one;
    and StoreUnavailable for one that cannot be reached or written.
    """
    db = _handle(place)
    try:
        if isinstance(db, Postgresql):
            _check_server(db)
        migrate(db)
    except StoreError as error:
        _close(db)
        raise type(error)(f"{place or 'the database in memory'}: {error}") from error
    return db


def wipe(db: peewee.Database) -> None:
    """Rewrite the books without what was deleted: deleting alone leaves the bytes where they were (T-38).

    Outside of any unit of work. Raises StoreError where another connection is in the way: it is tried later.
    """
    if isinstance(db, Postgresql):
        sql.run(db, "VACUUM")
        return
    mode = sql.value(db, "PRAGMA journal_mode")
    try:
        sql.run(db, "VACUUM")
    except StoreUnavailable as error:  # nothing else has to wait for it
        raise StoreError(f"the books cannot be rewritten now: {error}") from error
    if mode == "wal":
        sql.run(db, "PRAGMA wal_checkpoint(TRUNCATE)")
    elif mode == "persist":  # the journal that is kept holds pages as they were
        sql.value(db, "PRAGMA journal_mode = DELETE")
        sql.value(db, "PRAGMA journal_mode = PERSIST")


def moved_to(path: Path) -> str | None:
    """Return where the books of a file were moved to, None if they are in it still (`store.moving`)."""
    db = handles.connect_file(path, journal_mode(sqlite3.sqlite_version_info))
    try:
        found = sql.value(db, "SELECT name FROM schema_version WHERE number = ?", (MOVED,))
    finally:
        _close(db)
    return None if found is None else str(found).removeprefix("moved to ")


def _handle(place: Path | Server | None) -> handles.Handle:
    if isinstance(place, Server):
        return Postgresql(place)
    if sqlite3.sqlite_version_info < OLDEST:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old")
    return handles.connect_file(place, journal_mode(sqlite3.sqlite_version_info))


def _check_server(db: Postgresql) -> None:
    text = "SELECT current_setting('server_version_num'), current_setting('server_encoding')"
    version, encoding = sql.rows(db, text)[0]
    if int(version) < OLDEST_POSTGRESQL:
        raise StoreError(f"PostgreSQL {int(version) // 10000} is too old")
    if encoding != "UTF8":
        raise StoreError(f"the database holds text as {encoding}: make one with ENCODING 'UTF8'")


def journal_mode(version: tuple[int, ...]) -> str:
    """Return the journal mode for this SQLite: a log where it is sound, else a rollback journal.

    The rollback journal is kept and its head overwritten. That is as safe as deleting it (the head is
    synced), and the quickest of the three ways, as the file system has nothing to note.
    """
    return "WAL" if version >= WAL_SINCE else "PERSIST"


def _close(db: peewee.Database) -> None:
    if not db.is_closed():
        db.close()
