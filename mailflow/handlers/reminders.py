"""R-REM: daily and weekly reminders of a low account."""

from __future__ import annotations

from collections.abc import Iterable

from mailflow.handlers.reminding import matters, taken
from mailflow.model import Club, Notice, Outcome
from store.records import Change, Member


def daily(club: Club) -> Outcome:
    """R-REM-1: every day, to active members whose available is below the first threshold."""
    low = [m for m in club.active if m.available_cents < club.rulebook.reminder_daily_below_cents]
    return _remind("reminder.daily", low, club)


def weekly(club: Club) -> Outcome:
    """R-REM-2: every week, to those between the two thresholds."""
    book = club.rulebook
    low = [
        m
        for m in club.active
        if book.reminder_daily_below_cents <= m.available_cents < book.reminder_weekly_below_cents
    ]
    return _remind("reminder.weekly", low, club)


def _remind(kind: str, low: Iterable[Member], club: Club) -> Outcome:
    """One mail to each, unless another one of today says it."""
    members = list(low)
    elsewhere, played = (taken(club), club.books.last_participations()) if members else ({}, {})
    changes: list[Change] = []
    notices: list[Notice] = []
    for member in members:
        if member.handle in elsewhere:
            notices.append(Notice(kind, (member.handle,), within=elsewhere[member.handle]))
            continue
        said = matters(member, played[member.handle], kind == "reminder.weekly", club)
        changes += said.noted
        notices += (Notice(kind, (member.handle,), None, said.facts), *said.within(kind, member))
    return Outcome(changes=tuple(changes), notices=tuple(notices))
