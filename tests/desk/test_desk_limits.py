"""T-7, T-16, T-30: who guesses, bombs or loops is met with silence; who proves himself is always heard."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from mailflow.identify import Trust
from store import clubs, sql
from store.database import unit_of_work

from .desk_scene import CLUB, START, Scene, kinds, open_scene, plain, reopen

GAME = "PARTIE buyin=2 joueurs=bela,carl"


def guess(n: int) -> str:
    return f"club+c{n:026d}@example.org"


def states(club: Scene, who: str, *texts: str) -> list[str]:
    return [str(club.write(who, text).state) for text in texts]


# ---------------------------------------------------------------- T-7: guessing


@pytest.mark.parametrize("who", ["anna", "evil@example.net"])
@pytest.mark.parametrize("text", ["OUI", "NON", GAME, "COMPTE", "bonjour", "ACCEPTE 1 motif"])
def test_a_guess_is_silent_whatever_it_says(club: Scene, who: str, text: str) -> None:
    """T-7, T-31."""
    handled = club.write(who, text, to=guess(1))
    assert (handled.state, handled.reason) == ("ignored", "unknown token")
    assert club.told() == []


def test_after_ten_guesses_in_an_hour_one_is_not_heard(club: Scene) -> None:
    """T-7."""
    assert club.write("bela", "COMPTE").state == "answered"
    for n in range(10):
        assert club.write("bela", "OUI", to=guess(n)).reason == "unknown token"
    handled = club.write("bela", "COMPTE")
    assert (handled.state, handled.reason) == ("ignored", "muted")
    assert club.write("anna", "COMPTE").state == "answered", "others are"
    club.now += timedelta(minutes=61)
    assert club.write("bela", "COMPTE").state == "answered"


def test_nine_guesses_are_not_ten(club: Scene) -> None:
    """T-7."""
    for n in range(9):
        club.write("bela", "OUI", to=guess(n))
    assert club.write("bela", "COMPTE").state == "answered"


def test_who_is_muted_can_still_prove_himself(club: Scene) -> None:
    """T-7: whoever forges his address does not shut him out of what he holds a token for."""
    club.write("anna", GAME)
    mail = club.latest("confirm", "anna")
    for n in range(12):
        club.write("anna", "OUI", to=guess(n))
    assert club.answer(mail, "OUI").state == "executed"


def test_a_muted_stranger_does_not_bother_the_owner_of_a_token(club: Scene) -> None:
    club.write("anna", GAME)
    mail = club.latest("confirm", "anna")
    for n in range(10):
        club.write("evil@example.net", "OUI", to=guess(n))
    club.told()
    assert club.answer(mail, "OUI", who="evil@example.net").reason == "muted"
    assert club.told() == []


def test_an_owner_is_told_three_times_of_one_token(club: Scene) -> None:
    """T-8: then only counted."""
    club.write("anna", GAME)
    mail = club.latest("confirm", "anna")
    club.told()
    for _ in range(5):
        club.answer(mail, "OUI", who="bela")
    assert kinds(club.told()) == [("misused", "anna")] * 3
    assert sql.value(club.db, "SELECT misuses FROM token WHERE purpose = 'confirm'") == 5
    assert club.answer(mail, "OUI").state == "executed", "and it is his yet"


def test_the_other_is_masked(club: Scene) -> None:
    """T-8."""
    club.write("anna", GAME)
    mail = club.latest("confirm", "anna")
    club.told()
    club.answer(mail, "OUI", who="bela")
    club.answer(mail, "OUI", who="evil@example.net")
    member, stranger = (plain(m.text) for m in club.told())
    assert "Un autre membre (b…)" in member
    assert "bela" not in member
    assert "Quelqu'un (e…@…)" in stranger
    assert "evil" not in stranger
    assert "example.net" not in stranger


def test_who_is_muted_by_a_forger_is_told_once_a_day_how_he_is_heard(club: Scene) -> None:
    """T-7: the guesses stay silent; a command meanwhile may be his own."""
    for n in range(10):
        club.write("anna", "OUI", to=guess(n))
    assert club.told() == []
    assert club.write("anna", GAME).reason == "muted"
    assert club.write("anna", GAME).reason == "muted"
    assert club.write("anna", GAME, to=guess(11)).reason == "muted"
    (told,) = club.told()
    assert (told.kind, told.address) == ("unheard", "anna@example.org")
    assert club.answer(told, GAME, who="bela").state != "executed", "it is nobody else's"
    assert club.answer(told, GAME).state == "pending"
    assert club.answer(club.latest("confirm", "anna"), "OUI").state == "executed"
    club.told()
    club.now += timedelta(hours=25)
    for n in range(10):
        club.write("anna", "OUI", to=guess(n))
    club.write("anna", GAME)
    assert kinds(club.told()) == [("unheard", "anna")]


def test_who_is_muted_is_told_until_when(club: Scene) -> None:
    """T-7: until an hour after the tenth guess from behind, to the full minute; not before, and not later."""
    for n in range(10):
        club.write("anna", "OUI", to=guess(n))
    club.now += timedelta(minutes=20)
    club.write("anna", GAME)
    (told,) = club.told()
    assert "Jusqu'au mardi 6 janvier 2026 à 11:31" in plain(told.text)
    club.now = START + timedelta(minutes=59, seconds=58)
    assert club.write("anna", "COMPTE").reason == "muted"
    club.now = START + timedelta(minutes=61)
    assert club.write("anna", "COMPTE").state == "answered"


def test_the_last_answer_for_now_says_until_when(club: Scene) -> None:
    """T-16, T-30: an hour after the first of the six, to the full minute."""
    for n in range(6):
        club.write("bela", f"COMPTE depuis=2026-01-0{n + 1}")
        club.now += timedelta(minutes=5)
    *before, last = club.told()
    assert not any("jusqu'au mardi" in plain(mail.text) for mail in before)
    assert "jusqu'au mardi 6 janvier 2026 à 11:31" in plain(last.text)
    assert club.write("bela", "COMPTE").state == "ignored"
    club.now = START + timedelta(minutes=61)
    assert club.write("bela", "COMPTE").state == "answered"


def test_the_last_answer_of_the_day_says_the_next_day(club: Scene) -> None:
    """T-30: forty a day; the day's limit is told where it lasts longer than the hour's."""
    for n in range(40):
        club.now += timedelta(minutes=12)
        club.write("bela", f"COMPTE depuis=2025-{n % 12 + 1:02}-{n // 12 + 1:02}")
    assert "jusqu'au mercredi 7 janvier 2026 à 10:43" in plain(club.told()[-1].text)


def test_a_muted_stranger_or_banned_member_is_told_nothing(club: Scene) -> None:
    club.do("anna", "BANNIT bela motif")
    for who in ("evil@example.net", "bela"):
        for n in range(10):
            club.write(who, "OUI", to=guess(n))
        club.told()
        club.write(who, "COMPTE")
        assert club.told() == []


# ---------------------------------------------------------------- T-16: bombing


@pytest.mark.parametrize("noise", ["bonjour", "COMPTE", GAME, "PLAINTE bela motif", "JETON", "VIREMENT"])
def test_nobody_is_silenced_by_mails_in_his_name(club: Scene, noise: str) -> None:
    """T-16: the last answer of the hour brings him a reply address at which he is heard."""
    for _ in range(9):
        club.write("anna", noise)
    told = [m for m in club.told() if m.recipient == "anna"]
    assert len(told) == 6
    assert club.write("anna", "AIDE").reason == "enough answers this hour"
    assert "réponds à ce mail-ci par ta commande" in plain(told[-1].text)
    assert not any("réponds à ce mail-ci par ta commande" in plain(m.text) for m in told[:-1])
    mine = "PARTIE buyin=3 joueurs=dora"
    assert club.answer(told[-1], "AIDE").state == "answered"
    assert club.answer(told[-1], mine).state == "pending"
    assert club.answer(told[-1], mine, who="bela").reason != "enough answers this hour", "bela is bela"


def test_the_last_answer_brings_a_live_session_where_there_is_one(club: Scene) -> None:
    club.do("anna", GAME)
    session = club.token_of(club.latest("answer", "anna"))
    for _ in range(6):
        club.write("anna", "bonjour")
    assert club.token_of(club.latest("unknown", "anna")) == session


def test_one_spoofed_command_brings_one_confirmation_and_nothing_else(club: Scene) -> None:
    """T-1, T-5: to the registered address, whatever Reply-To and Sender say."""
    before = club.balances
    handled = club.write("anna", GAME, Reply_To="evil@example.net", Sender="evil@example.net")
    assert handled.state == "pending"
    assert [(m.kind, m.address) for m in club.told()] == [("confirm", "anna@example.org")]
    assert club.balances == before


def test_bombs_that_join_are_six_mails_an_hour(club: Scene) -> None:
    """T-16."""
    for n in range(20):
        club.write("anna", f"PLAINTE bela motif {n}")
    assert len(club.told()) == 6
    assert sql.value(club.db, "SELECT count(*) FROM token WHERE state = 'open' AND purpose = 'confirm'") == 1


def test_bombs_that_cannot_be_joined_are_three_questions(club: Scene) -> None:
    """T-16: three open at most, six mails an hour."""
    for who in ("bela", "carl", "dora", "bela", "carl", "dora", "bela", "carl"):
        club.write("anna", f"BANNIT {who} motif {club.now}")
    told = kinds(club.told())
    assert told == [("confirm", "anna")] * 3 + [("crowded", "anna")] * 3
    assert sql.value(club.db, "SELECT count(*) FROM token WHERE state = 'open' AND purpose = 'confirm'") == 3


def test_a_session_has_room_for_more_than_three_questions(club: Scene) -> None:
    club.do("anna", GAME)
    last = club.latest("answer", "anna")
    for who in ("bela", "carl", "dora", "dora", "carl"):
        assert club.answer(last, f"BANNIT {who} motif {club.now}").state == "pending"


def refuse(club: Scene, who: str, times: int) -> None:
    for n in range(times):
        assert club.write(who, f"PLAINTE dora forgée {n}").state == "pending"
        assert club.answer(club.latest("confirm", who), "NON").state == "answered"


def test_after_two_nons_a_mail_without_proof_is_asked_no_more(club: Scene) -> None:
    """T-16."""
    refuse(club, "bela", 2)
    assert "ne te seront plus soumises" in plain(club.latest("answer", "bela").text)
    club.told()
    handled = club.write("bela", GAME.replace("bela", "anna"))
    assert (handled.state, handled.reason) == ("ignored", "suspended")
    club.now += timedelta(days=3)
    assert club.write("bela", "PLAINTE dora encore").reason == "suspended", "it does not lapse"
    assert club.write("bela", "JETON").state in ("answered", "ignored")
    assert [m.kind for m in club.told() if m.kind == "confirm"] == []


def test_a_suspension_ends_with_the_reply_address_that_lifts_it(club: Scene) -> None:
    """T-16: nobody is shut out for good."""
    refuse(club, "bela", 2)
    club.now += timedelta(days=30) - timedelta(minutes=5)
    assert club.write("bela", "PLAINTE dora encore").reason == "suspended"
    club.now += timedelta(minutes=10)
    assert club.write("bela", "PLAINTE dora encore").state == "pending"


def test_who_is_suspended_may_still_look(club: Scene) -> None:
    refuse(club, "bela", 2)
    assert club.write("bela", "COMPTE").state == "answered"


def test_two_nons_far_apart_suspend_nothing(club: Scene) -> None:
    """T-16: within 12 hours."""
    refuse(club, "bela", 1)
    club.now += timedelta(hours=12)
    refuse(club, "bela", 1)
    assert club.write("bela", "PLAINTE dora vraie").state == "pending"


def test_an_oui_in_between_makes_the_first_non_forgotten(club: Scene) -> None:
    refuse(club, "bela", 1)
    club.do("bela", "PARTIE joueurs=carl")
    refuse(club, "bela", 1)
    assert club.write("bela", "PLAINTE dora vraie").state == "pending"


def test_the_answer_to_the_second_non_has_the_club_ask_again(club: Scene) -> None:
    """T-16: he himself writes; what he writes is confirmed as ever."""
    refuse(club, "bela", 2)
    answer = club.latest("answer", "bela")
    assert club.answer(answer, "PARTIE joueurs=carl").state == "pending"
    assert club.answer(club.latest("confirm", "bela"), "OUI").state == "executed"
    assert club.write("bela", "PLAINTE dora vraie").state == "pending", "the suspension is lifted"


def test_any_live_token_lifts_it(club: Scene) -> None:
    club.do("anna", "PARTIE joueurs=bela,carl 1=carl")
    result = club.latest("game.result", "bela")
    refuse(club, "bela", 2)
    assert club.answer(result, "CONTESTE je n'ai pas joué").state == "executed"
    assert club.write("bela", "PLAINTE dora vraie").state == "pending"


def test_a_third_non_does_not_lift_it(club: Scene) -> None:
    club.write("bela", "PARTIE joueurs=carl")
    first = club.latest("confirm", "bela")
    club.write("bela", "PARTIE joueurs=dora")
    refuse(club, "bela", 2)
    assert club.answer(first, "NON").state == "answered"
    assert club.write("bela", "PARTIE joueurs=anna").reason == "suspended"


# ---------------------------------------------------------------- T-30: robots


def test_a_robot_gets_six_answers_an_hour_and_forty_a_day(club: Scene) -> None:
    """T-30 (hazard F06)."""
    answered = []
    for n in range(24 * 12):
        club.now += timedelta(minutes=5)
        if club.write("bela", f"merci pour le message {n}").state == "answered":
            answered.append(club.now)
    assert len(answered) == 40
    assert max(sum(a <= b < a + timedelta(hours=1) for b in answered) for a in answered) == 6
    club.now += timedelta(days=1)
    assert club.write("bela", "merci encore").state == "answered"


def test_a_robot_that_answers_our_answers_is_silenced_too(club: Scene) -> None:
    """T-30: the session address in them does not make it a person."""
    club.do("bela", "PARTIE joueurs=carl")
    last = club.latest("answer", "bela")
    club.told()
    for n in range(30):
        club.answer(last, f"Votre demande {n} est bien reçue")
        last = next((m for m in reversed(club.told()) if m.recipient == "bela"), last)
    assert sql.value(club.db, "SELECT count(*) FROM outbox WHERE kind = 'unknown'") == 5, (
        "his command was one"
    )


def test_an_evening_at_the_table_is_no_robot(club: Scene) -> None:
    """Who proves himself and is understood is answered however often."""
    club.do("anna", GAME)
    last = club.latest("answer", "anna")
    for n in range(20):
        assert club.answer(last, f"MODIFIE 1 buyin={3 + 2 * (n % 2)}").state != "ignored"
        assert club.answer(last, "COMPTE").state == "answered"


def test_silence_for_one_address_is_none_for_another(club: Scene) -> None:
    for n in range(8):
        club.write("bela", f"bonjour {n}")
    assert club.write("bela", "COMPTE").reason == "enough answers this hour"
    assert club.write("carl", "COMPTE").state == "answered"


@pytest.mark.parametrize("sender", [CLUB, "club+s00000000000000000000000000@example.org", "CLUB@Example.ORG"])
def test_our_own_address_as_sender_is_met_with_silence(club: Scene, sender: str) -> None:
    """T-30."""
    assert club.write(sender, GAME).state == "ignored"
    assert club.told() == []


def test_in_a_scenario_nobody_is_limited(fresh: Scene) -> None:
    assert set(states(fresh, "bela", *["COMPTE"] * 12)) == {"answered"}
    assert sql.rows(fresh.db, "SELECT * FROM tally") == []


def test_limits_outlive_the_process(tmp_path: Path) -> None:
    """T-7, T-30: what is counted is kept."""
    path = tmp_path / "club.db"
    scene = open_scene(path)
    for n in range(10):
        scene.write("bela", "OUI", to=guess(n))
    scene.db.close()
    again = reopen(path)
    assert again.write("bela", "COMPTE").reason == "muted"
    again.db.close()


def test_what_is_counted_is_forgotten_in_time(club: Scene) -> None:
    for n in range(8):
        club.write("bela", f"bonjour {n}")
    club.now += timedelta(days=3)
    club.write("bela", "COMPTE")
    assert sql.value(club.db, "SELECT count(*) FROM tally") == 1


# ---------------------------------------------------------------- T-17, T-37


def test_a_banned_member_gets_nothing_done_by_whatever_he_holds(club: Scene) -> None:
    """T-17: sessions, questions and reply addresses end with the ban."""
    club.desk.trust = Trust.EVERYBODY
    club.write("anna", "PARTIE joueurs=bela 1=anna")
    club.desk.trust = Trust.CONFIRM
    club.do("bela", "PARTIE joueurs=carl")
    held = [club.latest("answer", "bela"), club.latest("game.result", "bela")]
    club.write("bela", "PARTIE joueurs=dora")
    club.do("anna", "BANNIT bela motif")
    for mail in held:
        for text in ("OUI", "ANNULE 2", "CONTESTE 1 faux", "VIREMENT 5 à carl"):
            assert [line.outcome for line in club.answer(mail, text).lines] == ["refused"]
    open_tokens = "SELECT count(*) FROM token t JOIN member m ON m.id = t.member_id WHERE handle = 'bela'"
    assert sql.value(club.db, f"{open_tokens} AND state = 'open'") == 0


def test_after_a_restore_old_tokens_are_dead_and_their_holders_are_answered(club: Scene) -> None:
    """T-37: those in the backup are of another epoch, those since are unknown; none is held against him."""
    club.write("anna", GAME)
    known = club.latest("confirm", "anna")
    with unit_of_work(club.db):
        clubs.raise_epoch(club.db, club.club.id, club.now)
    again = Scene(club.db, clubs.club(club.db, 1), club.desk, club.now)
    again.desk = type(club.desk)(club.db, again.club, club.desk.keyring, Trust.CONFIRM)
    again.told()
    assert again.answer(known, "OUI").reason == "yes to nothing"
    assert again.write("anna", "OUI", to=guess(1)).reason == "yes to nothing", "a token that the backup lacks"
    assert again.write("anna", GAME, to=guess(2)).state == "pending"
    fresh = again.latest("confirm", "anna")
    assert again.token_of(fresh) != again.token_of(known)
    assert again.answer(fresh, "OUI").state == "executed"
    again.now += timedelta(days=41)
    assert again.write("anna", "OUI", to=guess(3)).reason == "unknown token"
