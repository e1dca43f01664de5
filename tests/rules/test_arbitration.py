"""R-ARB: the manager decides a case."""

import pytest

from mailflow.catalogue import GRAMMAR
from tests.club import club, figures, no

VERDICTS = ("ACCEPTE", "REJETTE")


def ruling(scene, manager, verb="ACCEPTE"):
    return scene.would(manager, verb, game=scene.last_game, reason="because")


@pytest.mark.parametrize("verb", VERDICTS)
@pytest.mark.parametrize("state", ["running", "recent", "disputed", "final"])
def test_only_a_case_is_decided(verb, state):
    """R-ARB-1: only in arbitration, not a day before the window is over."""
    said = ruling(getattr(club("bela", "carl"), state)("bela", "carl"), "anna", verb)
    assert no(said) == ["R-ARB-1 game_not_in_arbitration"]


@pytest.mark.parametrize("verb", VERDICTS)
def test_a_case_is_decided(verb):
    """R-ARB-1."""
    assert no(ruling(club("bela", "carl").arbitration("bela", "carl"), "anna", verb)) == []


@pytest.mark.parametrize("first", VERDICTS)
@pytest.mark.parametrize("second", VERDICTS)
def test_a_second_decision_is_refused(first, second):
    """R-ARB-4: the first is final."""
    scene = club("bela", "carl").arbitration("bela", "carl")
    scene.done("anna", first, game=1, reason="because")
    said = ruling(scene, "anna", second)
    assert no(said) == ["R-ARB-1 game_not_in_arbitration"]
    state = "running" if first == "ACCEPTE" else "final"
    assert figures(said, "game_not_in_arbitration") == {"game": 1, "state": state}


def test_manager_who_took_part_gives_way_to_one_who_did_not():
    """R-ARB-1."""
    scene = club("carl", manager=("anna", "bela", "dora")).arbitration("anna", "carl")
    said = ruling(scene, "anna")
    assert no(said) == ["R-ARB-1 manager_took_part"]
    assert figures(said, "manager_took_part")["managers"] == ["bela", "dora"]
    assert no(ruling(scene, "bela")) == []


def test_manager_who_took_part_decides_where_there_is_no_other():
    """R-ARB-1: he is the only manager."""
    assert no(ruling(club("carl").arbitration("anna", "carl"), "anna")) == []


def test_managers_who_all_took_part_may_all_decide():
    """R-ARB-1."""
    scene = club("carl", manager=("anna", "bela")).arbitration("anna", "bela", "carl")
    assert no(ruling(scene, "anna")) == no(ruling(scene, "bela")) == []


def test_a_banned_manager_is_no_other_manager():
    """R-ARB-1, R-BAN-1: with the impartial one banned, the partial one decides after all."""
    scene = club("carl", manager=("anna", "bela")).arbitration("anna", "carl")
    assert no(ruling(scene, "anna")) == ["R-ARB-1 manager_took_part"]
    assert no(ruling(scene.banned("bela", by="anna"), "anna")) == []


def test_both_reasons_are_said():
    """R-ARB-1."""
    scene = club("carl", manager=("anna", "bela")).recent("anna", "carl")
    assert no(ruling(scene, "anna")) == ["R-ARB-1 game_not_in_arbitration", "R-ARB-1 manager_took_part"]


@pytest.mark.parametrize("verb", ["ACCEPTE", "REJETTE", "CONTESTE", "BANNIT", "PLAINTE", "REGLE"])
def test_these_commands_need_a_reason(verb):
    """R-ARB-1, R-DIS-1, R-BAN-1, R-REG-1, R-REG-2: the grammar asks for it."""
    [arguments] = [v.arguments for v in GRAMMAR.verbs if v.name == verb]
    assert [a.required for a in arguments if a.key == "reason"] == [True]
