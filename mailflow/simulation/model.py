"""A second, independent reading of the friends' rulebook: the oracle the product is compared with.

Written from the rulebook and the contract of `mailflow replay` alone: no database, no mails, one dict of
balances, and every rule in the plainest words there are. It imports nothing of mailflow. Simple on
purpose: a refused mail is undone by putting back a copy of the whole club.

`play` lets the time pass by itself, for scenarios; a simulation tells the model what was done and when
(`attempt`, `run_job`, `end_window`), because there mails are late, and wait for an OUI.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

BUYINS = (100, 200, 300, 500, 1000)
ELIGIBLE = max(BUYINS)
REMIND_DAILY, REMIND_WEEKLY = 1000, 2000
UNASKED = ("digest.weekly", "reminder.daily", "reminder.weekly")
PAYOUTS = ((3, (100,)), (6, (60, 40)), (10, (50, 30, 20)))
PROPOSAL_MONTHS = 12
ORDER_DAYS = 30
CONFIRM = timedelta(hours=12)
MAY_STILL = {"COMPTE", "HISTORIQUE", "AIDE", "REGLEMENT", "POURQUOI", "PLAINTE"}
"""What a banned member may write (R-BAN-3)."""


@dataclass(frozen=True)
class Command:
    """One command: the verb and the arguments by the names of the contract of `mailflow parse`."""

    verb: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Mail:
    """A mail of a member; without `sender` the clock moves and nothing else."""

    at: datetime
    sender: str | None = None
    commands: tuple[Command, ...] = ()
    reply_to: str | None = None


@dataclass
class Member:
    handle: str
    opened_at: datetime
    opened_cents: int
    manager: bool = False
    status: str = "active"
    balance: int = 0


@dataclass
class Game:
    number: int
    creator: str
    buyin: int
    players: list[str]
    window_days: int
    state: str = "running"
    places: dict[str, list[str]] = field(default_factory=dict)
    recorded_at: datetime | None = None
    window_ends: datetime | None = None
    postings: dict[str, int] = field(default_factory=dict)
    disputes: set[str] = field(default_factory=set)


@dataclass
class Order:
    """A proposal to settle an inactive account; an injunction once it is launched.

    `rest`: what is still to be moved between the inactive and each counterpart, in cents.
    """

    member: str
    surplus: bool
    rest: dict[str, int]
    proposed_at: datetime
    due: datetime | None = None
    state: str = "proposed"
    overdue_told: bool = False


@dataclass
class Pending:
    """What a manager was shown and has not confirmed yet."""

    command: Command
    shown: dict[str, int]
    shown_at: datetime


@dataclass
class Club:
    credit: int
    threshold: int
    window_days: int
    buyins: tuple[int, ...] = BUYINS
    members: dict[str, Member] = field(default_factory=dict)
    games: list[Game] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    solidarity: dict[str, dict[str, int]] = field(default_factory=dict)
    pending: dict[str, Pending] = field(default_factory=dict)
    told_of: dict[tuple[str, str], int] = field(default_factory=dict)
    """The game of the latest notice of a kind to a member: what his reply is about."""
    unasked: dict[str, date] = field(default_factory=dict)
    """The day on which a member last got a mail that nobody's doing had brought: one a day."""


class Refused(Exception):
    """A rule says no; the message is for whoever reads a failing test."""


class Ask(Exception):
    """The command waits for an OUI."""


def need(fact: object, why: str) -> None:
    if not fact:
        raise Refused(why)


def add_months(day: date, months: int) -> date:
    """Calendar months, clamped to the month's last day."""
    count = day.year * 12 + day.month - 1 + months
    year, month = count // 12, count % 12 + 1
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month, min(day.day, last))
        except ValueError:
            continue
    raise AssertionError(day)


def shares(buyin: int, players: int) -> list[int]:
    """R-RES-2, R-RES-3: the gains by place, in cents; they sum to the pot."""
    percents = next(p for most, p in PAYOUTS if players <= most)
    pot = buyin * players
    gains = [pot * p // 100 for p in percents]
    for i in range(pot - sum(gains)):
        gains[i] += 1
    return gains


class Model:
    """Plays a club's life; gives the lines that `mailflow replay` is to print, `rule` left out."""

    def __init__(self, head: Mapping[str, Any]) -> None:
        rules = head["club"].get("rulebook", {})
        self.zone = ZoneInfo(head["club"].get("timezone", "Europe/Paris"))
        self.now = datetime.fromisoformat(head["start"]).astimezone(UTC)
        self.club = Club(
            rules.get("initial_credit_cents", 20000),
            rules.get("reserve_threshold_cents", 5000),
            rules.get("dispute_window_days", 7),
            tuple(rules.get("buyins_cents", BUYINS)),
        )
        for m in head["members"]:
            self.club.members[m["handle"]] = Member(
                m["handle"], self.now, self.club.credit, bool(m.get("manager")),
                balance=self.club.credit,
            )  # fmt: skip
        self.received = self.now
        self.events = 0
        self.lines: list[dict[str, Any]] = []
        self.just_created: int | None = None
        self.why: str | None = None
        self.confirmed = False

    # ---- told what happens

    def attempt(
        self, sender: str, commands: Sequence[Command], at: datetime, received_at: Sequence[datetime] = (),
        confirmed: bool = False, keep: bool = True,
    ) -> str:  # fmt: skip
        """Carry out a set of commands: "ok", "ask" where it needs a confirmation of its own, or "refused".

        `received_at`: when each came, `at` where it does not matter. `confirmed`: the member said OUI to it.
        `keep`: False to see only what would come of it. What is told is in `lines`.
        """
        before, self.lines, self.now = pickle.dumps(self.club), [], at.astimezone(UTC)
        self.just_created, self.why, self.confirmed = None, None, confirmed
        result = "ok"
        try:
            for n, command in enumerate(commands):
                self.received = received_at[n].astimezone(UTC) if received_at else self.now
                self._do(sender, command, None)
        except Ask:
            result = "ask"
        except Refused as refused:
            result, self.why = "refused", str(refused)
        finally:
            self.confirmed = False
        if result != "ok" or not keep:
            self.club = pickle.loads(before)
        return result

    def run_job(self, name: str, at: datetime, digest_to_come: bool = False) -> None:
        """Run a job of the calendar, as of an instant; the mails that this brings are in `lines`.

        `digest_to_come`: later this day, so that what a reminder would say stands in it.
        """
        self.lines, self.now = [], at.astimezone(UTC)
        {
            "reminder.daily": self._daily,
            "reminder.weekly": self._weekly,
            "digest.weekly": self._digest,
            "inactivity": self._scan,
            "delivery": self._nothing,
            "unhandled": self._nothing,
        }[name]()
        if name in UNASKED:
            silent = digest_to_come and name != "digest.weekly"
            self.lines = [] if silent else [x for x in self.lines if self.takes_the_day(x["to"][0])]

    def takes_the_day(self, handle: str) -> bool:
        """Whether a member has had no unasked mail today; from now on he has."""
        today = self.day(self.now)
        free = self.club.unasked.get(handle) != today
        self.club.unasked[handle] = today
        return free

    def end_window(self, game: Game) -> None:
        """Close a game's window at its own instant; what is told is in `lines`."""
        assert game.window_ends is not None
        self.lines, self.now = [], game.window_ends
        self._window_ends(game)

    # ---- playing

    def play(self, mail: Mail) -> list[dict[str, Any]]:
        """Let the time pass up to the mail, then handle it; give the lines this brings."""
        self.lines = []
        self._pass_time(mail.at.astimezone(UTC))
        if mail.sender is not None:
            self.events += 1
            outcomes = self._handle(mail)
            self.lines += [{"event": self.events, "outcome": o} for o in outcomes]
        return self.lines

    def _handle(self, mail: Mail) -> list[str]:
        sender = mail.sender or ""
        before, told = pickle.dumps(self.club), len(self.lines)
        self.just_created = self.why = None
        self.received = self.now
        try:
            for command in mail.commands:
                self._do(sender, command, mail.reply_to)
        except Ask:
            return ["confirm"] * len(mail.commands)
        except Refused as refused:
            self.club, self.why = pickle.loads(before), str(refused)
            del self.lines[told:]
            if mail.commands[0].verb == "OUI":
                self.club.pending.pop(sender, None)  # what no longer passes is not asked again
            return ["refused"] * len(mail.commands)
        return ["ok"] * len(mail.commands)

    def _do(self, sender: str, command: Command, reply_to: str | None) -> None:
        status = self.club.members[sender].status
        need(status != "left", "R-ACC-6 left")
        need(status == "active" or command.verb in MAY_STILL, "R-BAN-3 banned")
        action: Callable[..., None] = getattr(self, f"_{command.verb.lower()}")
        args = dict(command.args)
        if command.verb in ("CONTESTE", "ACCEPTE", "REJETTE") and args.get("game") is None:
            args["game"] = self.club.told_of.get((reply_to or "", sender))
        action(sender, **args)

    def _pass_time(self, until: datetime) -> None:
        while (due := self.next_due()) <= until:
            self.now = due
            local = due.astimezone(self.zone)
            for game in self.club.games:
                if game.state == "recent" and game.window_ends == due:
                    self._window_ends(game)
            if due == self.at(local.date(), 8) and local.weekday() == 0:
                self._weekly()
                self._digest()
            if due == self.at(local.date(), 9):
                self._daily()
            if due == self.at(local.date(), 10):
                self._scan()
        self.now = until

    def next_due(self) -> datetime:
        today = self.day(self.now)
        dues = [g.window_ends for g in self.club.games if g.state == "recent" and g.window_ends]
        for day in (today, today + timedelta(days=1)):
            hours = (8, 9, 10) if day.weekday() == 0 else (9, 10)
            dues += [self.at(day, hour) for hour in hours]
        return min(due for due in dues if due > self.now)

    def _nothing(self) -> None: ...

    def _daily(self) -> None:
        for m in self.active():
            if self.available(m.handle) < REMIND_DAILY:
                self.tell("reminder.daily", [m.handle])

    def _weekly(self) -> None:
        for m in self.active():
            if REMIND_DAILY <= self.available(m.handle) < REMIND_WEEKLY:
                self.tell("reminder.weekly", [m.handle])

    def _digest(self) -> None:
        self.tell("digest.weekly", [m.handle for m in self.active()])

    # ---- looking

    def day(self, at: datetime) -> date:
        return at.astimezone(self.zone).date()

    def at(self, day: date, hour: int, minute: int = 0) -> datetime:
        """The instant of a civil time; one that a change of clocks skips is the first one after it."""
        return datetime.combine(day, time(hour, minute), self.zone).astimezone(UTC)

    def tell(self, kind: str, to: Iterable[str], game: Game | None = None) -> None:
        for handle in to:
            line: dict[str, Any] = {
                "at": self.now.astimezone(self.zone).isoformat(timespec="seconds"),
                "mail": kind,
                "to": [handle],
            }
            if game is not None:
                line["game"] = game.number
                self.club.told_of[kind, handle] = game.number
            self.lines.append(line)

    def active(self) -> list[Member]:
        return [m for m in self.club.members.values() if m.status == "active"]

    def open_accounts(self) -> list[str]:
        return [m.handle for m in self.club.members.values() if m.status != "left"]

    def managers(self) -> list[str]:
        return [m.handle for m in self.active() if m.manager]

    def running(self, handle: str) -> Iterator[Game]:
        return (g for g in self.club.games if g.state == "running" and handle in g.players)

    def available(self, handle: str) -> int:
        return self.club.members[handle].balance - sum(g.buyin for g in self.running(handle))

    def is_active(self, handle: str) -> bool:
        return handle in self.club.members and self.club.members[handle].status == "active"

    def eligible(self, handle: str) -> bool:
        return self.is_active(handle) and self.available(handle) >= ELIGIBLE

    def capacity(self, handle: str) -> int:
        """What a banker can give, in cents."""
        return max(0, self.available(handle) - self.club.threshold)

    def game(self, number: int | None) -> Game:
        need(number is not None and 1 <= number <= len(self.club.games), "no such game")
        return self.club.games[(number or 0) - 1]

    def own_running(self, sender: str, number: int | None) -> Game:
        game = self.game(number)
        need(game.creator == sender, "not the creator")
        need(game.state == "running", "not running")
        return game

    # ---- games

    def _partie(self, sender: str, players: list[str] | None = None, buyin_cents: int = 100,
                places: Mapping[str, list[str]] | None = None) -> None:  # fmt: skip
        club, others = self.club, list(players or [])
        need(self.available(sender) >= ELIGIBLE, "R-GAME-2 available")
        need(not any(g.creator == sender for g in self.running(sender)), "R-GAME-2 has one running")
        need(buyin_cents in club.buyins, "R-GAME-3 buy-in")
        need(len(set(others)) == len(others), "R-GAME-3 twice")
        everybody = [sender, *(p for p in others if p != sender)]
        need(2 <= len(everybody) <= 10, "R-GAME-3 number")
        need(all(self.eligible(p) for p in everybody), "R-GAME-4")
        game = Game(len(club.games) + 1, sender, buyin_cents, everybody, club.window_days)
        club.games.append(game)
        self.just_created = game.number
        if places:
            self._record(game, places)
        else:
            self.tell("game.created", everybody[1:], game)

    def _modifie(self, sender: str, game: int, buyin_cents: int | None = None, add: Iterable[str] = (),
                 remove: Iterable[str] = (), players: list[str] | None = None) -> None:  # fmt: skip
        g = self.own_running(sender, game)
        added, removed = list(add), list(remove)
        if players is not None:
            need(len(set(players)) == len(players), "R-GAME-3 twice")
            added += [p for p in players if p not in g.players]
            removed += [p for p in g.players if p not in players and p != sender]
        need(not set(added) & set(removed), "both added and removed")
        need(len(set(added)) == len(added) and len(set(removed)) == len(removed), "named twice")
        need(not set(added) & set(g.players), "already there")
        need(set(removed) <= set(g.players), "not there")
        need(sender not in removed, "R-GAME-5 the creator stays")
        need(all(self.eligible(p) for p in added), "R-GAME-4")
        buyin = g.buyin if buyin_cents is None else buyin_cents
        need(buyin in self.club.buyins, "R-GAME-3 buy-in")
        need(added or removed or buyin != g.buyin, "changes nothing")
        stay = [p for p in g.players if p not in removed]
        need(2 <= len(stay) + len(added) <= 10, "R-GAME-3 number")
        if buyin > g.buyin:
            need(all(self.available(p) + g.buyin - buyin >= 0 for p in stay), "R-GAME-6")
        told = [p for p in [*g.players, *added] if p != sender]
        g.buyin, g.players = buyin, [*stay, *added]
        self.tell("game.changed", told, g)

    def _annule(self, sender: str, game: int) -> None:
        g = self.own_running(sender, game)
        g.state = "cancelled"
        self.tell("game.cancelled", (p for p in g.players if p != sender), g)

    def _resultat(self, sender: str, places: Mapping[str, list[str]], game: int | None = None) -> None:
        self._record(self.own_running(sender, self.just_created if game is None else game), places)

    def _record(self, game: Game, places: Mapping[str, list[str]]) -> None:
        gains = shares(game.buyin, len(game.players))
        need(sorted(places) == [str(i + 1) for i in range(len(gains))], "R-RES-2 places")
        need(all(len(who) == 1 for who in places.values()), "R-RES-2 one each")
        paid = [places[str(i + 1)][0] for i in range(len(gains))]
        need(len(set(paid)) == len(paid) and set(paid) <= set(game.players), "R-RES-2 who")
        game.postings = dict.fromkeys(game.players, -game.buyin)
        for handle, gain in zip(paid, gains, strict=True):
            game.postings[handle] += gain
        self._post(game.postings)
        game.state, game.recorded_at = "recent", self.now
        game.places = {p: list(who) for p, who in sorted(places.items())}
        game.window_ends = self.at(self.day(self.now) + timedelta(days=game.window_days + 1), 0)
        self.tell("game.result", game.players, game)

    def _post(self, postings: Mapping[str, int]) -> None:
        assert sum(postings.values()) == 0, postings
        for handle, cents in postings.items():
            self.club.members[handle].balance += cents

    # ---- disputes and arbitration

    def _conteste(self, sender: str, game: int | None, reason: str) -> None:
        g = self.game(game)
        need(reason.strip(), "R-DIS-1 reason")
        need(sender in g.players and sender != g.creator, "R-DIS-1 who")
        need(g.state == "recent" and self._in_time(g), "R-DIS-1 window")
        kind = "dispute.changed" if sender in g.disputes else "dispute.filed"
        g.disputes.add(sender)
        self.tell(kind, (p for p in g.players if p != sender), g)

    def _retire(self, sender: str, game: int) -> None:
        g = self.game(game)
        need(g.state == "recent" and sender in g.disputes and self._in_time(g), "R-DIS-2")
        self._withdraw(g, sender)

    def _in_time(self, game: Game) -> bool:
        """R-DIS-5: what counts is when the club's mailbox received it."""
        return game.window_ends is not None and self.received < game.window_ends

    def _withdraw(self, game: Game, disputer: str) -> None:
        game.disputes.discard(disputer)
        self.tell("dispute.withdrawn", (p for p in game.players if p != disputer), game)

    def _window_ends(self, game: Game) -> None:
        game.state = "arbitration" if game.disputes else "final"
        if game.disputes:
            self.tell("arbitration.opened", self._judges(game), game)

    def cases_of(self, manager: str) -> tuple[int, ...]:
        """R-ARB-1: the numbers of the cases that a member is to decide."""
        cases = [g for g in self.club.games if g.state == "arbitration"]
        return tuple(g.number for g in cases if manager in self._judges(g))

    def _judges(self, game: Game) -> list[str]:
        """R-ARB-1: the managers who do not take part; all of them where there is none such."""
        return [m for m in self.managers() if m not in game.players] or self.managers()

    def _decide(self, sender: str, number: int | None, reason: str) -> Game:
        game = self.game(number)
        need(reason.strip(), "R-ARB-1 reason")
        need(game.state == "arbitration", "R-ARB-1 state")
        need(sender in self._judges(game), "R-ARB-1 who")
        return game

    def _rejette(self, sender: str, reason: str, game: int | None = None) -> None:
        g = self._decide(sender, game, reason)
        g.state = "final"
        self.tell("arbitration.decided", g.players, g)

    def _accepte(self, sender: str, reason: str, game: int | None = None) -> None:
        g = self._decide(sender, game, reason)
        self._post({handle: -cents for handle, cents in g.postings.items()})
        g.state = "running" if self.is_active(g.creator) else "cancelled"
        g.postings, g.places, g.recorded_at, g.window_ends, g.disputes = {}, {}, None, None, set()
        self.tell("arbitration.decided", g.players, g)

    # ---- transfers and accounts

    def _virement(self, sender: str, amount_cents: int, to: str, note: str = "") -> None:
        need(to in self.open_accounts() and to != sender, "R-TRA-1 to whom")
        need(amount_cents >= 1, "R-TRA-1 amount")
        gives_surplus = any(
            o.member == sender and o.surplus and o.rest.get(to, 0) >= amount_cents for o in self.launched()
        )
        room = self.available(sender) - amount_cents
        need(gives_surplus or room >= self.club.threshold, "R-TRA-2")
        need(self.club.members[to].balance + amount_cents <= self.club.credit, "R-TRA-3")
        self._post({sender: -amount_cents, to: amount_cents})
        self.tell("transfer.received", [to])
        for order in self.launched():
            giver, taker = (order.member, to) if order.surplus else (sender, order.member)
            other = to if order.surplus else sender
            if (giver, taker) == (sender, to) and other in order.rest:
                order.rest[other] = max(0, order.rest[other] - amount_cents)
                if not any(order.rest.values()):
                    order.state = "settled"

    def launched(self) -> list[Order]:
        return [o for o in self.club.orders if o.state == "launched"]

    def _quitte(self, sender: str) -> None:
        m = self.club.members[sender]
        need(m.balance == m.opened_cents, "R-ACC-6 balance")
        for g in self.club.games:
            need(sender not in g.players or g.state in ("final", "cancelled"), "R-ACC-6 game")
        for order in self.launched():
            need(sender != order.member and not order.rest.get(sender), "R-ACC-6 injunction")
        m.balance -= m.opened_cents
        m.status = "left"
        self.tell("member.closed", self.managers())

    def _compte(self, sender: str) -> None: ...

    def _aide(self, sender: str) -> None: ...

    def _reglement(self, sender: str) -> None: ...

    def _historique(self, sender: str) -> None: ...

    def _joueurs(self, sender: str) -> None: ...

    def _parties(self, sender: str) -> None: ...

    def _banquiers(self, sender: str) -> None:
        need(self.club.members[sender].balance < self.club.credit, "R-TRA-5")

    def _pourquoi(self, sender: str, game: int) -> None:
        self.game(game)

    def _plainte(self, sender: str, member: str, reason: str) -> None:
        need(member in self.open_accounts(), "R-REG-2 about whom")
        need(reason.strip(), "R-REG-2 reason")
        self.tell("complaint.received", self.managers())

    # ---- the manager

    def _bannit(self, sender: str, member: str, reason: str) -> None:
        need(sender in self.managers() and member != sender and reason.strip(), "R-BAN-1")
        need(self.is_active(member), "R-BAN-1 whom")
        self.club.members[member].status = "banned"
        self.club.pending.pop(member, None)
        self.tell("member.banned", self.open_accounts())
        for g in self.club.games:
            if member in g.players:
                self._ban_reaches(g, member)

    def _ban_reaches(self, game: Game, banned: str) -> None:
        """R-BAN-2, cell by cell."""
        if game.state == "running" and game.creator == banned:
            game.state = "cancelled"
            self.tell("game.cancelled", (p for p in game.players if p != banned), game)
        elif game.state == "running":
            game.players.remove(banned)
            if len(game.players) < 2:
                game.state = "cancelled"
            self.tell("game.changed" if game.state == "running" else "game.cancelled", game.players, game)
        elif game.state in ("recent", "arbitration") and banned in game.disputes:
            self._withdraw(game, banned)
            if game.state == "arbitration" and not game.disputes:
                game.state = "final"

    def _retablit(self, sender: str, member: str) -> None:
        self._may_reinstate(sender, member)
        if self.club.solidarity.get(member):
            self._ask(sender, Command("RETABLIT", {"member": member}), self.club.solidarity[member])
        self._reinstate(member)

    def _may_reinstate(self, sender: str, member: str) -> None:
        need(sender in self.managers(), "R-BAN-4 manager")
        m = self.club.members.get(member)
        need(m and m.status == "banned" and m.balance >= self.club.credit, "R-BAN-4")

    def _reinstate(self, member: str) -> None:
        self.club.members[member].status = "active"
        self.club.solidarity.pop(member, None)  # shown once; another ban begins anew
        self.tell("member.reinstated", self.open_accounts())

    def _solidarite(self, sender: str, member: str) -> None:
        shown = self._levy(sender, member)
        self._ask(sender, Command("SOLIDARITE", {"member": member}), shown)
        self._levied(member, shown)

    def _levy(self, sender: str, member: str) -> dict[str, int]:
        """R-SOL-2: who pays what, in cents."""
        need(sender in self.managers(), "R-SOL-1 manager")
        m = self.club.members.get(member)
        need(m and m.status == "banned" and m.balance < self.club.credit, "R-SOL-1")
        debt = self.club.credit - self.club.members[member].balance
        each, more = divmod(debt, len(self.active()))
        by_balance = sorted(self.active(), key=lambda a: (-a.balance, a.handle))
        return {a.handle: each + (i < more) for i, a in enumerate(by_balance)}

    def _ask(self, sender: str, command: Command, shown: Mapping[str, int]) -> None:
        if self.confirmed:
            return
        self.club.pending[sender] = Pending(command, dict(shown), self.now)
        raise Ask

    def _oui(self, sender: str) -> None:
        need(sender in self.club.pending, "nothing waits")
        waiting = self.club.pending[sender]
        member = waiting.command.args["member"]
        if waiting.command.verb == "SOLIDARITE":
            shown = self._levy(sender, member)
        else:
            self._may_reinstate(sender, member)
            shown = self.club.solidarity[member]
        if self.now - waiting.shown_at > CONFIRM or shown != waiting.shown:
            self._ask(sender, waiting.command, shown)
        del self.club.pending[sender]
        if waiting.command.verb == "RETABLIT":
            self._reinstate(member)
            return
        self._levied(member, shown)

    def _levied(self, member: str, shown: Mapping[str, int]) -> None:
        self._post({**{h: -c for h, c in shown.items()}, member: sum(shown.values())})
        paid = self.club.solidarity.setdefault(member, {})
        for handle, cents in shown.items():
            paid[handle] = paid.get(handle, 0) + cents
        self.tell("solidarity.levied", [*shown, member])

    def _non(self, sender: str) -> None:
        need(self.club.pending.pop(sender, None), "nothing waits")

    def _regle(self, sender: str, settings: Mapping[str, int], reason: str) -> None:
        need(sender in self.managers() and reason.strip(), "R-REG-1")
        old = (self.club.credit, self.club.threshold, self.club.window_days)
        self.club.credit = settings.get("credit", self.club.credit)
        self.club.threshold = settings.get("seuil", self.club.threshold)
        self.club.window_days = settings.get("delai", self.club.window_days)
        need(old != (self.club.credit, self.club.threshold, self.club.window_days), "changes nothing")
        self.tell("rulebook.changed", self.open_accounts())

    # ---- inactivity

    def last_played(self, handle: str) -> datetime:
        played = [g.recorded_at for g in self.club.games if g.recorded_at and handle in g.players]
        return max(played, default=self.club.members[handle].opened_at)

    def _scan(self) -> None:
        for order in self.club.orders:
            even = self.club.members[order.member].balance == self.club.credit
            if (order.state == "proposed" and (even or self._played_since(order))) or (
                order.state == "launched" and even
            ):
                order.state = "settled"
            if order.state == "launched" and order.due and self.now >= order.due and not order.overdue_told:
                order.overdue_told = True
                self.tell("injunction.overdue", self.managers())
        for m in self.active():
            since = self.last_played(m.handle)
            if m.balance == self.club.credit or self.day(self.now) < add_months(
                self.day(since), PROPOSAL_MONTHS
            ):
                continue
            if any(o.member == m.handle and o.proposed_at > since for o in self.club.orders):
                continue  # one proposal per spell
            self.club.orders.append(self._proposal(m))
            self.tell("inactivity.proposal", self.managers())

    def _played_since(self, order: Order) -> bool:
        return self.last_played(order.member) >= order.proposed_at

    def _placeable(self, inactive: Member, handle: str) -> int:
        """What can be moved between the two: R-INA-3."""
        if handle == inactive.handle or not self.is_active(handle):
            return 0
        if inactive.balance > self.club.credit:
            return max(0, self.club.credit - self.club.members[handle].balance)
        return self.capacity(handle)

    def _proposal(self, inactive: Member) -> Order:
        surplus = inactive.balance > self.club.credit
        sign = 1 if surplus else -1
        left, lines = abs(inactive.balance - self.club.credit), {}
        for m in sorted(self.active(), key=lambda a: (sign * a.balance, a.handle)):
            part = min(left, self._placeable(inactive, m.handle))
            if part:
                lines[m.handle] = part
                left -= part
        return Order(inactive.handle, surplus, lines, self.now)

    def _injonction(self, sender: str, member: str, amounts: Mapping[str, int] | None = None) -> None:
        need(sender in self.managers(), "R-INA-4 manager")
        waiting = [o for o in self.club.orders if o.member == member and o.state == "proposed"]
        need(waiting, "R-INA-4 no proposal")
        order, inactive = waiting[0], self.club.members[member]
        lines = dict(order.rest if amounts is None else amounts)
        need(lines and all(cents > 0 for cents in lines.values()), "R-INA-4 amounts")
        off = inactive.balance - self.club.credit
        need(amounts is not None or (off > 0) == order.surplus, "R-INA-4 the other way round now")
        need(sum(lines.values()) <= abs(off), "R-INA-4 total")
        need(all(c <= self._placeable(inactive, h) for h, c in lines.items()), "R-INA-4 counterpart")
        order.rest, order.surplus, order.state = lines, off > 0, "launched"
        order.due = self.at(self.day(self.now) + timedelta(days=ORDER_DAYS + 1), 0)
        self.tell("injunction.order", [member, *lines])

    # ---- the end

    def final(self) -> dict[str, Any]:
        members = self.club.members
        return {
            "balances": {h: m.balance for h, m in members.items()},
            "available": {h: self.available(h) for h in members},
            "members": {h: m.status for h, m in members.items()},
            "games": [
                {
                    "id": g.number,
                    "state": g.state,
                    "buyin_cents": g.buyin,
                    "participants": sorted(g.players),
                    "places": g.places,
                }
                for g in self.club.games
            ],
            "journal_sum": 0,
        }
