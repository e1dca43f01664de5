"""R-REM: daily and weekly reminders of a low account."""

from __future__ import annotations

from mailflow.model import Club, Notice, Outcome
from mailflow.rules.bankers import bankers_shown
from store.records import Member


def daily(club: Club) -> Outcome:
    """R-REM-1: every day, to active members whose available is below the first threshold."""
    low = [m for m in club.active if m.available_cents < club.rulebook.reminder_daily_below_cents]
    return Outcome(notices=tuple(_reminder("reminder.daily", m, club) for m in low))


def weekly(club: Club) -> Outcome:
    """R-REM-2: every week, to those between the two thresholds."""
    book = club.rulebook
    low = [
        m
        for m in club.active
        if book.reminder_daily_below_cents <= m.available_cents < book.reminder_weekly_below_cents
    ]
    return Outcome(notices=tuple(_reminder("reminder.weekly", m, club) for m in low))


def _reminder(kind: str, member: Member, club: Club) -> Notice:
    facts = {
        "needed_cents": club.rulebook.eligibility_cents,
        "weekly_below_cents": club.rulebook.reminder_weekly_below_cents,
        "bankers": bankers_shown(club, member),
    }
    return Notice(kind, (member.handle,), None, facts)
