"""CONTESTE, RETIRE, and the end of the window: effects and who is told."""

from datetime import timedelta

import pytest

from mailflow.handlers.disputes import close_window
from store.records import GameState
from tests.club import club, told


@pytest.fixture
def scene():
    """A recent game of anna, bela, carl and dora; emil is a member and manages."""
    return club("anna", "bela", "carl", "dora", manager="emil").recent("anna", "bela", "carl", "dora")


def test_a_dispute_is_told_to_all_other_participants_with_its_reason(scene):
    """R-DIS-3: the creator included, the manager not."""
    said = scene.done("bela", "CONTESTE", game=1, reason="carl left early")
    assert told(said) == ["dispute.filed #1: anna carl dora"]
    assert said.notices[0].facts["reason"] == "carl left early"
    assert said.answer["changed"] is False
    [dispute] = scene.game().disputes
    assert (dispute.member, dispute.reason, dispute.changed_at) == ("bela", "carl left early", None)


def test_a_new_reason_replaces_the_old_one_and_is_told_again(scene):
    """R-DIS-2, R-DIS-3."""
    scene.done("bela", "CONTESTE", game=1, reason="one")
    said = scene.later(hours=1).done("bela", "CONTESTE", game=1, reason="two")
    assert told(said) == ["dispute.changed #1: anna carl dora"]
    assert said.answer["changed"] is True
    [dispute] = scene.game().disputes
    assert (dispute.reason, dispute.changed_at) == ("two", scene.now)


def test_a_withdrawal_is_told_too_with_the_reason_as_written(scene):
    """R-DIS-2, R-DIS-3."""
    scene.done("bela", "CONTESTE", game=1, reason="one")
    said = scene.done("bela", "RETIRE", game=1)
    assert told(said) == ["dispute.withdrawn #1: anna carl dora"]
    assert (said.notices[0].facts["reason"], said.notices[0].facts["banned"]) == ("one", False)
    assert scene.game().disputes == ()


def test_banned_participants_are_told_of_disputes(scene):
    """R-DIS-3: the creator and the banned included."""
    scene.banned("anna", "carl")
    assert told(scene.done("bela", "CONTESTE", game=1, reason="one")) == ["dispute.filed #1: anna carl dora"]


def test_several_disputes_stand_side_by_side(scene):
    """R-DIS-2."""
    scene.done("bela", "CONTESTE", game=1, reason="one")
    said = scene.done("carl", "CONTESTE", game=1, reason="two")
    assert told(said) == ["dispute.filed #1: anna bela dora"]
    scene.done("bela", "RETIRE", game=1)
    assert [d.member for d in scene.game().disputes] == ["carl"]


def test_a_mail_that_was_late_in_handling_counts_from_its_reception(scene):
    """R-DIS-5: kept with the instant of reception, told as within the window."""
    received = scene.game().window_ends_at - timedelta(minutes=1)
    said = scene.at(received + timedelta(seconds=30)).say(
        "bela", "CONTESTE", game=1, reason="one", received_at=received
    )
    assert not said.refused
    assert said.notices[0].facts["in_arbitration"] is False
    assert scene.game().disputes[0].filed_at == received


def closing(scene):
    """What the clock does at the end of the window."""
    game = scene.game()
    scene.at(game.window_ends_at)
    return scene.run(lambda club: close_window(game, club))


def test_without_dispute_the_result_becomes_final_in_silence(scene):
    """R-DIS-4."""
    assert told(closing(scene)) == []
    assert scene.game().state is GameState.FINAL


def test_a_withdrawn_dispute_is_none(scene):
    """R-DIS-4, R-DIS-2."""
    scene.done("bela", "CONTESTE", game=1, reason="one")
    scene.done("bela", "RETIRE", game=1)
    closing(scene)
    assert scene.game().state is GameState.FINAL


def test_with_a_dispute_the_manager_gets_the_case(scene):
    """R-DIS-4: the disputes and the result with it; the postings stand."""
    scene.done("bela", "CONTESTE", game=1, reason="one")
    before = scene.balances
    said = closing(scene)
    assert told(said) == ["arbitration.opened #1: emil"]
    facts = said.notices[0].facts
    assert ([d.reason for d in facts["disputes"]], facts["places"]) == (["one"], ["anna", "bela"])
    assert said.notices[0].own["emil"]["own_case"] is False
    assert scene.game().state is GameState.ARBITRATION
    assert scene.balances == before


@pytest.mark.parametrize(
    ("managers", "told_to"),
    [
        (("dora", "emil"), "dora emil"),  # neither took part
        (("anna", "emil"), "emil"),  # anna did
        (("anna", "bela"), "anna bela"),  # both did
        (("anna",), "anna"),  # there is no other
    ],
)
def test_a_manager_who_takes_part_gets_no_case_while_another_does_not(managers, told_to):
    """R-ARB-1, R-DIS-4."""
    scene = club("anna", "bela", "carl", manager=managers).disputed("anna", "bela", "carl", by=["carl"])
    said = closing(scene)
    assert told(said) == [f"arbitration.opened #1: {told_to}"]
    for handle in told_to.split():
        assert said.notices[0].own[handle]["own_case"] == (handle in ("anna", "bela", "carl"))


def test_a_banned_manager_gets_no_case():
    """R-BAN-1, R-DIS-4: the one who takes part gets it then."""
    scene = club("bela", manager=("anna", "emil")).disputed("anna", "bela").banned("emil", by="anna")
    assert told(closing(scene)) == ["arbitration.opened #1: anna"]
