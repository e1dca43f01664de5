"""PARTIE, MODIFIE, ANNULE, and what members look up about games: effects and who is told."""

from datetime import timedelta

import pytest

from store.records import GameState
from tests.club import club, figures, no, told


def test_a_new_game_is_told_to_its_participants_but_the_creator():
    """R-GAME-8; nothing is posted, the buy-ins are committed."""
    scene = club("bela", "carl", "dora")
    said = scene.done("anna", "PARTIE", players=["bela", "carl"], buyin_cents=5_00)
    assert told(said) == ["game.created #1: bela carl"]
    assert scene.game(1).state is GameState.RUNNING
    assert scene.balances == dict.fromkeys(("anna", "bela", "carl", "dora"), 200_00)
    assert [scene.available(h) for h in ("anna", "bela", "dora")] == [195_00, 195_00, 200_00]
    shown = {"number": 1, "creator": "anna", "participants": ["anna", "bela", "carl"], "pot_cents": 15_00}
    assert shown.items() <= said.answer["game"].items()


def test_games_are_numbered_from_one():
    scene = club("bela", "carl").running("anna", "bela").running("bela", "carl")
    assert [g.number for g in scene.club.books.open_games()] == [1, 2]


def test_a_game_born_with_its_result_tells_the_result_only():
    """R-GAME-9: it is recent at once and never was running for anybody."""
    scene = club("bela", "carl")
    said = scene.done("anna", "PARTIE", players=["bela", "carl"], places={"1": ["bela"]}, buyin_cents=2_00)
    assert told(said) == ["game.result #1: anna bela carl"]
    assert said.answer is None
    assert scene.game(1).state is GameState.RECENT
    assert scene.game(1).window_ends_at == scene.window_from_now()
    assert scene.balances == {"anna": 198_00, "bela": 204_00, "carl": 198_00}
    assert scene.findings() == ()


@pytest.mark.parametrize(
    ("arguments", "refusals"),
    [
        ({"players": ["bela"], "buyin_cents": 4_00}, ["R-GAME-3 buyin_not_offered"]),
        ({"players": ["dora"]}, ["R-GAME-4 players_not_eligible", "R-RES-2 paid_without_playing"]),
        ({"players": ["bela"], "places": {"1": ["bela"], "2": ["anna"]}}, ["R-RES-2 places_not_exact"]),
        ({"players": ["bela"], "places": {}}, ["R-RES-2 places_not_exact"]),
        ({"players": []}, ["R-GAME-3 participants_out_of_range"]),
    ],
)
def test_a_game_born_with_its_result_keeps_all_the_rules(arguments, refusals):
    """R-GAME-9: R-GAME-2 to R-GAME-4 hold, and R-RES-2 where the number of players allows to say so."""
    scene = club("anna", "bela", dora=0)
    said = scene.say("anna", "PARTIE", **{"places": {"1": ["bela"]}, **arguments})
    assert no(said) == refusals
    assert scene.club.books.game(1) is None


def test_a_game_born_with_its_result_is_refused_while_another_of_his_runs():
    """R-GAME-9, R-GAME-2."""
    scene = club("bela").running("anna", "bela")
    said = scene.would("anna", "PARTIE", players=["bela"], places={"1": ["bela"]})
    assert no(said) == ["R-GAME-2 creator_has_running_game"]


def test_the_result_below_a_new_game_means_that_game():
    """R-RES-1: a set of two commands, the second without a number."""
    scene = club("bela")
    made = scene.perform(
        "anna",
        [
            {"verb": "PARTIE", "arguments": {"players": ["bela"]}},
            {"verb": "RESULTAT", "arguments": {"places": {"1": ["anna"]}}},
        ],
    )
    assert not made.refused
    assert [n.kind for n in made.notices] == ["game.created", "game.result"]
    assert scene.game(1).places == {1: "anna"}


def test_a_set_is_all_or_nothing():
    """R-GAME-4: what is refused changes nothing, and what came before it goes too."""
    scene = club("bela")
    made = scene.perform(
        "anna",
        [
            {"verb": "PARTIE", "arguments": {"players": ["bela"]}},
            {"verb": "RESULTAT", "arguments": {"places": {"1": ["carl"]}}},
            {"verb": "ANNULE", "arguments": {"game": 1}},
        ],
    )
    assert [no(step.outcome) for step in made.steps] == [[], ["R-RES-2 paid_without_playing"]]
    assert scene.club.books.game(1) is None


def test_a_change_is_told_to_old_and_new_participants_but_the_creator():
    """R-GAME-8: with what changed, from what to what."""
    scene = club("bela", "carl", "dora", "emil").running("anna", "bela", "carl")
    said = scene.done("anna", "MODIFIE", game=1, add=["DORA"], remove=["bela"], buyin_cents=2_00)
    assert told(said) == ["game.changed #1: bela carl dora"]
    [notice] = said.notices
    assert notice.facts["buyin_before_cents"] == 1_00
    assert (notice.facts["added"], notice.facts["removed"]) == (["dora"], ["bela"])
    assert {h: own["plays"] for h, own in notice.own.items()} == {"bela": False, "carl": True, "dora": True}
    assert notice.facts["game"]["pot_cents"] == 6_00


def test_a_cancelled_game_is_told_to_its_participants_but_the_creator():
    """R-GAME-7, R-GAME-8: nothing was posted, nothing is committed any more."""
    scene = club("bela", "carl", "dora").running("anna", "bela", "carl", buyin=5_00)
    said = scene.done("anna", "ANNULE", game=1)
    assert told(said) == ["game.cancelled #1: bela carl"]
    assert scene.game().state is GameState.CANCELLED
    assert scene.available("anna") == scene.available("bela") == 200_00
    assert scene.club.books.entries(1) == ()


@pytest.mark.parametrize(
    "verb", ["MODIFIE", "ANNULE", "RESULTAT", "CONTESTE", "RETIRE", "ACCEPTE", "POURQUOI"]
)
def test_a_game_that_is_not_named_or_not_known_is_refused(verb):
    scene = club("bela")
    assert [r.code for r in scene.would("anna", verb).refusals] == ["game_not_named"]
    assert [r.code for r in scene.would("anna", verb, game=9).refusals] == ["game_unknown"]


# ---------------------------------------------------------------- looking up


def test_parties_shows_all_open_games():
    """R-GAME-1: running, recent, in arbitration; with the effect on the reader's own account only."""
    scene = club("bela", "carl", "dora").final("bela", "carl")
    scene.arbitration("bela", "carl").recent("anna", "bela", buyin=2_00).running("anna", "carl")
    lines = scene.done("anna", "PARTIES").answer["games"]
    assert [(line.number, line.state, line.effect_cents) for line in lines] == [
        (2, "arbitration", None),
        (3, "recent", 2_00),
        (4, "running", None),
    ]


def test_historique_shows_his_own_games_newest_first():
    """R-ARB-2: ended ones too."""
    scene = club("bela", "carl").final("anna", "bela").running("bela", "carl").running("anna", "carl")
    assert [line.number for line in scene.done("anna", "HISTORIQUE").answer["games"]] == [3, 1]


def test_historique_since_a_day_begins_at_its_midnight_in_club_time():
    scene = club("bela", start="2026-01-05T00:30+01:00").recent("anna", "bela")
    assert [line.number for line in scene.done("anna", "HISTORIQUE", since="2026-01-05").answer["games"]] == [
        1
    ]
    assert scene.done("anna", "HISTORIQUE", since="2026-01-06").answer["games"] == []


@pytest.mark.parametrize("since", ["0001-01-01", "9999-12-31"])
def test_historique_of_any_day_is_answered(since):
    """The first and the last day that can be written are days too."""
    assert not club("bela").would("anna", "HISTORIQUE", since=since).refused


def test_historique_of_a_game_tells_it_step_by_step():
    """R-ARB-2: as POURQUOI does."""
    scene = club("bela").recent("anna", "bela")
    assert scene.done("bela", "HISTORIQUE", game=1).answer == scene.done("bela", "POURQUOI", game=1).answer


def test_pourquoi_shows_a_participant_his_own_postings_only():
    """R-RES-5: each sees only his own account."""
    scene = club("bela", "carl").recent("anna", "bela", "carl", buyin=5_00)
    answer = scene.done("bela", "POURQUOI", game=1).answer
    assert [(p["kind"], p["amount_cents"]) for p in answer["postings"]] == [("result", -5_00)]
    assert [step.kind for step in answer["steps"]] == ["created", "result"]
    assert (answer["state"], answer["line"].effect_cents) == ("recent", -5_00)
    winner = scene.done("anna", "POURQUOI", game=1).answer
    assert [p["amount_cents"] for p in winner["postings"]] == [-5_00, 15_00]


def test_pourquoi_shows_the_reversal_and_who_judges():
    """R-ARB-3."""
    scene = club("bela", "carl", manager=("anna", "dora")).arbitration("anna", "bela", "carl")
    assert scene.done("bela", "POURQUOI", game=1).answer["judges"] == ["dora"]
    scene.done("dora", "ACCEPTE", game=1, reason="mistaken")
    answer = scene.done("bela", "POURQUOI", game=1).answer
    assert [(p["kind"], p["amount_cents"]) for p in answer["postings"]] == [
        ("result", -1_00),
        ("reversal", 1_00),
    ]
    assert (answer["disputes"], answer["decision"]) == ((), None)


def test_pourquoi_is_for_participants_former_ones_and_managers():
    """R-RES-5."""
    scene = club("bela", "carl", "dora", "emil").running("bela", "carl", "dora")
    scene.done("bela", "MODIFIE", game=1, remove=["carl"])
    for reader in ("bela", "carl", "dora", "anna"):
        assert not scene.would(reader, "POURQUOI", game=1).refused
    said = scene.would("emil", "POURQUOI", game=1)
    assert no(said) == ["R-RES-5 not_your_game"]
    assert figures(said, "not_your_game") == {"game": 1}


def test_rejected_disputes_stay_in_the_history_of_the_game():
    """R-ARB-2."""
    scene = club("bela").arbitration("anna", "bela")
    scene.done("anna", "REJETTE", game=1, reason="it was right")
    answer = scene.done("bela", "POURQUOI", game=1).answer
    assert answer["decision"].reason == "it was right"
    assert answer["decision"].disputes == (("bela", "bela doubts it"),)


def test_a_window_that_closes_moves_the_game_on():
    """R-GAME-1: running, recent, final; or arbitration in between."""
    scene = club("bela").running("anna", "bela")
    seen = [scene.game().state]
    seen.append(scene.ended().game().state)
    seen.append(scene.closed().game().state)
    assert seen == [GameState.RUNNING, GameState.RECENT, GameState.FINAL]
    assert scene.now - scene.club.books.steps(1)[0].at > timedelta(days=7)
