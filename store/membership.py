"""Applications of people who want to join, and the language a member is written to in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import peewee

from store import sql, tables
from store.errors import UnknownName
from store.instants import from_micros
from store.records import Application, ApplicationState, Apply, DecideApplication, SetDigest, SetLanguage
from store.writing import Writing


def application(db: peewee.Database, club_id: int, number: int) -> Application | None:
    """Return the application with this number, whatever its state."""
    return _found(db, "club_id = ? AND number = ?", (club_id, number))


def open_applications(db: peewee.Database, club_id: int) -> tuple[Application, ...]:
    """Return those that no manager has decided, the oldest first."""
    rows = sql.rows(db, _SELECT + "club_id = ? AND state = 'open' ORDER BY number", (club_id,))
    return tuple(map(_application, rows))


def latest_from(db: peewee.Database, club_id: int, address: str) -> Application | None:
    """Return the newest application from an address, given in its canonical form."""
    return _found(db, "club_id = ? AND address = ? ORDER BY number DESC LIMIT 1", (club_id, address))


def count_since(db: peewee.Database, club_id: int, since: datetime) -> int:
    """Return how many applications came in after an instant."""
    text = "SELECT count(*) FROM application WHERE club_id = ? AND applied_at > ?"
    return int(sql.value(db, text, (club_id, since)))


def next_application_number(db: peewee.Database, club_id: int) -> int:
    """Return the number that the next application gets; the first is 1."""
    text = "SELECT coalesce(max(number), 0) + 1 FROM application WHERE club_id = ?"
    return int(sql.value(db, text, (club_id,)))


def apply_to_join(writing: Writing, change: Apply) -> None:
    """R-ACC-3. Of one address only the newest application is open."""
    text = "UPDATE application SET state = 'superseded' WHERE club_id = ? AND address = ? AND state = 'open'"
    sql.run(writing.db, text, (writing.club_id, change.address))
    sql.insert(
        writing.db,
        tables.Application,
        club_id=writing.club_id,
        number=change.number,
        handle=change.handle,
        address=change.address,
        applied_at=writing.at,
        state=ApplicationState.OPEN,
    )


def decide_application(writing: Writing, change: DecideApplication) -> None:
    """A manager's OUI or NON. Raises UnknownName where no application with this number is open."""
    text = (
        "UPDATE application SET state = ?, decided_by = ?, decided_at = ?"
        " WHERE club_id = ? AND number = ? AND state = 'open'"
    )
    values = (change.state, change.by, writing.at, writing.club_id, change.number)
    if sql.run(writing.db, text, values).rowcount != 1:
        raise UnknownName(f"no open application {change.number}")


def approve_all_from(writing: Writing, address: str, by: str) -> None:
    """Whoever is invited has been approved, in whatever way the manager did it."""
    text = (
        "UPDATE application SET state = 'approved', decided_by = ?, decided_at = ?"
        " WHERE club_id = ? AND address = ? AND state = 'open'"
    )
    sql.run(writing.db, text, (by, writing.at, writing.club_id, address))


def set_language(writing: Writing, change: SetLanguage) -> None:
    person = writing.person(change.member)
    sql.run(writing.db, "UPDATE member SET language = ? WHERE id = ?", (change.language, person.id))


def set_digest(writing: Writing, change: SetDigest) -> None:
    person = writing.person(change.member)
    sql.run(writing.db, "UPDATE member SET digest = ? WHERE id = ?", (int(change.wanted), person.id))


def _found(db: peewee.Database, condition: str, params: Sequence[Any]) -> Application | None:
    found = sql.row(db, _SELECT + condition, params)
    return None if found is None else _application(found)


_SELECT = "SELECT number, handle, address, applied_at, state, decided_by FROM application WHERE "


def _application(row: sql.Row) -> Application:
    number, handle, address, applied_at, state, decided_by = row
    return Application(number, handle, address, from_micros(applied_at), ApplicationState(state), decided_by)
