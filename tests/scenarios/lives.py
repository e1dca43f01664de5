"""Makes up the life of a club, move by move, and plays it to the product and the model together.

A life is a list of moves; each move is a name and a number that seeds all its choices, so that lives
can be cut short, and a shorter one still means something. Choices are made by looking at the model:
most are sensible, one in eight is not; borders are hit exactly.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from mailflow.simulation.model import BUYINS, PAYOUTS, Command, Game, Mail

from .stage import Both

T = TypeVar("T")

HANDLES = ("anna", "bela", "carl", "dora", "emil", "fanny", "gus", "hugo", "ines", "jules", "karim")
STARTS = (
    ("Europe/Paris", "2026-10-22T09:03:00+02:00"),  # clocks go back on the 25th
    ("Europe/Paris", "2027-03-25T23:59:50+01:00"),  # and forward on the 28th
    ("Europe/Paris", "2028-02-28T12:00:00+01:00"),  # the next day is a 29 February
    ("Europe/Paris", "2027-08-31T20:00:00+02:00"),  # six months later there is no 31st
    ("America/Santiago", "2026-09-02T22:00:00-04:00"),  # the 6th has no midnight
    ("America/Santiago", "2027-04-01T23:30:00-03:00"),  # the 3rd has its last hour twice
    ("Australia/Lord_Howe", "2026-10-01T09:00:00+10:30"),  # half an hour forward on the 4th
    ("Australia/Lord_Howe", "2027-04-02T07:59:59+11:00"),  # and back on the 4th
    ("America/Havana", "2026-10-30T21:00:00-04:00"),  # the 1st has its midnight twice
    ("Asia/Kathmandu", "2026-12-31T23:59:59+05:45"),
    ("UTC", "2028-02-29T10:00:00+00:00"),
)
REASONS = ("le classement est faux", "mauvais payeur", "erreur de saisie", "je n'ai pas joué")
READINGS = ("COMPTE", "AIDE", "REGLEMENT", "HISTORIQUE", "JOUEURS", "PARTIES", "BANQUIERS")
SECOND = timedelta(seconds=1)
HOURS_12 = timedelta(hours=12)


@dataclass(frozen=True)
class Move:
    name: str
    seed: int


def play_life(seed: int, moves: Sequence[Move], years_max: float = 4) -> Both:
    """Found a club and play the moves. AssertionError where product and model differ.

    `years_max`: how old the club may be for another long silence to begin; they cost the most time.
    """
    life = Life(random.Random(seed), years_max)
    for move in moves:
        life.make(move)
        life.check_money()
    return life.both


class Life:
    def __init__(self, r: random.Random, years_max: float) -> None:
        zone, at = r.choice(STARTS)
        managers = r.choice((1, 1, 2, 3))
        size = r.choice((2, 3, 4, 4, 5, 5, 6, 8, 11))
        credit = r.choice((20000, 4000, 4000, 2000))
        rules = {
            "initial_credit_cents": credit,
            "reserve_threshold_cents": r.choice((5000, 1000, 2000, 1)),
            "dispute_window_days": r.choice((7, 1, 2, 10)),
        }
        self.both = Both(
            {
                "club": {"timezone": zone, "rulebook": rules},
                "members": [
                    {"handle": h, "address": f"{h}@example.org"} | ({"manager": True} if i < managers else {})
                    for i, h in enumerate(HANDLES[:size])
                ],
                "start": at,
            }
        )
        self.model = self.both.model
        self.grown_up = self.model.now + timedelta(days=365.25 * years_max)
        self.r = r

    def make(self, move: Move) -> None:
        self.r = random.Random(move.seed)
        MOVES[move.name][1](self)

    def check_money(self) -> None:
        """The journal sums to zero, members hold what they were opened with, available is what is free."""
        final = self.both.stage.final()
        assert final["journal_sum"] == 0
        opened = sum(m.opened_cents for m in self.model.club.members.values() if m.status != "left")
        assert sum(final["balances"].values()) == opened
        committed = dict.fromkeys(final["balances"], 0)
        for game in final["games"]:
            if game["state"] == "running":
                for handle in game["participants"]:
                    committed[handle] += game["buyin_cents"]
        assert final["available"] == {h: c - committed[h] for h, c in final["balances"].items()}

    # ---- the clock

    def rest(self) -> None:
        """Nothing: what a move that does not matter shrinks to."""

    def wait(self) -> None:
        days = self.r.choice((0, 0, 1, 2, 7, 30))
        self._at(self.model.now + timedelta(days=days, seconds=self.r.choice((1, 59, 3600, 43200))))

    def wait_for_a_border(self) -> None:
        """A window's end, a job's instant, twelve hours after a preview: just before, at, just after."""
        club, off = self.model.club, self.r.choice((-SECOND, timedelta(0), SECOND))
        borders = {g.window_ends for g in club.games if g.state == "recent" and g.window_ends}
        borders |= {p.shown_at + HOURS_12 for p in club.pending.values()}
        borders |= {o.due + timedelta(hours=h) for o in self.model.launched() if o.due for h in (0, 10)}
        ahead = sorted(b + off for b in borders or {self.model.next_due()} if b + off > self.model.now)
        if ahead:
            self._at(self.r.choice(ahead))

    def wait_long(self) -> None:
        """Silence, up to the eve of a year since a member last played, or beyond."""
        if self.model.now > self.grown_up:
            return
        played = [self.model.last_played(m.handle) for m in self.model.active()]
        since = self.model.day(min(played, default=self.model.now))
        year = self.model.at(since.replace(year=since.year + 1, day=min(since.day, 28)), 9)
        self._at(max(self.model.now + timedelta(days=self.r.choice((25, 150, 190))), year))

    def _at(self, at: datetime) -> None:
        self.both.play(Mail(at.replace(microsecond=0)))

    # ---- games

    def game(self) -> None:
        self._send(*self._a_game())

    def game_with_result(self) -> None:
        sender, command = self._a_game()
        places = self._places([sender, *command.args["players"]])
        self._send(sender, Command("PARTIE", {**command.args, "places": places}))

    def game_then_more(self) -> None:
        """Several commands in one mail, among them the result of the game created just above."""
        sender, command = self._a_game()
        commands = [command]
        if self.r.random() < 0.6:
            commands.append(Command("RESULTAT", {"places": self._places([sender, *command.args["players"]])}))
        if self.r.random() < 0.5:
            commands.append(self._a_transfer(sender))
        if self.r.random() < 0.3:
            commands.insert(0, self._a_change(self._some_game(("running",), of=sender))[1])
        self._send(sender, *commands)

    def change(self) -> None:
        self._unless(self._has("running"), self.game)
        self._send(*self._a_change(self._some_game(("running",))))

    def cancel(self) -> None:
        self._unless(self._has("running"), self.game)
        game = self._some_game(("running",))
        self._send(self._creator(game), Command("ANNULE", {"game": _number(game)}))

    def result(self) -> None:
        self._unless(self._has("running"), self.game)
        game = self._some_game(("running",))
        places = self._places(game.players if game else HANDLES[:2])
        self._send(self._creator(game), Command("RESULTAT", {"game": _number(game), "places": places}))

    # ---- disputes and arbitration

    def dispute(self) -> None:
        self._unless(self._has("recent"), self.game_with_result)
        game = self._some_game(("recent",))
        sender = self._somebody([p for p in game.players if p != game.creator] if game else [])
        self._about_a_game(sender, "CONTESTE", game, "game.result")

    def withdraw(self) -> None:
        self._unless(any(g.disputes for g in self.model.club.games if g.state == "recent"), self.dispute)
        game = self._some_game(("recent", "arbitration"), disputed=self.r.random() < 0.8)
        sender = self._somebody(sorted(game.disputes) if game else [])
        self._send(sender, Command("RETIRE", {"game": _number(game)}))

    def decide(self) -> None:
        self._unless(self._has("arbitration"), self.dispute, self._let_windows_end)
        game = self._some_game(("arbitration",))
        self._about_a_game(self._manager(), self.r.choice(("ACCEPTE", "REJETTE")), game, "arbitration.opened")

    def _about_a_game(self, sender: str, verb: str, game: Game | None, notice: str) -> None:
        """Name the game, or answer the notice about it."""
        replies = (notice, sender) in self.model.club.told_of and self.r.random() < 0.3
        args = {"game": None if replies else _number(game), "reason": self._reason()}
        self._send(sender, Command(verb, args), reply_to=notice if replies else None)

    # ---- money

    def transfer(self) -> None:
        sender = self._somebody([m.handle for m in self.model.active()])
        self._send(sender, self._a_transfer(sender))

    def settle(self) -> None:
        """A transfer that an injunction asks for: in part, whole, or a cent more."""
        if not self.model.launched():
            self.transfer()
            return
        order = self.r.choice(self.model.launched())
        other = self.r.choice(sorted(order.rest))
        giver, to = (order.member, other) if order.surplus else (other, order.member)
        rest = order.rest[other]
        cents = self.r.choice((rest, rest, rest + 1, rest // 2)) or 1
        self._send(giver, Command("VIREMENT", {"amount_cents": cents, "to": to}))

    def leave(self) -> None:
        m = self.model
        free = [a.handle for a in m.active() if a.balance == m.club.credit and not a.manager]
        self._send(self._somebody(free), Command("QUITTE"))

    def even_out_and_leave(self) -> None:
        """Bring a member to the initial credit exactly, from or to another who can; then he leaves."""
        m, club = self.model, self.model.club
        if not m.active():
            return
        who = self.r.choice([a for a in m.active() if not a.manager] or m.active())
        off = who.balance - club.credit
        for other in sorted(m.active(), key=lambda a: a.balance, reverse=off < 0):
            if off > 0 and other is not who and club.members[other.handle].balance + off <= club.credit:
                self._send(who.handle, Command("VIREMENT", {"amount_cents": off, "to": other.handle}))
                break
            if off < 0 and other is not who and m.capacity(other.handle) >= -off:
                self._send(other.handle, Command("VIREMENT", {"amount_cents": -off, "to": who.handle}))
                break
        if not who.manager:
            self._send(who.handle, Command("QUITTE"))

    # ---- the manager

    def ban(self) -> None:
        args = {"member": self._somebody(self._likely_banned()), "reason": self._reason()}
        self._send(self._manager(), Command("BANNIT", args))

    def _likely_banned(self) -> list[str]:
        """Whoever is in a game that a ban changes, or else anybody."""
        games = [g for g in self.model.club.games if g.state in ("running", "recent", "arbitration")]
        inside = sorted({h for g in games for h in (g.creator, *g.disputes, *g.players[-1:])})
        return inside or self.model.open_accounts()

    def reinstate(self) -> None:
        self._unless(self._banned(), self.ban)
        self._send(self._manager(), Command("RETABLIT", {"member": self._somebody(self._banned())}))

    def levy(self) -> None:
        """SOLIDARITE, then perhaps something that changes the list or twelve hours; then an answer."""
        self._unless(self._indebted(), self.ban_a_debtor)
        sender = self._manager()
        self._send(sender, Command("SOLIDARITE", {"member": self._somebody(self._indebted())}))
        pending = self.model.club.pending.get(sender)
        if pending is None:
            return
        if self.r.random() < 0.3:
            payer = self._somebody(sorted(pending.shown))
            self._send(payer, self._a_transfer(payer))
        if self.r.random() < 0.5:
            off = self.r.choice((-SECOND, timedelta(0), SECOND))
            self._at(max(self.model.now, pending.shown_at + HOURS_12 + off))
        for _ in range(self.r.choice((1, 1, 2, 3))):
            self._answer(sender)

    def answer(self) -> None:
        self._answer(self._somebody(sorted(self.model.club.pending)))

    def _answer(self, sender: str) -> None:
        word = self.r.choice(("OUI", "OUI", "OUI", "NON"))
        self._send(sender, Command(word), reply_to="confirm", soon=True)

    def _banned(self) -> list[str]:
        return [m.handle for m in self.model.club.members.values() if m.status == "banned"]

    def ban_a_debtor(self) -> None:
        club = self.model.club
        poor = [m.handle for m in self.model.active() if m.balance < club.credit and not m.manager]
        self._send(
            self._manager(), Command("BANNIT", {"member": self._somebody(poor), "reason": self._reason()})
        )

    def _indebted(self) -> list[str]:
        members = self.model.club.members
        return [h for h in self._banned() if members[h].balance < self.model.club.credit]

    def summon(self) -> None:
        self._unless(any(o.state == "proposed" for o in self.model.club.orders), self.wait_long)
        waiting = {o.member: o for o in self.model.club.orders if o.state == "proposed"}
        member = self._somebody(sorted(waiting))
        args: dict[str, Any] = {"member": member}
        if self.r.random() < 0.5:
            lines = waiting[member].rest if member in waiting else {}
            names = self._sample(sorted(lines) or sorted(self.model.club.members), 1)
            more = {h: self.r.choice((-1, 0, 0, 1, 100)) for h in names}
            args["amounts"] = {h: max(1, lines.get(h, 100) + more[h]) for h in names}
        self._send(self._manager(), Command("INJONCTION", args))

    def amend(self) -> None:
        values = {"seuil": self.r.choice((1, 1000, 2050, 5000, 6000)), "delai": self.r.choice((1, 2, 7, 10))}
        chosen = {n: values[n] for n in self._sample(sorted(values), 1)}
        self._send(self._manager(), Command("REGLE", {"settings": chosen, "reason": self._reason()}))

    # ---- the rest

    def complain(self) -> None:
        sender = self._somebody([])
        about = self._somebody([h for h in self.model.open_accounts() if h != sender])
        if about != sender:
            self._send(sender, Command("PLAINTE", {"member": about, "reason": self._reason()}))

    def read(self) -> None:
        self._send(self._somebody([]), Command(self.r.choice(READINGS)))

    # ---- choosing

    def _unless(self, there: object, *moves: Callable[[], None]) -> None:
        """Where what a move is about is missing, bring it about first."""
        if not there and self._sensible():
            for move in moves:
                move()

    def _has(self, state: str) -> bool:
        return any(g.state == state for g in self.model.club.games)

    def _let_windows_end(self) -> None:
        ends = [g.window_ends for g in self.model.club.games if g.state == "recent" and g.window_ends]
        if ends:
            self._at(max(ends))

    def _send(self, sender: str, *commands: Command, reply_to: str | None = None, soon: bool = False) -> None:
        if self.model.club.members[sender].status == "left":
            return
        later = timedelta(0) if soon else timedelta(seconds=self.r.choice((0, 1, 420, 3700)))
        at = (self.model.now + later).astimezone(UTC)
        self.both.play(Mail(at, sender, commands, reply_to), self.r.randrange(4))

    def _sensible(self) -> bool:
        return self.r.random() < 0.88

    def _sample(self, pool: Sequence[str], least: int) -> list[str]:
        return self.r.sample(pool, self.r.randint(min(least, len(pool)), len(pool)))

    def _somebody(self, likely: Sequence[str]) -> str:
        if likely and self._sensible():
            return self.r.choice(likely)
        return self.r.choice(sorted(self.model.club.members))

    def _manager(self) -> str:
        return self._somebody(self.model.managers())

    def _reason(self) -> str:
        return self.r.choice(REASONS)

    def _some_game(self, states: Sequence[str], of: str | None = None, disputed: bool = False) -> Game | None:
        games = self.model.club.games
        likely = [g for g in games if g.state in states and of in (None, g.creator)]
        likely = [g for g in likely if g.disputes] if disputed else likely
        pool = likely if likely and self._sensible() else games
        return self.r.choice(pool) if pool else None

    def _creator(self, game: Game | None) -> str:
        return self._somebody([game.creator] if game else [])

    def _players(self, but: Sequence[str]) -> list[str]:
        likely = [h for h in self.model.club.members if h not in but and self.model.eligible(h)]
        pool = likely if likely and self._sensible() else [*self.model.club.members, "zoe"]
        return self._sample([h for h in pool if h not in but] or ["zoe"], 1)

    def _a_game(self) -> tuple[str, Command]:
        busy = {g.creator for g in self.model.club.games if g.state == "running"}
        sender = self._somebody([h for h in self.model.club.members if h not in busy])
        args: dict[str, Any] = {"players": self._players([sender])}
        if self.r.random() < 0.7:
            args["buyin_cents"] = self.r.choice((*BUYINS, 1000, 1000, 400))
        return sender, Command("PARTIE", args)

    def _a_change(self, game: Game | None) -> tuple[str, Command]:
        players = game.players if game else list(HANDLES[:2])
        args: dict[str, Any] = {"game": _number(game)}
        kinds = self._sample(("buyin", "add", "remove", "list"), 1)[:2]
        if "buyin" in kinds:
            args["buyin_cents"] = self.r.choice(BUYINS)
        if "list" in kinds:
            args["players"] = self._players([game.creator] if game and self._sensible() else [])
        else:
            if "add" in kinds:
                args["add"] = self._players(players if self._sensible() else [])[:3]
            if "remove" in kinds:
                args["remove"] = [self.r.choice(sorted(players))]
        return self._creator(game), Command("MODIFIE", args)

    def _places(self, players: Sequence[str]) -> dict[str, list[str]]:
        pool = sorted(set(players))
        count = next((len(shares) for most, shares in PAYOUTS if len(pool) <= most), 3)
        if not self._sensible():
            count = self.r.randint(1, 3)
        order = self.r.sample(pool, len(pool))
        return {str(i + 1): [h] for i, h in enumerate(order[:count])}

    def _a_transfer(self, sender: str) -> Command:
        """The greatest amount that passes, a cent beyond either limit, or some other."""
        club = self.model.club
        poor = [m.handle for m in club.members.values() if m.balance < club.credit and m.handle != sender]
        to = self._somebody(poor)
        room = max(0, club.credit - club.members[to].balance)
        gives = self.model.capacity(sender)
        most = min(room, gives)
        borders = {1, 150, room, room + 1, gives, gives + 1, most, most // 2}
        cents = self.r.choice(sorted(b for b in borders if b > 0))
        return Command("VIREMENT", {"amount_cents": cents, "to": to})


def _number(game: Game | None) -> int:
    return game.number if game else 1


MOVES: dict[str, tuple[int, Callable[[Life], None]]] = {
    "rest": (1, Life.rest),
    "wait": (6, Life.wait),
    "wait_for_a_border": (5, Life.wait_for_a_border),
    "wait_long": (1, Life.wait_long),
    "game": (8, Life.game),
    "game_with_result": (5, Life.game_with_result),
    "game_then_more": (3, Life.game_then_more),
    "change": (6, Life.change),
    "cancel": (2, Life.cancel),
    "result": (8, Life.result),
    "dispute": (9, Life.dispute),
    "withdraw": (3, Life.withdraw),
    "decide": (5, Life.decide),
    "transfer": (6, Life.transfer),
    "settle": (3, Life.settle),
    "leave": (1, Life.leave),
    "even_out_and_leave": (1, Life.even_out_and_leave),
    "ban": (4, Life.ban),
    "reinstate": (3, Life.reinstate),
    "levy": (3, Life.levy),
    "answer": (2, Life.answer),
    "summon": (3, Life.summon),
    "amend": (1, Life.amend),
    "complain": (1, Life.complain),
    "read": (1, Life.read),
}
"""Every kind of move, and how often it comes."""
