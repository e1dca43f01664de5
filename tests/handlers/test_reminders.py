"""Reminders of a low account, and who gets them."""

import pytest

from mailflow.handlers import reminders
from tests.club import club, told


@pytest.mark.parametrize(
    ("cents", "daily", "weekly"),
    [
        (-1, True, False),
        (0, True, False),
        (9_99, True, False),
        (10_00, False, True),
        (19_99, False, True),
        (20_00, False, False),
        (200_00, False, False),
    ],
)
def test_below_ten_every_day_below_twenty_every_week(cents, daily, weekly):
    """R-REM-1, R-REM-2: never both."""
    scene = club("anna", bela=cents)
    assert told(scene.run(reminders.daily)) == (["reminder.daily: bela"] if daily else [])
    assert told(scene.run(reminders.weekly)) == (["reminder.weekly: bela"] if weekly else [])


def test_it_is_the_available_that_counts():
    """R-REM-1, R-REM-2: 25.00 with 10.00 committed is 15.00."""
    scene = club("anna", bela=25_00)
    assert told(scene.run(reminders.weekly)) == []
    scene.running("anna", "bela", buyin=10_00)
    assert told(scene.run(reminders.weekly)) == ["reminder.weekly: bela"]
    assert told(scene.having(bela=19_99).run(reminders.daily)) == ["reminder.daily: bela"]


def test_banned_members_and_those_who_left_are_not_reminded():
    """R-REM-1: active members only."""
    scene = club("anna", "carl", bela=0).banned("bela")
    scene.done("carl", "QUITTE")
    assert told(scene.run(reminders.daily)) == told(scene.run(reminders.weekly)) == []


def test_each_gets_a_mail_of_his_own_with_the_bankers_and_what_is_needed():
    """R-REM-1, R-TRA-5: managers too."""
    scene = club(anna=5_00, bela=0, carl=99_99)
    said = scene.run(reminders.daily)
    assert told(said) == ["reminder.daily: anna", "reminder.daily: bela"]
    assert said.changes == ()
    assert said.notices[0].facts["low"]["needed_cents"] == 10_00
    assert said.notices[0].facts["low"]["bankers"] == [{"handle": "carl", "capacity_cents": 49_00}]


def test_thresholds_are_those_of_the_rulebook_as_it_stands():
    """R-REM-1, R-REG-1."""
    scene = club("anna", bela=25_00).amended(reminder_daily_below_cents=30_00)
    assert told(scene.run(reminders.daily)) == ["reminder.daily: bela"]
