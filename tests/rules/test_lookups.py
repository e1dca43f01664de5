"""Finding what a member named."""

from tests.club import club, figures, no


def test_a_member_is_found_by_any_case_and_accent():
    """R-BAN-1: as everywhere, a handle is the same whatever its case and accents."""
    scene = club("béla", "carl")
    assert [c.member for c in scene.would("anna", "BANNIT", member="BELA", reason="x").changes] == ["béla"]


def test_an_unknown_member_is_said_with_the_nearest_handles():
    said = club("bela", "carl").would("anna", "BANNIT", member="bella", reason="x")
    assert no(said) == ["R-BAN-1 member_unknown"]
    assert figures(said, "member_unknown") == {"handle": "bella", "nearest": ["bela"]}


def test_one_who_left_is_a_member_no_more():
    """R-ACC-6."""
    scene = club("bela", "carl")
    scene.done("bela", "QUITTE")
    said = scene.would("anna", "BANNIT", member="bela", reason="x")
    assert no(said) == ["R-BAN-1 member_unknown"]
    assert figures(said, "member_unknown")["nearest"] == []


def test_a_game_must_be_named_or_told_by_the_thread():
    """R-RES-1, R-GAME-7: the rule is that of the command."""
    scene = club("bela").running("anna", "bela")
    places = {"1": ["bela"]}
    assert no(scene.would("anna", "RESULTAT", places=places)) == ["R-RES-1 game_not_named"]
    assert no(scene.would("anna", "RESULTAT", places=places, thread=1)) == []
    assert no(scene.would("anna", "ANNULE")) == ["R-GAME-7 game_not_named"]


def test_the_written_number_goes_before_the_thread():
    scene = club("bela").running("anna", "bela").running("bela", "anna")
    assert no(scene.would("anna", "ANNULE", game=1, thread=2)) == []
    assert no(scene.would("anna", "ANNULE", game=2, thread=1)) == ["R-GAME-7 not_the_creator"]


def test_an_unknown_game_is_said_by_number():
    said = club("bela").would("anna", "ANNULE", game=7)
    assert no(said) == ["R-GAME-7 game_unknown"]
    assert figures(said, "game_unknown") == {"game": 7}
