"""What a sheet would bring about in a club as it stands: one step for each new row, or what is wrong, by row.

Pure: rows and a picture of the club in, steps and problems out. Members come first, then balances, then
games: what is played changes a balance, so a balance is taken only for an account on which nothing was
booked yet. A row that was taken over before is recognised by its key and left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import TypeAlias

from mailflow.calendar import instant
from mailflow.errors import SettingsError
from mailflow.founding import Founder
from mailflow.importing import cells
from mailflow.importing.sheet import Row, Sheet
from mailflow.model import Club, broken
from mailflow.rules.accounts import INVITE_CHECKS, Newcomer, keywords
from mailflow.rules.payouts import RANKING_CHECKS, Ranking, gains_cents, ranked
from mailflow.settings import checked_address
from mailflow.words import languages
from store.imports import PastGame
from store.records import Member, MemberStatus, fold_handle

EVENING = time(20)
"""When a game of before was played, for want of a better hour."""


@dataclass(frozen=True)
class Books:
    """What a plan has to know of the books besides the club's picture.

    `known`: key of a row taken over to the number of its batch. `free`: handles that an undone import had
    given. `moved`: folded handles on whose accounts something was booked. `numbers`: folded handle to the
    number of the account. `next_game`: the number that the next game gets.
    """

    known: Mapping[str, int]
    free: frozenset[str]
    moved: frozenset[str]
    numbers: Mapping[str, int]
    next_game: int


@dataclass(frozen=True)
class Carry:
    """Bring a balance to `balance_cents`; `cents`: by how much that is more than the initial credit."""

    handle: str
    balance_cents: int
    cents: int
    day: str


@dataclass(frozen=True)
class Play:
    game: PastGame
    day: str


@dataclass(frozen=True)
class Step:
    """A row that is new. `key`: by which it is known afterwards; None for a member, known by his handle."""

    line: int
    key: str | None
    what: Founder | Carry | Play


@dataclass
class Plan:
    """`known`: rows that were taken over before, or are so already."""

    steps: list[Step] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    known: int = 0


class Wrong(Exception):
    """A row cannot be taken over: the text says why."""


def planned(sheet: Sheet, club: Club, books: Books) -> Plan:
    """Look at every row; all problems are collected."""
    plan = Plan()
    reader = _READERS[sheet.kind](club, books)
    for row in sheet.rows:
        try:
            step = reader.read(row)
        except Wrong as error:
            plan.problems.append(f"row {row.number}: {error}")
            continue
        if step is None:
            plan.known += 1
        else:
            plan.steps.append(step)
    return plan


def _cell(row: Row, column: str, form: str) -> str:
    if column not in row.cells:
        raise Wrong(f"the {column} is missing, for example {form}")
    return row.cells[column]


@dataclass
class _Members:
    club: Club
    books: Books
    handles: dict[str, int] = field(default_factory=dict)
    addresses: dict[str, int] = field(default_factory=dict)

    def read(self, row: Row) -> Step | None:
        founder = self._founder(row)
        self._is_said_once(row, founder)
        present = self.club.members.get(fold_handle(founder.handle))
        if present is not None and present.status is not MemberStatus.LEFT:
            if founder.address in self.club.books.addresses(present.handle):
                return None
            raise Wrong(f"{present.handle} is a member already, at another address")
        self._may_join(founder)
        return Step(row.number, None, founder)

    def _founder(self, row: Row) -> Founder:
        handle = _cell(row, "handle", "anna").casefold()
        try:
            address = checked_address(_cell(row, "address", "anna@example.org"))
        except SettingsError as error:
            raise Wrong(str(error)) from None
        manager = cells.yes(row.cells.get("manager", "non"))
        if manager is None:
            raise Wrong(f"manager: {row.cells['manager']!r} is neither oui nor non")
        language = row.cells.get("language", "").casefold()
        if language and language not in languages():
            raise Wrong(f"language: {language!r} is none of {', '.join(languages())}")
        return Founder(handle, address, manager, row.cells.get("name", ""), language)

    def _is_said_once(self, row: Row, founder: Founder) -> None:
        for what, said in ((fold_handle(founder.handle), self.handles), (founder.address, self.addresses)):
            if what in said:
                raise Wrong(f"{what} stands in row {said[what]} already")
            said[what] = row.number

    def _may_join(self, founder: Founder) -> None:
        newcomer = Newcomer(founder.handle, founder.address, keywords(self.club.grammar))
        for refusal in broken(INVITE_CHECKS, newcomer, self.club):
            returns = refusal.code == "handle_taken" and fold_handle(founder.handle) in self.books.free
            if not returns:
                raise Wrong(_NOT_ADDED[refusal.code].format(**refusal.figures))


_NOT_ADDED = {
    "handle_unusable": "the handle {handle!r} cannot be used: {min} to {max} letters, digits or _ . -, and"
    " no word of a command",
    "handle_taken": "the handle {handle!r} is taken by somebody who left",
    "address_taken": "the address {address} is another member's",
    "address_is_the_clubs": "{address} is the club's own address",
}


def _day(row: Row, club: Club, otherwise: date | None = None) -> date:
    if "date" not in row.cells and otherwise is not None:
        return otherwise
    text = _cell(row, "date", "31/12/2026")
    found = cells.day(text)
    if found is None:
        raise Wrong(f"date: {text!r} is no day such as 31/12/2026, 2026-12-31 or 31 déc. 2026")
    if found > club.now.astimezone(club.timezone).date():
        raise Wrong(f"date: {found.isoformat()} is still to come")
    if found.year < 1970:
        raise Wrong(f"date: {found.isoformat()} is too long ago")
    return found


def _cents(row: Row, column: str) -> int:
    text = _cell(row, column, "12,50")
    found = cells.cents(text)
    if found is None:
        raise Wrong(f"{column}: {text!r} is no amount such as 1 234,50 or 12,5")
    return found


def _member(handle: str, club: Club) -> Member:
    found = club.members.get(fold_handle(handle))
    if found is None or found.status is MemberStatus.LEFT:
        raise Wrong(f"{handle!r} is no member: import members.csv first")
    return found


@dataclass
class _Balances:
    club: Club
    books: Books
    said: dict[str, int] = field(default_factory=dict)

    def read(self, row: Row) -> Step | None:
        member = _member(_cell(row, "handle", "anna"), self.club)
        balance = _cents(row, "balance")
        today = self.club.now.astimezone(self.club.timezone).date()
        day = _day(row, self.club, otherwise=today).isoformat()
        folded = fold_handle(member.handle)
        if folded in self.said:
            raise Wrong(f"the balance of {member.handle} stands in row {self.said[folded]} already")
        self.said[folded] = row.number
        account = f"balance:{self.books.numbers[folded]}:"
        key = f"{account}{balance}:{day if 'date' in row.cells else ''}"
        before = next((k for k in self.books.known if k.startswith(account)), None)
        if before == key:
            return None
        if before is not None:
            batch = self.books.known[before]
            raise Wrong(f"another balance of {member.handle} was taken over by import {batch}: undo that one")
        if folded in self.books.moved:
            raise Wrong(f"{member.handle} has played or transferred since: his balance is the books' own now")
        opened = self.club.books.opening_cents(member.handle)
        return Step(row.number, key, Carry(member.handle, balance, balance - opened, day))


@dataclass
class _Games:
    club: Club
    books: Books
    seen: Counter[str] = field(default_factory=Counter)
    new: int = 0

    def read(self, row: Row) -> Step | None:
        day = _day(row, self.club)
        buyin = _cents(row, "buyin")
        if buyin <= 0:
            raise Wrong("buyin: it must be more than nothing")
        players = self._players(row)
        places = self._places(row, players)
        key = self._key(day, buyin, players, places)
        if key in self.books.known:
            return None
        rulebook = self.club.rulebook
        played_at = instant(day, EVENING, self.club.timezone)
        game = PastGame(
            self.books.next_game + self.new,
            min(played_at, self.club.now),
            buyin,
            players,
            places,
            gains_cents(buyin, len(players), places, rulebook),
            self.club.rulebook_version,
        )
        self.new += 1
        return Step(row.number, key, Play(game, day.isoformat()))

    def _players(self, row: Row) -> tuple[str, ...]:
        said = cells.handles(_cell(row, "players", "anna, bela, carl"))
        players = tuple(_member(handle, self.club).handle for handle in said)
        if len(set(players)) != len(players):
            raise Wrong("players: one of them is named twice")
        least, most = self.club.rulebook.participants_min, self.club.rulebook.participants_max
        if not least <= len(players) <= most:
            raise Wrong(f"players: {len(players)} play, and not {least} to {most} (R-GAME-3)")
        return players

    def _places(self, row: Row, players: tuple[str, ...]) -> Mapping[int, str]:
        text = _cell(row, "places", "bela, or 1=bela 2=carl")
        said = cells.places(text)
        if said is None:
            raise Wrong(f"places: {text!r} is no list such as bela, carl or 1=bela 2=carl")
        ranking = Ranking({str(n): [h] for n, h in enumerate(said, 1)}, players, self.club.rulebook)
        for refusal in broken(RANKING_CHECKS, ranking, self.club):
            raise Wrong(_NOT_RANKED[refusal.code].format(paid=ranking.paid, players=len(players)))
        return ranked(ranking)

    def _key(self, day: date, buyin: int, players: tuple[str, ...], places: Mapping[int, str]) -> str:
        """Two games of one evening may be alike: the second is the second in whatever file."""
        numbers = self.books.numbers
        seated = ",".join(str(n) for n in sorted(numbers[fold_handle(h)] for h in players))
        paid = ",".join(str(numbers[fold_handle(handle)]) for _, handle in sorted(places.items()))
        alike = f"game:{day.isoformat()}:{buyin}:{seated}:{paid}"
        self.seen[alike] += 1
        return f"{alike}:{self.seen[alike]}"


_NOT_RANKED = {
    "places_not_exact": "places: of {players} players exactly {paid} are paid (R-RES-2)",
    "paid_without_playing": "places: somebody is paid who does not play (R-RES-2)",
    "paid_twice": "places: somebody holds two places (R-RES-2)",
}

_Reader: TypeAlias = _Members | _Balances | _Games
_READERS: Mapping[str, Callable[[Club, Books], _Reader]] = {
    "members": _Members,
    "balances": _Balances,
    "games": _Games,
}


def told(plan: Plan, money: Callable[[int], str]) -> Iterator[str]:
    """Say what a plan would do, row by row."""
    for step in plan.steps:
        what = step.what
        if isinstance(what, Founder):
            role = ", manager" if what.manager else ""
            yield f"row {step.line}: {what.handle} <{what.address}> gets an account{role}"
        elif isinstance(what, Carry):
            yield f"row {step.line}: {what.handle} brings along {money(what.balance_cents)} as of {what.day}"
        else:
            game = what.game
            won = ", ".join(f"{h} {money(c)}" for h, c in game.gains_cents.items())
            players = ", ".join(game.players)
            yield (
                f"row {step.line}: game {game.number} of {what.day}, {money(game.buyin_cents)} each of"
                f" {players}: {won}"
            )
