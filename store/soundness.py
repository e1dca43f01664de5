"""Whether the database itself is sound: its pages, and the references that it should have enforced.

Books can only be damaged so by somebody, or something, that went past the database's own rules.
"""

from __future__ import annotations

from collections.abc import Iterator

import peewee

from store import sql, tables
from store.errors import StoreError
from store.handles import Postgresql


def damages(db: peewee.Database) -> Iterator[str]:
    """Give what is wrong with the database; when there is something, nothing else in it can be believed."""
    try:
        yield from _unreadable(db) if isinstance(db, Postgresql) else _broken_pages(db)
    except StoreError as error:  # damaged so much that it cannot even be checked
        yield str(error)


def broken_references(db: peewee.Database) -> Iterator[tuple[str, str]]:
    """Give (row, table) of rows that refer to what that table lacks: among them entries without a seal."""
    if not isinstance(db, Postgresql):
        for table, rowid, parent, _ in sql.rows(db, "PRAGMA foreign_key_check"):
            yield f"{table} {rowid}", parent
        return
    for table, columns, parent, referred, key in sql.rows(db, _REFERENCES):
        here = ", ".join(f"c.{column}" for column in columns)
        there = ", ".join(f"p.{column}" for column in referred)
        row = " || '/' || ".join(f"c.{column}::text" for column in key)
        text = (
            f"SELECT {row} FROM {table} c WHERE ({here}) IS NOT NULL"
            f" AND NOT EXISTS (SELECT 1 FROM {parent} p WHERE ({there}) = ({here})) ORDER BY 1"
        )
        for (number,) in sql.rows(db, text):
            yield f"{table} {number}", parent


_REFERENCES = (
    "SELECT t.relname, "
    " ARRAY(SELECT attname::text FROM unnest(f.conkey) WITH ORDINALITY AS k(n, i)"
    "  JOIN pg_attribute ON attrelid = f.conrelid AND attnum = k.n ORDER BY k.i),"
    " r.relname,"
    " ARRAY(SELECT attname::text FROM unnest(f.confkey) WITH ORDINALITY AS k(n, i)"
    "  JOIN pg_attribute ON attrelid = f.confrelid AND attnum = k.n ORDER BY k.i),"
    " ARRAY(SELECT attname::text FROM pg_constraint x, unnest(x.conkey) WITH ORDINALITY AS k(n, i)"
    "  JOIN pg_attribute ON attrelid = f.conrelid AND attnum = k.n"
    "  WHERE x.conrelid = f.conrelid AND x.contype = 'p' AND x.conkey IS NOT NULL ORDER BY k.i)"
    " FROM pg_constraint f JOIN pg_class t ON t.oid = f.conrelid JOIN pg_class r ON r.oid = f.confrelid"
    " JOIN pg_namespace n ON n.oid = t.relnamespace"
    " WHERE f.contype = 'f' AND n.nspname = current_schema() ORDER BY t.relname, f.conname"
)


def _broken_pages(db: peewee.Database) -> Iterator[str]:
    for (message,) in sql.rows(db, "PRAGMA integrity_check"):
        if message != "ok":
            yield message


def _unreadable(db: peewee.Database) -> Iterator[str]:
    """Read every row of every table, and find the triggers and checks that were switched off or dropped."""
    for table in tables.ALL:
        sql.rows(db, f"SELECT count(t) FROM {table._meta.table_name} t")
    text = (
        "SELECT c.relname, g.tgname FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid"
        " WHERE c.relnamespace = current_schema()::regnamespace AND g.tgenabled IN ('D', 'R') ORDER BY 1, 2"
    )
    for table_name, trigger in sql.rows(db, text):
        yield f"the trigger {trigger} of {table_name} is switched off"
