"""A small language to set scenes: a club, its members, their games, in one line each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import peewee
from hypothesis import settings

from store import changes, clubs, ledger, sql
from store.database import unit_of_work
from store.records import (
    AcceptDisputes,
    Change,
    CloseWindow,
    CreateGame,
    FileDispute,
    GameState,
    Member,
    OpenAccount,
    RecordResult,
)
from store.snapshot import Books, members

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
WINDOW = timedelta(days=7)

BRIEF = settings(max_examples=40, deadline=None)
"""For properties that make a database for each example."""


@dataclass
class Scene:
    """A club whose clock goes on by a minute with each change."""

    db: peewee.Database
    id: int
    now: datetime = START

    @property
    def books(self) -> Books:
        return Books(self.db, self.id)

    @property
    def members(self) -> dict[str, Member]:
        return {member.handle: member for member in members(self.db, self.id)}

    @property
    def balances(self) -> dict[str, int]:
        return {handle: member.balance_cents for handle, member in self.members.items()}

    def do(self, *changed: Change, key: str | None = None) -> datetime:
        """Write changes in one unit of work and return their instant."""
        self.now += timedelta(minutes=1)
        with unit_of_work(self.db):
            for number, change in enumerate(changed):
                effect_key = f"{key or self.now.isoformat()}:{number}"
                changes.apply(self.db, self.id, change, self.now, effect_key)
        return self.now

    def open(self, *handles: str, manager: bool = False) -> None:
        self.do(*(opening(handle, manager) for handle in handles))

    def play(self, number: int, *players: str, buyin_cents: int = 1_00) -> datetime:
        """Create a game; the first player is its creator."""
        return self.do(CreateGame(number, players[0], buyin_cents, players, 1))

    def end(self, number: int, winner: str) -> datetime:
        """Record that one player takes the pot."""
        game = self.books.game(number)
        assert game is not None
        gains = {winner: game.pot_cents}
        ends_at = self.now + WINDOW
        return self.do(RecordResult(number, game.creator, {1: winner}, gains, ends_at))

    def dispute(self, number: int, member: str, reason: str = "faux") -> datetime:
        return self.do(FileDispute(number, member, reason, self.now))

    def to_arbitration(self, number: int, winner: str, disputer: str) -> None:
        self.end(number, winner)
        self.dispute(number, disputer)
        self.do(CloseWindow(number, GameState.ARBITRATION))

    def replay_result(self, number: int) -> None:
        self.do(AcceptDisputes(number, "anna", GameState.RUNNING))

    def post(self, *postings: tuple[str, int], kind: str = "transfer", **more: Any) -> int:
        self.now += timedelta(minutes=1)
        key = more.pop("effect_key", f"post:{self.now.isoformat()}")
        with unit_of_work(self.db):
            return ledger.post(self.db, self.id, kind, self.now, postings, key, **more)

    def raw(self, text: str, *params: Any) -> None:
        """Run SQL as somebody would who goes past the program."""
        with unit_of_work(self.db):
            sql.run(self.db, text, params)


def opening(handle: str, manager: bool = False) -> OpenAccount:
    address = f"{handle}@example.org"
    return OpenAccount(handle, handle.title(), address, "fr", manager, 200_00, 1, "founder")


def found(db: peewee.Database, address: str = "club@example.org") -> Scene:
    with unit_of_work(db):
        row = clubs.create_club(db, "Les amis", address, "Europe/Paris", "EUR", "fr", "le forum", "{}", START)
    return Scene(db, row.id)
