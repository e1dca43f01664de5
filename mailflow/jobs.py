"""The table of jobs: what falls due by the clock, when, and what it does.

When a job is due is a pure function of the time: civil time in the club's zone (P-9). The ends of
dispute windows are due at instants of their own and stand apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from mailflow.calendar import instant, local_day
from mailflow.handlers import delivery, digest, inactivity, papers, reminders
from mailflow.handlers.reminding import DIGEST, DIGEST_AT, DIGEST_WEEKDAY
from mailflow.model import Club, Outcome

MONDAY = 0


@dataclass(frozen=True)
class Job:
    """`weekday`: 0 for Monday, None for every day. `at`: club time.

    A job that was missed is done once when the machine is back, not once for each time it was due.
    """

    name: str
    at: time
    weekday: int | None
    handler: Callable[[Club], Outcome]

    def next_after(self, moment: datetime, zone: ZoneInfo) -> datetime:
        """Return the first due instant after `moment`."""
        day = local_day(moment, zone)
        while True:
            due = instant(day, self.at, zone)
            if due > moment and self.weekday in (None, day.weekday()):
                return due
            day += timedelta(days=1)

    def last_until(self, moment: datetime, zone: ZoneInfo) -> datetime:
        """Return the latest due instant that is not after `moment`."""
        day = local_day(moment, zone)
        while True:
            due = instant(day, self.at, zone)
            if due <= moment and self.weekday in (None, day.weekday()):
                return due
            day -= timedelta(days=1)


JOBS: tuple[Job, ...] = (
    Job(DIGEST, DIGEST_AT, DIGEST_WEEKDAY, digest.weekly),
    Job("reminder.weekly", time(8), MONDAY, reminders.weekly),
    Job("reminder.daily", time(9), None, reminders.daily),
    Job("delivery", time(9, 30), None, delivery.report),
    Job("unhandled", time(9, 45), None, papers.report),
    Job("inactivity", time(10), None, inactivity.scan),
)
"""Of two that are due at one instant the first goes first: the digest before what then stands in it."""
