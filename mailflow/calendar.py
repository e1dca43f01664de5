"""Civil time: instants are UTC, due dates are days of the club's time zone (P-9).

Every function is pure: now comes in as a value.
"""

from __future__ import annotations

import calendar
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

FIRST_DAY, LAST_DAY = date(1970, 1, 2), date(9999, 12, 29)
"""Days outside can be written, but not reckoned with in every zone; nothing happens on them."""


def bounded(day: date) -> date:
    """Return the day, or the nearest one that can be reckoned with."""
    return min(max(day, FIRST_DAY), LAST_DAY)


def local_day(at: datetime, zone: ZoneInfo) -> date:
    """Return the calendar day of an instant in the zone."""
    return at.astimezone(zone).date()


def instant(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return the UTC instant of a wall-clock time on a day.

    A time that the clock skips is taken with the offset before the change, so it falls after the
    gap; of a time that comes twice the first is taken. So each day has exactly one.
    """
    return datetime.combine(day, at, tzinfo=zone).astimezone(UTC)


def end_of_day(day: date, zone: ZoneInfo) -> datetime:
    """Return the first instant that no longer belongs to the day."""
    return instant(day + timedelta(days=1), time(0), zone)


def end_of_days(at: datetime, days: int, zone: ZoneInfo) -> datetime:
    """Return the end of the day that lies `days` after the day of `at` (R-DIS-1, R-INA-4)."""
    return end_of_day(local_day(at, zone) + timedelta(days=days), zone)


def add_months(day: date, months: int) -> date:
    """Add calendar months, clamped to the month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    month += 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def months_between(start: date, end: date) -> int:
    """Return how many whole months have passed: the greatest n with add_months(start, n) <= end."""
    months = (end.year - start.year) * 12 + end.month - start.month
    return months if add_months(start, months) <= end else months - 1
