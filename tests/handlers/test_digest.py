"""The weekly digest: what everybody reads, and what awaits the managers."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mailflow.handlers import digest, inactivity
from mailflow.handlers.courses import LINES_MAX
from mailflow.handlers.digest import TABLE_MAX
from mailflow.rules.bankers import BANKERS_MAX
from mailflow.sections.digest import Digest
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
    hers = notice.own["anna"]["awaiting"]
    assert (hers["cases"], hers["proposals"], hers["overdue"]) == ([1], ["carl"], [])
    assert notice.own["dora"]["awaiting"] == notice.own["anna"]["awaiting"]
    overdue = weekly(scene.later(days=31))
    assert overdue.own["anna"]["awaiting"]["overdue"] == ["bela"]


def test_a_case_is_shown_to_those_who_decide_it():
    """R-ARB-1: not to the manager who took part, where another did not."""
    scene = club("bela", manager=("anna", "dora")).arbitration("anna", "bela")
    own = weekly(scene).own
    assert (own["anna"]["awaiting"]["cases"], own["dora"]["awaiting"]["cases"]) == ([], [1])
    assert (own["anna"]["awaiting"]["anything"], own["dora"]["awaiting"]["anything"]) == (False, True)


@pytest.mark.parametrize(("cents", "settled", "debts"), [(199_99, [], ["bela"]), (200_00, ["bela"], [])])
def test_the_banned_are_shown_by_what_can_be_done(cents, settled, debts):
    """R-BAN-4 from the initial credit on, R-SOL-1 below it."""
    scene = club("bela").banned("bela").having(bela=cents)
    hers = weekly(scene).own["anna"]["awaiting"]
    assert hers["settled"] == settled
    assert [one["handle"] for one in hers["debts"]] == debts


@pytest.mark.parametrize(("cents", "shown"), [(19_99, ["bela"]), (20_00, [])])
def test_members_near_the_limit_are_shown_to_managers(cents, shown):
    """R-REM-2: those who are reminded."""
    hers = weekly(club(bela=cents)).own["anna"]["awaiting"]
    assert [one["handle"] for one in hers["low"]] == shown


def test_a_complaint_is_shown_until_it_is_laid_aside():
    """R-REG-2."""
    scene = club("bela", "carl")
    scene.done("bela", "PLAINTE", member="carl", reason="unfair")
    assert [one.number for one in weekly(scene).own["anna"]["awaiting"]["complaints"]] == [1]
    scene.done("anna", "CLASSE", complaint=1)
    assert weekly(scene).own["anna"]["awaiting"]["complaints"] == []
    assert [r.code for r in scene.say("anna", "CLASSE", complaint=1).refusals] == ["settled_already"]
    assert [r.code for r in scene.say("anna", "CLASSE", complaint=2).refusals] == ["paper_unknown"]
    assert [r.code for r in scene.say("anna", "CLASSE", application=1).refusals] == ["paper_unknown"]


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


# ---------------------------------------------------------------- what is open for the reader


def open_for(scene, reader):
    """What is open for a member, and the games' numbers."""
    return {
        what: [one.number for one in lines]
        for what, lines in weekly(scene).own[reader]["open"].items()
        if lines
    }


def test_each_is_shown_the_games_that_wait_for_him_or_for_another():
    """R-RES-1: the creator gives the result; the others are told who does."""
    scene = club("bela", "carl").running("bela", "carl")
    assert open_for(scene, "bela") == {"record": [1]}
    assert open_for(scene, "carl") == {"playing": [1]}
    assert open_for(scene, "anna") == {}


def test_a_result_can_be_disputed_by_the_players_but_its_creator():
    """R-DIS-1, R-DIS-2: who has disputed it may withdraw."""
    scene = club("bela", "carl", "dora").recent("bela", "carl", "dora", won_by=["bela"])
    scene.done("carl", "CONTESTE", game=1, reason="no")
    assert open_for(scene, "bela") == {}
    assert open_for(scene, "carl") == {"disputed": [1]}
    assert open_for(scene, "dora") == {"dispute": [1]}


def test_a_case_is_open_for_its_players_until_it_is_decided():
    """R-DIS-4."""
    scene = club("bela", "carl").arbitration("bela", "carl")
    assert open_for(scene, "bela") == open_for(scene, "carl") == {"disputed": [1]}
    scene.done("anna", "REJETTE", game=1, reason="no")
    assert open_for(scene, "carl") == {}


def test_both_sides_of_an_order_see_what_is_still_to_pay_and_until_when():
    """R-INA-4."""
    scene = club("anna", bela=250_00, carl=150_00, dora=200_00).idle(12)
    scene.run(inactivity.scan)
    scene.done("anna", "INJONCTION", member="bela")
    own = weekly(scene).own
    [order] = own["bela"]["orders"]
    assert (order["giver"], order["beneficiary"], order["cents"]) == ("bela", "carl", 50_00)
    assert order["due_at"] > scene.now
    assert own["carl"]["orders"] == [order]
    assert own["dora"]["orders"] == []


# ---------------------------------------------------------------- reminders


@pytest.mark.parametrize(("cents", "low"), [(9_99, True), (10_00, True), (19_99, True), (20_00, False)])
def test_a_low_account_is_said_in_it(cents, low):
    """R-REM-1, R-REM-2: what the reminders of this day would have said."""
    facts = weekly(club("anna", bela=cents)).own["bela"]["low"]
    assert (facts is not None) == low
    assert facts is None or facts["daily"] == (cents < 10_00)


def test_an_inactive_member_is_asked_in_it_and_not_again_that_day():
    """R-INA-2: the digest of a Monday, and the scan two hours later."""
    scene = club("anna", bela=250_00, start="2026-01-12T09:00+01:00").at("2026-07-13T08:00")
    said = scene.run(digest.weekly)
    own = next(n for n in said.notices if n.kind == "digest.weekly").own
    assert own["bela"]["nudge"]["months"] == 6
    assert own["anna"]["nudge"] is None
    assert [n.within for n in said.notices if n.kind == "inactivity.nudge"] == ["digest.weekly"]
    assert told(scene.at("2026-07-13T10:00").run(inactivity.scan)) == []


def test_who_stopped_it_gets_none():
    scene = club("bela", "carl")
    scene.done("bela", "BILAN", wanted="NON")
    assert told(scene.run(digest.weekly)) == ["digest.weekly: anna carl"]
    scene.done("bela", "BILAN", wanted="OUI")
    assert told(scene.run(digest.weekly)) == ["digest.weekly: anna bela carl"]


# ---------------------------------------------------------------- the balances over time


def course(scene, reader):
    return weekly(scene).own[reader]["course"]


def test_balances_are_drawn_day_by_day_and_end_with_those_of_now():
    """A club of nine days; a member's line begins when his account was opened."""
    scene = club("anna", "bela").later(days=3)
    scene.done("anna", "INVITE", member="zoe", address="zoe@example.org")
    scene.joins("zoe")
    scene.later(days=2)
    scene.recent("bela", "anna", buyin=10_00).later(days=4, minutes=1)
    drawn = course(scene, "bela")
    assert drawn["own"] == (200_00,) * 5 + (210_00,) * 5
    assert (drawn["from_cents"], drawn["to_cents"]) == (200_00, 210_00)
    assert (drawn["lowest_cents"], drawn["highest_cents"]) == (200_00, 210_00)
    assert (drawn["first"], drawn["last"]) == (scene.now - timedelta(days=9), scene.now)
    assert (None, None, None, *(200_00,) * 7) in drawn["others"]
    assert course(scene, "zoe")["since"] == scene.now - timedelta(days=6)


def test_an_old_club_is_drawn_week_by_week_for_half_a_year():
    scene = club("anna", "bela").later(days=400).recent("bela", "anna", buyin=10_00).later(days=8)
    drawn = course(scene, "anna")
    assert drawn["own"] == (200_00,) * 25 + (190_00, 190_00)
    assert drawn["last"] - drawn["first"] == timedelta(weeks=26)


def test_a_day_is_too_little_to_be_drawn():
    assert course(club("bela").later(days=1), "bela") is None
    assert course(club("bela").later(days=2, minutes=1), "bela") is not None


@pytest.mark.parametrize("everyone", [True, False])
def test_a_club_may_keep_balances_to_their_owners(everyone):
    """[digest] balances = "own": neither the table nor the picture shows another's."""
    scene = club("bela", "carl").later(days=9)
    shown = digest.weekly(replace(scene.club, digest=Digest(everyone=everyone))).notices[0]
    assert (shown.facts["balances"] != []) == everyone
    assert (shown.own["bela"]["course"]["others"] != ()) == everyone


def test_a_club_may_do_without_pictures():
    scene = club("bela").later(days=9)
    shown = digest.weekly(replace(scene.club, digest=Digest(picture=False))).notices[0]
    assert shown.own["bela"]["course"] is None


def test_a_large_club_is_drawn_without_the_others():
    """Up to LINES_MAX lines are told apart."""
    scene = club(*(f"m{n:02}" for n in range(LINES_MAX - 1))).later(days=9)
    assert len(course(scene, "anna")["others"]) == LINES_MAX - 1
    scene.done("anna", "INVITE", member="zoe", address="zoe@example.org")
    scene.joins("zoe")
    assert course(scene, "anna")["others"] == ()
