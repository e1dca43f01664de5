"""What a member is reminded of, unasked: a low account, months without a game; in one mail a day at most.

The digest, where there is one that day, says it all; else the first mail that falls due says what the others
would have said. The notices of those are made all the same, and tell in which mail they stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from mailflow.calendar import instant, local_day
from mailflow.model import Club, Notice
from mailflow.rules.bankers import bankers_shown
from mailflow.rules.inactivity import Nudge, imbalance_cents, nudge_due
from store.records import Member, NoteNudge

DIGEST = "digest.weekly"
DIGEST_AT, DIGEST_WEEKDAY = time(8), 0
"""Club time, and Monday."""


def written_to(club: Club) -> dict[str, str]:
    """Return who has had his mail of today, and which kind it was."""
    return dict(club.books.unasked_since(instant(local_day(club.now, club.timezone), time(0), club.timezone)))


def taken(club: Club) -> dict[str, str]:
    """Return who has had, or will have, his mail of today, and of which kind."""
    coming = {m.handle: DIGEST for m in club.active if m.digest} if _digest_is_to_come(club) else {}
    return coming | written_to(club)


def _digest_is_to_come(club: Club) -> bool:
    """Whether it is due today and was not run yet, be it late or early in the day."""
    today = local_day(club.now, club.timezone)
    due = instant(today, DIGEST_AT, club.timezone)
    last = club.books.last_due(DIGEST)
    return today.weekday() == DIGEST_WEEKDAY and last is not None and last < due


@dataclass(frozen=True)
class Matters:
    """What a member is reminded of, as facts of whichever mail says it; `noted`: that he was asked."""

    low: Mapping[str, Any] | None
    nudge: Mapping[str, Any] | None
    noted: tuple[NoteNudge, ...]

    @property
    def facts(self) -> dict[str, Any]:
        return {"low": self.low, "nudge": self.nudge}

    def within(self, kind: str, member: Member) -> tuple[Notice, ...]:
        """Return the notice of a nudge that stands in the mail of this kind."""
        return (Notice("inactivity.nudge", (member.handle,), within=kind),) if self.noted else ()


def matters(member: Member, played_at: datetime, weekly: bool, club: Club) -> Matters:
    """Collect what to say. `weekly`: whether the day is one on which a second threshold counts (R-REM-2)."""
    book, available = club.rulebook, member.available_cents
    below = book.reminder_weekly_below_cents if weekly else book.reminder_daily_below_cents
    nudge = nudge_due(member, played_at, club)
    if nudge is None and available >= below:
        return Matters(None, None, ())
    bankers, daily = bankers_shown(club, member), available < book.reminder_daily_below_cents
    low = {
        "needed_cents": book.eligibility_cents,
        "below_cents": book.reminder_daily_below_cents if daily else book.reminder_weekly_below_cents,
        "daily": daily,
        "bankers": bankers,
    }
    return Matters(low if available < below else None, *_asked(member, nudge, bankers, club))


def _asked(
    member: Member, nudge: Nudge | None, bankers: list[dict[str, object]], club: Club
) -> tuple[Mapping[str, Any] | None, tuple[NoteNudge, ...]]:
    if nudge is None:
        return None, ()
    facts = {
        "months": nudge.months,
        "since": nudge.since,
        "imbalance_cents": imbalance_cents(member, club),
        "bankers": bankers,
    }
    return facts, (NoteNudge(member.handle, nudge.since, nudge.due),)
