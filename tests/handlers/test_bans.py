"""BANNIT and RETABLIT: the table of R-BAN-2, row by row, and who is told."""

from datetime import timedelta

import pytest

from store import tokens
from store.database import unit_of_work
from store.records import GameState, MemberStatus, NewToken
from tests.club import club, numbers, told

ALL = "anna bela carl dora emil"


def scene_of(*more):
    """Emil manages and does not play."""
    return club("anna", "bela", "carl", "dora", *more, manager="emil")


def banning(scene, member="bela"):
    return scene.done("emil", "BANNIT", member=member, reason="unpaid")


def effects(said):
    return {game["number"]: game["effect"] for game in said.notices[0].facts["games"]}


def test_all_members_are_told_the_banned_and_the_author_included():
    """R-BAN-1: every account that is open; earlier banned ones too, those who left not."""
    scene = scene_of("fred").banned("dora")
    scene.done("fred", "QUITTE")
    said = banning(scene)
    assert told(said) == [f"member.banned: {ALL}"]
    notice = said.notices[0]
    assert (notice.facts["handle"], notice.facts["by"], notice.facts["reason"]) == ("bela", "emil", "unpaid")
    assert {h for h, own in notice.own.items() if own.get("is_me")} == {"bela"}
    assert scene.member("bela").status is MemberStatus.BANNED
    assert scene.club.books.ban_reason("bela") == "unpaid"


@pytest.mark.parametrize(("manager", "manages"), [(("emil", "bela"), True), ("emil", False)])
def test_who_bans_sees_whether_a_manager_is_banned(manager, manages):
    """R-BAN-1: a banned manager is no manager while banned."""
    scene = club("anna", "bela", manager=manager)
    assert banning(scene).notices[0].own["emil"]["manages"] is manages


def test_his_running_game_is_cancelled():
    """R-BAN-2: told to the participants who remain; nothing was posted."""
    scene = scene_of().running("bela", "anna", "carl")
    said = banning(scene)
    assert told(said) == [f"member.banned: {ALL}", "game.cancelled #1: anna carl"]
    assert said.notices[1].facts["banned"] == "bela"
    assert scene.game().state is GameState.CANCELLED
    assert effects(said) == {1: "cancelled"}


def test_he_is_removed_from_the_running_games_of_others():
    """R-BAN-2: told to those who remain, the creator included."""
    scene = scene_of().running("anna", "bela", "carl")
    said = banning(scene)
    assert told(said) == [f"member.banned: {ALL}", "game.changed #1: anna carl"]
    assert (said.notices[1].facts["removed"], said.notices[1].facts["banned"]) == (["bela"], "bela")
    assert scene.game().participants == ("anna", "carl")
    assert scene.available("bela") == 200_00
    assert effects(said) == {1: "removed"}


def test_a_game_with_fewer_than_two_left_is_cancelled():
    """R-BAN-2: the creator, who did not do it, is told."""
    scene = scene_of().running("anna", "bela")
    said = banning(scene)
    assert told(said) == [f"member.banned: {ALL}", "game.cancelled #1: anna"]
    assert scene.game().state is GameState.CANCELLED


def test_the_least_number_is_that_of_the_game_s_own_rulebook():
    """R-BAN-2, R-REG-1: three left are too few for a game that began when four were needed."""
    scene = club("anna", "bela", "carl", "dora", manager="emil", rulebook={"participants_min": 4})
    scene.running("anna", "bela", "carl", "dora")
    scene.done("emil", "REGLE", settings={"joueurs-min": "2"}, reason="fewer")
    assert effects(banning(scene)) == {1: "cancelled"}


def test_a_manager_who_plays_is_told_what_his_ban_does():
    """R-BAN-1: as participant and as creator."""
    scene = club("bela", "carl").running("anna", "bela", "carl").running("bela", "anna", "carl")
    said = scene.done("anna", "BANNIT", member="bela", reason="unpaid")
    assert told(said) == [
        "member.banned: anna bela carl",
        "game.changed #1: anna carl",
        "game.cancelled #2: anna carl",
    ]


@pytest.mark.parametrize(
    "players",
    [("bela", "anna"), ("anna", "bela"), ("anna", "bela", "carl")],
    ids=["creator", "guest", "guest of two"],
)
def test_a_recent_result_stands(players):
    """R-BAN-2: creator or participant."""
    scene = scene_of().recent(*players)
    before = scene.balances
    said = banning(scene)
    assert told(said) == [f"member.banned: {ALL}"]
    assert effects(said) == {1: "stands"}
    assert (scene.game().state, scene.game().participants, scene.balances) == (
        GameState.RECENT,
        players,
        before,
    )


def test_his_dispute_of_a_recent_result_is_withdrawn():
    """R-BAN-2, R-DIS-3: told to all other participants; the game becomes final at its time."""
    scene = scene_of().disputed("anna", "bela", "carl", by=["bela"])
    said = banning(scene)
    assert told(said) == [f"member.banned: {ALL}", "dispute.withdrawn #1: anna carl"]
    assert said.notices[1].facts["banned"] is True
    assert effects(said) == {1: "dispute_withdrawn"}
    assert (scene.game().state, scene.game().disputes) == (GameState.RECENT, ())
    assert scene.closed().game().state is GameState.FINAL


def test_the_disputes_of_others_stand():
    """R-BAN-2."""
    scene = scene_of().disputed("anna", "bela", "carl", "dora", by=["carl"])
    assert effects(banning(scene)) == {1: "stands"}
    assert [d.member for d in scene.game().disputes] == ["carl"]


def test_a_case_without_his_dispute_stands():
    """R-BAN-2: as creator and as participant; see R-ARB-5 for the end of it."""
    scene = scene_of().arbitration("bela", "anna").arbitration("anna", "bela", "carl", by=["carl"])
    assert effects(banning(scene)) == {1: "stands", 2: "stands"}


def test_a_case_with_another_dispute_goes_on_without_his():
    """R-BAN-2."""
    scene = scene_of().arbitration("anna", "bela", "carl", by=["bela", "carl"])
    said = banning(scene)
    assert told(said)[1:] == ["dispute.withdrawn #1: anna carl"]
    assert effects(said) == {1: "dispute_withdrawn"}
    assert scene.game().state is GameState.ARBITRATION
    assert [d.member for d in scene.game().disputes] == ["carl"]


def test_a_case_with_no_dispute_left_is_final():
    """R-BAN-2: the result stands without a decision."""
    scene = scene_of().arbitration("anna", "bela", "carl", by=["bela"])
    before = scene.balances
    said = banning(scene)
    assert told(said)[1:] == ["dispute.withdrawn #1: anna carl"]
    assert effects(said) == {1: "dispute_withdrawn_final"}
    assert said.notices[1].facts["in_arbitration"] is True
    assert scene.game().state is GameState.FINAL
    assert (scene.balances, scene.club.books.decision(1), scene.findings()) == (before, None, ())


def test_banned_participants_hear_of_a_dispute_that_another_ban_withdraws():
    """R-DIS-3, R-BAN-2."""
    scene = scene_of().disputed("anna", "bela", "carl", by=["bela"]).banned("carl")
    assert told(banning(scene))[1:] == ["dispute.withdrawn #1: anna carl"]


def test_ended_games_are_unchanged():
    """R-BAN-2: final and cancelled."""
    scene = scene_of().final("bela", "anna").running("bela", "anna")
    scene.done("bela", "ANNULE", game=2)
    said = banning(scene)
    assert told(said) == [f"member.banned: {ALL}"]
    assert effects(said) == {}
    assert [scene.game(n).state for n in (1, 2)] == [GameState.FINAL, GameState.CANCELLED]


def test_all_his_games_follow_at_once():
    """R-BAN-2: and what is shown before is what was confirmed."""
    scene = (
        scene_of()
        .disputed("anna", "bela", "carl", by=["bela"])
        .running("bela", "carl")
        .running("anna", "bela", "dora")
    )
    said = banning(scene)
    assert effects(said) == {1: "dispute_withdrawn", 2: "cancelled", 3: "removed"}
    assert told(said)[1:] == [
        "dispute.withdrawn #1: anna carl",
        "game.cancelled #2: carl",
        "game.changed #3: anna dora",
    ]


@pytest.mark.parametrize("member", ["zoe", ""])
def test_an_unknown_member_is_refused(member):
    """R-BAN-1, R-BAN-4."""
    scene = scene_of()
    for verb in ("BANNIT", "RETABLIT"):
        assert [r.code for r in scene.would("emil", verb, member=member, reason="x").refusals] == [
            "member_unknown"
        ]


def test_his_tokens_are_revoked_and_nobody_elses():
    """R-BAN-3: what waited for his OUI waits no more."""
    scene = scene_of()
    with unit_of_work(scene.db):
        for handle in ("anna", "bela"):
            until = scene.now + timedelta(hours=24)
            address = f"{handle}@example.org"
            token = NewToken("confirm", handle, address, "n", handle, {}, scene.now, until)
            tokens.issue(scene.db, scene.row.id, token)
    banning(scene)
    assert [len(tokens.open_of(scene.db, scene.row.id, h, "confirm")) for h in ("anna", "bela")] == [1, 0]


# ---------------------------------------------------------------- reinstatement


def test_a_reinstatement_is_told_to_all_members():
    """R-BAN-4: banned ones, the author and himself included."""
    scene = scene_of().banned("dora", "bela")
    said = scene.done("emil", "RETABLIT", member="BELA")
    assert told(said) == [f"member.reinstated: {ALL}"]
    assert {h for h, own in said.notices[0].own.items() if own.get("is_me")} == {"bela"}
    assert scene.member("bela").active
    assert (said.ask, said.answer) == (False, None)


def test_he_may_create_and_join_new_games_and_changed_ones_stay_as_they_are():
    """R-BAN-4."""
    scene = scene_of().running("bela", "anna").running("anna", "bela", "carl").banned("bela")
    scene.done("emil", "RETABLIT", member="bela")
    assert (scene.game(1).state, scene.game(2).participants) == (GameState.CANCELLED, ("anna", "carl"))
    assert not scene.would("bela", "PARTIE", players=["carl"]).refused
    assert not scene.would("anna", "MODIFIE", game=2, add=["bela"]).refused


def test_who_paid_for_him_and_how_much_is_shown_and_must_be_confirmed():
    """R-BAN-4: nobody but the manager is shown it."""
    scene = club(anna=200_00, carl=150_00, bela=190_01, manager="anna").banned("bela")
    scene.done("anna", "SOLIDARITE", member="bela")
    said = scene.would("anna", "RETABLIT", member="bela")
    assert said.ask is True
    assert said.answer["levies"] == (("anna", 5_00), ("carl", 4_99))
    assert said.answer["total_cents"] == 9_99
    assert said.answer["levies"] == (("anna", 5_00), ("carl", 4_99))
    assert not {5_00, 4_99, 9_99} & set(numbers([said.notices[0].facts, said.notices[0].own]))


def test_solidarity_of_an_earlier_ban_needs_no_confirmation():
    """R-BAN-4: only what was paid since the present ban began."""
    scene = club("carl", anna=200_00, bela=190_00).banned("bela")
    scene.later(hours=1).done("anna", "SOLIDARITE", member="bela")
    scene.later(hours=1).done("anna", "RETABLIT", member="bela")
    scene.later(hours=1).banned("bela")
    assert scene.would("anna", "RETABLIT", member="bela").ask is False
