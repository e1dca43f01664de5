"""Run SQL on a database that is named each time.

No table is bound to a database, because two may be open in one process (a restore, a migration, tests).
Queries are written out: they are prepared once per connection and cost no building. Here, at the border,
instants become integers, enumerations become text, and errors become those of `store.errors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeAlias

import peewee

from store import faults
from store.errors import StoreError
from store.instants import to_micros

Row: TypeAlias = tuple[Any, ...]


def run(db: peewee.Database, text: str, params: Sequence[Any] = ()) -> Any:
    """Run one statement and return its cursor. Placeholders are `?` whatever the database.

    The cursor is used directly: Peewee's own way would log every value at DEBUG, and what members write
    does not belong in a log (T28).
    """
    with translated():
        cursor = db.cursor()  # type: ignore[no-untyped-call]
        return cursor.execute(_dialect(db, text), tuple(map(_plain, params)))


def run_many(db: peewee.Database, text: str, rows: Iterable[Sequence[Any]]) -> int:
    """Run one statement for every row and return how many rows it changed in all."""
    plain = [tuple(map(_plain, row)) for row in rows]
    if not plain:
        return 0
    with translated():
        cursor = db.cursor()  # type: ignore[no-untyped-call]
        cursor.executemany(_dialect(db, text), plain)
        return int(cursor.rowcount)


def run_script(db: peewee.Database, text: str) -> None:
    """Run statements of PostgreSQL that hold others within (functions); nothing in them is a placeholder."""
    if text:
        with translated():
            db.cursor().execute(text)  # type: ignore[no-untyped-call]


def copy_in(db: peewee.Database, text: str, rows: Iterable[Sequence[Any]]) -> None:
    """Write many rows into PostgreSQL by its COPY statement."""
    with translated(), db.cursor().copy(text) as copy:  # type: ignore[no-untyped-call]
        for row in rows:
            copy.write_row([_plain(value) for value in row])


def rows(db: peewee.Database, text: str, params: Sequence[Any] = ()) -> list[Row]:
    """Run a query and return all its rows."""
    cursor = run(db, text, params)
    with translated():
        return cursor.fetchall()  # type: ignore[no-any-return]


def row(db: peewee.Database, text: str, params: Sequence[Any] = ()) -> Row | None:
    """Run a query and return its only row, or None."""
    found = rows(db, text, params)
    return found[0] if found else None


def value(db: peewee.Database, text: str, params: Sequence[Any] = ()) -> Any:
    """Run a query and return the first column of its only row, or None."""
    found = row(db, text, params)
    return None if found is None else found[0]


def insert(db: peewee.Database, table: type[peewee.Model], **values: Any) -> None:
    """Insert one row of a table of `store.tables`, its columns given by name."""
    run(db, insert_text(table, *values), tuple(values.values()))


def insert_id(db: peewee.Database, table: type[peewee.Model], **values: Any) -> int:
    """Insert one row and return the id that it got."""
    return int(value(db, insert_text(table, *values) + " RETURNING id", tuple(values.values())))


@lru_cache(maxsize=256)
def insert_text(table: type[peewee.Model], *columns: str) -> str:
    """Return the INSERT statement for these columns. Raises StoreError for one the table lacks."""
    meta = table._meta
    unknown = set(columns) - set(meta.columns)
    if unknown:
        raise StoreError(f"{meta.table_name} has no column {sorted(unknown)}")
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {meta.table_name} ({', '.join(columns)}) VALUES ({marks})"


def marks(count: int) -> str:
    """Return the placeholders of an IN list; in an empty one is nothing, NULL included."""
    return ", ".join("?" * count) or "NULL"


@contextmanager
def translated() -> Iterator[None]:
    """Turn the errors of the database within into our own.

    They are Peewee's when a connection is opened, and the driver's when a statement is run.
    """
    try:
        yield
    except faults.FAULTS as error:
        raise faults.ours(error) from error


def _plain(value: Any) -> Any:
    """Return what a driver understands.

    PostgreSQL's text cannot hold NUL, so that what somebody smuggles in becomes the sign for the unreadable
    in every database; the bytes of his mail are kept as they came.
    """
    if isinstance(value, datetime):
        return to_micros(value)
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, str) and "\0" in value:
        return value.replace("\0", "\ufffd")
    return value


def _dialect(db: peewee.Database, text: str) -> str:
    return text if db.param == "?" else _with_percent(text)


@lru_cache(maxsize=1024)
def _with_percent(text: str) -> str:
    """Write a statement as psycopg wants it."""
    return text.replace("%", "%%").replace("?", "%s")
