"""A small language to set scenes: a club in memory, its members' balances, their games, in one line each.

    scene = club("carl", anna=64_00, bela=200_00, manager="anna")
    scene.running("anna", "bela", buyin=2_00)
    said = scene.say("bela", "VIREMENT", amount_cents=15_00, to="anna")
    assert no(said) == [] and told(said) == ["transfer.received: anna"]

Everything goes through the real store in memory, the real commands and the real journal; only the clock
is set by hand. A scene stands at `scene.now` until it is told otherwise.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from mailflow.calendar import end_of_days
from mailflow.founding import Founder, found
from mailflow.handlers.accounts import join
from mailflow.handlers.disputes import close_window
from mailflow.model import Club, Outcome
from mailflow.performing import CommandSet, Order, Performance, perform, write
from mailflow.picture import picture
from mailflow.rulebook import Rulebook, shipped
from mailflow.settings import Charter
from store import ledger, verify
from store.database import savepoint, unit_of_work
from store.records import INITIAL_CREDIT, AmendRulebook, Game, Member, MemberStatus, member_account
from tests.databases import open_database

START = "2026-01-05T09:00+01:00"
"""A Monday."""

FRIENDS = shipped("friends")


def club(
    *handles: str,
    manager: str | Iterable[str] = "anna",
    start: str = START,
    timezone: str = "Europe/Paris",
    rulebook: Mapping[str, Any] | Rulebook | None = None,
    **balances: int,
) -> Scene:
    """Found a club: `handles` hold the initial credit, the others the cents that stand by their names.

    `rulebook`: values other than the friends' ones. A manager who is not named is a member nonetheless.
    """
    book = rulebook if isinstance(rulebook, Rulebook) else FRIENDS.amended(rulebook or {})
    managers = (manager,) if isinstance(manager, str) else tuple(manager)
    everybody = dict.fromkeys((*handles, *balances, *managers))
    db = open_database(None)
    charter = Charter("Les amis", "club@example.org", timezone, "EUR", "fr", "le forum", book)
    founders = [Founder(h, f"{h}@example.org", h in managers) for h in everybody]
    row = found(db, charter, founders, datetime.fromisoformat(start))
    return Scene(db, row, datetime.fromisoformat(start)).having(**balances)


class Scene:
    """A club at an instant. What changes the scene gives it back, so that sentences can be chained."""

    def __init__(self, db: Any, row: Any, now: datetime) -> None:
        self.db, self.row, self.now = db, row, now
        self.last_game = 0
        self._keys = itertools.count(1)
        weakref.finalize(self, db.close)

    # ------------------------------------------------------------ looking

    @property
    def club(self) -> Club:
        """The picture that rules and handlers are given."""
        return picture(self.db, self.row, self.now)

    def member(self, handle: str) -> Member:
        return self.club.members[handle]

    def balance(self, handle: str) -> int:
        return self.member(handle).balance_cents

    def available(self, handle: str) -> int:
        return self.member(handle).available_cents

    @property
    def balances(self) -> dict[str, int]:
        return {m.handle: m.balance_cents for m in self.club.members.values()}

    def game(self, number: int | None = None) -> Game:
        """The game with this number, or the latest one that this scene has set up."""
        game = self.club.books.game(self.last_game if number is None else number)
        assert game is not None
        return game

    def findings(self) -> tuple[verify.Finding, ...]:
        """What is wrong with the books: nothing."""
        return verify.verify(self.db, self.row.id)

    # ------------------------------------------------------------ time

    def at(self, when: str | datetime) -> Scene:
        """Go on to an instant; a string without an offset is club time."""
        moment = datetime.fromisoformat(when) if isinstance(when, str) else when
        self.now = moment if moment.tzinfo else moment.replace(tzinfo=self.club.timezone)
        return self

    def later(self, **span: float) -> Scene:
        self.now += timedelta(**span)
        return self

    # ------------------------------------------------------------ setting up

    def having(self, **balances: int) -> Scene:
        """Bring balances to these cents, by one entry, as though the initial credits had been others."""
        now = self.balances
        changes = {h: cents - now[h] for h, cents in balances.items() if cents != now[h]}
        if changes:
            postings = [(member_account(h), cents) for h, cents in changes.items()]
            postings.append((INITIAL_CREDIT, -sum(changes.values())))
            with unit_of_work(self.db):
                ledger.post(self.db, self.row.id, "opening", self.now, postings, self._key())
        return self

    def running(self, *players: str, buyin: int = 1_00) -> Scene:
        """The first player creates a game with the others."""
        said = self.done(players[0], "PARTIE", players=list(players[1:]), buyin_cents=buyin)
        self.last_game = said.game or 0
        return self

    def recent(self, *players: str, buyin: int = 1_00, won_by: Iterable[str] | None = None) -> Scene:
        """A game with its result: the paid places go to `won_by`, or to the players as they stand."""
        return self.running(*players, buyin=buyin).ended(won_by)

    def ended(self, won_by: Iterable[str] | None = None) -> Scene:
        """The latest game gets its result."""
        game = self.game()
        paid = len(self.club.rulebook_of(game).shares_percent(len(game.participants)))
        winners = list(won_by or game.participants)[:paid]
        places = {str(place): [handle] for place, handle in enumerate(winners, 1)}
        self.done(game.creator, "RESULTAT", game=game.number, places=places)
        return self

    def disputed(self, *players: str, by: Iterable[str] = (), buyin: int = 1_00) -> Scene:
        """A recent game that these, or else the second player, have disputed."""
        self.recent(*players, buyin=buyin)
        for handle in by or players[1:2]:
            self.done(handle, "CONTESTE", game=self.last_game, reason=f"{handle} doubts it")
        return self

    def arbitration(self, *players: str, by: Iterable[str] = (), buyin: int = 1_00) -> Scene:
        """A disputed game whose window is over; the time is the end of the window."""
        return self.disputed(*players, by=by, buyin=buyin).closed()

    def final(self, *players: str, buyin: int = 1_00) -> Scene:
        return self.recent(*players, buyin=buyin).closed()

    def closed(self) -> Scene:
        """Go on to the end of the latest game's window and close it."""
        game = self.game()
        assert game.window_ends_at is not None
        self.at(game.window_ends_at).run(lambda club: close_window(game, club))
        return self

    def amended(self, **values: Any) -> Scene:
        """A new version of the rulebook, also of values that no command changes."""
        club = self.club
        book = club.rulebook.amended(values)
        change = AmendRulebook(club.rulebook_version + 1, book.to_json(), self._manager(), "a change")
        self.run(lambda _: Outcome(changes=(change,)))
        return self

    def banned(self, *handles: str, by: str | None = None) -> Scene:
        for handle in handles:
            self.done(by or self._manager(), "BANNIT", member=handle, reason="unpaid")
        return self

    def idle(self, months: int) -> Scene:
        """Go on to 10:00, the hour of the scan, of the same day so many months after."""
        year, month = divmod(self.now.year * 12 + self.now.month - 1 + months, 12)
        return self.at(self.now.replace(year=year, month=month + 1, hour=10, minute=0))

    # ------------------------------------------------------------ what members do

    def say(
        self,
        author: str,
        verb: str,
        *,
        thread: int | None = None,
        received_at: datetime | None = None,
        **arguments: Any,
    ) -> Outcome:
        """Carry out one command of a member, if the rules allow it."""
        command = {"verb": verb, "arguments": arguments}
        return self.perform(author, [command], thread, received_at).steps[0].outcome

    def would(self, author: str, verb: str, *, thread: int | None = None, **arguments: Any) -> Outcome:
        """See what one command would come to, and leave nothing of it."""
        command = {"verb": verb, "arguments": arguments}
        return self.perform(author, [command], thread, keep=False).steps[0].outcome

    def done(self, author: str, verb: str, **arguments: Any) -> Outcome:
        """Carry out one command that the rules must allow."""
        said = self.say(author, verb, **arguments)
        assert not said.refused, (author, verb, arguments, said.refusals)
        return said

    def perform(
        self,
        author: str,
        commands: list[dict[str, Any]],
        thread: int | None = None,
        received_at: datetime | None = None,
        keep: bool = True,
    ) -> Performance:
        """Carry out a set of commands as the desk does: all or nothing."""
        order = Order((CommandSet(commands, received_at or self.now, thread),), author, self._key())
        with unit_of_work(self.db), savepoint(self.db) as point:
            performance = perform(self.db, self.row, order, self.club)
            if performance.refused or not keep:
                point.rollback()
        return performance

    def run(self, handler: Callable[[Club], Outcome]) -> Outcome:
        """Carry out what falls due by the clock."""
        with unit_of_work(self.db):
            outcome = handler(self.club)
            write(self.db, self.row, outcome, self.now, self._key())
        return outcome

    def joins(self, handle: str) -> Outcome:
        """Somebody accepts his invitation."""
        invitation = self.club.books.invitation(handle)
        assert invitation is not None
        return self.run(lambda club: join(invitation, club))

    def window_from_now(self, days: int = FRIENDS.dispute_window_days) -> datetime:
        return end_of_days(self.now, days, self.club.timezone)

    def _manager(self) -> str:
        return self.club.managers[0].handle

    def _key(self) -> str:
        return f"scene:{next(self._keys)}"


# ---------------------------------------------------------------- what came of it


def no(outcome: Outcome) -> list[str]:
    """All refusals, as rule and code: `R-GAME-4 players_not_eligible`."""
    return [f"{refusal.rule} {refusal.code}" for refusal in outcome.refusals]


def told(outcome: Outcome) -> list[str]:
    """Who gets what: `game.created #1: bela carl`, recipients by handle, in the order of the notices."""
    return [
        f"{notice.kind}{'' if notice.game is None else f' #{notice.game}'}: {' '.join(sorted(notice.to))}"
        for notice in outcome.notices
    ]


def figures(outcome: Outcome, code: str) -> Mapping[str, Any]:
    """The figures of the one refusal with this code."""
    [refusal] = [r for r in outcome.refusals if r.code == code]
    return refusal.figures


def numbers(value: Any) -> Iterator[int]:
    """Every whole number in nested figures."""
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield value
    elif isinstance(value, Mapping):
        yield from itertools.chain.from_iterable(map(numbers, value.values()))
    elif isinstance(value, (list, tuple)):
        yield from itertools.chain.from_iterable(map(numbers, value))


def among(club: Club, balances: Mapping[str, int], banned: Iterable[str] = ()) -> Club:
    """The picture with these members only, at these balances: for sums over many clubs at once."""
    pattern = next(iter(club.members.values()))
    out = set(banned)
    members = {
        handle: replace(
            pattern,
            handle=handle,
            balance_cents=cents,
            committed_cents=0,
            status=MemberStatus.BANNED if handle in out else MemberStatus.ACTIVE,
        )
        for handle, cents in sorted(balances.items())
    }
    return replace(club, members=members)
