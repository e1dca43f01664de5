"""Changes of addresses and of the manager: asked for, waiting, and in force (TRUST § 2, class identity).

A change moves along ASKED, WAITING, DONE; STOPPED and LAPSED end it on the way. Each move checks the state
that it starts from, so that none is made twice whoever is quicker.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import peewee

from store import people, sql, tables, tokens
from store.errors import UnknownName, WrongState
from store.instants import from_micros, maybe_from_micros
from store.records import (
    AgreeToIdentityChange,
    EndIdentityChange,
    IdentityChange,
    IdentityKind,
    IdentityState,
    ProposeIdentityChange,
    TakeIdentityEffect,
    fold_handle,
)
from store.writing import Writing

# ---------------------------------------------------------------- reading


def identity_change(db: peewee.Database, club_id: int, number: int) -> IdentityChange | None:
    """Return the change with this number, whatever its state."""
    found = _changes(db, "c.club_id = ? AND c.number = ?", (club_id, number))
    return found[0] if found else None


def open_changes_of(db: peewee.Database, club_id: int, handle: str) -> tuple[IdentityChange, ...]:
    """Return a member's changes that are asked for or wait, in the order asked."""
    condition = "c.club_id = ? AND m.folded = ? AND c.ended_at IS NULL"
    return _changes(db, condition, (club_id, fold_handle(handle)))


def next_due(db: peewee.Database, club_id: int, but: Sequence[int] = ()) -> IdentityChange | None:
    """Return the open change on which the clock acts first; `but`: numbers that are left aside."""
    left_out = f" AND c.number NOT IN ({sql.marks(len(but))})" if but else ""
    condition = f"c.club_id = ? AND c.ended_at IS NULL{left_out} ORDER BY c.due_at, c.number LIMIT 1"
    found = _changes(db, condition, (club_id, *but))
    return found[0] if found else None


def last_asked_at(db: peewee.Database, club_id: int, address: str) -> datetime | None:
    """Return when an address was last asked for its OUI, by whomever."""
    text = "SELECT max(asked_at) FROM identity_change WHERE club_id = ? AND address = ? AND kind = 'add'"
    return maybe_from_micros(sql.value(db, text, (club_id, address)))


def next_number(db: peewee.Database, club_id: int) -> int:
    """Return the number that the next change gets; the first is 1."""
    text = "SELECT coalesce(max(number), 0) + 1 FROM identity_change WHERE club_id = ?"
    return int(sql.value(db, text, (club_id,)))


def addresses_of(db: peewee.Database, club_id: int, handle: str) -> tuple[str, ...]:
    """Return a member's registered addresses, the primary one first."""
    text = "SELECT address FROM address WHERE member_id = ? ORDER BY is_primary DESC, id"
    return tuple(a for (a,) in sql.rows(db, text, (people.find(db, club_id, handle).id,)))


_SELECT = (
    "SELECT c.number, c.kind, m.handle, c.address, o.handle, c.state, c.asked_at, c.due_at"
    " FROM identity_change c JOIN member m ON m.id = c.member_id LEFT JOIN member o ON o.id = c.other_id"
    " WHERE "
)


def _changes(db: peewee.Database, condition: str, params: Sequence[Any]) -> tuple[IdentityChange, ...]:
    return tuple(map(_change, sql.rows(db, _SELECT + condition, params)))


def _change(row: sql.Row) -> IdentityChange:
    number, kind, member, address, other, state, asked_at, due_at = row
    return IdentityChange(
        number,
        IdentityKind(kind),
        member,
        address,
        other,
        IdentityState(state),
        from_micros(asked_at),
        from_micros(due_at),
    )


# ---------------------------------------------------------------- writing


def propose(writing: Writing, change: ProposeIdentityChange) -> None:
    """Begin a change, as asked for or as waiting."""
    other = None if change.other is None else writing.person(change.other).id
    sql.insert(
        writing.db,
        tables.IdentityChange,
        club_id=writing.club_id,
        number=change.number,
        kind=change.kind,
        member_id=writing.person(change.member).id,
        address=change.address,
        other_id=other,
        state=change.state,
        asked_at=writing.at,
        due_at=change.due_at,
    )


def agree(writing: Writing, change: AgreeToIdentityChange) -> None:
    """The second OUI. Raises WrongState for a change that is not asked for (any more)."""
    text = (
        "UPDATE identity_change SET state = 'waiting', due_at = ?"
        " WHERE club_id = ? AND number = ? AND state = 'asked'"
    )
    if sql.run(writing.db, text, (change.due_at, writing.club_id, change.number)).rowcount != 1:
        raise WrongState(f"identity change {change.number} is not asked for")


def end(writing: Writing, change: EndIdentityChange) -> None:
    """End an open change without effect. Raises WrongState for one that has ended."""
    _end(writing, change.number, change.state)


def take_effect(writing: Writing, change: TakeIdentityEffect) -> None:
    """Do what was confirmed and has waited, and end the tokens of whom it concerns."""
    found = identity_change(writing.db, writing.club_id, change.number)
    if found is None:
        raise UnknownName(f"no identity change {change.number}")
    if found.state is not IdentityState.WAITING:
        raise WrongState(f"identity change {change.number} is {found.state}, not waiting")
    if found.kind.is_role:
        _give_role(writing, found)
    else:
        _ADDRESS_EFFECTS[found.kind](writing, writing.person(found.member).id, found.address)
    for handle in filter(None, (found.member, found.other)):
        tokens.revoke_all(writing.db, writing.club_id, handle)
    _end(writing, change.number, IdentityState.DONE)


def _end(writing: Writing, number: int, state: IdentityState) -> None:
    text = (
        "UPDATE identity_change SET state = ?, ended_at = ?"
        " WHERE club_id = ? AND number = ? AND ended_at IS NULL"
    )
    if sql.run(writing.db, text, (state, writing.at, writing.club_id, number)).rowcount != 1:
        raise WrongState(f"identity change {number} has ended")


def _give_role(writing: Writing, change: IdentityChange) -> None:
    text = "UPDATE member SET manager = ? WHERE id = ?"
    sql.run(writing.db, text, (1, writing.person(change.other or "").id))
    if change.kind is IdentityKind.HAND_OVER:
        sql.run(writing.db, text, (0, writing.person(change.member).id))


def _add(writing: Writing, member_id: int, address: str) -> None:
    sql.insert(
        writing.db,
        tables.Address,
        club_id=writing.club_id,
        member_id=member_id,
        address=address,
        is_primary=0,
    )


def _remove(writing: Writing, member_id: int, address: str) -> None:
    """The primary one stays: mails must have somewhere to go."""
    text = "DELETE FROM address WHERE member_id = ? AND address = ? AND is_primary = 0"
    if sql.run(writing.db, text, (member_id, address)).rowcount != 1:
        raise WrongState("the address is the primary one, or not this member's")


def _make_primary(writing: Writing, member_id: int, address: str) -> None:
    sql.run(writing.db, "UPDATE address SET is_primary = 0 WHERE member_id = ?", (member_id,))
    text = "UPDATE address SET is_primary = 1 WHERE member_id = ? AND address = ?"
    if sql.run(writing.db, text, (member_id, address)).rowcount != 1:
        raise WrongState("the address is not this member's")


_ADDRESS_EFFECTS = {
    IdentityKind.ADD: _add,
    IdentityKind.REMOVE: _remove,
    IdentityKind.PRIMARY: _make_primary,
}
