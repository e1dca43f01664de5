"""Bring a database to the present schema: numbered SQL texts, each applied once and as a whole.

The texts are frozen when released; a change of the schema is a further file `NNNN_what.sql` beside this
one. `schema_version` says which were applied.

They are written once, for SQLite; `store.translation` turns them into PostgreSQL's words. What it cannot
turn, triggers above all, is written again as `NNNN_what.postgresql.sql` and runs there after the rest.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import peewee

from store import sql, tables, translation
from store.errors import StoreError
from store.handles import Postgresql
from store.transactions import schema_change

TWIN = ".postgresql.sql"

MOVED = 1_000_000
"""The version of a file whose books were moved elsewhere: no program opens it any more."""


@dataclass(frozen=True)
class Migration:
    """One step of the schema: `text` is SQL statements, each ended by a semicolon; `twin` PostgreSQL's."""

    number: int
    name: str
    text: str
    twin: str = ""


def migrate(db: peewee.Database, migrations: Sequence[Migration] | None = None) -> tuple[int, ...]:
    """Apply what is missing, each migration in a transaction of its own, and return the numbers applied.

    Raises StoreError for a database that another program made, or that is newer than these migrations.
    """
    steps = shipped() if migrations is None else migrations
    present = version(db)
    if present == MOVED:
        name = sql.value(db, "SELECT name FROM schema_version WHERE number = ?", (MOVED,))
        raise StoreError(f"the books were {name}")
    known = max((step.number for step in steps), default=0)
    if present > known:
        raise StoreError(f"the database has schema {present}, newer than this program, which knows {known}")
    return tuple(step.number for step in steps if step.number > present and _apply(db, step))


def version(db: peewee.Database) -> int:
    """Return the number of the last migration applied, 0 for an empty database."""
    names = table_names(db)
    if "schema_version" in names:
        return int(sql.value(db, "SELECT coalesce(max(number), 0) FROM schema_version"))
    if names:
        raise StoreError("the database belongs to another program")
    return 0


def table_names(db: peewee.Database) -> set[str]:
    """Return the names of all tables; in PostgreSQL, of those in the schema where ours are made."""
    text = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if isinstance(db, Postgresql):
        text = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    return {name for (name,) in sql.rows(db, text)}


@cache
def shipped() -> tuple[Migration, ...]:
    """Read the migrations that come with the program, in order."""
    files = {file.name: file for file in resources.files(__name__).iterdir() if file.name.endswith(".sql")}
    return tuple(
        Migration(int(name[:4]), name[5:-4], file.read_text("utf-8"), _twin(name, files))
        for name, file in sorted(files.items())
        if not name.endswith(TWIN)
    )


def _twin(name: str, files: Mapping[str, Traversable]) -> str:
    twin = files.get(name.removesuffix(".sql") + TWIN)
    return "" if twin is None else twin.read_text("utf-8")


def _apply(db: peewee.Database, step: Migration) -> bool:
    """Apply one migration; False if another process was quicker."""
    with schema_change(db):
        if version(db) >= step.number:
            return False
        if isinstance(db, Postgresql):
            for statement in translation.translated(list(statements(step.text))):
                sql.run(db, statement)
            sql.run_script(db, step.twin)
        else:
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
