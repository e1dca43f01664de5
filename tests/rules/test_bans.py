"""R-BAN-1, R-BAN-4: who may be banned, who reinstated."""

import pytest

from tests.club import club, figures, no


def banning(scene, member, by="anna"):
    return no(scene.would(by, "BANNIT", member=member, reason="unpaid"))


def test_manager_bans_any_other_member_managers_included():
    """R-BAN-1."""
    scene = club("bela", manager=("anna", "dora"))
    assert banning(scene, "bela") == banning(scene, "dora") == banning(scene, "anna", by="dora") == []


@pytest.mark.parametrize("handle", ["anna", "ANNA", "ànna"])
def test_nobody_bans_himself(handle):
    """R-BAN-1."""
    assert banning(club("bela"), handle) == ["R-BAN-1 ban_of_oneself"]


def test_nobody_is_banned_twice():
    """R-BAN-1."""
    assert banning(club("bela").banned("bela"), "bela") == ["R-BAN-1 banned_already"]


def test_a_reinstated_member_may_be_banned_again():
    """R-BAN-1, R-BAN-4."""
    scene = club("bela").banned("bela")
    scene.done("anna", "RETABLIT", member="bela")
    assert banning(scene, "bela") == []


@pytest.mark.parametrize("cents", [200_00, 200_01])
def test_reinstatement_with_the_credit_or_more(cents):
    """R-BAN-4."""
    assert no(club(bela=cents).banned("bela").would("anna", "RETABLIT", member="bela")) == []


@pytest.mark.parametrize("cents", [199_99, 0, -5_00])
def test_no_reinstatement_with_less(cents):
    """R-BAN-4: a cent less is a debt."""
    said = club(bela=cents).banned("bela").would("anna", "RETABLIT", member="bela")
    assert no(said) == ["R-BAN-4 debt_not_settled"]
    assert figures(said, "debt_not_settled")["missing_cents"] == 200_00 - cents


def test_transfers_to_him_bring_him_back():
    """R-BAN-4, R-TRA-1: what was refused becomes possible when the debt is paid."""
    scene = club("carl", bela=190_00).banned("bela")
    assert no(scene.would("anna", "RETABLIT", member="bela")) == ["R-BAN-4 debt_not_settled"]
    scene.done("carl", "VIREMENT", amount_cents=10_00, to="bela")
    assert no(scene.would("anna", "RETABLIT", member="bela")) == []


def test_only_the_banned_are_reinstated():
    """R-BAN-4."""
    assert no(club("bela").would("anna", "RETABLIT", member="bela")) == ["R-BAN-4 not_banned"]


def test_both_reasons_are_said():
    """R-BAN-4."""
    said = club(bela=10_00).would("anna", "RETABLIT", member="bela")
    assert no(said) == ["R-BAN-4 not_banned", "R-BAN-4 debt_not_settled"]
