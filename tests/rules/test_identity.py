"""R-SEC-1, TRUST § 2: which addresses a member may have, and who may become manager."""

from datetime import timedelta

import pytest

from mailflow.handlers import identity
from mailflow.sections.trust import Caution
from store.records import IdentityChange
from tests.club import Scene, club, figures, no, told

SECOND = "bela@example.net"


def wants(scene: Scene, **what: str) -> list[str]:
    return no(scene.would("bela", "ADRESSE", **what))


def change(scene: Scene, number: int = 1) -> IdentityChange:
    found = scene.club.books.identity_change(number)
    assert found is not None
    return found


def agreed(scene: Scene, number: int = 1) -> Scene:
    scene.run(lambda c: identity.agree(change(scene, number), c))
    return scene


def in_force(scene: Scene, number: int = 1) -> Scene:
    """All OUI are there and the wait is over."""
    agreed(scene, number).at(change(scene, number).due_at)
    scene.run(lambda c: identity.fall_due(number, c))
    return scene


def with_second() -> Scene:
    scene = club("bela", "carl")
    scene.done("bela", "ADRESSE", add=SECOND)
    return in_force(scene)


@pytest.mark.parametrize(
    ("address", "refusal"),
    [
        (SECOND, []),
        ("bela@example.org", ["R-SEC-1 address_yours_already"]),
        ("carl@example.org", ["R-SEC-1 address_taken"]),
        ("club@example.org", ["R-SEC-1 address_is_the_clubs"]),
        ("club+x@example.org", ["R-SEC-1 address_is_the_clubs"]),
        ("clubs@example.org", []),
    ],
)
def test_which_addresses_can_be_added(address, refusal):
    """TRUST § 1: one member's only, never the club's."""
    assert wants(club("bela", "carl"), add=address) == refusal


def test_the_address_of_who_left_is_still_his():
    """TRUST § 1."""
    scene = club("bela", "carl")
    scene.done("carl", "QUITTE")
    assert wants(scene, add="carl@example.org") == ["R-SEC-1 address_taken"]


def test_a_second_address_is_a_members_as_much_as_the_first():
    """R-ACC-3: nobody can be invited there, nor take it."""
    scene = with_second()
    assert no(scene.would("anna", "INVITE", member="dora", address=SECOND)) == ["R-ACC-3 address_taken"]
    assert no(scene.would("carl", "ADRESSE", add=SECOND)) == ["R-SEC-1 address_taken"]
    assert wants(scene, add=SECOND) == ["R-SEC-1 address_yours_already"]


def test_the_last_address_stays():
    """R-SEC-2: mails must have somewhere to go."""
    assert wants(club("bela"), remove="bela@example.org") == ["R-SEC-1 address_is_the_last"]


def test_the_primary_address_is_not_removed_but_replaced_first():
    """R-SEC-2."""
    scene = with_second()
    said = scene.would("bela", "ADRESSE", remove="bela@example.org")
    assert no(said) == ["R-SEC-1 address_is_primary"]
    assert figures(said, "address_is_primary")["others"] == (SECOND,)
    assert wants(scene, remove=SECOND) == []


@pytest.mark.parametrize("what", ["remove", "primary"])
def test_an_address_that_is_not_his_is_neither_removed_nor_made_primary(what):
    """R-SEC-1."""
    assert wants(club("bela", "carl"), **{what: "carl@example.org"}) == ["R-SEC-1 address_not_yours"]


def test_the_primary_address_is_primary_already():
    """R-SEC-1."""
    assert wants(club("bela"), primary="bela@example.org") == ["R-SEC-1 address_primary_already"]


def test_one_change_at_a_time_in_a_line():
    """R-SEC-1: of two, nobody could tell which he confirms."""
    said = wants(with_second(), add="b@example.net", remove=SECOND)
    assert said == ["R-SEC-1 one_address_change"]


def test_the_same_change_is_not_begun_twice():
    """R-SEC-1: neither while it is asked for nor while it waits; both are said."""
    scene = club("bela")
    scene.done("bela", "ADRESSE", add=SECOND)
    assert "R-SEC-1 change_under_way" in wants(scene, add=SECOND)
    agreed(scene)
    assert "R-SEC-1 change_under_way" in wants(scene.later(days=2), add=SECOND)


def test_few_changes_are_under_way_at_once():
    """T-16."""
    scene = club("bela")
    for n in range(Caution().identity_changes_max):
        assert wants(scene, add=f"b{n}@example.net") == []
        scene.done("bela", "ADRESSE", add=f"b{n}@example.net")
    assert wants(scene, add="more@example.net") == ["R-SEC-1 too_many_changes_under_way"]


@pytest.mark.parametrize(("seconds", "refusal"), [(-1, ["R-SEC-1 address_asked_of_late"]), (0, [])])
def test_an_address_is_asked_once_a_day_whoever_wants_it(seconds, refusal):
    """T-31: both sides of the border."""
    scene = club("bela", "carl")
    scene.done("carl", "ADRESSE", add=SECOND)
    scene.run(lambda c: identity.stop(change(scene), "carl", c))
    scene.later(hours=24, seconds=seconds)
    assert wants(scene, add=SECOND) == refusal


def test_what_is_told_where():
    """TRUST § 2: the question to the new address only; the news everywhere."""
    scene = club("bela", manager=("anna", "carl"))
    asked = scene.done("bela", "ADRESSE", add=SECOND)
    assert [(n.kind, n.to, n.address) for n in asked.notices] == [("identity.asked", ("bela",), SECOND)]
    assert asked.ask
    scene.later(hours=1)
    news = scene.run(lambda c: identity.agree(change(scene), c))
    assert [n.address for n in news.notices] == [
        "bela@example.org",
        SECOND,
        "anna@example.org",
        "carl@example.org",
    ]


def test_a_manager_who_changes_his_own_address_is_told_once_per_address():
    """TRUST § 2."""
    scene = club("bela")
    scene.done("anna", "ADRESSE", add="anna@example.net")
    news = scene.run(lambda c: identity.agree(change(scene), c))
    assert [n.address for n in news.notices] == ["anna@example.org", "anna@example.net"]


def test_looking_at_ones_addresses_changes_nothing_and_asks_nothing():
    said = with_second().would("bela", "ADRESSE")
    assert (said.ask, said.changes, said.answer["addresses"]) == (False, (), ("bela@example.org", SECOND))


# ---------------------------------------------------------------- roles


@pytest.mark.parametrize("verb", ["TRANSMET", "NOMME"])
@pytest.mark.parametrize(
    ("taker", "refusal"),
    [
        ("bela", []),
        ("anna", ["R-SEC-1 role_to_oneself"]),
        ("carl", ["R-SEC-1 manager_already"]),
        ("dora", ["R-BAN-1 person_not_active"]),
        ("zoe", ["R-SEC-1 member_unknown"]),
    ],
)
def test_to_whom_the_role_may_go(verb, taker, refusal):
    """R-BAN-1: an active member who is no manager yet."""
    scene = club("bela", "dora", manager=("anna", "carl")).banned("dora")
    assert no(scene.would("anna", verb, member=taker)) == refusal


def test_a_banned_managers_name_does_not_stand_in_the_way_but_his_ban_does():
    """R-BAN-1."""
    scene = club("bela", manager=("anna", "carl")).banned("carl")
    assert no(scene.would("anna", "NOMME", member="carl")) == ["R-BAN-1 person_not_active"]


def test_one_role_at_a_time():
    """R-SEC-1: TRANSMET to two people would leave it open who manages."""
    scene = club("bela", "carl")
    scene.done("anna", "TRANSMET", member="bela")
    assert no(scene.would("anna", "NOMME", member="carl")) == ["R-SEC-1 role_under_way"]
    scene.run(lambda c: identity.stop(change(scene), "anna", c))
    assert no(scene.would("anna", "NOMME", member="carl")) == []


def test_the_club_always_has_a_manager_after_a_hand_over():
    """R-ARB-1: the taker left meanwhile, so nothing is handed over."""
    scene = club("bela")
    scene.done("anna", "TRANSMET", member="bela")
    agreed(scene)
    scene.done("bela", "QUITTE")
    scene.at(change(scene).due_at)
    said = scene.run(lambda c: identity.fall_due(1, c))
    assert {n.kind for n in said.notices} == {"identity.stopped"}
    assert [m.handle for m in scene.club.managers] == ["anna"]


def test_agreeing_to_what_is_no_longer_possible_ends_it():
    """R-SEC-1: the rules are asked again at the second OUI."""
    scene = club("bela", "carl")
    scene.done("anna", "NOMME", member="bela")
    scene.banned("bela")
    said = scene.run(lambda c: identity.agree(change(scene), c))
    assert told(said)[0].startswith("identity.stopped")
    assert change(scene).state == "lapsed"


def test_the_question_of_72_hours_is_measured_in_instants():
    """P-9."""
    scene = club("bela", start="2026-10-23T12:00+02:00")
    scene.done("bela", "ADRESSE", add=SECOND)
    agreed(scene)
    assert change(scene).due_at - scene.now == timedelta(hours=72)
