"""RESULTAT: what is posted, and what everybody is told."""

import pytest

from mailflow.rulebook import Payout
from store.records import GameState
from tests.club import club, no, numbers, told


def test_every_participant_is_told_the_creator_included():
    """R-RES-5: the creator's own notice is the direct answer."""
    scene = club("bela", "carl", "dora").running("anna", "bela", "carl")
    said = scene.done("anna", "RESULTAT", game=1, places={"1": ["CARL"]})
    assert told(said) == ["game.result #1: anna bela carl"]
    assert said.answer is None


def test_one_entry_takes_the_buyins_and_gives_the_gains():
    """R-RES-4: a paid player has both postings."""
    scene = club("bela", "carl", "dora").recent(
        "anna", "bela", "carl", "dora", buyin=5_00, won_by=["dora", "anna"]
    )
    [entry] = scene.club.books.entries(1)
    assert entry.kind == "result"
    assert sorted(entry.postings) == [
        ("member:anna", -5_00),
        ("member:anna", 8_00),
        ("member:bela", -5_00),
        ("member:carl", -5_00),
        ("member:dora", -5_00),
        ("member:dora", 12_00),
    ]
    assert scene.game().state is GameState.RECENT
    assert scene.balances == {"anna": 203_00, "bela": 195_00, "carl": 195_00, "dora": 207_00}
    assert scene.available("bela") == 195_00
    assert scene.findings() == ()


def test_each_is_told_the_effect_on_his_own_account_and_nobody_elses():
    """R-RES-5."""
    scene = club("bela", "carl", "dora").running("anna", "bela", "carl", "dora", buyin=10_00)
    said = scene.done("anna", "RESULTAT", game=1, places={"1": ["bela"], "2": ["anna"]})
    [notice] = said.notices
    shown = {h: (own["gain_cents"], own["effect_cents"], own["may_dispute"]) for h, own in notice.own.items()}
    assert shown == {
        "anna": (16_00, 6_00, False),
        "bela": (24_00, 14_00, True),
        "carl": (0, -10_00, True),
        "dora": (0, -10_00, True),
    }
    assert notice.facts["ranking"] == [
        {"place": 1, "handle": "bela", "gain_cents": 24_00},
        {"place": 2, "handle": "anna", "gain_cents": 16_00},
    ]
    assert notice.facts["window_ends_at"] == scene.window_from_now()
    assert not set(scene.balances.values()) & set(numbers([notice.facts, notice.own]))


def test_payouts_are_those_of_the_version_under_which_the_game_was_created():
    """R-REG-1: a game of then is paid as then, one of now as now."""
    scene = club("bela", "carl", "dora").running("anna", "bela", "carl", "dora")
    scene.amended(payouts=[Payout(10, (100,))])
    assert no(scene.would("anna", "RESULTAT", game=1, places={"1": ["bela"]})) == ["R-RES-2 places_not_exact"]
    said = scene.done("anna", "RESULTAT", game=1, places={"1": ["bela"], "2": ["carl"]})
    assert [row["gain_cents"] for row in said.notices[0].facts["ranking"]] == [2_40, 1_60]
    said = scene.done("bela", "PARTIE", players=["anna", "carl", "dora"], places={"1": ["carl"]})
    assert [row["gain_cents"] for row in said.notices[0].facts["ranking"]] == [4_00]


@pytest.mark.parametrize("thread", [1, None])
def test_the_thread_tells_the_game(thread):
    """R-RES-1."""
    scene = club("bela").running("anna", "bela")
    said = scene.say("anna", "RESULTAT", places={"1": ["bela"]}, thread=thread)
    assert no(said) == ([] if thread else ["R-RES-1 game_not_named"])


def test_after_it_an_overdrawn_player_is_simply_poorer():
    """R-RES-4: who joined with enough pays though he has less by now."""
    scene = club("anna", bela=10_00).running("anna", "bela", buyin=10_00).having(bela=3_00).ended(["anna"])
    assert scene.balance("bela") == -7_00
