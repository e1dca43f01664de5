"""Read what was ordered and asked: injunctions, nudges, invitations, rulebook versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import peewee

from store import people, sql
from store.errors import UnknownName
from store.instants import from_micros, maybe_from_micros
from store.records import (
    Complaint,
    Injunction,
    InjunctionLine,
    InjunctionState,
    Invitation,
    RulebookVersion,
    fold_handle,
)


def open_injunctions(db: peewee.Database, club_id: int) -> tuple[Injunction, ...]:
    """Return the injunctions proposed or launched, in the order proposed."""
    return _injunctions(db, "club_id = ? AND state IN ('proposed', 'launched')", (club_id,))


def injunction_of_spell(
    db: peewee.Database, club_id: int, handle: str, spell_started_at: datetime
) -> Injunction | None:
    """Return the injunction of a member's spell of inactivity, whatever its state."""
    member = people.find(db, club_id, handle).id
    found = _injunctions(db, "member_id = ? AND spell_started_at = ?", (member, spell_started_at))
    return found[0] if found else None


def nudged_months(db: peewee.Database, club_id: int, handle: str, spell_started_at: datetime) -> int:
    """R-INA-2: return the months at which he was last asked in this spell, 0 if he was not."""
    text = "SELECT months FROM nudge WHERE member_id = ? AND spell_started_at = ?"
    member = people.find(db, club_id, handle).id
    return int(sql.value(db, text, (member, spell_started_at)) or 0)


def invitation(db: peewee.Database, club_id: int, handle: str) -> Invitation | None:
    """Return the open invitation under a handle."""
    return _invitation(db, "club_id = ? AND folded = ?", (club_id, fold_handle(handle)))


def invitation_for_address(db: peewee.Database, club_id: int, address: str) -> Invitation | None:
    """Return the open invitation to an address, given in its canonical form."""
    return _invitation(db, "club_id = ? AND address = ?", (club_id, address))


def rulebook(db: peewee.Database, club_id: int) -> RulebookVersion:
    """Return the rulebook as it stands."""
    return _rulebook(db, "club_id = ? ORDER BY number DESC LIMIT 1", (club_id,))


def rulebook_version(db: peewee.Database, club_id: int, number: int) -> RulebookVersion:
    """Return one version of the rulebook. Raises UnknownName."""
    return _rulebook(db, "club_id = ? AND number = ?", (club_id, number))


def complaints(db: peewee.Database, club_id: int) -> tuple[Complaint, ...]:
    """Return all complaints, the oldest first."""
    text = (
        "SELECT number, author, about, filed_at, closed_at IS NOT NULL FROM complaint"
        " WHERE club_id = ? ORDER BY number"
    )
    rows = sql.rows(db, text, (club_id,))
    return tuple(Complaint(n, by, about, from_micros(at), bool(closed)) for n, by, about, at, closed in rows)


def next_complaint_number(db: peewee.Database, club_id: int) -> int:
    """Return the number that the next complaint gets; the first is 1."""
    text = "SELECT coalesce(max(number), 0) + 1 FROM complaint WHERE club_id = ?"
    return int(sql.value(db, text, (club_id,)))


def ban_reason(db: peewee.Database, club_id: int, handle: str) -> str:
    """Return why a member is banned, "" if he is not."""
    text = "SELECT ban_reason FROM member WHERE id = ?"
    return str(sql.value(db, text, (people.find(db, club_id, handle).id,)))


def _injunctions(db: peewee.Database, condition: str, params: Sequence[Any]) -> tuple[Injunction, ...]:
    text = (
        "SELECT i.id, m.handle, i.spell_started_at, i.state, i.unplaced_cents, i.proposed_at, i.due_at,"
        " i.overdue_told FROM injunction i JOIN member m ON m.id = i.member_id"
        f" WHERE i.id IN (SELECT id FROM injunction WHERE {condition}) ORDER BY i.id"
    )
    found = sql.rows(db, text, params)
    if not found:
        return ()
    lines_text = (
        "SELECT l.injunction_id, g.handle, b.handle, l.amount_cents, l.paid_cents FROM injunction_line l"
        " JOIN member g ON g.id = l.giver_id JOIN member b ON b.id = l.beneficiary_id"
        f" WHERE l.injunction_id IN (SELECT id FROM injunction WHERE {condition})"
        " ORDER BY l.injunction_id, l.position"
    )
    lines: defaultdict[int, list[InjunctionLine]] = defaultdict(list)
    for injunction_id, *line in sql.rows(db, lines_text, params):
        lines[injunction_id].append(InjunctionLine(*line))
    return tuple(_injunction(row, lines[row[0]]) for row in found)


def _injunction(row: sql.Row, lines: list[InjunctionLine]) -> Injunction:
    injunction_id, member, spell, state, unplaced_cents, proposed_at, due_at, overdue_told = row
    return Injunction(
        id=injunction_id,
        member=member,
        spell_started_at=from_micros(spell),
        state=InjunctionState(state),
        lines=tuple(lines),
        unplaced_cents=unplaced_cents,
        proposed_at=from_micros(proposed_at),
        due_at=maybe_from_micros(due_at),
        overdue_told=bool(overdue_told),
    )


def _invitation(db: peewee.Database, condition: str, params: Sequence[Any]) -> Invitation | None:
    text = "SELECT handle, address, invited_by, invited_at FROM invitation WHERE state = 'open' AND "
    found = sql.row(db, text + condition, params)
    if found is None:
        return None
    handle, address, invited_by, invited_at = found
    return Invitation(handle, address, invited_by, from_micros(invited_at))


def _rulebook(db: peewee.Database, condition: str, params: Sequence[Any]) -> RulebookVersion:
    text = "SELECT number, values_json, since_at, author, reason FROM rulebook WHERE "
    found = sql.row(db, text + condition, params)
    if found is None:
        raise UnknownName("no such version of the rulebook")
    number, values, since_at, author, reason = found
    return RulebookVersion(number, values, from_micros(since_at), author, reason)
