"""Transactions: all of it or nothing.

Every write happens in a `unit_of_work`. It takes the right to write at once (BEGIN IMMEDIATE), because a
transaction that reads first and wants to write later may find that another has written in between, and
can then only fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import peewee

from store import sql
from store.errors import StoreError


@contextmanager
def unit_of_work(db: peewee.Database) -> Iterator[None]:
    """Commit what is written within, or roll all of it back when anything is raised."""
    if in_transaction(db):
        raise StoreError("a unit of work within another")
    sql.run(db, "BEGIN IMMEDIATE")
    try:
        yield
        sql.run(db, "COMMIT")
    except BaseException:
        _roll_back(db, "ROLLBACK")
        raise


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
    return bool(db.connection().in_transaction)  # type: ignore[no-untyped-call]


def _roll_back(db: peewee.Database, text: str) -> None:
    """Run the statement, unless the database has ended the transaction itself (disk full, I/O error)."""
    if in_transaction(db):
        sql.run(db, text)
