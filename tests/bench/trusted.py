"""Mails as `mailflow run` gets them, where a command is cold until its writer has proved his mailbox.

Each kind is sent cold, which asks for an OUI; the OUI opens a session; and in the session all is done at
once. The time is taken from the kept bytes to the commit; the processor's besides, for keeping the mail,
handling it and composing all that it brings, which is the whole way but for the servers at its two ends.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from mailflow import intake
from mailflow.ambient import stopwatch
from mailflow.compose import compose
from mailflow.desk import Desk
from mailflow.identify import Trust
from mailflow.sections.trust import Caution
from store import changes, inbox, outbox
from store.database import unit_of_work
from store.records import OutboxMail, Transfer
from tests.bench.worlds import ADDRESS, START, handle, mail, open_club
from tests.bench.yardstick import Yardstick

MEMBERS = 30
DEBTORS = (handle(MEMBERS), handle(MEMBERS + 1))
PLENTY = 1_000_000


@dataclass
class Cost:
    """Seconds of each mail of a kind; `mails`: how many it brought, the answer included."""

    wall: list[float] = field(default_factory=list)
    kept: list[float] = field(default_factory=list)
    handled: list[float] = field(default_factory=list)
    composed: list[float] = field(default_factory=list)
    mails: list[int] = field(default_factory=list)


@dataclass
class Bench:
    desk: Desk
    bare: Yardstick
    now: datetime = START
    costs: dict[str, Cost] = field(default_factory=dict)
    _told: int = 0
    _number: int = 0

    def send(self, kind: str, who: str, text: str, token: str | None = None) -> tuple[OutboxMail, ...]:
        """Send a mail through the desk, note under `kind` what it cost, and return what it brought."""
        self._number += 1
        self.now += timedelta(seconds=20)
        raw = mail(f"{who}@example.org", text, self._number)
        if token:
            local, _, domain = ADDRESS.partition("@")
            raw = raw.replace(f"<{ADDRESS}>".encode(), f"<{local}+{token}@{domain}>".encode())
        cost, desk = self.costs.setdefault(kind, Cost()), self.desk
        cpu = time.process_time()
        with unit_of_work(desk.db):
            intake.keep(desk.db, desk.club.id, "bench", raw, self.now)
        cost.kept.append(time.process_time() - cpu)
        self.bare.commit()
        waiting = inbox.waiting(desk.db, desk.club.id)
        assert waiting is not None
        cpu, begun = time.process_time(), stopwatch()
        desk.handle(waiting, self.now)
        cost.wall.append(stopwatch() - begun)
        cost.handled.append(time.process_time() - cpu)
        brought = outbox.listing(desk.db, desk.club.id, self._told)
        cpu = time.process_time()
        for one in brought:
            compose(one, desk.club, desk.register.token_of(one))
        cost.composed.append(time.process_time() - cpu)
        cost.mails.append(len(brought))
        assert all(one.kind not in ("refused", "malformed", "unknown") for one in brought), brought
        self._told = brought[-1].id if brought else self._told
        return brought

    def session(self, kind: str, who: str, text: str) -> str:
        """Have a command asked for and confirmed; return the token of the session that this opens."""
        (asked,) = self.send(f"{kind}, cold: asks OUI", who, text)
        token = self.desk.register.token_of(asked)
        brought = self.send(f"{kind}, its OUI", who, "OUI", token)
        opened = self.desk.register.token_of(next(m for m in brought if m.recipient == who))
        assert opened is not None
        return opened


def measure(folder: Path, rounds: int) -> None:
    """Let so many rounds of every kind go through the desk of a new club, and print what they cost."""
    desk = open_club(folder / "trusted.db", MEMBERS + len(DEBTORS), trust=Trust.CONFIRM, caution=_unlimited())
    bench = Bench(desk, Yardstick(folder))
    with unit_of_work(desk.db):  # R-TRA-3: only who has less than he began with can be given anything
        for debtor in DEBTORS:
            lost = Transfer(debtor, handle(0), 190_00, "")
            changes.apply(desk.db, desk.club.id, lost, START, f"bench:{debtor}")
    for number in range(rounds):
        _round(bench, number)
    print(f"\nwith proof asked for, {rounds} rounds, club of {MEMBERS}, synchronous=FULL; medians in ms")
    bench.bare.tell()
    print(f"  {'':42}{'mails':>6}{'time':>8}{'cpu: kept':>11}{'handled':>9}{'composed':>10}{'in all':>8}")
    for kind, cost in bench.costs.items():
        kept, handled, composed = (
            statistics.median(part) * 1000 for part in (cost.kept, cost.handled, cost.composed)
        )
        print(
            f"  {kind:42}{statistics.median(cost.mails):6.0f}{statistics.median(cost.wall) * 1000:8.2f}"
            f"{kept:11.2f}{handled:9.2f}{composed:10.2f}{kept + handled + composed:8.2f}"
        )
    desk.db.close()


def _unlimited() -> Caution:
    return Caution(answers_per_hour_max=PLENTY, answers_per_day_max=PLENTY)


def _round(bench: Bench, number: int) -> None:
    """One member's evening. Every kind is seen once."""
    who, *others = (handle((number * 7 + step) % MEMBERS) for step in range(7))
    token = bench.session("VIREMENT", who, f"VIREMENT 0,{50 + number % 50} à {DEBTORS[0]}")
    bench.send("VIREMENT in a session", who, f"VIREMENT 0,50 à {DEBTORS[1]}", token)
    bench.send("COMPTE, cold", who, "COMPTE")
    bench.send("COMPTE in a session", who, "COMPTE", token)
    five, six = ",".join(others[:4]), ",".join(others[:5])
    bench.send("game of 5 with result", who, f"PARTIE buyin=1 joueurs={five} 1={who} 2={others[0]}", token)
    brought = bench.send("game of 6", who, f"PARTIE buyin=1 joueurs={six}", token)
    game = next(m.game for m in brought if m.game)
    bench.send("RESULTAT of a game of 6", who, f"RESULTAT {game} 1={who} 2={others[0]}", token)
    token = bench.session("CONTESTE", others[0], f"CONTESTE {game} le classement est faux")
    bench.send("CONTESTE in a session", others[0], f"CONTESTE {game - 1} le classement est faux", token)
