"""R-DIS: who may dispute a result, and until when."""

from datetime import timedelta

import pytest

from tests.club import club, figures, no

LAST_SECOND = timedelta(seconds=1)


def disputing(scene, author, **more):
    return no(scene.say(author, "CONTESTE", game=scene.last_game, reason="wrong", **more))


def withdrawing(scene, author, **more):
    return no(scene.say(author, "RETIRE", game=scene.last_game, **more))


def test_a_participant_disputes():
    """R-DIS-1: winners too."""
    scene = club("bela", "carl").recent("anna", "bela", "carl", won_by=["bela"])
    assert disputing(scene, "bela") == disputing(scene, "carl") == []


def test_the_creator_does_not():
    """R-DIS-1."""
    assert disputing(club("bela").recent("anna", "bela"), "anna") == ["R-DIS-1 creator_cannot_dispute"]


def test_a_stranger_does_not_though_he_manages():
    """R-DIS-1."""
    scene = club("bela", "carl").recent("bela", "carl")
    assert disputing(scene, "anna") == ["R-DIS-1 not_a_participant"]


def test_a_banned_participant_does_not():
    """R-DIS-1, R-BAN-3."""
    scene = club("bela", "carl").recent("bela", "carl").banned("carl")
    assert disputing(scene, "carl") == ["R-BAN-3 author_is_banned"]


@pytest.mark.parametrize("state", ["running", "arbitration", "final"])
def test_only_a_recent_result_is_disputed(state):
    """R-DIS-1."""
    said = getattr(club("bela"), state)("anna", "bela").say("bela", "CONTESTE", game=1, reason="wrong")
    assert no(said) == ["R-DIS-1 game_not_recent"]
    assert figures(said, "game_not_recent") == {"game": 1, "state": state}


def test_several_reasons_are_said_at_once():
    """R-DIS-1."""
    scene = club("bela", "carl").running("bela", "carl")
    assert disputing(scene, "anna") == ["R-DIS-1 not_a_participant", "R-DIS-1 game_not_recent"]


@pytest.mark.parametrize(
    ("recorded", "last_second"),
    [
        ("2026-01-05T00:00:00", "2026-01-12T23:59:59"),
        ("2026-01-05T23:59:59", "2026-01-12T23:59:59"),
        ("2026-02-22T12:00:00", "2026-03-01T23:59:59"),
        ("2028-02-22T12:00:00", "2028-02-29T23:59:59"),
        ("2026-03-22T12:00:00", "2026-03-29T23:59:59"),  # the clock goes forward on the last day
        ("2026-10-18T12:00:00", "2026-10-25T23:59:59"),  # and back
        ("2026-12-28T12:00:00", "2027-01-04T23:59:59"),
    ],
)
def test_window_is_open_through_the_seventh_day_after_that_of_the_result(recorded, last_second):
    """R-DIS-1: up to 23:59:59 club time, and not at midnight."""
    scene = club("bela", start="2026-01-01T00:00+01:00").at(recorded).recent("anna", "bela")
    scene.at(last_second)
    assert scene.game().window_ends_at == scene.now + LAST_SECOND
    assert disputing(scene, "bela") == []
    assert withdrawing(scene, "bela") == []
    said = scene.later(seconds=1).say("bela", "CONTESTE", game=1, reason="late")
    assert no(said) == ["R-DIS-1 window_is_over"]
    assert figures(said, "window_is_over") == {"game": 1, "window_ends_at": scene.now}


def test_a_dispute_counts_by_when_the_mailbox_received_it():
    """R-DIS-5: handled after the window, received in it, and the other way round."""
    scene = club("bela", "carl").recent("anna", "bela", "carl")
    end = scene.game().window_ends_at
    scene.at(end + timedelta(hours=5))
    assert disputing(scene, "bela", received_at=end - timedelta(microseconds=1)) == []
    assert disputing(scene, "carl", received_at=end) == ["R-DIS-1 window_is_over"]
    assert withdrawing(scene, "bela", received_at=end) == ["R-DIS-1 window_is_over"]
    assert withdrawing(scene, "bela", received_at=end - timedelta(seconds=1)) == []


def test_reasons_are_replaced_and_withdrawn_any_number_of_times():
    """R-DIS-2."""
    scene = club("bela", "carl").recent("anna", "bela", "carl")
    for _ in range(3):
        assert disputing(scene, "bela") == disputing(scene, "bela") == withdrawing(scene, "bela") == []


def test_several_participants_may_each_have_one():
    """R-DIS-2."""
    scene = club("bela", "carl").disputed("anna", "bela", "carl", by=("bela", "carl"))
    assert [d.member for d in scene.game().disputes] == ["bela", "carl"]


@pytest.mark.parametrize("author", ["anna", "carl", "dora"])
def test_only_his_own_dispute_is_withdrawn(author):
    """R-DIS-2."""
    scene = club("bela", "carl", "dora").disputed("anna", "bela", "carl", by=("bela",))
    assert withdrawing(scene, author) == ["R-DIS-2 no_dispute_to_withdraw"]


def test_a_case_is_not_withdrawn():
    """R-DIS-2: within the window only."""
    assert withdrawing(club("bela").arbitration("anna", "bela"), "bela") == ["R-DIS-1 game_not_recent"]


def test_both_reasons_against_a_withdrawal_are_said():
    """R-DIS-1, R-DIS-2."""
    scene = club("bela").final("anna", "bela")
    assert withdrawing(scene, "bela") == ["R-DIS-1 game_not_recent", "R-DIS-2 no_dispute_to_withdraw"]


def test_the_window_is_that_of_the_version_under_which_the_game_was_created():
    """R-REG-1."""
    scene = club("bela").running("anna", "bela")
    scene.done("anna", "REGLE", settings={"delai": "2"}, reason="shorter")
    scene.ended()
    assert scene.game().window_ends_at == scene.window_from_now(days=7)
    assert scene.recent("anna", "bela").game().window_ends_at == scene.window_from_now(days=2)
