"""Choose where to die, die there, and say what was wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .books import Files, books
from .boxes import Boxes, boxes
from .driver import Case, played
from .relay import relay
from .situations import BY_MAILBOX, SITUATIONS, Letter, Situation, template
from .steps import MAILBOX

LATE_SECONDS_MAX = 0.004
"""So long after a step began one may die within it: a COMMIT takes a millisecond or so."""


SURELY_MADE = 0.8
"""The part of a calm play's steps that every play makes."""


@dataclass(frozen=True)
class Death:
    """Where a process died, and what was not as it should be afterwards."""

    situation: str
    step: int
    of: int
    what: str
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        told = "; ".join(self.wrong) or "all is well"
        return f"{self.situation}, step {self.step} of {self.of} ({self.what}): {told}"


@dataclass
class Ground:
    """A situation made ready: its template, and what comes of it when nobody dies."""

    situation: Situation
    folder: Path
    mails: Path
    letter: Letter | None
    now: datetime
    calm: Case
    boxes: Boxes | None
    books: Files

    def die(self, step: int, late_seconds: float = 0.0) -> Death:
        """Play it once, killed at a step."""
        case = self._played(step, late_seconds)
        wrong = case.differences(self.calm.state)
        steps = self.calm.steps
        # The last steps are not always made: a lease is renewed by the clock. Any other must be.
        if not case.died and not late_seconds and step <= len(steps) * SURELY_MADE:
            wrong.append("nobody died")
        what = steps[step - 1] + (" and a little" if late_seconds else "")
        return Death(self.situation.name, step, len(steps), what, tuple(wrong))

    def _played(self, step: int, late_seconds: float) -> Case:
        return played(
            self.folder / "template",
            self.folder,
            self.mails,
            self.letter,
            self.now,
            self.situation.later,
            step,
            late_seconds,
            self.boxes,
            self.books,
        )


def sweep(
    root: Path,
    choose: Callable[[Sequence[Ground]], Iterable[tuple[Ground, int, float]]],
    door: str = "smtp",
    kept: str = "file",
    some: Sequence[Situation] = SITUATIONS,
) -> Iterator[Death]:
    """Make situations ready, and die where `choose` says: (situation, step, seconds later).

    `door`: how mail comes in, one of `boxes.DOORS`; `kept`: where the books are, one of `books.BOOKS`.
    """
    mails = root / "mails"
    mails.mkdir()
    with relay(mails) as port, boxes(door) as found, books(kept) as shelf:
        chosen = some if found is None else [s for s in some if s.name in BY_MAILBOX]
        grounds = [_ready(s, root / str(n), mails, port, found, shelf) for n, s in enumerate(chosen)]
        for ground, step, late in choose(grounds):
            yield ground.die(step, late)


def by_chance(
    seed: int, kills: int, at: str = ""
) -> Callable[[Sequence[Ground]], Iterator[tuple[Ground, int, float]]]:
    """Every situation in turn, at a step drawn anew, a third of the times within it.

    `at`: how the names of the steps begin that may be drawn. Where none is given and there is a mailbox,
    every other step is one there.
    """

    def choose(grounds: Sequence[Ground]) -> Iterator[tuple[Ground, int, float]]:
        draw = random.Random(seed)
        for number in range(kills):
            ground = grounds[number % len(grounds)]
            there = MAILBOX if number // len(grounds) % 2 == 0 else ""
            step = draw.choice(_steps(ground, at or there))
            late = draw.uniform(0.0, LATE_SECONDS_MAX) if draw.random() < 1 / 3 else 0.0
            yield ground, step, late

    return choose


def everywhere(grounds: Sequence[Ground]) -> Iterator[tuple[Ground, int, float]]:
    """Every situation at every step."""
    for ground in grounds:
        for step in range(1, len(ground.calm.steps) + 1):
            yield ground, step, 0.0


def _steps(ground: Ground, begin: str) -> Sequence[int]:
    """The numbers of the steps whose names begin so; of all, where there are none."""
    every = range(1, len(ground.calm.steps) + 1)
    return [step for step in every if ground.calm.steps[step - 1].startswith(begin)] or every


def _ready(
    situation: Situation, folder: Path, mails: Path, port: int, boxes: Boxes | None, books: Files
) -> Ground:
    folder.mkdir()
    scene = template(situation, folder / "template", port, books)
    letter = None if situation.letter is None else situation.letter(scene)
    now = scene.now
    scene.db.close()
    calm = played(folder / "template", folder, mails, letter, now, situation.later, boxes=boxes, books=books)
    wrong = [*calm.state["findings"], *calm.state["wrong mails"]]
    if calm.state.get("mailbox", {}).get("INBOX"):
        wrong.append("mail is left in the mailbox")
    if calm.died or wrong or calm.state["waiting"] or calm.state["quarantined"] or len(calm.steps) < 10:
        raise AssertionError(f"{situation.name}, undisturbed: {wrong} {calm.state}")
    return Ground(situation, folder, mails, letter, now, calm, boxes, books)
