"""Transactions: all of it or nothing.

Every write happens in a `unit_of_work`. It takes the right to write at once, because a transaction that
reads first and wants to write later may find that another has written in between, and can then only fail.
SQLite gives that right for the whole file (BEGIN IMMEDIATE), PostgreSQL for the club that the handle is
bound to, by a lock on its row; for all clubs where it is bound to none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import peewee

from store import fences, sql
from store.errors import StoreError, UnknownName
from store.handles import Postgresql

MIGRATING = 0x6D61_696C_666C_6F77
"""The advisory lock under which one process at a time changes the schema."""


@contextmanager
def unit_of_work(db: peewee.Database) -> Iterator[None]:
    """Commit what is written within, or roll all of it back when anything is raised.

    Raises LeaseLost at once when the handle's lease has been taken over.
    """
    with transaction(db):
        _take_right(db)
        fences.check(db)
        yield


@contextmanager
def schema_change(db: peewee.Database) -> Iterator[None]:
    """As `unit_of_work`, for a change of the schema, in a database that may have no tables yet."""
    with transaction(db):
        if isinstance(db, Postgresql):
            sql.run(db, "SELECT pg_advisory_xact_lock(?)", (MIGRATING,))
        yield


@contextmanager
def transaction(db: peewee.Database) -> Iterator[None]:
    """All or nothing, without the right to write for a club: for the few rows that belong to no desk."""
    if in_transaction(db):
        raise StoreError("a unit of work within another")
    sql.run(db, "BEGIN" if isinstance(db, Postgresql) else "BEGIN IMMEDIATE")
    with _no_other_connection(db):
        try:
            yield
            sql.run(db, "COMMIT")
        except BaseException:
            _roll_back(db, "ROLLBACK")
            raise


@contextmanager
def _no_other_connection(db: peewee.Database) -> Iterator[None]:
    """See to it that a connection lost within a transaction is not silently replaced there."""
    if not isinstance(db, Postgresql):
        yield
        return
    db.unit.begun = True
    try:
        yield
    finally:
        db.unit.begun = False


_LOCK_CLUB = "SELECT id FROM club WHERE id = ? FOR NO KEY UPDATE"
"""Excludes other writers, and not those whose rows merely refer to the club."""


def _take_right(db: peewee.Database) -> None:
    if not isinstance(db, Postgresql):
        return  # the file's one writer: it began so
    if db.club_id is None:
        sql.run(db, "LOCK TABLE club IN EXCLUSIVE MODE")
    elif sql.row(db, _LOCK_CLUB, (db.club_id,)) is None:
        raise UnknownName(f"no club {db.club_id}")


class Savepoint:
    """A point in a unit of work to which what was written since can be taken back."""

    def __init__(self, db: peewee.Database) -> None:
        self._db = db

    def rollback(self) -> None:
        """Take back what was written since the savepoint; the unit of work goes on."""
        _roll_back(self._db, "ROLLBACK TO here")


@contextmanager
def savepoint(db: peewee.Database) -> Iterator[Savepoint]:
    """Open a savepoint; it is rolled back when anything is raised. They nest."""
    if not in_transaction(db):
        raise StoreError("a savepoint outside a unit of work")
    sql.run(db, "SAVEPOINT here")
    point = Savepoint(db)
    try:
        yield point
    except BaseException:
        point.rollback()
        raise
    finally:
        _roll_back(db, "RELEASE here")


def in_transaction(db: peewee.Database) -> bool:
    """Tell whether this thread's connection is within a transaction."""
    if isinstance(db, Postgresql):
        return db.within()
    return bool(db.connection().in_transaction)  # type: ignore[no-untyped-call]


def _roll_back(db: peewee.Database, text: str) -> None:
    """Run the statement, unless the database has ended the transaction itself (disk full, lost)."""
    if in_transaction(db):
        sql.run(db, text)
