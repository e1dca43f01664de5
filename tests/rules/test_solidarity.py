"""R-SOL: joint solidarity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailflow.rules.solidarity import contributions_cents, debt_cents
from tests.club import among, club, figures, no

CLUB = club("anna").club
HANDLES = [f"{letter}{n}" for letter in "zax" for n in range(12)]


def levying(scene, member="bela"):
    return scene.would("anna", "SOLIDARITE", member=member)


def test_only_a_banned_member_is_levied_for():
    """R-SOL-1."""
    said = levying(club(bela=10_00))
    assert no(said) == ["R-SOL-1 debtor_not_banned"]
    assert figures(said, "debtor_not_banned") == {"handle": "bela"}


@pytest.mark.parametrize(
    ("cents", "refusals"), [(199_99, []), (200_00, ["R-SOL-1 no_debt"]), (200_01, ["R-SOL-1 no_debt"])]
)
def test_only_below_the_credit(cents, refusals):
    """R-SOL-1: a cent of debt is one, none is none."""
    assert no(levying(club(bela=cents).banned("bela"))) == refusals


def test_both_reasons_are_said():
    """R-SOL-1."""
    assert no(levying(club("bela"))) == ["R-SOL-1 debtor_not_banned", "R-SOL-1 no_debt"]


def test_a_debt_that_was_paid_in_between_is_none():
    """R-SOL-1: valid before, invalid after the transfer."""
    scene = club(bela=190_00).banned("bela")
    assert no(levying(scene)) == []
    scene.done("anna", "VIREMENT", amount_cents=10_00, to="bela")
    assert no(levying(scene)) == ["R-SOL-1 no_debt"]


@given(
    st.dictionaries(st.sampled_from(HANDLES), st.integers(-30_00, 300_00), min_size=1),
    st.integers(-300_00, 199_99),
)
def test_contributions_sum_to_the_debt_and_fall_on_the_highest_balances(balances, debtor_cents):
    """R-SOL-2: they differ by a cent at most, in the order of balance, then handle."""
    picture = among(CLUB, {**balances, "debtor": debtor_cents}, banned=["debtor"])
    debtor = picture.members["debtor"]
    paid = contributions_cents(debtor, picture)
    debt = 200_00 - debtor_cents
    assert debt_cents(debtor, picture) == debt
    assert sum(paid.values()) == debt
    assert list(paid) == sorted(balances, key=lambda h: (-balances[h], h))
    assert set(paid.values()) <= {debt // len(paid), debt // len(paid) + 1}
    assert list(paid.values()) == sorted(paid.values(), reverse=True)


@pytest.mark.parametrize(
    ("debt", "expected"),
    [
        (3, {"dora": 1, "anna": 1, "carl": 1}),
        (4, {"dora": 2, "anna": 1, "carl": 1}),
        (5, {"dora": 2, "anna": 2, "carl": 1}),
        (2, {"dora": 1, "anna": 1, "carl": 0}),
        (100_00, {"dora": 33_34, "anna": 33_33, "carl": 33_33}),
    ],
)
def test_cents_left_over_are_paid_by_the_highest_balances_then_by_handle(debt, expected):
    """R-SOL-2: dora has most, anna and carl the same; the banned emil does not contribute."""
    scene = club(anna=100_00, carl=100_00, dora=150_00, emil=180_00, bela=200_00 - debt).banned(
        "bela", "emil"
    )
    scene.done("anna", "SOLIDARITE", member="bela")
    assert scene.balance("bela") == 200_00
    assert scene.balance("emil") == 180_00
    assert {
        h: b - scene.balance(h) for h, b in {"anna": 100_00, "carl": 100_00, "dora": 150_00}.items()
    } == expected
    assert scene.findings() == ()


def test_it_may_bring_a_contributor_below_zero():
    """R-SOL-3: neither the reserve nor R-TRA-2 protects him, nor what he has committed."""
    scene = club(anna=5_00, carl=60_00, bela=0).banned("bela")
    scene.done("anna", "SOLIDARITE", member="bela")
    assert scene.balances == {"anna": -95_00, "bela": 200_00, "carl": -40_00}
