"""ACCEPTE and REJETTE: effects and who is told."""

import pytest

from store.records import GameState
from tests.club import club, told


def case(**more):
    """Anna's game with bela and carl, disputed by both; dora judges."""
    scene = club("anna", "bela", "carl", manager="dora")
    return scene.arbitration("anna", "bela", "carl", by=("bela", "carl"), buyin=5_00, **more)


def test_a_rejection_makes_the_result_final_and_keeps_disputes_and_decision():
    """R-ARB-2."""
    scene = case()
    before = scene.balances
    said = scene.done("dora", "REJETTE", game=1, reason="it was right")
    assert told(said) == ["arbitration.decided #1: anna bela carl"]
    assert scene.game().state is GameState.FINAL
    assert [d.member for d in scene.game().disputes] == ["bela", "carl"]
    decision = scene.club.books.decision(1)
    assert (decision.manager, decision.verdict, decision.reason) == ("dora", "rejected", "it was right")
    assert (scene.balances, scene.findings()) == (before, ())


def test_an_acceptance_takes_the_result_back_and_forgets_the_disputes():
    """R-ARB-3: the game runs again, the postings are reversed, the buy-ins committed anew."""
    scene = case()
    said = scene.done("dora", "ACCEPTE", game=1, reason="carl won")
    assert told(said) == ["arbitration.decided #1: anna bela carl"]
    game = scene.game()
    assert game.state is GameState.RUNNING
    assert (game.places, game.disputes, game.result_at, game.window_ends_at) == ({}, (), None, None)
    assert scene.club.books.decision(1) is None
    assert scene.balances == dict.fromkeys(("anna", "bela", "carl", "dora"), 200_00)
    assert scene.available("bela") == 195_00
    assert scene.findings() == ()


@pytest.mark.parametrize(
    ("verb", "accepted", "state"), [("ACCEPTE", True, "running"), ("REJETTE", False, "final")]
)
def test_all_participants_read_the_decision_with_the_disputes_text(verb, accepted, state):
    """R-ARB-4: sent before it is deleted."""
    said = case().done("dora", verb, game=1, reason="because")
    facts = said.notices[0].facts
    assert (facts["accepted"], facts["state"], facts["reason"], facts["manager"]) == (
        accepted,
        state,
        "because",
        "dora",
    )
    assert [d.reason for d in facts["disputes"]] == ["bela doubts it", "carl doubts it"]
    assert {h: own["creator"] for h, own in said.notices[0].own.items()} == {
        "anna": True,
        "bela": False,
        "carl": False,
    }
    assert said.answer == facts


def test_the_game_is_then_changed_by_its_creator_and_gets_a_new_result():
    """R-ARB-3, R-RES-1."""
    scene = case()
    scene.done("dora", "ACCEPTE", game=1, reason="bela did not play")
    scene.done("anna", "MODIFIE", game=1, remove=["bela"])
    scene.ended(["carl"])
    assert scene.balances == {"anna": 195_00, "bela": 200_00, "carl": 205_00, "dora": 200_00}
    assert [e.kind for e in scene.club.books.entries(1)] == ["result", "reversal", "result"]
    assert scene.findings() == ()


def test_the_new_result_may_be_disputed_and_decided_again():
    """R-ARB-4: a second decision is refused on the same case, and this is another."""
    scene = case()
    scene.done("dora", "ACCEPTE", game=1, reason="again")
    scene.ended(["carl"]).done("bela", "CONTESTE", game=1, reason="no")
    scene.closed().done("dora", "REJETTE", game=1, reason="enough")
    assert scene.game().state is GameState.FINAL


def test_with_the_creator_banned_an_acceptance_cancels_the_game():
    """R-ARB-5: the postings are reversed all the same."""
    scene = case().banned("anna")
    said = scene.done("dora", "ACCEPTE", game=1, reason="carl won")
    assert told(said) == ["arbitration.decided #1: anna bela carl"]
    assert said.notices[0].facts["state"] == "cancelled"
    assert scene.game().state is GameState.CANCELLED
    assert scene.balance("anna") == scene.balance("bela") == 200_00
    assert scene.available("bela") == 200_00
    assert scene.findings() == ()


def test_with_the_creator_banned_a_rejection_is_as_ever():
    """R-ARB-2, R-ARB-5."""
    scene = case().banned("anna")
    scene.done("dora", "REJETTE", game=1, reason="it was right")
    assert scene.game().state is GameState.FINAL


def test_with_the_creator_reinstated_by_then_the_game_runs_again():
    """R-ARB-5: it is the ban at the time of the decision that counts."""
    scene = case().banned("anna").having(anna=200_00)
    scene.done("dora", "RETABLIT", member="anna")
    scene.done("dora", "ACCEPTE", game=1, reason="carl won")
    assert scene.game().state is GameState.RUNNING


def test_banned_participants_read_the_decision_too():
    """R-ARB-4."""
    scene = case().banned("bela")
    said = scene.done("dora", "REJETTE", game=1, reason="no")
    assert told(said) == ["arbitration.decided #1: anna bela carl"]
    assert [d.member for d in said.notices[0].facts["disputes"]] == ["carl"]


def test_a_manager_who_took_part_is_warned_and_his_notice_is_the_answer():
    """R-ARB-1: where there is no other manager."""
    scene = club("anna", "bela").arbitration("anna", "bela")
    said = scene.done("anna", "REJETTE", game=1, reason="mine was right")
    assert told(said) == ["arbitration.decided #1: anna bela"]
    assert said.notices[0].facts["own_case"] is True
    assert said.answer is None


def test_the_thread_tells_the_case():
    """R-ARB-1."""
    scene = case()
    assert not scene.say("dora", "REJETTE", thread=1, reason="no").refused
