"""SOLIDARITE: what is shown, what is posted, who is told."""

import pytest

from tests.club import club, no, told


@pytest.fixture
def scene():
    """Bela is banned and owes 100.01; dora is banned too, emil has left."""
    scene = club("dora", "emil", anna=150_00, carl=80_00, bela=99_99).banned("bela", "dora")
    scene.done("emil", "QUITTE")
    return scene


def effects(scene):
    """What an OUI is compared by."""
    command = {"verb": "SOLIDARITE", "arguments": {"member": "bela"}}
    return scene.perform("anna", [command], keep=False).effects


def test_the_contributors_and_the_debtor_are_told_each_his_own_part(scene):
    """R-SOL-4: managers contribute too, the banned do not."""
    said = scene.done("anna", "SOLIDARITE", member="BELA")
    assert told(said) == ["solidarity.levied: anna bela carl"]
    notice = said.notices[0]
    own = {h: own["contribution_cents"] for h, own in notice.own.items() if "contribution_cents" in own}
    assert own == {"anna": 50_01, "carl": 50_00}
    shown = {"debtor": "bela", "debt_cents": 100_01, "contributors": 2, "by": "anna"}
    assert shown.items() <= notice.facts.items()


def test_one_entry_brings_the_debtor_to_the_credit_exactly(scene):
    """R-SOL-2, R-SOL-3."""
    before = sum(scene.balances.values())
    scene.done("anna", "SOLIDARITE", member="bela")
    assert scene.balances == {"anna": 99_99, "bela": 200_00, "carl": 30_00, "dora": 200_00, "emil": 0}
    assert sum(scene.balances.values()) == before
    assert scene.findings() == ()


def test_the_manager_sees_the_whole_list_and_must_confirm_it(scene):
    """R-SOL-4: even with fresh proof."""
    said = scene.would("anna", "SOLIDARITE", member="bela")
    assert said.ask is True
    assert said.answer["contributions"] == [["anna", 50_01], ["carl", 50_00]]


@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda s: s.having(bela=99_98),
        lambda s: s.having(carl=150_01),
        lambda s: s.banned("carl"),
        lambda s: s.done("anna", "INVITE", member="zoe", address="zoe@example.org") and s.joins("zoe"),
    ],
    ids=["debt", "order", "ban", "newcomer"],
)
def test_a_list_that_differs_by_then_is_seen_to_differ(scene, meanwhile):
    """R-SOL-4: debt, order or contributors."""
    shown = effects(scene)
    meanwhile(scene)
    assert effects(scene) != shown


def test_a_change_that_leaves_the_list_as_it_was_does_not_matter(scene):
    """R-SOL-4."""
    shown = effects(scene)
    scene.having(anna=149_00).later(hours=3)
    assert effects(scene) == shown


def test_the_time_to_confirm_is_twelve_hours(scene):
    """R-SOL-4: from the rulebook."""
    assert scene.club.rulebook.decision_confirm_hours == 12


def test_with_more_contributors_than_cents_some_pay_nothing_and_are_told_so():
    """R-SOL-2, R-SOL-4."""
    scene = club("anna", "carl", "dora", bela=199_98).banned("bela")
    said = scene.done("anna", "SOLIDARITE", member="bela")
    assert told(said) == ["solidarity.levied: anna bela carl dora"]
    assert {h: own["contribution_cents"] for h, own in said.notices[0].own.items()} == {
        "anna": 1,
        "carl": 1,
        "dora": 0,
    }
    assert scene.balance("dora") == 200_00
    assert scene.findings() == ()


def test_a_second_levy_finds_no_debt(scene):
    """R-SOL-1."""
    scene.done("anna", "SOLIDARITE", member="bela")
    assert no(scene.say("anna", "SOLIDARITE", member="bela")) == ["R-SOL-1 no_debt"]


def test_an_unknown_debtor_is_refused(scene):
    """R-SOL-1."""
    assert no(scene.would("anna", "SOLIDARITE", member="zoe")) == ["R-SOL-1 member_unknown"]
