"""Injunctions, nudges, complaints, versions of the rulebook."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store import sql
from store.errors import RowExists, SchemaRefused, UnknownName, WrongState
from store.records import (
    AmendRulebook,
    Change,
    FileComplaint,
    Injunction,
    InjunctionLine,
    InjunctionState,
    LaunchInjunction,
    NoteNudge,
    ProposeInjunction,
    RulebookVersion,
    SettleInjunction,
    TellOverdue,
    Transfer,
)
from tests.store.scene import START, Scene, found

SPELL = START - timedelta(days=365)
DUE = START + timedelta(days=30)
LINES = (InjunctionLine("dora", "anna", 30_00), InjunctionLine("dora", "bela", 20_00))


@pytest.fixture
def ordered(club: Scene) -> Scene:
    """Dora is to transfer 30 € to anna and 20 € to bela; launched."""
    club.do(ProposeInjunction("dora", SPELL, LINES, 5_00))
    club.do(LaunchInjunction(1, "anna", LINES, DUE))
    return club


def injunction(club: Scene) -> Injunction:
    found_one = club.books.injunction_of_spell("dora", SPELL)
    assert found_one is not None
    return found_one


def paid(club: Scene) -> list[int]:
    return [line.paid_cents for line in injunction(club).lines]


def test_a_proposal_is_read_as_it_was_written(club: Scene) -> None:
    at = club.do(ProposeInjunction("DORA", SPELL, LINES, 5_00))
    expected = Injunction(
        id=1,
        member="dora",
        spell_started_at=SPELL,
        state=InjunctionState.PROPOSED,
        lines=LINES,
        unplaced_cents=5_00,
        proposed_at=at,
        due_at=None,
        overdue_told=False,
    )
    assert club.books.injunctions() == (expected,)
    assert club.books.injunction_of_spell("dora", SPELL) == expected
    assert club.books.injunction_of_spell("dora", START) is None
    assert club.books.injunction_of_spell("anna", SPELL) is None


def test_one_spell_has_one_proposal(club: Scene) -> None:
    club.do(ProposeInjunction("dora", SPELL, LINES, 0))
    with pytest.raises(RowExists):
        club.do(ProposeInjunction("dora", SPELL, (), 0))
    club.do(ProposeInjunction("dora", START, (), 0))
    assert len(club.books.injunctions()) == 2


def test_the_lines_launched_replace_those_proposed(club: Scene) -> None:
    club.do(ProposeInjunction("dora", SPELL, LINES, 0))
    own = (InjunctionLine("dora", "carl", 50_00),)
    club.do(LaunchInjunction(1, "anna", own, DUE))
    assert injunction(club).lines == own
    assert (injunction(club).state, injunction(club).due_at) == (InjunctionState.LAUNCHED, DUE)
    with pytest.raises(WrongState):
        club.do(LaunchInjunction(1, "anna", own, DUE))


def test_transfers_fulfil_an_injunction_in_part_and_whole(ordered: Scene) -> None:
    ordered.do(Transfer("dora", "anna", 10_00, "", injunction=1))
    assert paid(ordered) == [10_00, 0]
    ordered.do(Transfer("dora", "anna", 25_00, "", injunction=1))  # five more than is outstanding
    assert paid(ordered) == [30_00, 0]
    assert injunction(ordered).state is InjunctionState.LAUNCHED
    ordered.do(Transfer("dora", "bela", 20_00, "", injunction=1))
    assert paid(ordered) == [30_00, 20_00]
    assert injunction(ordered).state is InjunctionState.SETTLED
    assert ordered.books.injunctions() == ()
    assert ordered.balances["dora"] == 145_00


def test_a_transfer_without_injunction_counts_for_none(ordered: Scene) -> None:
    ordered.do(Transfer("dora", "anna", 30_00, ""))
    assert paid(ordered) == [0, 0]


@pytest.mark.parametrize(("giver", "beneficiary"), [("anna", "dora"), ("dora", "carl")])
def test_a_transfer_the_injunction_does_not_order_is_refused(
    ordered: Scene, giver: str, beneficiary: str
) -> None:
    with pytest.raises(WrongState, match="injunction 1"):
        ordered.do(Transfer(giver, beneficiary, 1_00, "", injunction=1))
    assert set(ordered.balances.values()) == {200_00}


def test_an_injunction_may_be_settled_otherwise(ordered: Scene) -> None:
    ordered.do(TellOverdue(1))
    assert injunction(ordered).overdue_told
    ordered.do(SettleInjunction(1), SettleInjunction(1))
    assert injunction(ordered).state is InjunctionState.SETTLED


@pytest.mark.parametrize(
    "change", [SettleInjunction(1), TellOverdue(1), LaunchInjunction(1, "anna", (), DUE)]
)
def test_an_injunction_of_another_club_is_not_touched(ordered: Scene, change: Change) -> None:
    other = found(ordered.db, "autre@example.org")
    with pytest.raises(WrongState, match="injunction 1"):
        other.do(change)


def test_nudges_are_kept_per_spell(club: Scene) -> None:
    assert club.books.nudged_months("bela", SPELL) == 0
    club.do(NoteNudge("bela", SPELL, 6))
    club.do(NoteNudge("bela", SPELL, 7))
    assert club.books.nudged_months("bela", SPELL) == 7
    assert club.books.nudged_months("bela", START) == 0


def test_complaints_are_numbered(club: Scene) -> None:
    assert club.books.next_complaint_number() == 1
    club.do(FileComplaint(1, "bela", "carl", "il triche"))
    assert club.books.next_complaint_number() == 2
    assert sql.row(club.db, "SELECT author, about, complaint FROM complaint") == ("bela", "carl", "il triche")


def test_rulebook_versions_are_all_kept(club: Scene) -> None:
    first = RulebookVersion(1, "{}", START, None, "")
    assert club.books.rulebook() == first
    at = club.do(AmendRulebook(2, '{"a": 1}', "anna", "plus simple"))
    assert club.books.rulebook() == RulebookVersion(2, '{"a": 1}', at, "anna", "plus simple")
    assert club.books.rulebook_version(1) == first
    with pytest.raises(UnknownName):
        club.books.rulebook_version(3)
    with pytest.raises(SchemaRefused):
        club.do(AmendRulebook(2, "{}", "anna", ""))
