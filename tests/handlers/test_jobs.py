"""When jobs fall due: each once a day or week of the club, whatever its clocks do."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailflow.calendar import local_day
from mailflow.jobs import JOBS, MONDAY, Job
from mailflow.model import Outcome

PARIS = ZoneInfo("Europe/Paris")
BY_NAME = {job.name: job for job in JOBS}
ZONES = [
    "Europe/Paris",
    "America/Santiago",
    "Africa/Cairo",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "Pacific/Kiritimati",
    "UTC",
]
STEP = timedelta(microseconds=1)


def at_hour(at, weekday=None):
    return Job("test", at, weekday, lambda _: Outcome())


def utc(text):
    return datetime.fromisoformat(text).astimezone(UTC)


def test_due_times_of_the_club():
    """R-REM-1 at 09:00, R-REM-2 and the digest on Monday at 08:00, P-6 09:30, cards 09:45, R-INA-2 10:00."""
    assert {job.name: (job.at, job.weekday) for job in JOBS} == {
        "reminder.daily": (time(9), None),
        "reminder.weekly": (time(8), MONDAY),
        "digest.weekly": (time(8), MONDAY),
        "delivery": (time(9, 30), None),
        "unhandled": (time(9, 45), None),
        "inactivity": (time(10), None),
    }


@pytest.mark.parametrize(
    ("name", "moment", "last", "following"),
    [
        ("reminder.daily", "2026-01-05T08:59:59+01:00", "2026-01-04T09:00+01:00", "2026-01-05T09:00+01:00"),
        ("reminder.daily", "2026-01-05T09:00:00+01:00", "2026-01-05T09:00+01:00", "2026-01-06T09:00+01:00"),
        ("digest.weekly", "2026-01-05T07:59:59+01:00", "2025-12-29T08:00+01:00", "2026-01-05T08:00+01:00"),
        ("digest.weekly", "2026-01-05T08:00:00+01:00", "2026-01-05T08:00+01:00", "2026-01-12T08:00+01:00"),
        ("digest.weekly", "2026-03-29T12:00:00+02:00", "2026-03-23T08:00+01:00", "2026-03-30T08:00+02:00"),
        ("inactivity", "2026-10-25T09:30:00+01:00", "2026-10-24T10:00+02:00", "2026-10-25T10:00+01:00"),
    ],
)
def test_the_last_and_the_following_time(name, moment, last, following):
    """At its time a job is due, and the next is a day or a week on, by the wall clock."""
    job = BY_NAME[name]
    assert job.last_until(utc(moment), PARIS) == utc(last)
    assert job.next_after(utc(moment), PARIS) == utc(following)


@pytest.mark.parametrize(
    ("zone", "at", "day", "due"),
    [
        ("America/Santiago", time(0), "2026-09-06", "2026-09-06T01:00-03:00"),  # the gap begins at midnight
        ("America/Santiago", time(0, 30), "2026-09-06", "2026-09-06T01:30-03:00"),
        ("Australia/Lord_Howe", time(2, 15), "2026-10-04", "2026-10-04T02:45+11:00"),
        ("Australia/Lord_Howe", time(1, 45), "2026-04-05", "2026-04-05T01:45+11:00"),  # twice: the first
        ("Europe/Paris", time(2, 30), "2026-10-25", "2026-10-25T02:30+02:00"),  # twice: the first
    ],
)
def test_a_time_that_is_skipped_or_comes_twice_is_due_once(zone, at, day, due):
    """And is found from a second before, at, and after it."""
    job, here, instant = at_hour(at), ZoneInfo(zone), utc(due)
    assert job.next_after(instant - STEP, here) == job.last_until(instant, here) == instant
    assert job.next_after(instant, here) > instant
    assert local_day(instant, here).isoformat() == day


@given(
    st.integers(0, 20 * 366 * 24 * 3600).map(
        lambda s: datetime(2015, 1, 1, tzinfo=UTC) + timedelta(seconds=s)
    ),
    st.times(),
    st.sampled_from([None, *range(7)]),
    st.sampled_from(ZONES).map(ZoneInfo),
)
def test_last_and_next_enclose_every_moment(moment, at, weekday, zone):
    job = at_hour(at, weekday)
    last, following = job.last_until(moment, zone), job.next_after(moment, zone)
    assert last <= moment < following
    assert job.next_after(last, zone) == following
    assert job.last_until(following, zone) == following
    assert job.last_until(following - STEP, zone) == last
    if weekday is not None:
        assert local_day(following, zone).weekday() == weekday
        assert local_day(following, zone) - local_day(last, zone) == timedelta(days=7)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    "at", [time(0), time(0, 30), time(1, 45), time(2, 15), time(2, 30), time(9), time(23, 45)]
)
def test_every_local_day_has_exactly_one_due_instant(zone, at):
    """Through a whole year with its changes of the clock, forwards and backwards."""
    job, here = at_hour(at), ZoneInfo(zone)
    due, found = utc("2026-01-01T12:00+00:00"), []
    while len(found) < 366:
        due = job.next_after(due, here)
        found.append(local_day(due, here))
    assert found == [found[0] + timedelta(days=n) for n in range(366)]
    back = []
    while len(back) < 366:
        due = job.last_until(due, here)
        back.append(local_day(due, here))
        due -= STEP
    assert back == found[::-1]
