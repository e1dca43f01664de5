"""One life of a club: found it, let weeks pass, judge each step, let everything come to rest, verify."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mailflow import ambient
from mailflow.founding import Founder, found
from mailflow.picture import picture
from mailflow.rulebook import shipped
from mailflow.sections.border import Border
from mailflow.settings import Settings
from mailflow.simulation.crooks import Crooks
from mailflow.simulation.judge import Judge, Violation
from mailflow.simulation.mailbox import Box
from mailflow.simulation.model import Model
from mailflow.simulation.people import People
from mailflow.simulation.post_office import BORDER, DyingRelay, PostOffice, Relay
from mailflow.simulation.process import NOWHERE, Process
from mailflow.simulation.proofs import Question
from mailflow.simulation.town import HOUR, MINUTE, WEEK, Diary, Letter, Town
from mailflow.simulation.wires import Fault, Killed, Wires
from mailflow.simulation.writing import CLUB
from store import delivery, sql
from store.database import open_database, unit_of_work
from store.errors import StoreUnavailable
from store.verify import verify

HANDLES = ("anna", "bela", "carl", "dora", "emil", "fanny", "gus", "hugo", "ines")
STARTS = (
    ("Europe/Paris", "2026-10-19T05:03:00+02:00"),  # clocks go back on the 25th
    ("Europe/Paris", "2027-03-22T06:00:00+01:00"),  # and forward on the 28th
    ("Europe/Paris", "2028-02-28T04:00:00+01:00"),  # the next day is a 29 February
    ("America/Santiago", "2026-08-31T05:00:00-04:00"),  # the 6th has no midnight
    ("America/Santiago", "2027-03-29T05:00:00-03:00"),  # the 3rd has its last hour twice
    ("Australia/Lord_Howe", "2026-09-28T06:00:00+10:30"),  # half an hour forward on the 4th
    ("America/Havana", "2026-10-26T05:00:00-04:00"),  # the 1st has its midnight twice
    ("UTC", "2026-12-28T03:00:00+00:00"),
)
REST = timedelta(hours=48)


@dataclass(frozen=True)
class Outcome:
    """How a life went. `violation`: what must not have happened, None for a good one."""

    seed: int
    weeks: int
    digest: str
    violation: str | None
    diary: tuple[str, ...]
    happened: tuple[str, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    balances: Mapping[str, int] = field(default_factory=dict)


def live(seed: int, weeks: int, without: frozenset[str] = frozenset(), faults: bool = True) -> Outcome:
    """Live a life from its seed; `without`: events that do not happen."""
    with _quiet():
        life = Life(seed, weeks, without, faults)
        violation = None
        try:
            life.run()
        except Violation as error:
            violation = str(error)
        finally:
            life.db.close()
    town = life.town
    return Outcome(
        seed,
        weeks,
        town.diary.digest,
        violation,
        tuple(town.diary.lines),
        tuple(town.happened),
        dict(life.judge.counts),
        {h: m.balance for h, m in town.model.club.members.items()},
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """What the program logs of the faults that we make is no news."""
    logger = logging.getLogger("mailflow")
    before = logger.disabled, logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before[1])


class Life:
    def __init__(self, seed: int, weeks: int, without: frozenset[str], faults: bool) -> None:
        chance = ambient.dice(seed, "club")
        zone, at = chance.choice(STARTS)
        start = datetime.fromisoformat(at)
        handles = HANDLES[: chance.choice((4, 5, 5, 6, 6, 7, 9))]
        managers = chance.choice((1, 1, 2))
        credit = chance.choice((20000, 20000, 4000, 1300))
        values: dict[str, Any] = {
            "initial_credit_cents": credit,
            "reserve_threshold_cents": chance.choice((5000, 2000, 19000)) if credit == 20000 else 1000,
            "dispute_window_days": chance.choice((7, 2, 1)),
        }
        if chance.random() < 0.5:  # so that shares leave cents over
            values |= {"buyins_cents": [103, 235, 310, 505, 1000], "buyin_default_cents": 103}
        head = {
            "club": {"timezone": zone, "rulebook": values},
            "members": [{"handle": h, "manager": n < managers} for n, h in enumerate(handles)],
            "start": at,
        }
        model = Model(head)
        addresses = {h: f"{h}@{('example.org', 'mail.example.net')[n % 2]}" for n, h in enumerate(handles)}
        self.weeks = weeks
        self.town = Town(seed, start, model, addresses, without, Diary(), faults=faults)
        self.settings = Settings(
            "Le club", CLUB, zone, "EUR", "fr", "", shipped("friends").amended(values), NOWHERE,
            border=Border(frozenset({BORDER})),
        )  # fmt: skip
        self.db = open_database(None)
        self.wires = Wires(self.db)
        founders = [Founder(h, a, n < managers) for n, (h, a) in enumerate(addresses.items())]
        self.club = found(self.db, self.settings, founders, start)
        self.judge = Judge(self.town, self.db, self.club.id, model)
        self.people = People.of(self.town)
        self.crooks = Crooks(self.town, self.people)
        self.people.when_leaked = self.crooks.heard_of
        self.relay = Relay(self.town, self.judge, self.people.got)
        self.office = PostOffice(self.town, self._offer, self.people.got)
        self.town.post = self.office.take
        self.box = Box(self.town) if ambient.dice(seed, "door").random() < 0.5 else None
        self._look_again_at = start
        self.process: Process | None = None
        self._start()

    # ---------------------------------------------------------------- running

    def run(self) -> None:
        """Live. Raises Violation."""
        end = self.town.start + self.weeks * WEEK
        for week in range(self.weeks):
            self.town.later(self.town.start + week * WEEK, "", lambda w=week: self._plan(w))  # type: ignore[misc]
        for action in self.town.until(end):
            self._step(action)
        self._come_to_rest(end)

    def _plan(self, week: int) -> None:
        monday = self.town.now
        self.people.plan(week, monday)
        self._ticks(week)
        if self.town.faults:
            self.crooks.plan(week, monday)
            self._plan_faults(week, monday)

    def _ticks(self, week: int) -> None:
        """The program's clock wakes it each minute; here, when there is something to do."""
        day = self.town.model.day(self.town.now)
        for n in range(8):
            for hour, minute in ((0, 0), (8, 0), (9, 0), (9, 30), (10, 0)):
                at = self.town.model.at(day + timedelta(days=n), hour, minute)
                self.town.later(at, "", lambda: None)

    def _step(self, action: Callable[[], None]) -> None:
        action()
        self._beat()

    def _beat(self) -> None:
        """One beat of the program, and what the judge thinks of it."""
        known_until = self._look()
        done = self._enter(lambda process: process.work(self.town.now, known_until)) is not None
        self.judge.look(done, known_until)
        self._enter(Process.send)
        self._wake_for_the_queue()

    def _look(self) -> datetime:
        """Have the mailbox read, if there is one; return up to when the program knows all mail."""
        now, box = self.town.now, self.box
        if box is None:
            return now
        looked = self._enter(lambda process: process.look(box))
        self.judge.taken(looked == (True,))
        if looked != (True,) and now >= self._look_again_at:
            self._look_again_at = now + 10 * MINUTE
            self.town.later(self._look_again_at, "", lambda: None)
        return now if self.process is None else self.process.reader.known_until(now)

    def _wake_for_the_queue(self) -> None:
        waiting = delivery.waiting(self.db, self.club.id)
        if waiting.waiting and waiting.next_at is not None:
            at = max(waiting.next_at, self.town.now + MINUTE)
            self.town.later(at + timedelta(seconds=1), "", lambda: None)

    def _enter(self, call: Callable[[Process], Any]) -> tuple[Any] | None:
        """Have the program do something; None where it is down, dies of it, or cannot write."""
        if self.process is None:
            return None
        try:
            with self.wires.at_work():
                return (call(self.process),)
        except Killed as death:
            self._die(str(death))
        except StoreUnavailable as error:
            self.town.diary.note(self.town.now, f"    cannot write: {error}")
            self.judge.counts["full"] += 1
        except Exception as error:
            raise Violation(f"the program fell over: {error!r}") from error
        return None

    def _die(self, where: str) -> None:
        self.town.diary.note(self.town.now, f"    the program dies at {where}")
        self.judge.counts["deaths"] += 1
        self.process = None
        queued = sql.rows(self.db, "SELECT message_id FROM outbox WHERE state = 'queued'")
        self.relay.died(frozenset(message_id for (message_id,) in queued))
        chance = self.town.dice(f"death {self.judge.counts['deaths']}")
        down = chance.choice((timedelta(seconds=5), MINUTE, 40 * MINUTE, 7 * HOUR))
        self.town.later(self.town.now + down, "", self._start)

    def _start(self) -> None:
        if self.process is not None:
            return
        self.relay.among = None
        self.wires.revive()
        try:
            self.process = Process.started(
                self.settings, self.db, self.club, self.relay, lambda: self.town.now
            )
            self.judge.started()
        except StoreUnavailable:
            self.town.later(self.town.now + 10 * MINUTE, "", self._start)

    def _offer(self, letter: Letter, raw: bytes) -> bool:
        """The entry is handed a mail; True when it said 250."""
        at = self.town.now
        if self.box is None:
            taken = self._enter(lambda process: process.keep(raw, at)) is not None
            self.judge.arrived(letter, at, taken)
        else:
            taken = True
            self.box.put(raw, at)
            self.judge.lies_there(letter, raw, at)
        if taken and self.town.faults and letter.word == "OUI":
            self._stall(letter)
        self.town.diary.note(at, f"    [{letter.name}] {'250' if taken else '451, or nobody there'}")
        return taken

    def _stall(self, letter: Letter) -> None:
        """Fate's worst: what came in the last hour of its time is kept, and nobody is there to handle it."""
        chance = self.town.dice(f"{letter.name}>stall")
        proof = self.judge.proofs.of(letter)
        if isinstance(proof, Question) and proof.until - self.town.now < HOUR and chance.random() < 0.5:
            self.process = None
            self.town.later(self.town.now + 2 * HOUR, "", self._start)

    # ---------------------------------------------------------------- faults

    def _plan_faults(self, week: int, monday: datetime) -> None:
        for name, odds, fault in (
            ("kill", 0.8, self._kill),
            ("kill2", 0.4, self._kill),
            ("full", 0.4, self._fill_disk),
            ("down", 0.3, self._shut_down),
            ("senders", 0.5, self._second_sender),
            ("dying", 0.3, self._die_sending),
            ("away", 0.4, self._no_mailbox),
        ):
            event = f"w{week}.{name}"
            chance = self.town.dice(f"{event}>odds")
            if chance.random() < odds:
                # Mostly in the evening of play, when there is something to break.
                hours = chance.choice((chance.random() * 168, 24 + 13 + 4 * chance.random()))
                at = monday + timedelta(hours=hours)
                self.town.later(at, event, lambda f=fault, e=event: f(self.town.dice(e)))  # type: ignore[misc]

    def _kill(self, chance: ambient.Dice) -> None:
        fault = chance.choice((Fault.KILLED, Fault.KILLED, Fault.KILLED_AFTER_COMMIT))
        after = chance.choice((chance.randrange(8), chance.randrange(60), chance.randrange(250)))
        self.wires.arm(fault, after)

    def _fill_disk(self, chance: ambient.Dice) -> None:
        self.wires.arm(Fault.DISK_FULL, chance.randrange(12))
        self.town.later(self.town.now + chance.choice((HOUR, 3 * HOUR)), "", self.wires.make_room)

    def _shut_down(self, chance: ambient.Dice) -> None:
        self.process = None
        self.town.diary.note(self.town.now, "    the program is stopped")
        self.town.later(self.town.now + chance.choice((HOUR, 9 * HOUR, 30 * HOUR)), "", self._start)

    def _second_sender(self, chance: ambient.Dice) -> None:
        """A second sender is at work on the same books, in the middle of the first one's mail."""

        def among() -> None:
            other = Process.started(
                self.settings, self.db, self.club, self.relay, lambda: self.town.now, "another"
            )
            other.sender.run()

        self.relay.among = among

    def _die_sending(self, chance: ambient.Dice) -> None:
        """The program dies while it hands a mail on, before or after the relay has it."""
        dying = DyingRelay(self.relay, self.wires, chance.random() < 0.6)
        if self.process is not None:
            self.process.sender.transport = dying

    def _no_mailbox(self, chance: ambient.Dice) -> None:
        """The mailbox's server is away for hours; mail reaches it all the same."""
        if self.box is not None:
            self.box.away_until = self.town.now + chance.choice((HOUR, 5 * HOUR, 30 * HOUR))
            self.town.diary.note(self.town.now, "    the mailbox cannot be read")

    # ---------------------------------------------------------------- the end

    def _come_to_rest(self, end: datetime) -> None:
        """Faults off: within 48 hours all that came is handled, and all that is written has gone out."""
        self.town.faults = False
        self.wires.make_room()
        if self.box is not None:
            self.box.away_until = None
        self._start()
        self._ticks(self.weeks)
        for action in self.town.until(end + REST):
            self._step(action)
        self._beat()
        left = delivery.waiting(self.db, self.club.id)
        if left.waiting:
            raise Violation(f"{left.waiting} mails are not sent after {REST}: {left.last_error}")
        if self.box is not None and self.box.content:
            raise Violation(f"{len(self.box.content)} handled mails lie in the mailbox and were not moved")
        findings = verify(self.db, self.club.id)
        if findings:
            raise Violation(f"verify finds {findings}")
        self.judge.at_the_end(self._final())

    def _final(self) -> dict[str, Any]:
        with unit_of_work(self.db):
            club = picture(self.db, self.club, self.town.now)
            games: list[dict[str, Any]] = []
            while (game := club.books.game(len(games) + 1)) is not None:
                games.append({
                    "id": game.number,
                    "state": game.state.value,
                    "buyin_cents": game.buyin_cents,
                    "participants": sorted(game.participants),
                    "places": {str(p): [h] for p, h in sorted(game.places.items())},
                })  # fmt: skip
            return {
                "balances": {m.handle: m.balance_cents for m in club.members.values()},
                "available": {m.handle: m.available_cents for m in club.members.values()},
                "members": {m.handle: m.status.value for m in club.members.values()},
                "games": games,
                "journal_sum": club.books.journal_sum(),
            }
