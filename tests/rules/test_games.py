"""R-GAME: creating, changing and cancelling games."""

import pytest

from tests.club import club, figures, no

TEN = ("bela", "carl", "dora", "emil", "fred", "gert", "hugo", "ines", "jana")
"""With anna they are ten."""


def creating(scene, author="anna", **arguments):
    return no(scene.would(author, "PARTIE", **arguments))


def changing(scene, author="anna", **arguments):
    return no(scene.would(author, "MODIFIE", game=scene.last_game, **arguments))


# ---------------------------------------------------------------- creating


@pytest.mark.parametrize("cents", [10_00, 10_01])
def test_creator_may_have_the_greatest_buyin_exactly(cents):
    """R-GAME-2: 10.00 available is enough, whatever the buy-in."""
    assert creating(club("bela", anna=cents), players=["bela"], buyin_cents=10_00) == []


@pytest.mark.parametrize("cents", [9_99, 0, -1])
def test_creator_with_a_cent_less_is_refused_even_for_the_least_buyin(cents):
    """R-GAME-2."""
    said = club("bela", anna=cents).would("anna", "PARTIE", players=["bela"], buyin_cents=1_00)
    assert no(said) == ["R-GAME-2 creator_not_eligible"]
    assert figures(said, "creator_not_eligible") == {"available_cents": cents, "needed_cents": 10_00}


def test_running_games_lessen_what_the_creator_has_available():
    """R-GAME-2: valid before, invalid once he plays elsewhere."""
    scene = club("bela", "carl", anna=14_99)
    assert creating(scene, players=["carl"]) == []
    assert creating(scene.running("bela", "anna", buyin=5_00), players=["carl"]) == [
        "R-GAME-2 creator_not_eligible"
    ]


def test_creator_has_one_running_game_at_most():
    """R-GAME-2."""
    said = club("bela").running("anna", "bela").would("anna", "PARTIE", players=["bela"])
    assert no(said) == ["R-GAME-2 creator_has_running_game"]
    assert figures(said, "creator_has_running_game") == {"game": 1}


def test_taking_part_in_others_games_is_no_hindrance():
    """R-GAME-2: only those he created count."""
    assert creating(club("bela", "carl").running("bela", "anna"), players=["carl"]) == []


@pytest.mark.parametrize("state", ["recent", "arbitration", "final"])
def test_his_game_with_a_result_is_no_hindrance(state):
    """R-GAME-2."""
    assert creating(getattr(club("bela"), state)("anna", "bela"), players=["bela"]) == []


def test_his_cancelled_game_is_no_hindrance():
    """R-GAME-2."""
    scene = club("bela").running("anna", "bela")
    scene.done("anna", "ANNULE", game=1)
    assert creating(scene, players=["bela"]) == []


@pytest.mark.parametrize("cents", [1_00, 2_00, 3_00, 5_00, 10_00])
def test_buyins_on_offer(cents):
    """R-GAME-3."""
    assert creating(club("bela"), players=["bela"], buyin_cents=cents) == []


@pytest.mark.parametrize("cents", [0, -1_00, 99, 1_01, 4_00, 9_99, 10_01, 20_00])
def test_buyins_not_on_offer(cents):
    """R-GAME-3."""
    said = club("bela").would("anna", "PARTIE", players=["bela"], buyin_cents=cents)
    assert no(said) == ["R-GAME-3 buyin_not_offered"]
    assert figures(said, "buyin_not_offered")["buyins_cents"] == [1_00, 2_00, 3_00, 5_00, 10_00]


def test_the_buyin_not_given_is_one_euro():
    """R-GAME-3."""
    scene = club("bela")
    scene.done("anna", "PARTIE", players=["bela"])
    assert scene.game(1).buyin_cents == 1_00


@pytest.mark.parametrize("others", [1, 9])
def test_two_to_ten_take_part_the_creator_included(others):
    """R-GAME-3."""
    assert creating(club(*TEN), players=TEN[:others]) == []


@pytest.mark.parametrize("others", [0, 10])
def test_one_or_eleven_do_not(others):
    """R-GAME-3."""
    said = club(*TEN, "kurt").would("anna", "PARTIE", players=[*TEN, "kurt"][:others])
    assert no(said) == ["R-GAME-3 participants_out_of_range"]
    assert figures(said, "participants_out_of_range")["participants"] == others + 1


def test_creator_alone_by_any_name_is_one():
    """R-GAME-3."""
    assert creating(club("bela"), players=["ANNA"]) == ["R-GAME-3 participants_out_of_range"]
    assert creating(club("bela")) == ["R-GAME-3 participants_out_of_range"]


def test_creator_may_name_himself_or_not():
    """R-GAME-3: he takes part in any case, and counts once."""
    scene = club("bela")
    scene.done("anna", "PARTIE", players=["bela", "Anna"])
    assert scene.game(1).participants == ("anna", "bela")


@pytest.mark.parametrize("players", [["bela", "bela"], ["bela", "BELA"], ["Béla", "bela", "carl"]])
def test_nobody_is_named_twice(players):
    """R-GAME-3: in whatever case and accent."""
    said = club("bela", "carl").would("anna", "PARTIE", players=players)
    assert no(said) == ["R-GAME-3 named_twice"]
    assert figures(said, "named_twice") == {"handles": ["bela"]}


def test_participants_bear_their_registered_handles():
    """R-GAME-3."""
    scene = club("Béla", "carl")
    scene.done("anna", "PARTIE", players=["BELA", "Carl"])
    assert scene.game(1).participants == ("anna", "Béla", "carl")


def test_players_with_ten_euros_exactly_are_eligible():
    """R-GAME-4: 10.00, whatever this game's buy-in."""
    assert creating(club("anna", bela=10_00), players=["bela"], buyin_cents=1_00) == []
    assert creating(club("anna", bela=9_99), players=["bela"], buyin_cents=1_00) == [
        "R-GAME-4 players_not_eligible"
    ]


def test_all_ineligible_and_unknown_players_are_named_at_once_and_nothing_changes():
    """R-GAME-4."""
    scene = club("anna", "dora", bela=9_99, carl=0, emil=150_00).banned("emil")
    before = scene.balances
    said = scene.say("anna", "PARTIE", players=["bela", "zoe", "dorra", "emil", "carl", "dora"])
    assert no(said) == ["R-GAME-4 players_not_eligible"]
    assert figures(said, "players_not_eligible") == {
        "unknown": [{"handle": "zoe", "nearest": []}, {"handle": "dorra", "nearest": ["dora"]}],
        "banned": ["emil"],
        "short": ["bela", "carl"],
        "needed_cents": 10_00,
    }
    assert (scene.club.books.next_game_number(), scene.balances) == (1, before)


def test_one_who_left_is_unknown():
    """R-GAME-4, R-ACC-6."""
    scene = club("bela", "carl")
    scene.done("bela", "QUITTE")
    said = scene.would("anna", "PARTIE", players=["bela"])
    assert figures(said, "players_not_eligible")["unknown"] == [{"handle": "bela", "nearest": []}]


def test_a_player_eligible_today_is_not_tomorrow():
    """R-GAME-4: eligible is who is so at that moment."""
    scene = club("anna", "carl", bela=10_00)
    assert creating(scene, players=["bela"]) == []
    assert creating(scene.running("carl", "bela"), players=["bela"]) == ["R-GAME-4 players_not_eligible"]


def test_all_refusals_of_a_new_game_are_said_at_once():
    """R-GAME-2, R-GAME-3, R-GAME-4."""
    scene = club("bela", anna=10_00).running("anna", "bela")
    said = creating(scene, players=["zoe", "Zoë", *(f"p{i}" for i in range(9))], buyin_cents=4_00)
    assert said == [
        "R-GAME-2 creator_not_eligible",
        "R-GAME-2 creator_has_running_game",
        "R-GAME-3 buyin_not_offered",
        "R-GAME-3 participants_out_of_range",
        "R-GAME-3 named_twice",
        "R-GAME-4 players_not_eligible",
    ]


# ---------------------------------------------------------------- changing


def test_creator_changes_players_and_buyin_while_the_game_runs():
    """R-GAME-5: any number of times."""
    scene = club("bela", "carl", "dora").running("anna", "bela")
    scene.done("anna", "MODIFIE", game=1, add=["carl"], buyin_cents=5_00)
    scene.done("anna", "MODIFIE", game=1, add=["Dora"], remove=["BELA"])
    assert (scene.game().participants, scene.game().buyin_cents) == (("anna", "carl", "dora"), 5_00)
    scene.done("anna", "MODIFIE", game=1, players=["bela", "dora"], buyin_cents=1_00)
    assert (scene.game().participants, scene.game().buyin_cents) == (("anna", "dora", "bela"), 1_00)


@pytest.mark.parametrize("author", ["bela", "carl", "dora"])
def test_nobody_else_changes_it(author):
    """R-GAME-5: neither a participant nor a stranger nor the manager."""
    scene = club("anna", "bela", "carl", manager="dora").running("anna", "bela")
    assert changing(scene, author, buyin_cents=2_00) == ["R-GAME-5 not_the_creator"]


@pytest.mark.parametrize("state", ["recent", "arbitration", "final"])
def test_only_running_games_change(state):
    """R-GAME-5, R-RES-6."""
    scene = getattr(club("bela"), state)("anna", "bela")
    assert changing(scene, buyin_cents=2_00) == ["R-GAME-5 game_not_running"]


@pytest.mark.parametrize(
    "change",
    [{}, {"buyin_cents": 1_00}, {"players": ["bela", "carl"]}, {"players": ["carl", "anna", "bela"]}],
)
def test_a_change_that_changes_nothing_is_said(change):
    """R-GAME-5."""
    assert changing(club("bela", "carl").running("anna", "bela", "carl"), **change) == [
        "R-GAME-5 nothing_to_change"
    ]


@pytest.mark.parametrize(
    ("change", "figure", "handles"),
    [
        ({"add": ["BELA"]}, "already", ["BELA"]),
        ({"add": ["anna", "dora"]}, "already", ["anna"]),
        ({"remove": ["dora"], "buyin_cents": 2_00}, "absent", ["dora"]),
        ({"add": ["dora"], "remove": ["Dora"]}, "both", ["dora"]),
    ],
)
def test_a_change_against_the_list_is_said(change, figure, handles):
    """R-GAME-5: added though there, removed though not there, both at once."""
    scene = club("bela", "carl", "dora").running("anna", "bela", "carl")
    said = scene.would("anna", "MODIFIE", game=1, **change)
    assert "R-GAME-5 change_contradicts_list" in no(said)
    assert figures(said, "change_contradicts_list")[figure] == handles


def test_creator_cannot_remove_himself():
    """R-GAME-5."""
    scene = club("bela", "carl").running("anna", "bela", "carl")
    assert changing(scene, remove=["ANNA"]) == ["R-GAME-5 creator_must_stay"]


def test_a_whole_new_list_keeps_the_creator_unnamed():
    """R-GAME-5."""
    scene = club("bela", "carl").running("anna", "bela")
    scene.done("anna", "MODIFIE", game=1, players=["carl"])
    assert scene.game().participants == ("anna", "carl")


def test_a_list_and_additions_go_together():
    """R-GAME-5."""
    scene = club("bela", "carl", "dora").running("anna", "bela")
    scene.done("anna", "MODIFIE", game=1, players=["carl"], add=["dora"])
    assert scene.game().participants == ("anna", "carl", "dora")


@pytest.mark.parametrize("change", [{"add": ["carl", "CARL"]}, {"players": ["bela", "carl", "Carl"]}])
def test_nobody_is_named_twice_in_a_change(change):
    """R-GAME-3."""
    assert changing(club("bela", "carl").running("anna", "bela"), **change) == ["R-GAME-3 named_twice"]


@pytest.mark.parametrize("cents", [4_00, 0, 10_01])
def test_a_new_buyin_is_one_on_offer(cents):
    """R-GAME-3."""
    assert changing(club("bela").running("anna", "bela"), buyin_cents=cents) == ["R-GAME-3 buyin_not_offered"]


def test_two_to_ten_remain():
    """R-GAME-3: both ends."""
    scene = club(*TEN, "kurt").running("anna", *TEN[:8])
    assert changing(scene, add=TEN[8:]) == []
    assert changing(scene, add=[*TEN[8:], "kurt"]) == ["R-GAME-3 participants_out_of_range"]
    assert changing(scene, remove=TEN[1:8]) == []
    assert changing(scene, remove=TEN[:8]) == ["R-GAME-3 participants_out_of_range"]


def test_whoever_is_added_is_eligible_then():
    """R-GAME-4, R-GAME-5."""
    scene = club("anna", "bela", carl=10_00, dora=9_99).running("anna", "bela")
    assert changing(scene, add=["carl"]) == []
    said = scene.would("anna", "MODIFIE", game=1, add=["dora", "zoe"])
    assert no(said) == ["R-GAME-4 players_not_eligible"]
    assert figures(said, "players_not_eligible")["short"] == ["dora"]


def test_a_participant_who_became_ineligible_stays_but_does_not_come_back():
    """R-GAME-5."""
    scene = club("bela", "carl", "dora").running("anna", "bela", "carl").having(bela=5_00)
    assert changing(scene, add=["dora"]) == []
    assert changing(scene, buyin_cents=2_00) == []
    assert changing(scene, players=["bela", "dora"]) == []
    scene.done("anna", "MODIFIE", game=1, remove=["bela"])
    assert changing(scene, add=["bela"]) == ["R-GAME-4 players_not_eligible"]
    assert changing(scene, players=["bela", "carl"]) == ["R-GAME-4 players_not_eligible"]


def test_a_buyin_may_bring_a_participant_to_zero_exactly():
    """R-GAME-6: he has 4.00 besides this game's 1.00, so 5.00 leaves nothing, and that is enough."""
    scene = club("bela", "carl").running("anna", "bela", "carl").having(bela=5_00)
    assert changing(scene, buyin_cents=5_00) == []


def test_a_buyin_that_overdraws_participants_names_them_all():
    """R-GAME-6: a cent less is not."""
    scene = club("bela", "carl", "dora").running("anna", "bela", "carl", "dora")
    said = scene.having(bela=4_99, dora=0).would("anna", "MODIFIE", game=1, buyin_cents=5_00)
    assert no(said) == ["R-GAME-6 buyin_overdraws"]
    assert figures(said, "buyin_overdraws") == {"handles": ["bela", "dora"], "buyin_cents": 5_00}


def test_other_running_games_count_for_overdrawing():
    """R-GAME-6: two games of 10.00 need 20.00."""
    scene = (
        club("carl", "dora", bela=19_99)
        .running("carl", "bela", buyin=5_00)
        .running("dora", "bela", buyin=5_00)
    )
    scene.done("carl", "MODIFIE", game=1, buyin_cents=10_00)
    assert changing(scene, "dora", buyin_cents=10_00) == ["R-GAME-6 buyin_overdraws"]
    assert changing(scene.having(bela=20_00), "dora", buyin_cents=10_00) == []


def test_the_creator_himself_may_be_overdrawn_too():
    """R-GAME-6."""
    scene = club("bela").running("anna", "bela").having(anna=4_99)
    assert changing(scene, buyin_cents=5_00) == ["R-GAME-6 buyin_overdraws"]


def test_who_is_removed_at_the_same_time_is_not_overdrawn():
    """R-GAME-6."""
    scene = club("bela", "carl").running("anna", "bela", "carl").having(bela=4_99)
    assert changing(scene, buyin_cents=5_00, remove=["bela"]) == []


def test_a_lower_buyin_helps_whoever_is_overdrawn():
    """R-GAME-6: going down is never refused."""
    scene = club("bela").running("anna", "bela", buyin=10_00).having(bela=0)
    assert changing(scene, buyin_cents=5_00) == []


def test_who_is_added_pays_the_whole_new_buyin():
    """R-GAME-6: under a game's own, older rulebook a buy-in may be more than today's eligibility."""
    scene = club("anna", "bela", carl=9_99).running("anna", "bela")
    scene.done("anna", "REGLE", settings={"mises": "1/2/3/5"}, reason="smaller")
    assert changing(scene, buyin_cents=10_00, add=["carl"]) == ["R-GAME-6 buyin_overdraws"]
    assert changing(scene.having(carl=10_00), buyin_cents=10_00, add=["carl"]) == []


def test_unknown_players_do_not_hide_who_is_overdrawn():
    """R-GAME-4, R-GAME-6: both are said."""
    scene = club("bela").running("anna", "bela").having(bela=4_99)
    assert changing(scene, buyin_cents=5_00, add=["zoe"]) == [
        "R-GAME-4 players_not_eligible",
        "R-GAME-6 buyin_overdraws",
    ]


def test_all_refusals_of_a_change_are_said_at_once():
    """R-GAME-3 to R-GAME-6, R-GAME-4 among them."""
    scene = club("bela", "carl", "dora").recent("anna", "bela", "carl").having(bela=0)
    assert changing(scene, "dora", buyin_cents=4_00, add=["zoe"], remove=["bela", "carl", "anna"]) == [
        "R-GAME-5 not_the_creator",
        "R-GAME-5 game_not_running",
        "R-GAME-5 creator_must_stay",
        "R-GAME-3 buyin_not_offered",
        "R-GAME-3 participants_out_of_range",
        "R-GAME-4 players_not_eligible",
    ]


def test_buyins_are_those_of_the_version_under_which_the_game_was_created():
    """R-REG-1: new buy-ins are for new games."""
    scene = club("bela", "carl", "dora").running("anna", "bela")
    scene.done("anna", "REGLE", settings={"mises": "1/4"}, reason="other cards")
    assert changing(scene, buyin_cents=4_00) == ["R-GAME-3 buyin_not_offered"]
    assert changing(scene, buyin_cents=10_00) == []
    assert creating(scene, "carl", players=["dora"], buyin_cents=4_00) == []
    assert creating(scene, "carl", players=["dora"], buyin_cents=10_00) == ["R-GAME-3 buyin_not_offered"]


def test_thresholds_apply_as_they_stand():
    """R-REG-1: who is added to an old game must have today's greatest buy-in available."""
    scene = club("anna", "bela", carl=10_00).running("anna", "bela")
    assert changing(scene, add=["carl"]) == []
    scene.done("anna", "REGLE", settings={"mises": "1/20"}, reason="more")
    assert changing(scene, add=["carl"]) == ["R-GAME-4 players_not_eligible"]


# ---------------------------------------------------------------- cancelling


def test_creator_cancels_his_running_game():
    """R-GAME-7."""
    assert no(club("bela").running("anna", "bela").would("anna", "ANNULE", game=1)) == []


@pytest.mark.parametrize("author", ["bela", "dora"])
def test_nobody_else_cancels_it(author):
    """R-GAME-7."""
    scene = club("anna", "bela", manager="dora").running("anna", "bela")
    assert no(scene.would(author, "ANNULE", game=1)) == ["R-GAME-7 not_the_creator"]


@pytest.mark.parametrize("state", ["recent", "arbitration", "final"])
def test_cancelled_is_reached_from_running_only(state):
    """R-GAME-1, R-GAME-7."""
    said = getattr(club("bela"), state)("anna", "bela").would("anna", "ANNULE", game=1)
    assert no(said) == ["R-GAME-7 game_not_running"]


def test_nothing_leaves_cancelled():
    """R-GAME-1."""
    scene = club("bela").running("anna", "bela")
    scene.done("anna", "ANNULE", game=1)
    assert no(scene.would("anna", "ANNULE", game=1)) == ["R-GAME-7 game_not_running"]
    assert changing(scene, buyin_cents=2_00) == ["R-GAME-5 game_not_running"]
    assert no(scene.would("bela", "ANNULE", game=1)) == [
        "R-GAME-7 not_the_creator",
        "R-GAME-7 game_not_running",
    ]
