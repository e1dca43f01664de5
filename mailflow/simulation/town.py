"""What everybody in a simulation shares: the clock, the events to come, chance, the post, the diary.

Each event has a name, and draws its chance from the seed and that name alone. So any event can be left out
and all the others stay what they were: that is what makes a failing life shrink.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mailflow import ambient
from mailflow.simulation.model import Command, Model
from mailflow.simulation.writing import Draft, Hand, Received, written


@dataclass(frozen=True)
class Letter:
    """A mail to the club, and the truth about it, which only the judge knows.

    `author`: the member whose hand wrote it, None for a crook or a robot. `claimed`: the member whose
    address it bears, None for a stranger's. `commands`, `word`: what it means; a `word` is OUI, NON … .
    `plain`: it can be read as it is meant: no slip of the pen. `verdict`: what our border finds.
    """

    name: str
    author: str | None
    claimed: str | None
    draft: Draft
    raw: bytes
    commands: tuple[Command, ...] = ()
    word: str | None = None
    token: str | None = None
    plain: bool = True
    verdict: str = "pass"

    @property
    def exposed(self) -> bool:
        return bool(self.draft.copies)


@dataclass
class Diary:
    """What happened, line by line. `digest` is over all lines, also those that are not kept."""

    keep: int = 0
    lines: list[str] = field(default_factory=list)
    _hash: hashlib._Hash = field(default_factory=hashlib.sha256)

    def note(self, at: datetime, line: str) -> None:
        text = f"{at:%a %Y-%m-%d %H:%M:%S}  {line}"
        self._hash.update(text.encode() + b"\n")
        self.lines.append(text)
        if self.keep and len(self.lines) > 2 * self.keep:
            del self.lines[: -self.keep]

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


@dataclass
class Town:
    """`without`: names of events that do not happen, and with each all that would come of it."""

    seed: int
    start: datetime
    model: Model
    addresses: dict[str, str]
    without: frozenset[str]
    diary: Diary
    post: Callable[[Letter], None] = lambda letter: None
    now: datetime = field(init=False)
    faults: bool = True
    happened: list[str] = field(default_factory=list)
    _heap: list[tuple[datetime, int, str, Callable[[], None]]] = field(default_factory=list)
    _count: int = 0

    def __post_init__(self) -> None:
        self.now = self.start

    def dice(self, name: str) -> ambient.Dice:
        """Return the chance of one event."""
        return ambient.dice(self.seed, name)

    def later(self, at: datetime, name: str, action: Callable[[], None]) -> None:
        """Have something happen, unless it is left out; nothing happens in the past."""
        self._count += 1
        heapq.heappush(self._heap, (max(at, self.now).replace(microsecond=0), self._count, name, action))

    def until(self, end: datetime) -> Iterator[Callable[[], None]]:
        """Give what happens up to an instant, moving the clock."""
        while self._heap and self._heap[0][0] <= end:
            at, _, name, action = heapq.heappop(self._heap)
            if name and _left_out(name, self.without):
                continue
            self.now = at
            if name:
                self.happened.append(name)
            yield action
        self.now = end

    def send(
        self,
        name: str,
        author: str | None,
        draft: Draft,
        hand: Hand,
        commands: tuple[Command, ...] = (),
        word: str | None = None,
        token: str | None = None,
        plain: bool = True,
        verdict: str = "pass",
    ) -> Letter:
        """Write a mail and give it to the post."""
        claimed = next((h for h, a in self.addresses.items() if a == draft.sender), None)
        raw = written(draft, hand)
        if token is not None and token.lower().encode() not in raw.lower():
            token = None  # stripped on the way, and nothing was quoted (T-14)
        letter = Letter(name, author, claimed, draft, raw, commands, word, token, plain, verdict)
        said = " / ".join(draft.text.splitlines())[:90]
        self.diary.note(self.now, f"{author or 'somebody'} writes as {draft.sender} [{name}]: {said}")
        self.post(letter)
        return letter


def _left_out(name: str, without: Collection[str]) -> bool:
    """`w3.anna.game+2` is left out by its own name, or by that of the event that it comes of."""
    if not without:
        return False
    while name:
        if name in without:
            return True
        name = name.rpartition("+")[0]
    return False


Mailbox = Callable[[str, Received], None]

MINUTE, HOUR, DAY, WEEK = (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(weeks=1))
