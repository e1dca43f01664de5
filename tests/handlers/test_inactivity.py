"""The daily scan and INJONCTION: nudges, proposals, orders, and who is told."""

import pytest

from mailflow.handlers import inactivity
from store.records import InjunctionLine, InjunctionState
from tests.club import club, figures, no, told


def scanning(scene):
    return told(scene.run(inactivity.scan))


def orders(scene):
    return [(i.member, i.state.value) for i in scene.club.books.injunctions()]


# ---------------------------------------------------------------- nudges


@pytest.mark.parametrize(
    ("start", "before", "on"),
    [
        ("2026-01-15T09:00+01:00", "2026-07-14T10:00", "2026-07-15T10:00"),
        ("2026-08-31T09:00+02:00", "2027-02-27T10:00", "2027-02-28T10:00"),
        ("2027-08-31T23:30+02:00", "2028-02-28T10:00", "2028-02-29T10:00"),
        ("2026-01-15T00:30+01:00", "2026-07-14T10:00", "2026-07-15T10:00"),  # still the 14th in UTC
    ],
)
def test_after_six_months_one_mail_asks_him(start, before, on):
    """R-INA-2: the same day of the month, or its last; days are days of the club."""
    scene = club("anna", bela=150_00, start=start)
    assert scanning(scene.at(before)) == []
    said = scene.at(on).run(inactivity.scan)
    assert told(said) == ["inactivity.nudge: bela"]
    facts = said.notices[0].facts["nudge"]
    assert (facts["months"], facts["imbalance_cents"]) == (6, -50_00)
    assert facts["bankers"] == [{"handle": "anna", "capacity_cents": 150_00}]


def test_it_is_repeated_monthly_and_not_daily():
    """R-INA-2."""
    scene = club("anna", bela=250_00, start="2026-01-15T09:00+01:00")
    heard = {}
    for day in ("07-15", "07-16", "08-14", "08-15", "08-16", "09-15", "10-15"):
        heard[day] = scanning(scene.at(f"2026-{day}T10:00"))
    assert [day for day, notices in heard.items() if notices] == ["07-15", "08-15", "09-15", "10-15"]


def test_months_that_were_missed_are_asked_once():
    """R-INA-2: the machine was off for three months."""
    scene = club("anna", bela=250_00).idle(9)
    assert scanning(scene) == ["inactivity.nudge: bela"]
    assert scanning(scene.later(days=1)) == []


@pytest.mark.parametrize("cents", [199_99, 200_01])
def test_a_cent_off_is_off(cents):
    """R-INA-2: the balance is not 200.00."""
    assert scanning(club("anna", bela=cents).idle(6)) == ["inactivity.nudge: bela"]


def test_with_the_credit_exactly_nobody_is_asked():
    """R-INA-2, R-INA-3."""
    assert scanning(club("anna", "bela").idle(13)) == []


def test_banned_members_are_not_asked():
    """R-INA-2."""
    assert scanning(club("anna", bela=150_00).banned("bela").idle(12)) == []


def test_a_game_begins_a_new_spell():
    """R-INA-1: the latest result of a game he took part in, winner or not."""
    scene = club("anna", "bela").idle(5).final("anna", "bela")
    played = scene.game().result_at
    assert scene.club.books.last_participations()["bela"] == played
    assert scanning(scene.idle(5)) == []
    assert scanning(scene.at(played).idle(6)) == ["inactivity.nudge: anna", "inactivity.nudge: bela"]


def test_neither_a_running_nor_a_cancelled_game_counts():
    """R-INA-1: a result does."""
    scene = club("anna", bela=150_00)
    joined = scene.now
    scene.idle(5).running("anna", "bela")
    scene.done("anna", "ANNULE", game=1)
    scene.running("anna", "bela")
    assert scene.club.books.last_participations()["bela"] == joined
    assert scanning(scene.at(joined).idle(6)) == ["inactivity.nudge: bela"]


def test_a_reversed_result_does_not_count():
    """R-INA-1: the one before it does again."""
    scene = club("anna", "bela", "carl").final("carl", "bela")
    first = scene.game().result_at
    scene.idle(3).arbitration("carl", "bela")
    scene.done("anna", "ACCEPTE", game=2, reason="mistaken")
    assert scene.club.books.last_participations()["bela"] == first


# ---------------------------------------------------------------- proposals


@pytest.mark.parametrize(
    ("start", "before", "on"),
    [
        ("2026-01-15T09:00+01:00", "2027-01-14T10:00", "2027-01-15T10:00"),
        ("2028-02-29T09:00+01:00", "2029-02-27T10:00", "2029-02-28T10:00"),
    ],
)
def test_after_a_year_every_manager_gets_a_proposal(start, before, on):
    """R-INA-3: the same day next year."""
    scene = club("anna", bela=250_00, carl=150_00, manager=("anna", "dora"), start=start)
    scene.at(before).run(inactivity.scan)
    assert orders(scene) == []
    said = scene.at(on).run(inactivity.scan)
    assert [n for n in told(said) if "proposal" in n] == ["inactivity.proposal: anna dora"] * 2
    proposal = next(n for n in said.notices if n.kind == "inactivity.proposal")
    assert proposal.about == "bela"
    assert proposal.facts["lines"] == (InjunctionLine("bela", "carl", 50_00),)
    assert (proposal.facts["unplaced_cents"], proposal.facts["imbalance_cents"]) == (0, 50_00)
    assert orders(scene) == [("bela", "proposed"), ("carl", "proposed")]


def test_what_cannot_be_placed_is_said():
    """R-INA-3: nobody lacks anything."""
    said = club("anna", bela=250_00).idle(12).run(inactivity.scan)
    assert said.notices[1].facts["lines"] == ()
    assert said.notices[1].facts["unplaced_cents"] == 50_00


def test_one_proposal_per_spell():
    """R-INA-3: neither the next day nor the next year."""
    scene = club("anna", bela=250_00).idle(12)
    scene.run(inactivity.scan)
    for span in ({"days": 1}, {"days": 400}):
        assert [n for n in scanning(scene.later(**span)) if "proposal" in n] == []
    assert orders(scene) == [("bela", "proposed")]


def test_a_proposal_ends_when_the_balance_is_even():
    """R-INA-3: silently; and there is no second one in that spell."""
    scene = club("anna", bela=250_00).idle(12)
    scene.run(inactivity.scan)
    assert scanning(scene.having(bela=200_00).later(days=1)) == []
    assert orders(scene) == []
    assert scanning(scene.having(bela=250_00).later(days=1)) == []


def test_a_proposal_ends_when_he_plays_again():
    """R-INA-3: his spell is over."""
    scene = club("anna", bela=250_00).idle(12)
    scene.run(inactivity.scan)
    scene.recent("anna", "bela").having(bela=250_00).later(days=1).run(inactivity.scan)
    assert orders(scene) == []


def test_a_new_spell_has_a_proposal_of_its_own():
    """R-INA-3."""
    scene = club("anna", bela=250_00).idle(12)
    scene.run(inactivity.scan)
    scene.recent("anna", "bela").having(bela=250_00, anna=200_00).later(days=1).run(inactivity.scan)
    assert "inactivity.proposal: anna" in scanning(scene.idle(12))
    assert orders(scene) == [("bela", "proposed")]


def test_without_nudges_before_the_proposal_there_is_the_proposal():
    """R-INA-3: where the rulebook proposes before it asks, no mail asks first."""
    scene = club("anna", bela=250_00, rulebook={"proposal_after_months": 2}).idle(2)
    assert scanning(scene) == ["inactivity.proposal: anna"]


def test_a_rulebook_may_ask_every_third_month():
    """R-INA-2: six, nine, twelve."""
    scene = club("anna", bela=250_00, rulebook={"nudge_every_months": 3}, start="2026-01-15T10:00+01:00")
    asked = [
        month
        for month in range(5, 13)
        if "inactivity.nudge: bela"
        in scanning(scene.at(f"{2026 + month // 12}-{month % 12 + 1:02}-15T10:00"))
    ]
    assert asked == [6, 9, 12]


# ---------------------------------------------------------------- orders


def proposed(**more):
    """Bela has been idle for a year with 250.00; carl lacks 40.00 and emil 5.00, dora nothing."""
    scene = club("anna", "dora", bela=250_00, carl=160_00, emil=195_00, **more).idle(12)
    scene.run(inactivity.scan)
    return scene


def launched(scene=None, **amounts):
    scene = scene or proposed()
    scene.done("anna", "INJONCTION", member="bela", amounts=amounts)
    return scene


def test_launched_as_proposed_each_person_concerned_gets_the_order():
    """R-INA-4: amount, counterpart and due date; each counterpart his own line, the inactive all."""
    scene = proposed()
    said = scene.done("anna", "INJONCTION", member="BELA")
    assert told(said) == ["injunction.order: bela carl emil"]
    to_carl, to_emil = InjunctionLine("bela", "carl", 40_00), InjunctionLine("bela", "emil", 5_00)
    lines = {handle: own["lines"] for handle, own in said.notices[0].own.items()}
    assert lines == {"bela": [to_carl, to_emil], "carl": [to_carl], "emil": [to_emil]}
    shown = {"handle": "bela", "due_at": scene.window_from_now(days=30), "by": "anna"}
    assert shown.items() <= said.notices[0].facts.items()
    assert said.answer["lines"] == (to_carl, to_emil)
    [order] = [i for i in scene.club.books.injunctions() if i.member == "bela"]
    assert (order.state, order.due_at) == (InjunctionState.LAUNCHED, scene.window_from_now(days=30))


def test_launched_with_amounts_of_the_managers_own():
    """R-INA-4."""
    scene = proposed()
    said = scene.done("anna", "INJONCTION", member="bela", amounts={"EMIL": 3_00})
    assert told(said) == ["injunction.order: bela emil"]
    assert said.answer["lines"] == (InjunctionLine("bela", "emil", 3_00),)


def test_an_inactive_in_deficit_receives():
    """R-INA-4: the counterpart gives in the books."""
    scene = club("anna", bela=150_00).idle(12)
    scene.run(inactivity.scan)
    said = scene.done("anna", "INJONCTION", member="bela")
    assert told(said) == ["injunction.order: anna bela"]
    assert said.notices[0].own["anna"]["lines"] == [InjunctionLine("anna", "bela", 50_00)]


@pytest.mark.parametrize("member", ["dora", "anna"])
def test_without_a_proposal_there_is_nothing_to_launch(member):
    """R-INA-4."""
    said = proposed().would("anna", "INJONCTION", member=member, amounts={"carl": 1_00})
    assert no(said) == ["R-INA-4 no_proposal"]


def test_an_unknown_member_is_refused():
    """R-INA-4."""
    assert no(proposed().would("anna", "INJONCTION", member="zoe")) == ["R-INA-4 member_unknown"]


def test_an_order_is_launched_once():
    """R-INA-4."""
    scene = launched()
    said = scene.would("anna", "INJONCTION", member="bela")
    assert no(said) == ["R-INA-4 launched_already"]
    assert figures(said, "launched_already") == {"handle": "bela", "due_at": scene.window_from_now(days=30)}


def test_a_proposal_that_placed_nothing_needs_amounts():
    """R-INA-4: as proposed there is nothing to order; what could be by now is shown."""
    scene = club("anna", bela=250_00).idle(12)
    scene.run(inactivity.scan)
    said = scene.having(anna=190_00).would("anna", "INJONCTION", member="bela")
    assert no(said) == ["R-INA-4 order_not_possible"]
    assert figures(said, "order_not_possible")["lines"] == (InjunctionLine("bela", "anna", 10_00),)
    assert no(scene.would("anna", "INJONCTION", member="bela", amounts={"anna": 10_00})) == []


def test_a_proposal_whose_direction_has_turned_is_not_launched_as_proposed():
    """R-INA-4: bela had too much and was to give to carl; nobody proposed that carl give to him."""
    scene = club("anna", bela=250_00, carl=150_00).idle(12)
    scene.run(inactivity.scan)
    said = scene.having(bela=150_00, carl=200_00).say("anna", "INJONCTION", member="bela")
    assert said.refused


def test_one_counterpart_named_in_two_ways_is_refused_like_any_name_given_twice():
    """R-INA-4: `carl=10 Càrl=10` is a slip of the manager's, not a failure of ours."""
    said = proposed().would("anna", "INJONCTION", member="bela", amounts={"carl": 10_00, "càrl": 10_00})
    assert said.refused


def test_a_proposal_that_waits_can_be_launched_though_an_older_order_is_open():
    """R-INA-4: he never paid, played again, stayed away for another year; if that is proposed, it works."""
    scene = launched(carl=40_00)
    scene.recent("dora", "bela").having(bela=250_00, dora=200_00).idle(13)
    scene.run(inactivity.scan)
    if ("bela", "proposed") in orders(scene):
        assert no(scene.would("anna", "INJONCTION", member="bela")) == []


# ---------------------------------------------------------------- overdue


def test_an_overdue_order_is_told_to_every_manager_once_and_bans_nobody():
    """R-INA-5: due at the end of the thirtieth day."""
    scene = launched(proposed(manager=("anna", "dora")))
    due = scene.window_from_now(days=30)
    assert [
        n for n in scanning(scene.at(due.replace(microsecond=0)).later(seconds=-1)) if "overdue" in n
    ] == []
    said = scene.at(due).run(inactivity.scan)
    [notice] = [n for n in said.notices if n.kind == "injunction.overdue"]
    assert set(notice.to) == {"anna", "dora"}
    assert (notice.about, notice.facts["due_at"]) == ("bela", due)
    assert [one.outstanding_cents for one in notice.facts["lines"]] == [40_00, 5_00]
    assert scene.member("bela").active
    assert [n for n in scanning(scene.later(days=1)) if "overdue" in n] == []


def test_only_what_is_outstanding_is_overdue():
    """R-INA-5."""
    scene = launched()
    scene.done("bela", "VIREMENT", amount_cents=40_00, to="carl")
    said = scene.later(days=31).run(inactivity.scan)
    [notice] = [n for n in said.notices if n.kind == "injunction.overdue"]
    assert [one.beneficiary for one in notice.facts["lines"]] == ["emil"]


def test_an_order_that_was_fulfilled_is_never_overdue():
    """R-INA-4, R-INA-5."""
    scene = launched()
    scene.done("bela", "VIREMENT", amount_cents=40_00, to="carl")
    scene.done("bela", "VIREMENT", amount_cents=5_00, to="emil")
    assert [n for n in scanning(scene.later(days=31)) if "overdue" in n] == []


def test_an_order_ends_when_the_balance_is_even_by_other_ways():
    """R-INA-4: he won or lost it, or somebody else helped."""
    scene = launched().having(bela=200_00)
    assert [n for n in scanning(scene.later(days=31)) if "overdue" in n] == []
    assert "bela" not in [member for member, _ in orders(scene)]


def test_a_launched_order_stands_though_he_plays_again():
    """R-INA-4: only a proposal lapses."""
    scene = launched().recent("anna", "bela").having(bela=250_00).later(days=1)
    scene.run(inactivity.scan)
    assert ("bela", "launched") in orders(scene)
