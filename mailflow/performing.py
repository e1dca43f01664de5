"""Carry out sets of commands, one after the other, each seeing what the one before it did.

An order is all or nothing (TRUST § 4): the caller opens a savepoint and rolls it back when anything was
refused, when it was only a simulation, or when the writer must say OUI first. So previews, simulations
and the real thing are the same path, and an outcome that is shown is the one that would be written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from mailflow.catalogue import BY_NAME, Command, Need, Who
from mailflow.model import Club, Notice, Outcome, Refusal, Request, Wish, refused
from mailflow.picture import picture
from mailflow.rules.access import banned_may_only_read, only_managers
from store import changes, tokens
from store.database import Database, savepoint
from store.records import Change, ClubRow, CreateGame, MemberStatus, SetStatus, fold_handle


@dataclass(frozen=True)
class CommandSet:
    """The commands of one mail, as they were read or as they were kept for an OUI.

    `commands`: mappings of verb, arguments and text. `thread_game`: see Request. `fingerprint`: of a
    mail that came without proof, so that a copy of it that came with one is known (P-2). `address`: the one
    that the author wrote from, "" where it does not matter.
    """

    commands: Sequence[Mapping[str, Any]]
    received_at: datetime
    thread_game: int | None
    fingerprint: str = ""
    address: str = ""


@dataclass(frozen=True)
class Order:
    """What one member wants done, all or nothing: the set of one mail, or all that he was asked about.

    `cause` names the mail that has it carried out; effects are keyed by it, so that none happens twice (P-2).
    """

    sets: tuple[CommandSet, ...]
    author: str
    cause: str

    @property
    def commands(self) -> list[Mapping[str, Any]]:
        return [command for one in self.sets for command in one.commands]


@dataclass(frozen=True)
class Step:
    """One command and what it came to. `number`: which set of the order it belongs to, from 0."""

    request: Request
    command: Command
    outcome: Outcome
    number: int = 0

    @property
    def acts(self) -> bool:
        """Whether it needs proof (R-SEC-1)."""
        return self.command.need in (Need.ACT, Need.MANAGE)

    @property
    def facts(self) -> dict[str, Any]:
        """What the author may be shown of it: the answer, or else his own notice."""
        if self.outcome.answer is not None:
            return dict(self.outcome.answer)
        notice = next(iter(self.outcome.notices), None)
        if notice is None:
            return {}
        return {**notice.facts, **notice.own.get(self.request.author.handle, {})}


@dataclass(frozen=True)
class Performance:
    """What a set came to. `after`: the club as the steps left it. Stops at the first refusal."""

    steps: tuple[Step, ...]
    after: Club

    @property
    def refused(self) -> bool:
        return any(step.outcome.refused for step in self.steps)

    @property
    def acts(self) -> bool:
        """Whether something in it needs proof (R-SEC-1)."""
        return any(step.acts for step in self.steps)

    @property
    def manages(self) -> bool:
        return any(step.command.need is Need.MANAGE for step in self.steps)

    @property
    def apart(self) -> bool:
        """Whether it is asked by itself, never together with what else waits (TRUST § 2, 3)."""
        return self.asks or any(step.command.need in (Need.MANAGE, Need.IDENTITY) for step in self.steps)

    @property
    def asks(self) -> bool:
        """Whether even a fresh writer must say OUI (R-SOL-4, R-BAN-4)."""
        return any(step.outcome.ask for step in self.steps)

    @property
    def effects(self) -> str:
        """A digest of what the set would write: at the OUI it must be what was shown (R-SOL-4).

        What depends on the hour alone does not count: the day of a deadline, the number of a new game.
        """
        changes = [change for step in self.steps for change in step.outcome.changes]
        born = {c.number: f"new {n}" for n, c in enumerate(changes) if isinstance(c, CreateGame)}
        written = [[type(change).__name__, _lasting(change, born)] for change in changes]
        return hashlib.sha256(json.dumps(written, sort_keys=True, default=str).encode()).hexdigest()

    @property
    def notices(self) -> tuple[Notice, ...]:
        return tuple(n for step in self.steps for n in step.outcome.notices)


def _lasting(change: Change, born: Mapping[int, str]) -> dict[str, Any]:
    values = {name: value for name, value in asdict(change).items() if name not in OF_THE_HOUR}
    if values.get("game") in born:
        values["game"] = born[values["game"]]
    return values


OF_THE_HOUR = frozenset({"number", "window_ends_at", "due_at", "received_at", "rulebook_version"})


def perform(db: Database, row: ClubRow, order: Order, club: Club) -> Performance:
    """Carry out an order within the caller's transaction; stop at the first refusal.

    `club`: the picture from which it starts.
    """
    steps: list[Step] = []
    for number, one in enumerate(order.sets):
        created = None
        for command in one.commands:
            author = club.members[fold_handle(order.author)]
            thread_game = one.thread_game if created is None else created
            request = Request(
                command["verb"],
                command["arguments"],
                replace(author, address=one.address or author.address),
                one.received_at,
                command.get("text", ""),
                thread_game,
            )
            step = _tried(_step(request, club, number), db, row, order, club)
            position = len(steps)
            steps.append(step)
            if step.outcome.refused:
                return Performance(tuple(steps), club)
            if step.outcome.changes:
                write(db, row, step.outcome, club.now, f"{order.cause}:{position}")
                club = picture(db, row, club.now, club.caution, club.digest)
            created = _created(step, created)
    return Performance(tuple(steps), club)


def order_of_wish(wish: Wish, club: Club, cause: str) -> Order:
    """What a member would order if he had written what somebody else thinks he meant."""
    member = club.members[fold_handle(wish.member)]
    return Order((CommandSet([wish.command], club.now, None, "", member.address),), member.handle, cause)


def _tried(step: Step, db: Database, row: ClubRow, order: Order, club: Club) -> Step:
    """Nobody is asked what a rule refuses him; the asker learns which one, and no figure of the other's."""
    wish = step.outcome.wish
    if wish is None:
        return step
    with savepoint(db) as point:
        tried = perform(db, row, order_of_wish(wish, club, f"{order.cause}:wish"), club)
        point.rollback()
    if not tried.refused:
        return step
    rules = [refusal.rule for refusal in tried.steps[-1].outcome.refusals if refusal.rule]
    figures = {"handle": wish.member, "verb": wish.command["verb"], "rules": list(dict.fromkeys(rules))}
    return replace(step, outcome=refused(Refusal("R-SEC-1", "redo_refused", figures)))


def _step(request: Request, club: Club, number: int) -> Step:
    command = BY_NAME[request.verb]
    return Step(request, command, _outcome(request, command, club), number)


def _outcome(request: Request, command: Command, club: Club) -> Outcome:
    no = banned_may_only_read(request.author, command.who is Who.ANYBODY)
    if no is None and command.who is Who.MANAGER:
        no = only_managers(request.author, command.rule, command.name)
    if no is not None:
        return refused(no)
    if command.handler is None:
        raise ValueError(f"{command.name} is not carried out in a set")
    return command.handler(request, club)


def write(db: Database, row: ClubRow, outcome: Outcome, now: datetime, key: str) -> None:
    """Write the changes of an outcome, within the caller's transaction; `key` keys its effects."""
    for number, change in enumerate(outcome.changes):
        changes.apply(db, row.id, change, now, f"{key}:{number}")
        if isinstance(change, SetStatus) and change.status is MemberStatus.BANNED:
            tokens.revoke_all(db, row.id, change.member)  # R-BAN-3


def _created(step: Step, before: int | None) -> int | None:
    """The game that a later RESULTAT without number means: the one created just above it."""
    return step.outcome.game if step.command.name == "PARTIE" else before
