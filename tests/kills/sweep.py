"""Choose where to die, die there, and say what was wrong."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .driver import Case, played
from .relay import relay
from .situations import SITUATIONS, Letter, Situation, template

LATE_SECONDS_MAX = 0.004
"""So long after a step began one may die within it: a COMMIT takes a millisecond or so."""


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

    def die(self, step: int, late_seconds: float = 0.0) -> Death:
        """Play it once, killed at a step."""
        case = self._played(step, late_seconds)
        wrong = case.differences(self.calm.state)
        if not case.died and not late_seconds:
            wrong.append("nobody died")
        steps = self.calm.steps
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
        )


def sweep(
    root: Path, choose: Callable[[Sequence[Ground]], Iterable[tuple[Ground, int, float]]]
) -> Iterator[Death]:
    """Make all situations ready, and die where `choose` says: (situation, step, seconds later)."""
    mails = root / "mails"
    mails.mkdir()
    with relay(mails) as port:
        grounds = [_ready(s, root / str(n), mails, port) for n, s in enumerate(SITUATIONS)]
        for ground, step, late in choose(grounds):
            yield ground.die(step, late)


def by_chance(seed: int, kills: int) -> Callable[[Sequence[Ground]], Iterator[tuple[Ground, int, float]]]:
    """Every situation in turn, at a step drawn anew, a third of the times within it."""

    def choose(grounds: Sequence[Ground]) -> Iterator[tuple[Ground, int, float]]:
        draw = random.Random(seed)
        for number in range(kills):
            ground = grounds[number % len(grounds)]
            step = draw.randint(1, len(ground.calm.steps))
            late = draw.uniform(0.0, LATE_SECONDS_MAX) if draw.random() < 1 / 3 else 0.0
            yield ground, step, late

    return choose


def everywhere(grounds: Sequence[Ground]) -> Iterator[tuple[Ground, int, float]]:
    """Every situation at every step."""
    for ground in grounds:
        for step in range(1, len(ground.calm.steps) + 1):
            yield ground, step, 0.0


def _ready(situation: Situation, folder: Path, mails: Path, port: int) -> Ground:
    folder.mkdir()
    scene = template(situation, folder / "template", port)
    letter = None if situation.letter is None else situation.letter(scene)
    now = scene.now
    scene.db.close()
    calm = played(folder / "template", folder, mails, letter, now, situation.later)
    wrong = [*calm.state["findings"], *calm.state["wrong mails"]]
    if calm.died or wrong or calm.state["waiting"] or calm.state["quarantined"] or len(calm.steps) < 10:
        raise AssertionError(f"{situation.name}, undisturbed: {wrong} {calm.state}")
    return Ground(situation, folder, mails, letter, now, calm)


def cleared(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
