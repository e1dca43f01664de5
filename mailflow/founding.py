"""Found a club: its row, its rulebook, and the members who are there from the start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mailflow.rulebook import Rulebook
from mailflow.settings import Charter
from store import changes, clubs, people
from store.database import Database, unit_of_work
from store.records import ClubRow, OpenAccount


@dataclass(frozen=True)
class Founder:
    """A member who is there from the start, or whom the operator adds; "" as a language is the club's."""

    handle: str
    address: str
    manager: bool = False
    name: str = ""
    language: str = ""


def found(db: Database, charter: Charter, members: Sequence[Founder], at: datetime) -> ClubRow:
    """Found the club and open its first accounts (R-ACC-1, R-ACC-2); nobody is written to."""
    with unit_of_work(db):
        club = clubs.create_club(
            db,
            charter.name,
            charter.address,
            charter.timezone,
            charter.currency,
            charter.language,
            charter.forum,
            charter.rulebook.to_json(),
            at,
        )
        for member in members:
            open_account(db, club, member, charter.rulebook, 1, at)
    return club


def open_account(
    db: Database,
    club: ClubRow,
    member: Founder,
    rulebook: Rulebook,
    version: int,
    at: datetime,
    how: str = "founder",
    key: str | None = None,
) -> None:
    """Open an account without an invitation, within the caller's transaction. `key`: a fresh one for None."""
    opened = OpenAccount(
        handle=member.handle,
        name=member.name or member.handle,
        address=member.address,
        language=member.language or club.language,
        manager=member.manager,
        initial_credit_cents=rulebook.initial_credit_cents,
        rulebook_version=version,
        how=how,
    )
    nth = people.count(db, club.id) + 1  # the journal keeps this key for good, so it names nobody (T-38)
    changes.apply(db, club.id, opened, at, key or f"open:{nth}:{at.isoformat()}")
