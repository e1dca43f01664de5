"""The weekly digest: what everybody reads, and what awaits the managers."""

import pytest

from mailflow.handlers import digest, inactivity
from mailflow.handlers.digest import TABLE_MAX
from mailflow.rules.bankers import BANKERS_MAX
from tests.club import club, told


def weekly(scene):
    said = scene.run(digest.weekly)
    [notice] = [n for n in said.notices if n.kind == "digest.weekly" and not n.within]
    return notice


def test_it_goes_to_active_members():
    """CONTRACTS, digest.weekly: not to the banned, nor to those who left."""
    scene = club("bela", "carl", "dora").banned("carl")
    scene.done("dora", "QUITTE")
    assert told(scene.run(digest.weekly)) == ["digest.weekly: anna bela"]


def test_balances_are_shown_highest_first_with_the_change_of_the_week():
    """Banned members are shown, those who left are not."""
    scene = club("anna", "bela", "carl", "dora", "emil").banned("dora").later(days=8)
    scene.done("emil", "QUITTE")
    scene.recent("bela", "anna", "carl", buyin=10_00).later(days=6, hours=23)
    notice = weekly(scene)
    assert [(r["handle"], r["balance_cents"], r["change_cents"]) for r in notice.facts["balances"]] == [
        ("bela", 220_00, 20_00),
        ("dora", 200_00, 0),
        ("anna", 190_00, -10_00),
        ("carl", 190_00, -10_00),
    ]
    assert notice.own["carl"]["change_cents"] == -10_00
    assert [shown.number for shown in notice.own["anna"]["results"]] == [1]
    later = weekly(scene.later(days=1))
    assert later.own["carl"]["change_cents"] == 0
    assert later.own["anna"]["results"] == []


def test_results_of_the_week_show_nobody_s_own_effect():
    """R-RES-5: one mail for all."""
    scene = club("bela").recent("anna", "bela").later(hours=1)
    assert weekly(scene).own["anna"]["results"][0].effect_cents is None


@pytest.mark.parametrize(("days", "shown"), [(6, False), (7, True), (13, True)])
def test_windows_that_end_within_the_coming_week_are_shown(days, shown):
    """R-DIS-1: the window of 14 days ends on the 19th at midnight, the digest looks seven days ahead."""
    scene = club("bela", rulebook={"dispute_window_days": 14}).recent("anna", "bela").later(days=days)
    windows = weekly(scene).own["anna"]["windows"]
    assert [(w.number, w.participants) for w in windows] == ([(1, ("anna", "bela"))] if shown else [])


def test_running_games_and_cases_have_no_window_to_show():
    """R-DIS-1."""
    scene = club("bela", "carl").arbitration("anna", "bela").running("bela", "carl")
    assert weekly(scene).own["anna"]["windows"] == []


def test_bankers_are_shown_in_whole_euros():
    """R-TRA-5: the reader among them, as it is one mail for all."""
    assert weekly(club(anna=50_00, bela=80_99)).facts["bankers"] == [
        {"handle": "bela", "capacity_cents": 30_00}
    ]


def test_the_books_are_checked_in_it():
    """R-ACC-2: the journal's sum is zero; the head of the audit chain is printed."""
    scene = club("bela")
    facts = weekly(scene).facts
    assert facts["journal_sum"] == 0
    assert facts["chain_head"] == scene.club.books.chain_head()


def test_only_managers_see_what_awaits_them():
    """R-DIS-4, R-INA-3, R-INA-5: cases, proposals, overdue orders."""
    scene = club("anna", bela=250_00, carl=150_00, manager=("anna", "dora")).idle(12)
    scene.run(inactivity.scan)
    scene.done("anna", "INJONCTION", member="bela")
    scene.arbitration("anna", "dora").having(anna=200_00, dora=200_00)
    notice = weekly(scene)
    assert notice.own["bela"]["awaiting"] is notice.own["carl"]["awaiting"] is None
    assert notice.own["anna"]["awaiting"] == {
        "cases": [1],
        "proposals": ["carl"],
        "overdue": [],
        "bouncing": [],
    }
    assert notice.own["dora"]["awaiting"] == notice.own["anna"]["awaiting"]
    overdue = weekly(scene.later(days=31))
    assert overdue.own["anna"]["awaiting"]["overdue"] == ["bela"]


def test_a_launched_proposal_is_out_of_view():
    """R-INA-3: in view until it is launched."""
    scene = club("anna", bela=250_00).idle(12)
    scene.run(inactivity.scan)
    assert weekly(scene).own["anna"]["awaiting"]["proposals"] == ["bela"]
    scene.having(anna=150_00)
    scene.done("anna", "INJONCTION", member="bela", amounts={"anna": 50_00})
    assert weekly(scene).own["anna"]["awaiting"]["proposals"] == []


def test_a_proposal_is_out_of_view_when_the_balance_is_even():
    """R-INA-3: or until the balance is 200.00; the digest of Monday 08:00 comes before the scan of 10:00."""
    scene = club("anna", bela=250_00).idle(12)
    scene.run(inactivity.scan)
    assert weekly(scene.having(bela=200_00)).own["anna"]["awaiting"]["proposals"] == []


def test_a_large_club_gets_no_table_of_everybody():
    """Up to TABLE_MAX members are listed, and BANKERS_MAX bankers."""
    scene = club(*(f"m{n:03}" for n in range(TABLE_MAX - 1)))
    assert len(weekly(scene).facts["balances"]) == TABLE_MAX
    scene.done("anna", "INVITE", member="zoe", address="zoe@example.org")
    scene.joins("zoe")
    facts = weekly(scene).facts
    assert (len(facts["balances"]), len(facts["bankers"])) == (0, BANKERS_MAX)
