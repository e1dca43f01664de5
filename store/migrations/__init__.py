"""Bring a database to the present schema: numbered SQL texts, each applied once and as a whole.

The texts are frozen when released; a change of the schema is a further file `NNNN_what.sql` beside this
one. `schema_version` says which were applied.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import peewee

from store import sql, tables
from store.errors import StoreError
from store.transactions import unit_of_work


@dataclass(frozen=True)
class Migration:
    """One step of the schema: `text` is SQL statements, each ended by a semicolon."""

    number: int
    name: str
    text: str


def migrate(db: peewee.Database, migrations: Sequence[Migration] | None = None) -> tuple[int, ...]:
    """Apply what is missing, each migration in a transaction of its own, and return the numbers applied.

    Raises StoreError for a database that another program made, or that is newer than these migrations.
    """
    steps = shipped() if migrations is None else migrations
    present = version(db)
    known = max((step.number for step in steps), default=0)
    if present > known:
        raise StoreError(f"the database has schema {present}, newer than this program, which knows {known}")
    return tuple(step.number for step in steps if step.number > present and _apply(db, step))


def version(db: peewee.Database) -> int:
    """Return the number of the last migration applied, 0 for an empty database."""
    names = {name for (name,) in sql.rows(db, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "schema_version" in names:
        return int(sql.value(db, "SELECT coalesce(max(number), 0) FROM schema_version"))
    if names:
        raise StoreError("the database belongs to another program")
    return 0


@cache
def shipped() -> tuple[Migration, ...]:
    """Read the migrations that come with the program, in order."""
    files = (file for file in resources.files(__name__).iterdir() if file.name.endswith(".sql"))
    return tuple(
        Migration(int(file.name[:4]), file.name[5:-4], file.read_text("utf-8"))
        for file in sorted(files, key=lambda file: file.name)
    )


def _apply(db: peewee.Database, step: Migration) -> bool:
    """Apply one migration; False if another process was quicker."""
    with unit_of_work(db):
        if version(db) >= step.number:
            return False
        for statement in statements(step.text):
            sql.run(db, statement)
        sql.insert(db, tables.SchemaVersion, number=step.number, name=step.name)
    return True


def statements(text: str) -> Iterator[str]:
    """Split SQL text into its statements; the semicolons within a trigger do not end it."""
    pending = ""
    for line in text.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending.strip()
            pending = ""
    if any(line.strip() and not line.strip().startswith("--") for line in pending.splitlines()):
        raise StoreError("a migration ends within a statement")
