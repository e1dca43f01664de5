"""Open a database, ready to use: settings that keep promises, and the present schema.

A thread that uses a `Database` gets a connection of its own to the same file, with the same settings; it
closes it with `db.close()`. A database in memory has one connection and serves one thread.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import peewee

from store.errors import StoreError
from store.migrations import migrate
from store.transactions import Savepoint, in_transaction, savepoint, unit_of_work

__all__ = ["Database", "Savepoint", "in_transaction", "open_database", "savepoint", "unit_of_work"]

Database = peewee.Database
"""An open database, for those above to hand around; what it is made of stays in this package."""

BUSY_SECONDS = 10
"""How long a writer waits for another before it gives up."""

WAL_SINCE = (3, 51, 3)
"""The first SQLite whose write-ahead log does not lose a transaction on reset (TRUST § 5)."""

OLDEST = (3, 37, 0)
"""The first SQLite with strict tables."""


def open_database(path: Path | None) -> peewee.Database:
    """Open the file, made if missing, or a new database in memory for None, and bring it up to date.

    Raises StoreError for a file that is not a database, is another program's or newer than this one,
    and StoreUnavailable for one that cannot be opened or written.
    """
    if sqlite3.sqlite_version_info < OLDEST:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old")
    db = _connect(path)
    try:
        migrate(db)
    except StoreError as error:
        _close(db)
        raise type(error)(f"{path or 'the database in memory'}: {error}") from error
    return db


def journal_mode(version: tuple[int, ...]) -> str:
    """Return the journal mode for this SQLite: a log where it is sound, else a rollback journal.

    The rollback journal is kept and its head overwritten. That is as safe as deleting it (the head is
    synced), and the quickest of the three ways, as the file system has nothing to note.
    """
    return "WAL" if version >= WAL_SINCE else "PERSIST"


def _connect(path: Path | None) -> peewee.Database:
    return peewee.SqliteDatabase(
        ":memory:" if path is None else str(path),
        pragmas={
            "journal_mode": journal_mode(sqlite3.sqlite_version_info),
            "journal_size_limit": 4_000_000,
            "synchronous": "FULL",
            "foreign_keys": "ON",
            "trusted_schema": "OFF",
            "temp_store": "MEMORY",
            "cache_size": -16_000,
        },
        timeout=BUSY_SECONDS,
        cached_statements=512,
        thread_safe=path is not None,
    )


def _close(db: peewee.Database) -> None:
    if not db.is_closed():
        db.close()
