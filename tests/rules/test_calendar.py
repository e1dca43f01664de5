"""Civil time: months that end early, leap days, and zones whose clocks jump."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailflow.calendar import add_months, end_of_day, end_of_days, instant, local_day, months_between

ZONES = [
    "Europe/Paris",
    "America/Santiago",  # its spring gap begins at midnight
    "America/Asuncion",
    "Africa/Cairo",  # so does this one's, on a Friday
    "Australia/Lord_Howe",  # half an hour
    "Asia/Kathmandu",  # a quarter
    "Pacific/Kiritimati",
    "America/St_Johns",
    "Africa/Casablanca",
    "UTC",
]
zones = st.sampled_from(ZONES).map(ZoneInfo)
days = st.dates(date(2015, 1, 1), date(2035, 12, 31))


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        ("2026-01-31", 1, "2026-02-28"),
        ("2028-01-31", 1, "2028-02-29"),
        ("2026-08-31", 6, "2027-02-28"),
        ("2026-12-31", 2, "2027-02-28"),
        ("2026-10-31", 1, "2026-11-30"),
        ("2026-01-15", 12, "2027-01-15"),
        ("2028-02-29", 12, "2029-02-28"),
        ("2028-02-29", 48, "2032-02-29"),
        ("2026-03-31", -1, "2026-02-28"),
        ("2026-01-01", -1, "2025-12-01"),
        ("2026-11-30", 1, "2026-12-30"),
        ("2026-12-01", 0, "2026-12-01"),
    ],
)
def test_months_are_calendar_months_clamped_to_the_last_day(start, months, end):
    """R-INA-2, R-INA-3."""
    assert add_months(date.fromisoformat(start), months) == date.fromisoformat(end)


@pytest.mark.parametrize(
    ("start", "end", "months"),
    [
        ("2026-01-15", "2026-07-14", 5),
        ("2026-01-15", "2026-07-15", 6),
        ("2026-08-31", "2027-02-27", 5),
        ("2026-08-31", "2027-02-28", 6),
        ("2026-08-31", "2027-03-30", 6),
        ("2026-08-31", "2027-03-31", 7),
        ("2028-02-29", "2029-02-27", 11),
        ("2028-02-29", "2029-02-28", 12),
        ("2026-01-15", "2026-01-15", 0),
        ("2026-01-15", "2026-01-14", -1),
    ],
)
def test_whole_months_between(start, end, months):
    """R-INA-2, R-INA-3: both sides of the day."""
    assert months_between(date.fromisoformat(start), date.fromisoformat(end)) == months


@given(days, days)
def test_months_between_is_the_greatest_number_that_fits(start, end):
    """R-INA-2."""
    months = months_between(start, end)
    assert add_months(start, months) <= end < add_months(start, months + 1)


@pytest.mark.parametrize(
    ("zone", "day", "at", "expected"),
    [
        ("Europe/Paris", "2026-01-05", time(9), "2026-01-05T08:00"),
        ("Europe/Paris", "2026-07-05", time(9), "2026-07-05T07:00"),
        ("Europe/Paris", "2026-03-29", time(2, 30), "2026-03-29T01:30"),  # skipped: 03:30 by the clock
        ("Europe/Paris", "2026-10-25", time(2, 30), "2026-10-25T00:30"),  # twice: the first
        ("America/Santiago", "2026-09-06", time(0), "2026-09-06T04:00"),  # skipped: 01:00 by the clock
        ("America/Santiago", "2026-04-05", time(0), "2026-04-05T04:00"),
        ("America/Santiago", "2026-04-04", time(23, 30), "2026-04-05T02:30"),  # twice
        ("Australia/Lord_Howe", "2026-10-04", time(2, 15), "2026-10-03T15:45"),  # skipped: 02:45
        ("Australia/Lord_Howe", "2026-04-05", time(1, 45), "2026-04-04T14:45"),  # twice
    ],
)
def test_instant_of_a_wall_clock_time(zone, day, at, expected):
    assert instant(date.fromisoformat(day), at, ZoneInfo(zone)) == utc(expected)


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Paris", "2026-03-28", 24),
        ("Europe/Paris", "2026-03-29", 23),
        ("Europe/Paris", "2026-10-25", 25),
        ("America/Santiago", "2026-09-06", 23),
        ("America/Santiago", "2026-04-04", 25),
        ("Australia/Lord_Howe", "2026-10-04", 23.5),
        ("Australia/Lord_Howe", "2026-04-05", 24.5),
    ],
)
def test_days_last_as_long_as_they_do(zone, day, hours):
    """R-DIS-1: the end of one day is the beginning of the next."""
    here, today = ZoneInfo(zone), date.fromisoformat(day)
    assert end_of_day(today, here) - end_of_day(today - timedelta(days=1), here) == timedelta(hours=hours)


@given(days, zones)
def test_the_end_of_a_day_is_the_first_instant_of_the_next(day, zone):
    """R-DIS-1."""
    end = end_of_day(day, zone)
    assert local_day(end, zone) == day + timedelta(days=1)
    assert local_day(end - timedelta(microseconds=1), zone) == day


@given(
    st.integers(0, 20 * 365 * 24 * 3600).map(lambda s: utc("2015-01-01T00:00") + timedelta(seconds=s)),
    st.integers(0, 60),
    zones,
)
def test_the_end_of_days_depends_on_the_local_day_only(at, count, zone):
    """R-DIS-1, R-INA-4."""
    end = end_of_days(at, count, zone)
    assert end == end_of_day(local_day(at, zone) + timedelta(days=count), zone)
    assert end > at
    assert end.tzinfo is UTC


@given(days, st.times(), zones)
def test_each_day_has_each_time_exactly_once(day, at, zone):
    """What the clock skips falls after the gap, on the same day; so instants of a day stay in it."""
    assert local_day(instant(day, at, zone), zone) == day
