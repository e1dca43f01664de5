"""TRUST § 3: one question lists all of class act that waits; what manages or cannot be joined waits apart."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mailflow.identify import Trust
from store import sql
from store.records import OutboxMail

from .desk_scene import Scene, kinds, plain

GAME = "PARTIE buyin=2 joueurs=bela,carl"
TRANSFER = "VIREMENT 15,50 à bela"


def rich(club: Scene) -> None:
    """Make room on bela's account for transfers."""
    club.desk.trust = Trust.EVERYBODY
    for _ in range(5):
        club.write("carl", "PARTIE buyin=10 joueurs=bela 1=carl")
    club.desk.trust = Trust.CONFIRM
    club.told()


def asked(club: Scene, who: str, text: str) -> OutboxMail:
    club.told()
    assert club.write(who, text).state == "pending"
    (mail,) = club.told()
    assert (mail.kind, mail.recipient) == ("confirm", who)
    return mail


def open_questions(club: Scene) -> int:
    return int(sql.value(club.db, "SELECT count(*) FROM token WHERE purpose = 'confirm' AND state = 'open'"))


def games(club: Scene) -> int:
    return int(sql.value(club.db, "SELECT count(*) FROM game"))


# ---------------------------------------------------------------- joined


def test_a_newer_request_is_joined_with_what_waits_and_one_oui_does_both(club: Scene) -> None:
    rich(club)
    first = asked(club, "anna", TRANSFER)
    club.now += timedelta(minutes=10)
    second = asked(club, "anna", GAME)
    text = plain(second.text)
    assert "Ton OUI vaut pour tes 2 demandes à la fois" in text
    assert "1. Tu vireras 15,50 € à bela" in text
    assert "2. Tu créeras la partie 6" in text
    assert "reçue le mardi 6 janvier 2026 à 10:30" in text
    assert "reçue le mardi 6 janvier 2026 à 10:40" in text
    assert "Ton solde sera de 184,50 €, et ton disponible de 182,50 €" in text
    assert open_questions(club) == 1
    assert club.answer(first, "OUI").state == "answered", "the older question is superseded"
    assert club.answer(second, "OUI").state == "executed"
    assert club.balances["anna"] == 18450
    assert club.game(6).participants == ("anna", "bela", "carl")
    club.is_sound()


def test_what_is_joined_is_all_or_nothing_and_what_still_passes_is_asked_again(club: Scene) -> None:
    rich(club)
    asked(club, "anna", TRANSFER)
    both = asked(club, "anna", GAME)
    club.do("carl", "VIREMENT 40 à bela")
    club.told()
    handled = club.answer(both, "OUI")
    assert (handled.state, [line.outcome for line in handled.lines]) == ("pending", ["confirm"])
    assert (club.balances["anna"], games(club)) == (20000, 5)
    (mail,) = club.told()
    text = plain(mail.text)
    assert "Ceci ne peut plus se faire" in text
    assert "VIREMENT 15,50 à bela" in text
    assert "R-TRA-3" in text
    assert "Voici ce qui reste" in text
    assert club.answer(mail, "OUI").state == "executed"
    assert (club.balances["anna"], games(club)) == (20000, 6)


def test_when_nothing_passes_any_more_the_oui_is_refused(club: Scene) -> None:
    rich(club)
    asked(club, "anna", TRANSFER)
    both = asked(club, "anna", "VIREMENT 20 à bela")
    club.do("carl", "VIREMENT 49,99 à bela")
    handled = club.answer(both, "OUI")
    assert handled.reason == "refused"
    assert open_questions(club) == 0


def test_a_refused_request_leaves_what_waits_as_it_was(club: Scene) -> None:
    first = asked(club, "anna", GAME)
    assert club.write("anna", "VIREMENT 15 à zoe").reason == "refused"
    assert club.answer(first, "OUI").state == "executed"


def test_a_request_sees_what_the_one_before_would_have_done(club: Scene) -> None:
    asked(club, "anna", "PARTIE buyin=2 joueurs=bela")
    club.write("anna", "RESULTAT 1 1=bela")
    assert [m.kind for m in club.told()] == ["refused"], "the game is not there before the OUI"


def test_two_requests_that_cannot_be_done_together_wait_side_by_side(club: Scene) -> None:
    """One may create one game at a time (R-GAME-2): each has its own question."""
    first = asked(club, "anna", GAME)
    second = asked(club, "anna", "PARTIE joueurs=dora")
    assert "demandes à la fois" not in plain(second.text)
    assert "1 autre demande attend encore ta réponse" in plain(second.text)
    assert open_questions(club) == 2
    assert club.answer(second, "OUI").state == "executed"
    assert club.game(1).participants == ("anna", "dora")
    assert club.answer(first, "OUI").reason == "refused"


def test_a_third_joins_the_one_that_it_can_be_done_with(club: Scene) -> None:
    rich(club)
    asked(club, "anna", GAME)
    asked(club, "anna", "PARTIE joueurs=dora")
    third = asked(club, "anna", TRANSFER)
    assert "tes 2 demandes" in plain(third.text)
    assert open_questions(club) == 2


def test_what_expired_is_not_joined(club: Scene) -> None:
    rich(club)
    asked(club, "anna", TRANSFER)
    club.now += timedelta(hours=25)
    assert "demandes à la fois" not in plain(asked(club, "anna", GAME).text)


def test_a_late_oui_is_asked_together_with_what_waits(club: Scene) -> None:
    rich(club)
    late = asked(club, "anna", TRANSFER)
    club.now += timedelta(hours=25)
    asked(club, "anna", GAME)
    club.told()
    assert club.answer(late, "OUI").state == "pending"
    (mail,) = club.told()
    assert "après le délai" in plain(mail.text)
    assert "tes 2 demandes" in plain(mail.text)
    assert club.answer(mail, "OUI").state == "executed"
    assert (club.balances["anna"], games(club)) == (18450, 6)


# ---------------------------------------------------------------- apart


@pytest.mark.parametrize("session", [False, True])
def test_each_command_that_manages_has_a_question_of_its_own(club: Scene, session: bool) -> None:
    """T-22."""
    if session:
        club.do("anna", "PARTIE joueurs=dora")
        last = club.latest("answer", "anna")
        write = lambda text: club.answer(last, text)  # noqa: E731
    else:
        write = lambda text: club.write("anna", text)  # noqa: E731
    write("BANNIT carl motif")
    ban = club.latest("confirm", "anna")
    write("INVITE emil emil@example.org")
    invite = club.latest("confirm", "anna")
    assert "demandes à la fois" not in plain(invite.text)
    assert open_questions(club) == 2
    assert club.answer(invite, "OUI").state == "executed"
    assert sql.rows(club.db, "SELECT handle FROM member WHERE status = 'banned'") == []
    assert club.answer(ban, "OUI").state == "executed"
    assert sql.rows(club.db, "SELECT handle FROM member WHERE status = 'banned'") == [("carl",)]


def test_what_acts_is_not_joined_with_what_manages(club: Scene) -> None:
    asked(club, "anna", "BANNIT dora motif")
    game = asked(club, "anna", GAME)
    assert "Tu banniras" not in game.text
    assert club.answer(game, "OUI").state == "executed"
    assert sql.rows(club.db, "SELECT handle FROM member WHERE status = 'banned'") == []


def test_what_a_ban_would_do_is_shown_whole_before_it_is_done(club: Scene) -> None:
    """R-BAN-2: who, how much, and what becomes of which game with whom."""
    club.desk.trust = Trust.EVERYBODY
    club.write("carl", "PARTIE buyin=10 joueurs=bela 1=carl")
    club.write("bela", "PARTIE buyin=5 joueurs=carl,dora")
    club.write("bela", "CONTESTE 1 pas vrai")
    club.desk.trust = Trust.CONFIRM
    text = plain(asked(club, "anna", "BANNIT bela il triche").text)
    assert "N° 1 (mise de 10,00 €, avec carl) : sa contestation est retirée" in text
    assert "N° 2 (mise de 5,00 €, avec carl et dora) : annulée, les mises sont libres" in text
    assert "Il manque 10,00 € sur son compte pour être à 200,00 €" in text
    assert "ne pourra plus gérer" not in text


def test_a_mail_with_two_commands_that_manage_is_one_question(club: Scene) -> None:
    mail = asked(club, "anna", "BANNIT carl motif un\nBANNIT dora motif deux")
    assert club.answer(mail, "OUI").state == "executed"
    assert len(sql.rows(club.db, "SELECT handle FROM member WHERE status = 'banned'")) == 2


# ---------------------------------------------------------------- the same answer, the state


def test_a_second_oui_gets_the_same_answer_once_more(club: Scene) -> None:
    """T-10: one effect, both get the same answer, whose reply address is the session."""
    mail = asked(club, "anna", GAME)
    club.answer(mail, "OUI")
    first = club.latest("answer", "anna")
    club.told()
    assert club.answer(mail, "OUI").state == "answered"
    (second,) = club.told()
    assert plain(first.text) in plain(second.text)
    assert second.token == first.token
    assert games(club) == 1


def test_a_second_oui_to_a_result_gets_the_result_again(club: Scene) -> None:
    """T-10: where his own notice was the answer."""
    mail = asked(club, "anna", "PARTIE buyin=2 joueurs=bela 1=bela")
    club.answer(mail, "OUI")
    result = club.latest("game.result", "anna")
    club.told()
    club.answer(mail, "OUI")
    (second,) = club.told()
    assert plain(result.text) in plain(second.text)


def test_oui_and_non_race_and_the_loser_is_told(club: Scene) -> None:
    """T-10."""
    mail = asked(club, "anna", GAME)
    for text in ("NON", "OUI"):
        club.keep(club.reply(mail, text))
    assert [h.state for h in club.work()] == ["answered", "answered"]
    assert games(club) == 0
    assert "renoncé" in club.told()[-1].text


@pytest.mark.parametrize("text", ["Oui merci, à vendredi", "OUI mais pas tout", "oui je crois"])
def test_a_sentence_that_begins_with_oui_confirms_nothing(club: Scene, text: str) -> None:
    """Hazard H05."""
    mail = asked(club, "anna", GAME)
    assert club.answer(mail, text).state == "answered"
    assert games(club) == 0
    assert club.answer(club.latest("unknown", "anna"), "OUI").state == "executed", "the question is open yet"


def test_a_vacation_notice_that_quotes_the_question_confirms_nothing(club: Scene) -> None:
    """T-13, hazard F02."""
    mail = asked(club, "anna", GAME)
    handled = club.answer(mail, "OUI", Auto_Submitted="auto-replied")
    assert (handled.state, games(club)) == ("ignored", 0)
    assert kinds(club.told()) == []


# ---------------------------------------------------------------- the same again


def test_the_same_command_again_within_minutes_is_held_in_a_session(club: Scene) -> None:
    """T-20: a double tap."""
    rich(club)
    club.do("anna", GAME)
    last = club.latest("answer", "anna")
    assert club.answer(last, "VIREMENT 10 à bela").state == "executed"
    club.now += timedelta(minutes=9)
    club.told()
    assert club.answer(last, "virement 10,00 à Bela").state == "pending"
    (mail,) = club.told()
    assert "Tu as déjà demandé la même chose" in plain(mail.text)
    assert club.balances["anna"] == 19000
    assert club.answer(mail, "OUI").state == "executed"
    assert club.balances["anna"] == 18000


def test_after_ten_minutes_the_same_is_another_request(club: Scene) -> None:
    """T-20."""
    rich(club)
    club.do("anna", GAME)
    last = club.latest("answer", "anna")
    club.answer(last, "VIREMENT 10 à bela")
    club.now += timedelta(minutes=10)
    assert club.answer(last, "VIREMENT 10 à bela").state == "executed"


def test_the_same_command_again_is_not_joined_with_the_one_that_waits(club: Scene) -> None:
    """T-20: one OUI never does it twice."""
    rich(club)
    first = asked(club, "anna", TRANSFER)
    second = asked(club, "anna", TRANSFER)
    assert "demandes à la fois" not in plain(second.text)
    assert club.answer(second, "OUI").state == "executed"
    assert club.balances["anna"] == 18450
    assert open_questions(club) == 1
    assert club.answer(first, "OUI").state == "executed", "if he means it twice"
    assert club.balances["anna"] == 16900


def test_a_double_tap_that_is_confirmed_late_is_still_not_joined(club: Scene) -> None:
    """T-20: both OUI come too late, and both questions are asked anew, each for itself."""
    rich(club)
    first, second = asked(club, "anna", TRANSFER), asked(club, "anna", TRANSFER)
    club.now += timedelta(hours=25)
    club.told()
    for late in (second, first):
        assert club.answer(late, "OUI").state == "pending"
        (anew,) = club.told()
        assert "demandes à la fois" not in plain(anew.text)
    assert club.answer(anew, "OUI").state == "executed"
    assert club.balances["anna"] == 18450


def test_the_same_command_after_its_oui_is_held_too(club: Scene) -> None:
    """T-20: he was not sure that it had worked."""
    rich(club)
    club.do("anna", TRANSFER)
    assert club.answer(club.latest("answer", "anna"), TRANSFER).state == "pending"


def test_what_was_refused_may_be_tried_again_at_once(club: Scene) -> None:
    club.do("anna", GAME)
    last = club.latest("answer", "anna")
    assert club.answer(last, TRANSFER).reason == "refused"
    rich(club)
    assert club.answer(last, TRANSFER).state == "executed"


def test_looking_twice_is_no_double_tap(club: Scene) -> None:
    club.do("anna", GAME)
    last = club.latest("answer", "anna")
    assert [club.answer(last, "COMPTE").state for _ in range(3)] == ["answered"] * 3
