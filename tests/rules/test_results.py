"""R-RES-1: who records a result, and when."""

import pytest

from tests.club import club, figures, no

ANNA_FIRST = {"1": ["anna"]}


def recording(scene, author, places=ANNA_FIRST):
    return no(scene.would(author, "RESULTAT", game=1, places=places))


def test_creator_records_while_the_game_runs():
    """R-RES-1."""
    assert recording(club("bela").running("anna", "bela"), "anna") == []


@pytest.mark.parametrize("author", ["bela", "carl", "dora"])
def test_nobody_else_records_manager_and_participants_included(author):
    """R-RES-1."""
    scene = club("anna", "bela", "carl", manager="dora").running("anna", "bela")
    assert recording(scene, author) == ["R-RES-1 not_the_creator"]


@pytest.mark.parametrize("state", ["recent", "arbitration", "final"])
def test_a_recorded_result_stands(state):
    """R-RES-1, R-RES-6: once recorded it is changed by dispute only."""
    scene = getattr(club("bela", "carl"), state)("anna", "bela", "carl")
    said = scene.would("anna", "RESULTAT", game=1, places={"1": ["carl"]})
    assert no(said) == ["R-RES-1 game_not_running"]
    assert figures(said, "game_not_running") == {"game": 1, "state": state}
    assert no(scene.would("anna", "MODIFIE", game=1, buyin_cents=2_00)) == ["R-GAME-5 game_not_running"]
    assert no(scene.would("anna", "ANNULE", game=1)) == ["R-GAME-7 game_not_running"]


def test_a_cancelled_game_gets_no_result():
    """R-RES-1, R-GAME-1."""
    scene = club("bela").running("anna", "bela")
    scene.done("anna", "ANNULE", game=1)
    assert recording(scene, "anna") == ["R-RES-1 game_not_running"]


def test_a_stranger_to_an_ended_game_hears_both_reasons():
    """R-RES-1."""
    scene = club("bela", "carl").recent("anna", "bela")
    assert recording(scene, "carl") == ["R-RES-1 not_the_creator", "R-RES-1 game_not_running"]


def test_a_banned_creator_cannot_record():
    """R-RES-1, R-BAN-3: and his game is cancelled anyway."""
    scene = club("anna", "bela", "carl").running("bela", "carl").banned("bela")
    assert recording(scene, "bela") == ["R-BAN-3 author_is_banned"]


def test_the_places_are_looked_at_only_when_he_may_record():
    """R-RES-1 before R-RES-2."""
    scene = club("bela", "carl").running("anna", "bela")
    assert recording(scene, "bela", {"1": ["carl"]}) == ["R-RES-1 not_the_creator"]
    assert recording(scene, "anna", {"1": ["carl"]}) == ["R-RES-2 paid_without_playing"]
