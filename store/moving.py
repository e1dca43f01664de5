"""Move a club's books from a file into a PostgreSQL database, whole and compared, or not at all.

Three commits, in this order: the copy, marked as arriving; the file, marked as moved; the copy, no longer
arriving. Until the second the file is what counts and can be served; from then on nobody can open it by
mistake, the earlier versions of this program included. What is marked as arriving is never served.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import peewee

from store import audit, clubs, ledger, sql, tables
from store.errors import StoreError
from store.handles import Postgresql
from store.migrations import MOVED
from store.records import ClubRow
from store.transactions import transaction, unit_of_work
from store.verify import verify

Table = type[peewee.Model]

STAYS = frozenset({tables.SchemaVersion, tables.Lease, tables.Arrival})
"""What belongs to a database and not to a club's books."""

DERIVED = frozenset({("account", "balance_cents")})
"""Columns that triggers fill anew, from the rows that follow."""

BATCH = 1000


@dataclass(frozen=True)
class Likeness:
    """By what two copies of a club's books are compared: their rows, the journal, the head of the chain."""

    rows: Mapping[str, int]
    journal: str
    chain_head: str


def move(source: peewee.Database, target: Postgresql, club: ClubRow, now: datetime) -> Likeness:
    """Move a club's books; return what was compared. What a move left unfinished is taken up again.

    Raises StoreError when the target has the club already, or the copy is not like the books: then the
    file is as before, and so is what can be served from the target.
    """
    with unit_of_work(source):
        seen = likeness(source, club.id)
        arrived = arriving(target, club.address)
        if arrived is not None and likeness(target, arrived) != seen:
            _set_aside(target, arrived)  # the file was used again after a move that was cut off
            arrived = None
        if arrived is None:
            _copy(source, target, club, seen, now)
        text = "INSERT INTO schema_version (number, name) VALUES (?, ?)"
        sql.run(source, text, (MOVED, f"moved to {target.server}"))
    finish(target, club.address)
    return seen


def finish(target: Postgresql, address: str) -> None:
    """Let the books that have arrived be served; nothing happens where they are already."""
    text = "DELETE FROM arrival WHERE club_id IN (SELECT id FROM club WHERE address = ?)"
    with transaction(target):
        sql.run(target, text, (address,))


def arriving(db: peewee.Database, address: str) -> int | None:
    """Return the id of the club with this address if its books are only arriving."""
    text = "SELECT a.club_id FROM arrival a JOIN club c ON c.id = a.club_id WHERE c.address = ?"
    found = sql.value(db, text, (address,))
    return None if found is None else int(found)


def likeness(db: peewee.Database, club_id: int) -> Likeness:
    """Sum up a club's books."""
    rows = {}
    for table in moved_tables():
        text = f"SELECT count(*) FROM {table._meta.table_name} WHERE {of_club(table)}"
        rows[table._meta.table_name] = int(sql.value(db, text, (club_id,)))
    return Likeness(rows, ledger.journal_digest(db, club_id), audit.head(db, club_id))


def moved_tables() -> list[Table]:
    """All tables with a club's books, each after those that it refers to; seals come last."""
    ordered: list[Table] = []
    left = [table for table in tables.ALL if table not in STAYS]
    while left:
        ready = [t for t in left if {ref.rel_model for ref in t._meta.refs} - {t} <= set(ordered)]
        ordered += ready
        left = [table for table in left if table not in ready]
    return [t for t in ordered if t is not tables.Seal] + [tables.Seal]


def of_club(table: Table) -> str:
    """Return the condition on the rows of a table that belong to one club, whose id is its only value."""
    if table is tables.Club:
        return "id = ?"
    columns = {ref.rel_model: ref.column_name for ref in table._meta.refs if not ref.null}
    if tables.Club in columns:
        return f"{columns[tables.Club]} = ?"
    parent, column = next(iter(columns.items()))
    return f"{column} IN (SELECT {_keys(parent)[0]} FROM {parent._meta.table_name} WHERE {of_club(parent)})"


def _copy(source: peewee.Database, target: Postgresql, club: ClubRow, seen: Likeness, now: datetime) -> None:
    if any(row.address == club.address for row in clubs.clubs(target)):
        raise StoreError(f"{target.server} keeps {club.address} already")
    with transaction(target):
        ids: dict[Table, dict[int, int]] = {}
        for table in moved_tables():
            _copy_table(source, target, table, club.id, ids)
        club_id = ids[tables.Club][club.id]
        sql.insert(target, tables.Arrival, club_id=club_id, began_at=now)
        sql.run(target, "SET CONSTRAINTS ALL IMMEDIATE")
        found = likeness(target, club_id)
        if found != seen:
            raise StoreError(f"the copy differs from the books: {found} and not {seen}")
        wrong = verify(target, club_id)
        if wrong:
            raise StoreError(f"the copy is not sound: {wrong[0].where}: {wrong[0].code}")


def _copy_table(
    source: peewee.Database,
    target: Postgresql,
    table: Table,
    club_id: int,
    ids: dict[Table, dict[int, int]],
) -> None:
    """Copy a table's rows in their order, under new ids, which are noted in `ids`."""
    name, fields = table._meta.table_name, table._meta.sorted_fields
    columns = [field.column_name for field in fields]
    key = ", ".join(_keys(table))
    if isinstance(table._meta.primary_key, peewee.AutoField):
        text = f"SELECT id FROM {name} WHERE {of_club(table)} ORDER BY id"
        ids[table] = _new_ids(target, name, [number for (number,) in sql.rows(source, text, (club_id,))])
    maps = [ids.get(_named(field, table)) for field in fields]
    zeroed = [(name, column) in DERIVED for column in columns]
    text = f"SELECT {', '.join(columns)} FROM {name} WHERE {of_club(table)} ORDER BY {key}"
    rows = (_renamed(row, maps, zeroed) for row in _in_batches(sql.run(source, text, (club_id,))))
    sql.copy_in(target, f"COPY {name} ({', '.join(columns)}) FROM STDIN", rows)


def _keys(table: Table) -> list[str]:
    """The columns of a table's primary key."""
    meta: Any = table._meta
    return [field.column_name for field in meta.get_primary_keys()]


def _named(field: Any, table: Table) -> Table:
    """The table whose id a column holds; one without ids where it holds none."""
    if isinstance(field, peewee.ForeignKeyField):
        parent: Table = field.rel_model
        return parent
    return table if isinstance(field, peewee.AutoField) else tables.SchemaVersion


def _renamed(
    row: Sequence[Any], maps: Sequence[Mapping[int, int] | None], zeroed: Sequence[bool]
) -> Sequence[Any]:
    return [
        0 if zero else value if renamed is None or value is None else renamed[value]
        for value, renamed, zero in zip(row, maps, zeroed, strict=True)
    ]


def _new_ids(target: Postgresql, name: str, old: Sequence[int]) -> dict[int, int]:
    """Draw an id for each old one, in the same order; nobody else gets them.

    The first club of a database keeps its ids: what was told to others by one (a return path) stays true.
    """
    if old and _is_empty(target, name):
        sql.rows(target, f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), ?)", (old[-1],))
        return {number: number for number in old}
    text = f"SELECT nextval(pg_get_serial_sequence('{name}', 'id')) FROM generate_series(1, ?)"
    return dict(zip(old, sorted(number for (number,) in sql.rows(target, text, (len(old),))), strict=True))


def _is_empty(target: Postgresql, name: str) -> bool:
    """Tell whether a table holds nothing, and keep it so for others until the end of the transaction."""
    text = f"SELECT NOT EXISTS (SELECT 1 FROM {name})"
    if not sql.value(target, text):
        return False
    sql.run(target, f"LOCK TABLE {name} IN SHARE ROW EXCLUSIVE MODE")
    return bool(sql.value(target, text))


def _in_batches(cursor: Any) -> Iterator[sql.Row]:
    with sql.translated():
        while rows := cursor.fetchmany(BATCH):
            yield from rows


def _set_aside(target: Postgresql, club_id: int) -> None:
    """Free the address of an unfinished copy that is out of date. It stays marked: nobody serves it."""
    text = "UPDATE club SET address = 'unfinished:' || id || ':' || address WHERE id = ?"
    with transaction(target):
        sql.run(target, text, (club_id,))
