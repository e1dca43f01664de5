"""Turn the errors of Peewee and of the two drivers into our own (`store.errors`)."""

from __future__ import annotations

import sqlite3

import peewee
import psycopg
from psycopg import errors as pg

from store.errors import RowExists, SchemaRefused, StoreError, StoreUnavailable

FAULTS = (sqlite3.Error, psycopg.Error, peewee.PeeweeException, OverflowError)
"""All that a driver, or Peewee when it opens a connection, may raise."""

_MAY_PASS = (
    peewee.OperationalError,
    # Among them: connection lost, server stopping, disk full, lock not had in time, deadlock.
    psycopg.OperationalError,
    # A server that became a standby is read-only until somebody mends it (P-7).
    pg.ReadOnlySqlTransaction,
)

_UNIQUE = frozenset({"SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_ROWID"})


def ours(error: Exception) -> StoreError:
    """Return what to raise for an error of `FAULTS`."""
    text = str(error).strip()
    if isinstance(error, (sqlite3.IntegrityError, psycopg.IntegrityError, peewee.IntegrityError)):
        return RowExists(text) if _is_unique(error) else SchemaRefused(text)
    if isinstance(error, sqlite3.OperationalError):
        # SQLite files wrong SQL under the same heading as a full disk; only the latter may pass.
        wrong = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
        return StoreError(text) if wrong else StoreUnavailable(text)
    return StoreUnavailable(text) if isinstance(error, _MAY_PASS) else StoreError(text)


def _is_unique(error: Exception) -> bool:
    return isinstance(error, pg.UniqueViolation) or getattr(error, "sqlite_errorname", None) in _UNIQUE
