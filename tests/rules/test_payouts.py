"""R-RES-2, R-RES-3: paid places and gains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailflow.rulebook import Payout
from mailflow.rules.payouts import RANKING_CHECKS, Ranking, gains_cents, ranked
from tests.club import FRIENDS

PLAYERS = ("anna", "béla", "carl", "dora", "emil", "fred", "gert", "hugo", "ines", "jana")
PAID = {2: 1, 3: 1, 4: 2, 5: 2, 6: 2, 7: 3, 8: 3, 9: 3, 10: 3}


def objections(players, **places):
    ranking = Ranking({p[1:]: list(h) for p, h in places.items()}, PLAYERS[:players], FRIENDS)
    return [r.code for check in RANKING_CHECKS if (r := check(ranking, None)) is not None]


@pytest.mark.parametrize(("players", "paid"), PAID.items())
def test_exactly_the_paid_places_pass(players, paid):
    """R-RES-2: one place for 2 or 3 players, two for 4 to 6, three for 7 to 10."""
    places = {f"p{place}": [PLAYERS[place]] for place in range(1, paid + 2)}
    right = {p: places[p] for p in list(places)[:paid]}
    assert objections(players, **{p: [PLAYERS[0]] if p == "p1" else h for p, h in right.items()}) == []
    fewer = dict(list(right.items())[:-1])
    more = {**right, f"p{paid + 1}": [PLAYERS[0]]}
    assert "places_not_exact" in objections(players, **fewer)
    assert "places_not_exact" in objections(players, **more)


@pytest.mark.parametrize(
    ("players", "places", "codes"),
    [
        (2, {}, ["places_not_exact"]),
        (2, {"p2": ["anna"]}, ["places_not_exact"]),
        (2, {"p1": []}, ["places_not_exact"]),
        (2, {"p1": ["anna", "bela"]}, ["places_not_exact"]),
        (4, {"p1": ["anna"], "p3": ["bela"]}, ["places_not_exact"]),
        (2, {"p1": ["carl"]}, ["paid_without_playing"]),
        (2, {"p1": ["zoe"]}, ["paid_without_playing"]),
        (4, {"p1": ["anna"], "p2": ["ANNA"]}, ["paid_twice"]),
        (4, {"p1": ["béla"], "p2": ["bela"]}, ["paid_twice"]),
        (4, {"p1": ["emil"], "p2": ["emil"]}, ["paid_without_playing", "paid_twice"]),
        (4, {"p1": ["emil", "emil"]}, ["places_not_exact", "paid_without_playing", "paid_twice"]),
    ],
)
def test_everything_wrong_with_the_places_is_said_at_once(players, places, codes):
    """R-RES-2."""
    assert objections(players, **places) == codes


def test_all_strangers_are_named():
    """R-RES-2."""
    ranking = Ranking({"1": ["zoe"], "2": ["emil"]}, PLAYERS[:4], FRIENDS)
    refusal = RANKING_CHECKS[1](ranking, None)
    assert refusal.figures["handles"] == ["zoe", "emil"]


def test_winners_are_written_as_they_are_registered():
    """R-RES-2."""
    assert ranked(Ranking({"2": ["ANNA"], "1": ["Bela"]}, PLAYERS[:4], FRIENDS)) == {1: "béla", 2: "anna"}


@pytest.mark.parametrize(
    ("buyin", "players", "gains"),
    [
        (1_00, 2, [2_00]),
        (10_00, 3, [30_00]),
        (1_00, 4, [2_40, 1_60]),
        (3_00, 5, [9_00, 6_00]),
        (2_00, 6, [7_20, 4_80]),
        (1_00, 7, [3_50, 2_10, 1_40]),
        (5_00, 10, [25_00, 15_00, 10_00]),
    ],
)
def test_gains_of_the_friends_club(buyin, players, gains):
    """R-RES-3: the pot by the shares of R-RES-2."""
    places = dict(enumerate(PLAYERS[: len(gains)], 1))
    assert list(gains_cents(buyin, players, places, FRIENDS).values()) == gains


def test_cents_left_over_go_to_the_best_places():
    """R-RES-3: 0.07 by 50/30/20 is 3.5, 2.1 and 1.4: the one cent left makes the first 4."""
    places = {1: "a", 2: "b", 3: "c"}
    assert gains_cents(1, 7, places, FRIENDS) == {"a": 4, "b": 2, "c": 1}
    thirds = FRIENDS.amended({"payouts": [{"participants_max": 10, "shares_percent": [34, 66]}]})
    assert gains_cents(1, 5, {1: "a", 2: "b"}, thirds) == {"a": 2, "b": 3}
    many = FRIENDS.amended(
        {"participants_min": 4, "payouts": [{"participants_max": 10, "shares_percent": [25, 25, 25, 25]}]}
    )
    assert gains_cents(1, 6, {1: "a", 2: "b", 3: "c", 4: "d"}, many) == {"a": 2, "b": 2, "c": 1, "d": 1}


@given(st.sampled_from(FRIENDS.buyins_cents), st.integers(2, 10))
def test_gains_sum_to_the_pot_in_the_friends_club(buyin, players):
    """R-RES-3."""
    places = dict(enumerate(PLAYERS[: PAID[players]], 1))
    assert sum(gains_cents(buyin, players, places, FRIENDS).values()) == buyin * players


@st.composite
def shares(draw):
    """Percentages that sum to 100, best place first or not."""
    cuts = sorted(draw(st.sets(st.integers(1, 99), max_size=6)))
    return tuple(b - a for a, b in zip([0, *cuts], [*cuts, 100], strict=True))


@given(shares(), st.integers(1, 999_99), st.data())
def test_gains_always_sum_to_the_pot(percents, buyin, data):
    """R-RES-3: for every buy-in, number of participants and payout; each gain is its share or a cent more."""
    players = data.draw(st.integers(max(2, len(percents)), 10))
    book = FRIENDS.amended({"participants_min": players, "payouts": [Payout(10, percents)]})
    gains = list(gains_cents(buyin, players, dict(enumerate(PLAYERS[: len(percents)], 1)), book).values())
    pot = buyin * players
    assert sum(gains) == pot
    more = [gain - pot * percent // 100 for gain, percent in zip(gains, percents, strict=True)]
    assert more == sorted(more, reverse=True)
    assert set(more) <= {0, 1}
