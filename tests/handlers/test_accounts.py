"""COMPTE, JOUEURS, INVITE, J'ACCEPTE, QUITTE: effects and who is told."""

from datetime import datetime

import pytest

from mailflow.handlers import inactivity
from store.records import MemberStatus
from tests.club import club, figures, no, numbers, told


def account(scene, author="bela", **period):
    return scene.done(author, "COMPTE", **period).answer


def test_compte_shows_every_line_with_the_balance_after_it():
    """R-ACC-2: from the opening on."""
    scene = club("bela", "carl").recent("anna", "bela", buyin=5_00)
    scene.later(hours=1).done("carl", "VIREMENT", amount_cents=2_00, to="bela", note="merci")
    statement = account(scene)["statement"]
    assert [(line.kind, line.amount_cents, line.balance_cents) for line in statement.lines] == [
        ("opening", 200_00, 200_00),
        ("result", -5_00, 195_00),
        ("transfer", 2_00, 197_00),
    ]
    assert (statement.opening_cents, statement.closing_cents) == (0, 197_00)
    assert statement.lines[2].counterparts == ("carl",)


def test_compte_shows_what_is_committed():
    """RULES, "engagement": the running games only."""
    scene = club("bela", "carl").recent("carl", "bela").running("anna", "bela", buyin=5_00)
    assert account(scene)["running"] == [{"number": 2, "buyin_cents": 5_00}]


@pytest.mark.parametrize(("cents", "shown"), [(49_99, True), (50_00, False), (199_99, False)])
def test_compte_shows_the_bankers_unasked_below_the_reserve(cents, shown):
    """R-TRA-5: it is the balance that counts."""
    bankers = account(club("anna", bela=cents))["bankers"]
    assert bankers == ([{"handle": "anna", "capacity_cents": 150_00}] if shown else None)


def test_compte_with_a_low_available_but_enough_balance_shows_no_bankers():
    """R-TRA-5."""
    scene = club("anna", bela=50_00).running("anna", "bela", buyin=10_00)
    assert account(scene)["bankers"] is None


def test_compte_over_a_period_of_days():
    """Both days included, in club time."""
    scene = club("bela", "carl", start="2026-01-05T00:00+01:00")
    scene.at("2026-01-06T23:59:59").recent("anna", "bela").at("2026-01-07T00:00:00").recent("carl", "bela")

    def kinds(**period):
        return [line.kind for line in account(scene, **period)["statement"].lines]

    assert kinds() == ["opening", "result", "result"]
    assert kinds(until="2026-01-05") == ["opening"]
    assert kinds(since="2026-01-06", until="2026-01-06") == ["result"]
    assert kinds(since="2026-01-07") == ["result"]
    assert kinds(since="2026-01-08") == []


def test_compte_over_a_period_that_is_empty_is_refused():
    """R-ACC-2: the end is before the beginning."""
    said = club("bela").would("bela", "COMPTE", since="2026-01-07", until="2026-01-06")
    assert no(said) == ["R-ACC-2 period_is_empty"]
    assert figures(said, "period_is_empty") == {"since": "2026-01-07", "until": "2026-01-06"}


@pytest.mark.parametrize("key", ["since", "until"])
@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
@pytest.mark.parametrize("zone", ["Europe/Paris", "America/Santiago"])
def test_compte_of_any_day_is_answered(key, day, zone):
    """The first and the last day that can be written are days too."""
    assert not club("bela", timezone=zone).would("bela", "COMPTE", **{key: day}).refused


def test_compte_shows_the_orders_that_concern_its_reader():
    """R-INA-4: as giver and as counterpart, while something is outstanding."""
    scene = club("anna", bela=250_00, carl=150_00).idle(12)
    scene.run(inactivity.scan)
    assert account(scene)["injunctions"] == []
    scene.done("anna", "INJONCTION", member="bela")
    for reader in ("bela", "carl"):
        [order] = account(scene, reader)["injunctions"]
        assert (order["line"].giver, order["line"].beneficiary, order["line"].outstanding_cents) == (
            "bela",
            "carl",
            50_00,
        )
        assert order["due_at"] == scene.window_from_now(days=30)
    assert account(scene, "anna")["injunctions"] == []
    scene.done("bela", "VIREMENT", amount_cents=50_00, to="carl")
    assert account(scene)["injunctions"] == []


def test_joueurs_shows_who_could_play_and_nothing_of_what_anybody_has():
    """R-GAME-4: members by handle; those who left are not shown."""
    scene = club("anna", "dora", "emil", bela=9_99, carl=10_00).banned("dora")
    scene.done("emil", "QUITTE")
    rows = scene.done("carl", "JOUEURS").answer["players"]
    assert [(r["handle"], r["manager"], r["banned"], r["eligible"]) for r in rows] == [
        ("anna", True, False, True),
        ("bela", False, False, False),
        ("carl", False, False, True),
        ("dora", False, True, False),
    ]
    assert list(numbers(rows)) == []


# ---------------------------------------------------------------- coming and going


def test_an_invitation_goes_to_the_address_and_to_nobody_else():
    """R-ACC-3: the one notice that goes to somebody who is no member."""
    scene = club("bela")
    said = scene.done("anna", "INVITE", member="dora", address="dora@example.org")
    assert told(said) == ["member.invited: dora"]
    assert said.notices[0].address == "dora@example.org"
    assert scene.club.books.invitation("DORA").invited_by == "anna"
    assert "dora" not in scene.balances


def test_all_other_notices_go_to_registered_addresses():
    """R-SEC-2: they name members, never an address."""
    scene = club("bela", "carl", anna=150_00)
    for said in (
        scene.done("bela", "VIREMENT", amount_cents=1_00, to="anna"),
        scene.done("bela", "PARTIE", players=["carl"], places={"1": ["bela"]}),
        scene.done("carl", "CONTESTE", game=1, reason="no"),
        scene.done("anna", "BANNIT", member="bela", reason="x"),
    ):
        assert said.notices
        assert all(notice.address == "" for notice in said.notices)
        assert all(scene.club.member(to) for notice in said.notices for to in notice.to)


def test_a_newer_invitation_supersedes_the_older():
    """R-ACC-3: under the same handle."""
    scene = club("bela")
    scene.done("anna", "INVITE", member="dora", address="dora@example.org")
    scene.done("anna", "INVITE", member="dora", address="dora@example.net")
    assert scene.club.books.invitation("dora").address == "dora@example.net"
    assert scene.club.books.invitation_for_address("dora@example.org") is None


def test_the_invited_who_accepts_gets_an_account_with_the_credit():
    """R-ACC-1, R-ACC-2: he and the managers are told."""
    scene = club("bela", "carl", manager=("anna", "carl"))
    scene.done("anna", "INVITE", member="dora", address="dora@example.org")
    said = scene.joins("dora")
    assert told(said) == ["member.opened: anna carl dora"]
    assert {h for h, own in said.notices[0].own.items() if own.get("is_me")} == {"dora"}
    dora = scene.member("dora")
    assert (dora.balance_cents, dora.status, dora.manager) == (200_00, MemberStatus.ACTIVE, False)
    assert dora.address == "dora@example.org"
    assert scene.club.books.invitation("dora") is None
    assert scene.findings() == ()


def test_the_credit_of_a_newcomer_is_that_of_the_rulebook_as_it_stands():
    """R-ACC-2, R-REG-1."""
    scene = club("bela").amended(initial_credit_cents=150_00)
    scene.done("anna", "INVITE", member="dora", address="dora@example.org")
    scene.joins("dora")
    assert scene.balance("dora") == 150_00


def test_who_leaves_is_told_to_the_managers():
    """R-ACC-6: the answer is his, the notice theirs."""
    scene = club("bela", "carl", manager=("anna", "carl"))
    said = scene.done("bela", "QUITTE")
    assert told(said) == ["member.closed: anna carl"]
    assert scene.member("bela").status is MemberStatus.LEFT
    assert scene.club.member("bela") is None


def test_a_manager_who_leaves_is_not_told_of_himself():
    """R-ACC-6."""
    assert told(club("bela", manager=("anna", "carl")).done("carl", "QUITTE")) == ["member.closed: anna"]


def test_a_refused_leave_changes_nothing():
    """R-ACC-6."""
    scene = club(bela=150_00)
    assert no(scene.say("bela", "QUITTE")) == ["R-ACC-6 balance_not_even"]
    assert scene.member("bela").active


def test_joining_when_the_account_was_opened_counts_as_the_last_participation():
    """R-INA-1: the day of the opening."""
    scene = club("bela").at("2026-03-31T12:00")
    scene.done("anna", "INVITE", member="dora", address="dora@example.org")
    scene.joins("dora")
    assert scene.club.books.last_participations()["dora"] == datetime.fromisoformat("2026-03-31T12:00+02:00")
