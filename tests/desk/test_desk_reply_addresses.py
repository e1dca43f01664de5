"""TRUST § 3: the reply address of a notification is good for what it offers, as long as that can be done."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store import sql
from store.records import OutboxMail

from .desk_scene import CLUB, Scene, kinds


def result_to(club: Scene, who: str) -> OutboxMail:
    """A game of anna's whose result `who` may dispute; the mail that tells him."""
    club.do("anna", "PARTIE joueurs=bela,carl 1=bela")
    return club.latest("game.result", who)


def case_of(club: Scene, disputer: str = "carl") -> OutboxMail:
    """A case of game 1 before the manager anna, whose mail is returned."""
    club.answer(result_to(club, disputer), "CONTESTE je n'ai pas joué")
    ends_at = club.game().window_ends_at
    assert ends_at is not None
    club.now = ends_at + timedelta(hours=1)
    club.work()
    return club.latest("arbitration.opened", "anna")


# ---------------------------------------------------------------- disputing


def test_a_result_is_disputed_in_one_step(club: Scene) -> None:
    mail = result_to(club, "carl")
    club.told()
    assert club.answer(mail, "CONTESTE je n'ai pas joué").state == "executed"
    assert [d.member for d in club.game().disputes] == ["carl"]
    told = club.told()
    assert kinds(told) == [("answer", "carl"), ("dispute.filed", "anna"), ("dispute.filed", "bela")]


def test_the_answer_to_a_dispute_withdraws_it_in_one_step(club: Scene) -> None:
    club.answer(result_to(club, "carl"), "CONTESTE je n'ai pas joué")
    assert club.answer(club.latest("answer", "carl"), "RETIRE 1").state == "executed"
    assert club.game().disputes == ()


def test_a_reason_is_changed_by_answering_again(club: Scene) -> None:
    """R-DIS-2: any number of times."""
    mail = result_to(club, "carl")
    for reason in ("un", "deux", "trois"):
        assert club.answer(mail, f"CONTESTE {reason}").state == "executed"
    assert [d.reason for d in club.game().disputes] == ["trois"]


def test_others_join_a_dispute_by_answering_the_mail_about_it(club: Scene) -> None:
    club.answer(result_to(club, "carl"), "CONTESTE je n'ai pas joué")
    assert club.answer(club.latest("dispute.filed", "bela"), "CONTESTE lui non plus").state == "executed"
    assert [d.member for d in club.game().disputes] == ["carl", "bela"]


@pytest.mark.parametrize(
    "text", ["VIREMENT 5 à bela", "PARTIE joueurs=dora", "CONTESTE autre chose\nPARTIE joueurs=dora"]
)
def test_it_is_good_for_nothing_else(club: Scene, text: str) -> None:
    mail = result_to(club, "carl")
    handled = club.answer(mail, text)
    assert handled.state in ("pending", "answered")
    assert handled.state == "pending" or handled.reason == "refused"
    assert club.game().disputes == ()


def test_it_is_good_for_no_other_game(club: Scene) -> None:
    mail = result_to(club, "carl")
    club.do("bela", "PARTIE joueurs=carl 1=bela")
    assert club.answer(mail, "CONTESTE 2 faux aussi").state == "pending"
    assert club.game(2).disputes == ()


def test_it_opens_no_session(club: Scene) -> None:
    club.answer(result_to(club, "carl"), "CONTESTE je n'ai pas joué")
    assert sql.rows(club.db, "SELECT 1 FROM token t JOIN member m ON m.id = t.member_id"
                             " WHERE purpose = 'session' AND handle = 'carl'") == []  # fmt: skip


def test_looking_something_up_by_it_needs_no_more(club: Scene) -> None:
    mail = result_to(club, "carl")
    assert club.answer(mail, "POURQUOI 1").state == "answered"
    assert club.answer(club.latest("answer", "carl"), "CONTESTE je n'ai pas joué").state == "executed"


def test_in_anothers_hand_it_is_a_cold_mail(club: Scene) -> None:
    """T-8."""
    mail = result_to(club, "carl")
    assert club.answer(mail, "CONTESTE 1 je n'ai pas joué", who="bela").state == "pending"
    assert club.answer(mail, "CONTESTE je n'ai pas joué", who="evil@example.net").state == "ignored"
    assert club.game().disputes == ()
    assert club.answer(mail, "CONTESTE je n'ai pas joué").state == "executed", "and carl's yet"


def test_shown_to_others_it_counts_once_more_and_is_burnt(club: Scene) -> None:
    """T-9: whoever was in Cc could forge the sender; the answer carries a new one."""
    mail = result_to(club, "carl")
    assert club.answer(mail, "CONTESTE je n'ai pas joué", Cc="bela@example.org").state == "executed"
    answer = club.latest("answer", "carl")
    assert club.token_of(answer) != club.token_of(mail)
    assert club.answer(mail, "RETIRE 1").state == "pending"
    assert club.answer(answer, "CONTESTE autre motif").state == "executed"


def test_it_ends_with_the_window(club: Scene) -> None:
    mail = result_to(club, "carl")
    ends_at = club.game().window_ends_at
    assert ends_at is not None
    club.now = ends_at - timedelta(seconds=2)
    raw = club.reply(mail, "CONTESTE à la dernière seconde")
    club.keep(raw, ends_at - timedelta(microseconds=1))
    club.now = ends_at + timedelta(hours=3)
    assert [h.state for h in club.work()] == ["executed"], "received in time (R-DIS-5)"
    assert club.game().state == "arbitration"
    assert club.answer(mail, "CONTESTE trop tard").reason == "refused"


def test_it_is_worth_nothing_for_a_later_result_of_the_same_game(club: Scene) -> None:
    """Bound to what was told: the new result brings a new address."""
    case = case_of(club)
    old = club.latest("game.result", "carl")
    assert club.answer(case, "ACCEPTE à refaire").state == "executed"
    club.do("anna", "RESULTAT 1 1=carl")
    new = club.latest("game.result", "bela")
    assert club.answer(old, "CONTESTE 1 encore").state == "pending"
    assert club.answer(new, "CONTESTE mais non").state == "executed"


def test_who_may_not_dispute_gets_no_such_address(club: Scene) -> None:
    club.do("anna", "BANNIT dora motif")
    club.write("anna", "PARTIE joueurs=bela,carl 1=bela")
    club.answer(club.latest("confirm", "anna"), "OUI")
    token = club.token_of(club.latest("game.result", "anna"))
    assert token is not None
    assert token.startswith("s"), "the creator's carries his session"


def test_a_ban_ends_it(club: Scene) -> None:
    """T-17."""
    mail = result_to(club, "carl")
    club.do("anna", "BANNIT carl motif")
    handled = club.answer(mail, "CONTESTE je n'ai pas joué")
    assert [(line.outcome, line.rule) for line in handled.lines] == [("refused", "R-BAN-3")]


# ---------------------------------------------------------------- deciding


@pytest.mark.parametrize(("verb", "state"), [("ACCEPTE", "running"), ("REJETTE", "final")])
def test_a_case_is_decided_in_one_step(club: Scene, verb: str, state: str) -> None:
    """TRUST § 2: the reply address is the token, no further OUI."""
    assert club.answer(case_of(club), f"{verb} après avoir écouté tout le monde").state == "executed"
    assert club.game().state == state
    club.is_sound()


def test_a_case_may_be_decided_long_after(club: Scene) -> None:
    case = case_of(club)
    club.now += timedelta(days=90)
    assert club.answer(case, "REJETTE la feuille fait foi").state == "executed"


def test_a_decision_by_a_mail_without_the_address_is_confirmed(club: Scene) -> None:
    """T-22: a forged manager."""
    case_of(club)
    assert club.write("anna", "REJETTE 1 forgé").state == "pending"
    assert club.game().state == "arbitration"


def test_a_session_does_not_decide(club: Scene) -> None:
    case_of(club)
    club.do("anna", "PARTIE joueurs=dora")
    assert club.answer(club.latest("answer", "anna"), "REJETTE 1 motif").state == "pending"
    assert club.game().state == "arbitration"


def test_the_address_of_an_old_case_decides_no_new_one(club: Scene) -> None:
    old = case_of(club)
    club.answer(old, "ACCEPTE à refaire")
    club.do("anna", "RESULTAT 1 1=carl")
    club.answer(club.latest("game.result", "bela"), "CONTESTE mais non")
    ends_at = club.game().window_ends_at
    assert ends_at is not None
    club.now = ends_at + timedelta(hours=1)
    club.work()
    assert club.answer(old, "REJETTE encore").state == "pending"
    assert club.game().state == "arbitration"
    assert club.answer(club.latest("arbitration.opened", "anna"), "REJETTE cette fois").state == "executed"


def test_a_second_decision_is_refused(club: Scene) -> None:
    """R-ARB-4."""
    case = case_of(club)
    club.answer(case, "REJETTE la feuille fait foi")
    assert club.answer(case, "ACCEPTE tout de même").reason == "refused"


def test_the_subject_carries_it_too(club: Scene) -> None:
    """T-14."""
    assert club.answer(result_to(club, "carl"), "CONTESTE je n'ai pas joué", to=CLUB).state == "executed"


def test_the_text_carries_it_too(club: Scene) -> None:
    """T-14."""
    mail = result_to(club, "carl")
    assert club.answer(mail, "CONTESTE je n'ai pas joué", to=CLUB, subject="Re: résultat").state == "executed"
