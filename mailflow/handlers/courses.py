"""The balances over time, as they are drawn in the weekly digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mailflow.model import Club

DAY, WEEK = timedelta(days=1), timedelta(days=7)
STEPS_MAX = 26
"""So many steps of time are drawn at most: days of a young club, then weeks, up to half a year."""
LINES_MAX = 25
"""Above so many members the picture shows the reader's own balance alone."""


@dataclass(frozen=True)
class Courses:
    """Balances in cents by handle, at equal steps of time; None before an account was opened."""

    first: datetime
    last: datetime
    lines: Mapping[str, tuple[int | None, ...]]
    everyone: bool


def courses_of(club: Club) -> Courses | None:
    """What is drawn; None where it would be no more than a dot."""
    holders = club.account_holders
    if not club.digest.picture or not holders:
        return None
    age = club.now - min(m.joined_at for m in holders)
    step = WEEK if age > DAY * STEPS_MAX else DAY
    steps = min(age // step, STEPS_MAX)
    if steps < 2:
        return None
    first = club.now - steps * step
    known = club.books.balances_at(first, step, steps)
    opened = {m.handle: m.joined_at for m in holders}
    lines = {
        handle: tuple(
            cents if first + number * step > opened[handle] else None for number, cents in enumerate(balances)
        )
        for handle, balances in known.items()
        if handle in opened
    }
    return Courses(first, club.now, lines, club.digest.everyone and len(holders) <= LINES_MAX)


def drawn_for(reader: str, courses: Courses | None) -> dict[str, Any] | None:
    """A reader's picture: his own line, those of the others if he is shown them, and what it comes to."""
    own = () if courses is None else courses.lines[reader]
    cents = [one for one in own if one is not None]
    if courses is None or len(cents) < 2:
        return None
    step = (courses.last - courses.first) / (len(own) - 1)
    return {
        "own": own,
        "others": tuple(line for h, line in courses.lines.items() if h != reader) if courses.everyone else (),
        "first": courses.first,
        "last": courses.last,
        "since": courses.first + (len(own) - len(cents)) * step,
        "from_cents": cents[0],
        "to_cents": cents[-1],
        "lowest_cents": min(cents),
        "highest_cents": max(cents),
    }
