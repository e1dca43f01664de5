"""Find members by handle, as registered or in any form that folds alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import peewee

from store import sql
from store.errors import UnknownName
from store.records import fold_handle, member_account


@dataclass(frozen=True)
class Person:
    """What the store itself needs of a member. `handle` is as registered."""

    id: int
    handle: str
    account_id: int
    opening_entry: int

    @property
    def account(self) -> str:
        return member_account(self.handle)


def find(db: peewee.Database, club_id: int, handle: str) -> Person:
    """Return the member. Raises UnknownName."""
    person = look_up(db, club_id, handle)
    if person is None:
        raise UnknownName(f"no member {handle!r}")
    return person


def look_up(db: peewee.Database, club_id: int, handle: str) -> Person | None:
    """Return the member, or None."""
    found = sql.row(db, _SELECT + " AND folded = ?", (club_id, fold_handle(handle)))
    return None if found is None else Person(*found)


def number(db: peewee.Database, club_id: int, handle: str) -> int:
    """Return the number of a member's account: what names him where a name could not be forgotten (T-38)."""
    text = "SELECT number FROM account WHERE id = ?"
    return int(sql.value(db, text, (find(db, club_id, handle).account_id,)))


def count(db: peewee.Database, club_id: int) -> int:
    """Return how many members there are and ever were."""
    return int(sql.value(db, "SELECT count(*) FROM member WHERE club_id = ?", (club_id,)))


def handle_at(db: peewee.Database, club_id: int, address: str) -> str | None:
    """Return whose registered address this is, his first or another."""
    text = (
        "SELECT m.handle FROM address d JOIN member m ON m.id = d.member_id"
        " WHERE d.club_id = ? AND d.address = ?"
    )
    found = sql.value(db, text, (club_id, address))
    return None if found is None else str(found)


def find_all(db: peewee.Database, club_id: int, handles: Iterable[str]) -> Mapping[str, Person]:
    """Return handle to member for every handle as it was given. Raises UnknownName for the missing."""
    folded = {handle: fold_handle(handle) for handle in handles}
    wanted = sorted(set(folded.values()))
    text = f"{_SELECT} AND folded IN ({sql.marks(len(wanted))})"
    people = [Person(*row) for row in sql.rows(db, text, (club_id, *wanted))]
    by_folded = {fold_handle(person.handle): person for person in people}
    missing = [handle for handle, key in folded.items() if key not in by_folded]
    if missing:
        raise UnknownName(f"no member {', '.join(map(repr, missing))}")
    return {handle: by_folded[key] for handle, key in folded.items()}


_SELECT = "SELECT id, handle, account_id, opening_entry FROM member WHERE club_id = ?"
