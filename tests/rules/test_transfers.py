"""R-TRA-1 to R-TRA-4: transfers between members."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailflow.handlers import inactivity
from mailflow.model import broken
from mailflow.rules.transfers import TRANSFER_CHECKS, Payment, most_that_passes
from tests.club import among, club, figures, no, numbers


@cache
def scene():
    """A club for all examples of a test."""
    return club("anna")


@pytest.fixture(autouse=True)
def _a_scene_ends_with_its_test():
    yield
    scene.cache_clear()


def transferring(scene, cents, to="bela", giver="anna"):
    return no(scene.would(giver, "VIREMENT", amount_cents=cents, to=to))


def test_a_cent_is_enough_and_less_is_not():
    """R-TRA-1."""
    scene = club(anna=100_00, bela=100_00)
    assert transferring(scene, 1) == []
    for cents in (0, -1, -50_00):
        assert transferring(scene, cents) == ["R-TRA-1 amount_too_small"]


def test_a_banned_member_may_receive_but_not_give():
    """R-TRA-1."""
    scene = club(anna=100_00, bela=100_00).banned("bela")
    assert transferring(scene, 10_00) == []
    assert transferring(scene, 10_00, "anna", "bela") == ["R-BAN-3 author_is_banned"]


def test_the_beneficiary_is_another_member():
    """R-TRA-1."""
    scene = club("carl", anna=100_00, bela=100_00)
    scene.done("carl", "QUITTE")
    assert transferring(scene, 1_00, "ANNA") == ["R-TRA-1 transfer_to_oneself"]
    assert transferring(scene, 1_00, "carl") == ["R-TRA-1 beneficiary_unknown"]
    said = scene.would("anna", "VIREMENT", amount_cents=1_00, to="bella")
    assert no(said) == ["R-TRA-1 beneficiary_unknown"]
    assert figures(said, "beneficiary_unknown")["nearest"] == ["bela"]


def test_giver_may_go_down_to_the_reserve_exactly():
    """R-TRA-2: 50.00, and not a cent below."""
    scene = club(anna=100_00, bela=100_00)
    assert transferring(scene, 50_00) == []
    said = scene.would("anna", "VIREMENT", amount_cents=50_01, to="bela")
    assert no(said) == ["R-TRA-2 giver_below_reserve"]
    assert figures(said, "giver_below_reserve") == {
        "amount_cents": 50_01,
        "available_cents": 100_00,
        "reserve_cents": 50_00,
        "most_cents": 50_00,
    }


def test_buyins_of_running_games_are_not_given_away():
    """R-TRA-2: it is the available that stays above; what passed before the game does not pass after."""
    scene = club(anna=100_00, bela=100_00)
    assert transferring(scene, 50_00) == []
    scene.running("anna", "bela", buyin=10_00)
    assert transferring(scene, 50_00) == ["R-TRA-2 giver_below_reserve"]
    assert transferring(scene, 40_00) == []


def test_beneficiary_may_come_up_to_the_credit_exactly():
    """R-TRA-3: 200.00, and not a cent above; buy-ins of running games do not make room."""
    scene = club(anna=200_00, bela=150_00).running("anna", "bela", buyin=10_00)
    assert transferring(scene, 50_00) == []
    said = scene.would("anna", "VIREMENT", amount_cents=50_01, to="bela")
    assert no(said) == ["R-TRA-3 beneficiary_above_credit"]
    assert figures(said, "beneficiary_above_credit")["most_cents"] == 50_00


def test_a_beneficiary_above_the_credit_gets_nothing():
    """R-TRA-3, R-TRA-4: the greatest amount that would pass is none."""
    said = club(anna=200_00, bela=200_01).would("anna", "VIREMENT", amount_cents=1, to="bela")
    assert no(said) == ["R-TRA-3 beneficiary_above_credit"]
    assert figures(said, "beneficiary_above_credit")["most_cents"] == 0


def test_both_limits_are_said_with_the_amount_that_passes_both():
    """R-TRA-2, R-TRA-3, R-TRA-4."""
    said = club(anna=80_00, bela=190_00).would("anna", "VIREMENT", amount_cents=40_00, to="bela")
    assert no(said) == ["R-TRA-2 giver_below_reserve", "R-TRA-3 beneficiary_above_credit"]
    assert {refusal.figures["most_cents"] for refusal in said.refusals} == {10_00}


def test_all_refusals_of_a_transfer_are_said_at_once():
    """R-TRA-1, R-TRA-2."""
    said = club(anna=20_00, bela=100_00).would("anna", "VIREMENT", amount_cents=0, to="zoe")
    assert no(said) == [
        "R-TRA-1 beneficiary_unknown",
        "R-TRA-1 amount_too_small",
        "R-TRA-2 giver_below_reserve",
    ]


def test_what_is_less_than_the_least_transfer_would_not_pass_either():
    """R-TRA-1, R-TRA-4: with transfers of 5.00 at least, 3.00 above the reserve are of no use."""
    scene = club("carl", anna=53_00, bela=100_00, rulebook={"transfer_min_cents": 5_00})
    assert no(scene.would("anna", "VIREMENT", amount_cents=3_00, to="bela")) == ["R-TRA-1 amount_too_small"]
    said = scene.would("anna", "VIREMENT", amount_cents=10_00, to="bela")
    assert figures(said, "giver_below_reserve")["most_cents"] == 0


@given(st.integers(-20_00, 260_00), st.integers(-20_00, 260_00), st.integers(1, 300_00))
def test_the_greatest_amount_passes_and_a_cent_more_does_not(giver, beneficiary, amount):
    """R-TRA-4: and where none would pass, not even a cent does."""
    picture = among(scene().club, {"anna": giver, "bela": beneficiary})

    def passes(cents):
        return not broken(TRANSFER_CHECKS, Payment(picture.members["anna"], "bela", cents), picture)

    most = most_that_passes(Payment(picture.members["anna"], "bela", amount), picture)
    assert not passes(most + 1)
    assert most == 0 or passes(most)
    assert passes(amount) == (amount <= most)


@given(st.integers(-20_00, 260_00), st.integers(-20_00, 260_00), st.integers(1, 300_00))
def test_a_refusal_tells_of_the_other_only_what_would_pass(giver, beneficiary, amount):
    """R-TRA-4: everything else in it is the giver's own, or the same for two different beneficiaries."""

    def figures_with(balance):
        picture = among(scene().club, {"anna": giver, "bela": balance})
        payment = Payment(picture.members["anna"], "bela", amount)
        return [
            {k: v for k, v in refusal.figures.items() if k != "most_cents"}
            for refusal in broken(TRANSFER_CHECKS, payment, picture)
            if refusal.rule != "R-TRA-3"
        ]

    assert figures_with(beneficiary) == figures_with(200_00)
    picture = among(scene().club, {"anna": giver, "bela": beneficiary})
    for refusal in broken(TRANSFER_CHECKS, Payment(picture.members["anna"], "bela", amount), picture):
        assert set(refusal.figures) <= {
            "amount_cents", "available_cents", "reserve_cents", "limit_cents", "most_cents", "handle",
        }  # fmt: skip
        assert refusal.figures.get("available_cents", giver) == giver


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("PARTIE", {"players": ["bela", "carl", "dora", "zoe"], "buyin_cents": 10_00}),
        ("MODIFIE", {"game": 1, "add": ["carl", "dora"], "buyin_cents": 10_00}),
        ("MODIFIE", {"game": 1, "buyin_cents": 10_00}),
        ("RESULTAT", {"game": 1, "places": {"1": ["carl"], "2": ["zoe"]}}),
        ("VIREMENT", {"amount_cents": 170_00, "to": "bela"}),
        ("VIREMENT", {"amount_cents": 170_00, "to": "carl"}),
        ("BANQUIERS", {}),
        ("QUITTE", {}),
        ("CONTESTE", {"game": 1, "reason": "no"}),
        ("BANNIT", {"member": "bela", "reason": "no"}),
    ],
)
def test_no_refusal_carries_what_another_member_has(verb, arguments):
    """R-GAME-4, R-GAME-6, R-TRA-4: neither balance, available, capacity, nor what he lacks."""
    scene = club(anna=213_37, bela=97_31, carl=7_77, dora=3_13, emil=61_19, manager="emil")
    scene.running("anna", "bela", buyin=3_00).having(bela=6_29)
    said = scene.would("anna", verb, **arguments)
    assert said.refused
    secret = set()
    for member in map(scene.member, ("bela", "carl", "dora", "emil")):
        for cents in (member.balance_cents, member.available_cents):
            secret |= {cents, cents - 10_00, 10_00 - cents, cents - 50_00, 50_00 - cents}
            secret |= set() if verb == "VIREMENT" else {200_00 - cents, cents - 200_00}
    assert not secret & set(numbers([refusal.figures for refusal in said.refusals]))


# ---------------------------------------------------------------- what fulfils an injunction

HIGH_RESERVE = {"reserve_threshold_cents": 195_00}


def ordered(rulebook=HIGH_RESERVE, **balances):
    """Bela is idle with 250.00 and ordered to give; anna's deficit is larger than bela's surplus."""
    scene = club("carl", rulebook=rulebook, anna=100_00, bela=250_00, **balances).idle(12)
    scene.run(inactivity.scan)
    scene.done("anna", "INJONCTION", member="bela")
    return scene.running("carl", "bela", buyin=10_00)


def test_inactive_giver_may_go_below_the_reserve_for_what_he_was_ordered():
    """R-INA-4: he is to end at 200.00 exactly, with 10.00 committed elsewhere."""
    scene = ordered()
    assert transferring(scene, 50_00, "anna", "bela") == []
    said = scene.would("bela", "VIREMENT", amount_cents=50_01, to="anna")
    assert no(said) == ["R-TRA-2 giver_below_reserve"]
    assert figures(said, "giver_below_reserve")["most_cents"] == 50_00


def test_without_the_order_the_reserve_holds_for_him_too():
    """R-TRA-2: proposed is not launched, and launched is for the two it names."""
    scene = club("carl", "dora", rulebook=HIGH_RESERVE, anna=100_00, bela=250_00).idle(12)
    scene.run(inactivity.scan)
    scene.running("carl", "bela", buyin=10_00)
    assert transferring(scene, 50_00, "anna", "bela") == ["R-TRA-2 giver_below_reserve"]
    scene.done("anna", "INJONCTION", member="bela")
    assert transferring(scene, 50_00, "anna", "bela") == []
    scene.having(dora=100_00)
    assert transferring(scene, 50_00, "dora", "bela") == ["R-TRA-2 giver_below_reserve"]


def test_what_was_paid_already_is_not_exempt_again():
    """R-INA-4: only what is outstanding."""
    scene = ordered()
    scene.done("bela", "VIREMENT", amount_cents=30_00, to="anna")
    assert transferring(scene, 20_00, "anna", "bela") == []
    assert transferring(scene, 20_01, "anna", "bela") == ["R-TRA-2 giver_below_reserve"]
    scene.done("bela", "VIREMENT", amount_cents=20_00, to="anna")
    assert transferring(scene, 1, "anna", "bela") == ["R-TRA-2 giver_below_reserve"]


def test_the_counterpart_of_an_inactive_in_deficit_keeps_his_reserve():
    """R-INA-4: the exemption is the inactive giver's alone."""
    scene = club(anna=80_00, bela=150_00).idle(12)
    scene.run(inactivity.scan)
    scene.done("anna", "INJONCTION", member="bela", amounts={"anna": 30_00})
    assert transferring(scene, 30_00) == []
    scene.having(anna=79_99)
    said = scene.would("anna", "VIREMENT", amount_cents=30_00, to="bela")
    assert no(said) == ["R-TRA-2 giver_below_reserve"]
    assert figures(said, "giver_below_reserve")["most_cents"] == 29_99
