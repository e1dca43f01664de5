"""VIREMENT and BANQUIERS: effects and who is told."""

from pathlib import Path

import pytest

from mailflow.handlers import inactivity
from store.records import InjunctionState
from tests.club import club, figures, no, numbers, told

TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "fr"


def test_a_transfer_is_posted_at_once_and_told_to_the_beneficiary():
    """R-TRA-4: the giver's confirmation is the direct answer."""
    scene = club("anna", bela=100_00)
    said = scene.done("anna", "VIREMENT", amount_cents=15_50, to="BELA", note="merci")
    assert told(said) == ["transfer.received: bela"]
    assert scene.balances == {"anna": 184_50, "bela": 115_50}
    facts = {"giver": "anna", "beneficiary": "bela", "amount_cents": 15_50, "note": "merci"}
    assert facts.items() <= said.notices[0].facts.items()
    assert facts.items() <= said.answer.items()
    assert scene.findings() == ()


def test_neither_is_told_what_the_other_has():
    """R-TRA-4: the notice has no balance in it."""
    said = club("anna", bela=100_00).done("anna", "VIREMENT", amount_cents=17_03, to="bela")
    assert set(numbers([said.answer, said.notices[0].facts, said.notices[0].own])) == {17_03}


@pytest.mark.parametrize("name", ["transfer.received.md", "answer.VIREMENT.md"])
def test_both_mails_say_that_the_two_alone_answer_for_it(name):
    """R-TRA-6."""
    words = " ".join((TEMPLATES / name).read_text("utf-8").split()).casefold()
    assert "répondez" in words
    assert "seuls" in words
    assert "ni le club ni" in words


def test_a_banned_beneficiary_is_credited_and_told():
    """R-TRA-1."""
    scene = club("anna", bela=100_00).banned("bela")
    assert told(scene.done("anna", "VIREMENT", amount_cents=20_00, to="bela")) == ["transfer.received: bela"]
    assert scene.balance("bela") == 120_00


def test_a_refused_transfer_posts_nothing():
    """R-TRA-4."""
    scene = club("bela", anna=60_00)
    said = scene.say("anna", "VIREMENT", amount_cents=20_00, to="bela")
    assert (said.refused, said.notices) == (True, ())
    assert scene.balances == {"anna": 60_00, "bela": 200_00}


def test_two_transfers_in_one_mail_each_see_what_the_one_before_did():
    """R-TRA-2: together they would go below the reserve, so neither is done."""
    scene = club(anna=100_00, bela=0, carl=0)
    mail = [{"verb": "VIREMENT", "arguments": {"amount_cents": 30_00, "to": to}} for to in ("bela", "carl")]
    made = scene.perform("anna", mail)
    assert [no(step.outcome) for step in made.steps] == [[], ["R-TRA-2 giver_below_reserve"]]
    assert scene.balances == {"anna": 100_00, "bela": 0, "carl": 0}


def ordered():
    scene = club("anna", bela=250_00, carl=150_00).idle(12)
    scene.run(inactivity.scan)
    scene.done("anna", "INJONCTION", member="bela")
    return scene


def outstanding(scene):
    [order] = [i for i in scene.club.books.injunctions() if i.member == "bela"]
    return order.lines[0].outstanding_cents


def test_a_transfer_between_the_two_fulfils_their_order_in_part_or_whole():
    """R-INA-4."""
    scene = ordered()
    said = scene.done("bela", "VIREMENT", amount_cents=20_00, to="carl")
    assert said.answer["injunction"] is True
    assert outstanding(scene) == 30_00
    scene.done("bela", "VIREMENT", amount_cents=30_00, to="carl")
    assert [i.member for i in scene.club.books.injunctions() if i.state is InjunctionState.LAUNCHED] == []
    scene.having(bela=150_00)
    assert scene.done("carl", "VIREMENT", amount_cents=1, to="bela").answer["injunction"] is False


def test_a_transfer_the_other_way_or_to_somebody_else_does_not_fulfil_it():
    """R-INA-4."""
    scene = ordered().having(anna=150_00)
    assert scene.done("bela", "VIREMENT", amount_cents=1_00, to="anna").answer["injunction"] is False
    assert no(scene.having(bela=150_00).say("carl", "VIREMENT", amount_cents=1_00, to="bela")) == []
    assert outstanding(scene) == 50_00


def test_more_than_was_ordered_counts_up_to_what_was_ordered():
    """R-INA-4: an order of 10.00 is settled by 15.00."""
    scene = club("anna", bela=250_00, carl=150_00).idle(12)
    scene.run(inactivity.scan)
    scene.done("anna", "INJONCTION", member="bela", amounts={"carl": 10_00})
    scene.done("bela", "VIREMENT", amount_cents=15_00, to="carl")
    assert [i.member for i in scene.club.books.injunctions()] == ["carl"]


@pytest.mark.parametrize("cents", [199_99, 0])
def test_the_bankers_are_shown_to_members_below_the_credit(cents):
    """R-TRA-5."""
    said = club("anna", carl=75_50, bela=cents).would("bela", "BANQUIERS")
    assert said.answer == {
        "bankers": [{"handle": "anna", "capacity_cents": 150_00}, {"handle": "carl", "capacity_cents": 25_00}]
    }


@pytest.mark.parametrize("cents", [200_00, 200_01])
def test_the_bankers_are_not_shown_to_others(cents):
    """R-TRA-5: with the credit or more he needs none."""
    said = club("anna", bela=cents).would("bela", "BANQUIERS")
    assert no(said) == ["R-TRA-5 no_need_of_bankers"]
    assert figures(said, "no_need_of_bankers") == {"balance_cents": cents, "limit_cents": 200_00}
