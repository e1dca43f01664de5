"""A game as lists show it, from the reader's side."""

from mailflow.handlers.lists import line
from mailflow.rulebook import Payout
from tests.club import club


def test_a_game_with_a_result_shows_places_window_and_own_effect():
    """R-RES-5: winners, losers and strangers each see theirs only."""
    scene = club("bela", "carl", "dora").disputed("anna", "bela", "carl", buyin=5_00)
    shown = line(scene.game(), "anna", scene.club)
    assert (shown.number, shown.state, shown.buyin_cents, shown.creator) == (1, "recent", 5_00, "anna")
    assert (shown.participants, shown.places, shown.disputes) == (("anna", "bela", "carl"), ("anna",), 1)
    assert shown.window_ends_at == scene.window_from_now()
    effects = {
        reader: line(scene.game(), reader, scene.club).effect_cents for reader in ("anna", "bela", "dora")
    }
    assert effects == {"anna": 10_00, "bela": -5_00, "dora": None}


def test_a_game_without_a_result_shows_no_effect():
    """R-RES-4: nothing was posted."""
    scene = club("bela").running("anna", "bela")
    shown = line(scene.game(), "anna", scene.club)
    assert (shown.places, shown.effect_cents, shown.result_at, shown.window_ends_at) == ((), None, None, None)


def test_the_effect_is_that_of_the_version_under_which_the_game_was_created():
    """R-REG-1."""
    scene = club("bela", "carl", "dora").recent("anna", "bela", "carl", "dora", buyin=10_00)
    scene.amended(payouts=[Payout(10, (100,))])
    effects = [line(scene.game(), reader, scene.club).effect_cents for reader in ("anna", "bela", "carl")]
    assert effects == [14_00, 6_00, -10_00]
