"""R-INA-3, R-INA-4: who is to settle what, and what the manager may order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailflow.handlers import inactivity
from mailflow.rules.inactivity import settlement
from store.records import InjunctionLine
from tests.club import among, club, figures, no

CLUB = club("anna").club
HANDLES = [f"{letter}{n}" for letter in "zax" for n in range(8)]


def placed(inactive, balances, banned=()):
    picture = among(CLUB, {**balances, "idle": inactive}, banned)
    return settlement(picture.members["idle"], picture)


def test_a_surplus_goes_to_the_lowest_balances_first():
    """R-INA-3: each up to the credit; the inactive gives in the books."""
    assert placed(250_00, {"anna": 190_00, "bela": 170_00, "carl": 195_00}) == (
        (
            InjunctionLine("idle", "bela", 30_00),
            InjunctionLine("idle", "anna", 10_00),
            InjunctionLine("idle", "carl", 5_00),
        ),
        5_00,
    )


def test_a_deficit_is_met_by_the_highest_balances_first():
    """R-INA-3: each up to his banker's capacity; the inactive receives."""
    assert placed(50_00, {"anna": 60_00, "bela": 130_00, "carl": 120_00}) == (
        (InjunctionLine("bela", "idle", 80_00), InjunctionLine("carl", "idle", 70_00)),
        0,
    )


def test_equal_balances_go_by_handle():
    """R-INA-3."""
    lines, _ = placed(201_00, {"carl": 199_50, "anna": 199_50, "bela": 199_50})
    assert [line.beneficiary for line in lines] == ["anna", "bela"]


def test_banned_members_and_those_who_can_take_nothing_are_left_out():
    """R-INA-3: active members only."""
    lines, unplaced = placed(210_00, {"anna": 200_00, "bela": 100_00, "carl": 220_00}, banned=["bela"])
    assert (lines, unplaced) == ((), 10_00)
    lines, unplaced = placed(190_00, {"anna": 50_00, "bela": 300_00, "carl": 50_01}, banned=["bela"])
    assert (lines, unplaced) == ((InjunctionLine("carl", "idle", 1),), 9_99)


@given(
    st.dictionaries(st.sampled_from(HANDLES), st.integers(-30_00, 300_00)),
    st.integers(-50_00, 400_00).filter(lambda cents: cents != 200_00),
)
def test_placement(balances, inactive):
    """R-INA-3: in order, each to his limit before the next, and nothing is unplaced while there is room."""
    lines, unplaced = placed(inactive, balances)
    surplus = inactive > 200_00

    def room(handle):
        return max(0, 200_00 - balances[handle] if surplus else balances[handle] - 50_00)

    order = sorted(balances, key=lambda h: (balances[h] if surplus else -balances[h], h))
    others = [line.beneficiary if surplus else line.giver for line in lines]
    assert all((line.giver if surplus else line.beneficiary) == "idle" for line in lines)
    with_room = [h for h in order if room(h)]
    assert others == with_room[: len(others)]
    amounts = [line.amount_cents for line in lines]
    assert amounts[:-1] == [room(h) for h in others[:-1]]
    assert all(0 < cents <= room(h) for h, cents in zip(others, amounts, strict=True))
    assert sum(amounts) + unplaced == abs(inactive - 200_00)
    assert unplaced == 0 or sum(amounts) == sum(map(room, balances))


# ---------------------------------------------------------------- orders of the manager's own


def surplus(**more):
    """Bela has been idle for a year with 250.00; carl lacks 40.00, dora 5.00."""
    return scanned(club("anna", bela=250_00, carl=160_00, dora=195_00, **more).idle(12))


def deficit(**more):
    """Bela has been idle for a year with 150.00; anna could give 20.00, carl 150.00."""
    return scanned(club(anna=70_00, bela=150_00, carl=200_00, **more).idle(12))


def scanned(scene):
    scene.run(inactivity.scan)
    return scene


def ordering(scene, member="bela", **amounts):
    return scene.would("anna", "INJONCTION", member=member, amounts=amounts)


@pytest.mark.parametrize(
    "amounts", [{"carl": 40_00, "dora": 5_00}, {"carl": 1}, {"dora": 5_00}, {"CARL": 40_00}]
)
def test_amounts_within_what_can_be_placed(amounts):
    """R-INA-4: up to the limit exactly, and less in all if he likes."""
    assert no(ordering(surplus(), **amounts)) == []


@pytest.mark.parametrize("cents", [0, -1, 40_01])
def test_amounts_that_cannot_be_placed(cents):
    """R-INA-4: a cent more than he lacks, nothing, or less than nothing."""
    said = ordering(surplus(), carl=cents)
    assert no(said) == ["R-INA-4 amounts_cannot_be_placed", "R-INA-4 order_not_possible"]
    assert figures(said, "amounts_cannot_be_placed")["wrong"] == [
        {"handle": "carl", "amount_cents": cents, "most_cents": 40_00}
    ]


def test_a_banker_gives_up_to_his_capacity():
    """R-INA-4: from above the reserve, to a member in deficit."""
    assert no(ordering(deficit(), anna=20_00, carl=30_00)) == []
    assert "R-INA-4 amounts_cannot_be_placed" in no(ordering(deficit(), anna=20_01))


def test_the_total_stays_within_the_imbalance():
    """R-INA-4: 50.00 lacking are 50.00 at most."""
    assert no(ordering(deficit(), carl=50_00)) == []
    said = ordering(deficit(), carl=50_01)
    assert no(said) == ["R-INA-4 order_exceeds_imbalance", "R-INA-4 order_not_possible"]
    assert figures(said, "order_exceeds_imbalance") == {"total_cents": 50_01, "most_cents": 50_00}


def test_counterparts_are_other_active_members_and_all_wrong_ones_are_named():
    """R-INA-3."""
    scene = surplus(emil=100_00).banned("emil")
    said = ordering(scene, zoe=1_00, emil=1_00, bela=1_00, carl=1_00, dorra=1_00)
    assert no(said)[0] == "R-INA-3 counterparts_not_active"
    assert figures(said, "counterparts_not_active")["wrong"] == [
        {"handle": "zoe", "nearest": []},
        {"handle": "emil", "nearest": []},
        {"handle": "bela", "nearest": []},
        {"handle": "dorra", "nearest": ["dora"]},
    ]


def test_nothing_is_ordered_when_the_balance_is_even():
    """R-INA-3: a proposal that was overtaken."""
    scene = surplus().having(bela=200_00)
    assert no(ordering(scene, carl=1_00))[0] == "R-INA-3 nothing_to_settle"


def test_the_refusal_shows_what_could_be_ordered_now():
    """R-INA-4: carl was settled in between, so only dora remains."""
    scene = surplus().having(carl=200_00)
    said = scene.would("anna", "INJONCTION", member="bela")
    assert no(said) == ["R-INA-4 amounts_cannot_be_placed", "R-INA-4 order_not_possible"]
    assert figures(said, "order_not_possible")["lines"] == (InjunctionLine("bela", "dora", 5_00),)
