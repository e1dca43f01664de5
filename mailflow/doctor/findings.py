"""What the doctor says: a check is a row (name, look, how to mend), a finding is its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from mailflow.settings import Settings


class State(Enum):
    """How a thing stands; the value is what is printed."""

    WELL = "ok"
    NOTE = "note"
    """It works, but the operator should know."""
    BAD = "BAD"
    LEFT_OUT = "-"
    """It could not be looked at, or does not apply."""


@dataclass(frozen=True)
class Found:
    """How a thing stands, in plain words."""

    state: State
    said: str


def well(said: str) -> Found:
    return Found(State.WELL, said)


def note(said: str) -> Found:
    return Found(State.NOTE, said)


def bad(said: str) -> Found:
    return Found(State.BAD, said)


def left_out(said: str) -> Found:
    return Found(State.LEFT_OUT, said)


@dataclass(frozen=True)
class Patient:
    """The club that is looked at, as its folder and club.toml say; `now`: the machine's time.

    `name_server`: HOST or HOST:PORT to ask instead of the system's own.
    """

    settings: Settings
    now: datetime
    name_server: str = ""

    @property
    def has_books(self) -> bool:
        """Whether there is something to open: a file that was made, or a server."""
        return self.settings.server is not None or self.settings.database.exists()


@dataclass(frozen=True)
class Check:
    """One thing to look at. `mend` says what to do when it is not well; `{folder}` is the club's."""

    name: str
    look: Callable[[Patient], Found]
    mend: str


@dataclass(frozen=True)
class Line:
    """A finding under its name, with how to mend it where something is to be mended."""

    name: str
    found: Found
    mend: str = ""

    def shown(self) -> list[str]:
        """The line as it is printed, and below it what to do."""
        said = f"{self.found.state.value:4}  {self.name:10}  {self.found.said}"
        wants = self.found.state in (State.NOTE, State.BAD) and self.mend
        return [said, f"{'':18}→ {self.mend}"] if wants else [said]
