"""Take over a file, or undo that: one transaction, all or nothing.

Each import is a batch with a number. What was taken over before is left out, so that importing twice is
importing once; undoing reverses every entry, and is refused where something that came later rests on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mailflow.errors import MailflowError
from mailflow.founding import Founder, open_account
from mailflow.importing.plan import Books, Carry, Plan, Play, Step, planned
from mailflow.importing.sheet import Sheet
from mailflow.model import Club
from mailflow.picture import picture
from mailflow.words import one_line
from store import imports, people
from store.database import Database, unit_of_work
from store.imports import Batch
from store.records import ClubRow, MemberStatus, fold_handle
from store.writing import Writing

NAME_MAX = 80


class Place(Protocol):
    """Where a club's books are."""

    @property
    def db(self) -> Database: ...
    @property
    def club(self) -> ClubRow: ...


class CannotUndo(MailflowError):
    """Something rests on the import."""


@dataclass(frozen=True)
class Taken:
    """What an import came to. `batch`: its number; None where nothing was written.

    `surplus_cents`: by how much the balances of all members are, or would be, more than their credits.
    """

    plan: Plan
    batch: int | None
    surplus_cents: int


def take_over(office: Place, sheet: Sheet, name: str, now: datetime, apply: bool) -> Taken:
    """Look at a sheet in the books as they stand and, if asked and nothing is wrong, write it all."""
    with unit_of_work(office.db):
        club = picture(office.db, office.club, now)
        plan = planned(sheet, club, books_of(office, club))
        surplus = sum(s.what.cents for s in plan.steps if isinstance(s.what, Carry))
        if not apply or plan.problems or not plan.steps:
            return Taken(plan, None, surplus)
        return Taken(plan, _write(office, club, sheet.kind, plan, one_line(name, NAME_MAX)), surplus)


def books_of(office: Place, club: Club) -> Books:
    """Look up what a plan has to know."""
    db, club_id = office.db, office.club.id
    here = [m for m in club.members.values() if m.status is not MemberStatus.LEFT]
    return Books(
        known=imports.known(db, club_id),
        free=frozenset(map(fold_handle, imports.free_again(db, club_id))),
        moved=frozenset(
            fold_handle(m.handle) for m in here if imports.moved_since_opening(db, club_id, m.handle)
        ),
        numbers={fold_handle(m.handle): people.number(db, club_id, m.handle) for m in here},
        next_game=club.books.next_game_number(),
    )


def _write(office: Place, club: Club, kind: str, plan: Plan, name: str) -> int:
    db, club_id = office.db, office.club.id
    batch = imports.begin(db, club_id, kind, name, club.now)
    for step in plan.steps:
        writing = Writing(db, club_id, club.now, f"import:{batch}:{step.line}")
        game = step.what.game.number if isinstance(step.what, Play) else None
        entry = _entry(office, club, step, writing)
        key = step.key or f"member:{_account(office, step)}"
        imports.note(db, club_id, batch, step.line, key, entry, game)
    imports.end(db, club_id, batch, kind, len(plan.steps), club.now)
    return batch


def _entry(office: Place, club: Club, step: Step, writing: Writing) -> int | None:
    """Write one row and return the number of its entry."""
    what = step.what
    if isinstance(what, Founder):
        db, row, version = office.db, office.club, club.rulebook_version
        open_account(db, row, what, club.rulebook, version, club.now, "import", writing.effect_key)
        return people.find(office.db, office.club.id, what.handle).opening_entry
    if isinstance(what, Carry):
        return imports.carry(writing, what.handle, what.cents, what.day)
    return imports.play(writing, what.game, what.day)


def _account(office: Place, step: Step) -> int:
    assert isinstance(step.what, Founder)
    return people.number(office.db, office.club.id, step.what.handle)


def undo(office: Place, number: int, now: datetime) -> Batch:
    """Take an import back whole. Raises CannotUndo."""
    db, club_id = office.db, office.club.id
    with unit_of_work(db):
        batch = next((b for b in imports.batches(db, club_id) if b.number == number), None)
        if batch is None:
            raise CannotUndo(f"there is no import {number}")
        if batch.undone_at is not None:
            raise CannotUndo(f"import {number} was undone on {batch.undone_at:%Y-%m-%d %H:%M} UTC")
        found = imports.later(db, club_id, number)
        if found:
            raise CannotUndo(f"import {number} stays: {_why(found, office)}")
        if batch.kind == "members":
            _leaves_a_manager(office, number, now)
        imports.undo(db, club_id, number, now)
    return batch


def _leaves_a_manager(office: Place, number: int, now: datetime) -> None:
    """A club that has managers keeps one: a case nobody could decide would stay open for ever."""
    managers = {m.handle for m in picture(office.db, office.club, now).managers}
    if managers and managers <= imports.opened(office.db, office.club.id, number):
        raise CannotUndo(f"import {number} stays: {', '.join(sorted(managers))} would leave no manager")


def _why(found: tuple[imports.Later, ...], office: Place) -> str:
    reasons = []
    for one in found[:5]:
        if one.game is not None:
            reasons.append(f"{one.member} takes part in game {one.game}")
        elif one.entry is not None:
            batch = imports.batch_of_entry(office.db, office.club.id, one.entry)
            why = f"entry {one.entry}" if batch is None else f"import {batch}, to be undone first"
            reasons.append(f"on the account of {one.member} stands {why}")
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    return "; ".join(reasons) + more
