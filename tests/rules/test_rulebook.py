"""The numbers of a club: what is shipped, what is refused, and what a game keeps (R-REG-1)."""

import json
from dataclasses import asdict, fields

import pytest

from mailflow.errors import RulebookError
from mailflow.rulebook import Payout, Rulebook, from_json, from_values, shipped
from tests.club import FRIENDS, club


def test_the_friends_rulebook_has_the_numbers_of_the_rules():
    """R-ACC-2, R-GAME-3, R-RES-2, R-DIS-1, R-REM-1, R-REM-2, R-TRA-1, R-TRA-2, R-INA-2, R-INA-4, R-SOL-4."""
    expected = Rulebook(
        workflow="friends",
        initial_credit_cents=200_00,
        buyins_cents=(1_00, 2_00, 3_00, 5_00, 10_00),
        buyin_default_cents=1_00,
        participants_min=2,
        participants_max=10,
        dispute_window_days=7,
        reminder_daily_below_cents=10_00,
        reminder_weekly_below_cents=20_00,
        transfer_min_cents=1,
        reserve_threshold_cents=50_00,
        nudge_after_months=6,
        nudge_every_months=1,
        proposal_after_months=12,
        injunction_due_days=30,
        decision_confirm_hours=12,
        payouts=(Payout(3, (100,)), Payout(6, (60, 40)), Payout(10, (50, 30, 20))),
    )
    assert expected == FRIENDS
    assert FRIENDS.eligibility_cents == 10_00


@pytest.mark.parametrize(
    ("players", "shares"),
    [(2, (100,)), (3, (100,)), (4, (60, 40)), (6, (60, 40)), (7, (50, 30, 20)), (10, (50, 30, 20))],
)
def test_shares_by_number_of_participants(players, shares):
    """R-RES-2: both sides of every border."""
    assert FRIENDS.shares_percent(players) == shares


def test_a_kind_that_is_not_shipped_is_said():
    with pytest.raises(RulebookError) as raised:
        shipped("enemies")
    assert (raised.value.code, raised.value.name) == ("unknown_kind", "enemies")


def test_what_is_written_is_read_back_and_equal_rulebooks_are_equal_text():
    """R-REG-1: versions are kept as text."""
    text = FRIENDS.amended({"payouts": [{"participants_max": 10, "shares_percent": [90, 10]}]}).to_json()
    assert from_json(text).to_json() == text
    assert FRIENDS.to_json() == shipped("friends").to_json()


def plain(**values):
    return {**json.loads(FRIENDS.to_json()), **values}


@pytest.mark.parametrize("name", [f.name for f in fields(Rulebook)])
def test_every_value_is_required(name):
    values = plain()
    del values[name]
    with pytest.raises(RulebookError) as raised:
        from_values(values)
    assert (raised.value.code, raised.value.name) == ("missing_parameter", name)


def test_an_unknown_value_is_said_in_a_file_and_in_a_change():
    for attempt in (lambda: from_values(plain(colour=1)), lambda: FRIENDS.amended({"colour": 1})):
        with pytest.raises(RulebookError) as raised:
            attempt()
        assert (raised.value.code, raised.value.name) == ("unknown_parameter", "colour")


def test_the_workflow_is_not_a_value_to_change():
    with pytest.raises(RulebookError) as raised:
        FRIENDS.amended({"workflow": "enemies"})
    assert raised.value.code == "unknown_parameter"


def payouts(*rows):
    return [{"participants_max": most, "shares_percent": list(shares)} for most, *shares in rows]


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        *((name, 0, "too_small") for name in (
            "initial_credit_cents", "dispute_window_days", "transfer_min_cents", "nudge_after_months",
            "nudge_every_months", "proposal_after_months", "injunction_due_days", "decision_confirm_hours",
        )),
        *((name, -1, "too_small") for name in (
            "reserve_threshold_cents", "reminder_daily_below_cents", "reminder_weekly_below_cents",
        )),
        ("initial_credit_cents", "200", "not_a_whole_number"),
        ("initial_credit_cents", 200.0, "not_a_whole_number"),
        ("initial_credit_cents", True, "not_a_whole_number"),
        ("initial_credit_cents", None, "not_a_whole_number"),
        ("buyins_cents", 100, "not_a_list"),
        ("buyins_cents", "100", "not_a_list"),
        ("buyins_cents", [], "not_a_list"),
        ("buyins_cents", [100, "200"], "not_a_whole_number"),
        ("buyins_cents", [100, 0], "buyins_unusable"),
        ("buyins_cents", [100, 200, 100], "buyins_unusable"),
        ("buyins_cents", [200, 300], "default_not_a_buyin"),
        ("buyin_default_cents", 400, "default_not_a_buyin"),
        ("participants_min", 1, "participants_unusable"),
        ("participants_min", 11, "participants_unusable"),
        ("participants_max", 1, "participants_unusable"),
        ("participants_max", 11, "payouts_incomplete"),
        ("payouts", [], "not_a_list"),
        ("payouts", [100], "payout_unreadable"),
        ("payouts", ["100"], "payout_unreadable"),
        ("payouts", [{"participants_max": 10}], "payout_unreadable"),
        ("payouts", [{"participants_max": 10, "shares_percent": 100}], "payout_unreadable"),
        ("payouts", [{"participants_max": "10", "shares_percent": [100]}], "not_a_whole_number"),
        ("payouts", [{"participants_max": 10, "shares_percent": [50.0, 50]}], "not_a_whole_number"),
        ("payouts", payouts((9, 100)), "payouts_incomplete"),
        ("payouts", payouts((6, 60, 40), (3, 100), (10, 100)), "payouts_incomplete"),
        ("payouts", payouts((6, 100), (6, 100), (10, 100)), "payouts_incomplete"),
        ("payouts", payouts((10,)), "payouts_unusable"),
        ("payouts", payouts((10, 60, 39)), "payouts_unusable"),
        ("payouts", payouts((10, 60, 41)), "payouts_unusable"),
        ("payouts", payouts((10, 100, 0)), "payouts_unusable"),
        ("payouts", payouts((10, 110, -10)), "payouts_unusable"),
        ("payouts", payouts((10, 50, 30, 20)), "payouts_unusable"),
        ("payouts", payouts((3, 100), (10, 40, 30, 10, 10, 10)), "payouts_unusable"),
    ],
)  # fmt: skip
def test_values_that_make_no_sense_are_refused_with_a_code(name, value, code):
    """R-REG-1: in a file, and in a change alike."""
    for attempt in (lambda: from_values(plain(**{name: value})), lambda: FRIENDS.amended({name: value})):
        with pytest.raises(RulebookError) as raised:
            attempt()
        assert raised.value.code == code
        assert code.replace("_", " ") in str(raised.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("reserve_threshold_cents", 0),
        ("reminder_daily_below_cents", 0),
        ("reminder_weekly_below_cents", 0),
        ("transfer_min_cents", 1),
        ("dispute_window_days", 1),
        ("participants_max", 2),
        ("participants_min", 10),
        ("payouts", payouts((10, 99, 1))),
        ("payouts", payouts((3, 100), (12, 40, 30, 20, 10))),
        ("payouts", [Payout(10, (100,))]),
    ],
)
def test_values_that_just_make_sense(name, value):
    """R-REG-1: the other side of those borders."""
    assert getattr(FRIENDS.amended({name: value}), name) is not None


def test_a_change_leaves_the_rulebook_it_was_made_from_as_it_was():
    before = asdict(FRIENDS)
    assert FRIENDS.amended({"reserve_threshold_cents": 60_00}).reserve_threshold_cents == 60_00
    assert asdict(FRIENDS) == before


def test_a_game_keeps_the_version_under_which_it_was_created():
    """R-REG-1: buy-ins, window and payouts of then; the club's own of now."""
    scene = club("bela", "carl", "dora").running("anna", "bela", "carl", "dora")
    scene.done("anna", "REGLE", settings={"mises": "1/4", "delai": "3"}, reason="other cards")
    assert scene.club.rulebook_of(scene.game()) == FRIENDS
    assert scene.club.rulebook.buyins_cents == (1_00, 4_00)
    younger = scene.running("bela", "carl").game()
    assert (scene.game(1).rulebook_version, younger.rulebook_version) == (1, 2)
    assert scene.club.rulebook_of(younger) == scene.club.rulebook
