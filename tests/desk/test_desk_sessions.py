"""TRUST § 3, R-SEC-1: an OUI opens a session: a secret address at which one acts at once, for a time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store import sql
from store.database import unit_of_work
from store.records import OutboxMail

from .desk_scene import CLUB, Scene, kinds

GAME = "PARTIE buyin=2 joueurs=bela,carl"


def session_of(club: Scene, who: str = "anna", text: str = GAME) -> OutboxMail:
    """Open a session for a member; return the answer whose reply address it is."""
    club.do(who, text)
    answer = club.latest("answer", who)
    assert reply_to(club, answer).startswith("club+s")
    return answer


def reply_to(club: Scene, mail: OutboxMail) -> str:
    return str(club.composed(mail)["Reply-To"] or "")


def second_address(club: Scene, who: str, address: str) -> None:
    with unit_of_work(club.db):
        sql.run(
            club.db,
            "INSERT INTO address (club_id, member_id, address, is_primary)"
            " SELECT 1, id, ?, 0 FROM member WHERE handle = ?",
            (address, who),
        )


# ---------------------------------------------------------------- what a session does


def test_answering_the_last_mail_is_enough(club: Scene) -> None:
    session_of(club)
    club.told()
    for text in ("MODIFIE 1 buyin=5", "RESULTAT 1 1=bela", "COMPTE", "PARTIE joueurs=dora"):
        last = [m for m in club.told() if m.recipient == "anna"] or [club.latest("answer", "anna")]
        assert club.answer(last[-1], text).state in ("executed", "answered"), text
    assert club.game(1).buyin_cents == 500
    assert club.game(2).participants == ("anna", "dora")


def test_the_plain_address_is_cold_whoever_has_a_session_open(club: Scene) -> None:
    session_of(club)
    assert club.write("anna", "ANNULE 1").state == "pending"


def test_an_answer_to_a_cold_mail_carries_the_session_that_is_open(club: Scene) -> None:
    session = session_of(club)
    club.write("anna", "COMPTE")
    assert reply_to(club, club.latest("answer", "anna")) == reply_to(club, session)


def test_a_notice_carries_the_session_of_who_has_one(club: Scene) -> None:
    session = session_of(club, "bela", "PARTIE joueurs=carl")
    club.do("anna", "PARTIE joueurs=bela,dora")
    notice = club.latest("game.created", "bela")
    assert reply_to(club, notice) == reply_to(club, session)
    assert reply_to(club, club.latest("game.created", "dora")) == ""
    assert club.answer(notice, "ANNULE 1").state == "executed"


def test_a_non_opens_no_session(club: Scene) -> None:
    club.write("anna", GAME)
    club.answer(club.latest("confirm", "anna"), "NON")
    assert reply_to(club, club.latest("answer", "anna")) == ""
    assert sql.rows(club.db, "SELECT * FROM token WHERE purpose = 'session'") == []


def test_a_command_that_waits_stays_waiting_when_a_session_opens(club: Scene) -> None:
    """T-11: one that was planted cold is never carried along."""
    club.write("anna", "BANNIT dora motif forgé")
    planted = club.latest("confirm", "anna")
    session = session_of(club)
    assert club.answer(session, "ANNULE 1").state == "executed"
    assert club.answer(session, "COMPTE").state == "answered"
    assert sql.rows(club.db, "SELECT handle FROM member WHERE status = 'banned'") == []
    assert club.answer(planted, "OUI").state == "executed"


def test_an_oui_in_a_session_confirms_nothing_by_itself(club: Scene) -> None:
    """T-11: OUI stands for what was shown in the very mail that it answers; that mail is sent again."""
    club.write("anna", "BANNIT dora motif forgé")
    session = session_of(club)
    club.told()
    assert club.answer(session, "OUI").state == "answered"
    assert kinds(club.told()) == [("confirm", "anna")]
    assert sql.rows(club.db, "SELECT handle FROM member WHERE status = 'banned'") == []


@pytest.mark.parametrize(
    "text", ["BANNIT bela motif", "INVITE emil emil@example.org", "REGLE seuil=60 motif=m", "ANNONCE Bonjour"]
)
def test_what_manages_is_asked_in_a_session_too(club: Scene, text: str) -> None:
    """T-22, TRUST § 2."""
    session = session_of(club)
    handled = club.answer(session, text)
    assert (handled.state, [line.outcome for line in handled.lines]) == ("pending", ["confirm"])
    assert club.answer(club.latest("confirm", "anna"), "OUI").state == "executed"


def test_a_mail_that_could_be_read_otherwise_is_asked_in_a_session_too(club: Scene) -> None:
    session = session_of(club)
    text = "ANNULE 1\n\nClub wrote on 9/3/2026 9:14 PM:\n\nMODIFIE 1 buyin=5"
    assert club.answer(session, text).state == "pending"
    assert club.game(1).state == "running"


# ---------------------------------------------------------------- how long


def test_a_session_slides_with_the_mails_that_the_club_received(club: Scene) -> None:
    """R-SEC-1: 60 minutes after the last of them, to the second."""
    session = session_of(club)
    for _ in range(3):
        club.now += timedelta(minutes=59, seconds=58)
        assert club.answer(session, "COMPTE").state == "answered"
    club.now += timedelta(minutes=59, seconds=59)
    assert club.answer(session, "MODIFIE 1 buyin=5").state == "executed", "60 minutes to the second"
    club.now += timedelta(minutes=60)
    assert club.answer(session, "ANNULE 1").state == "pending", "and one second more"


def test_the_date_header_is_only_a_claim(club: Scene) -> None:
    session = session_of(club)
    date = "Tue, 06 Jan 2026 09:31:00 +0000"
    club.now += timedelta(minutes=61)
    assert club.answer(session, "ANNULE 1", Date=date).state == "pending"


def test_a_mail_received_in_time_counts_however_late_it_is_handled(club: Scene) -> None:
    session = session_of(club)
    club.now += timedelta(minutes=50)
    club.keep(club.reply(session, "ANNULE 1"))
    club.now += timedelta(hours=5)
    assert [h.state for h in club.work()] == ["executed"]


def test_a_session_ends_after_eight_hours_however_busy(club: Scene) -> None:
    session = session_of(club)
    opened = club.now
    while club.now - opened < timedelta(hours=7, minutes=30):
        club.now += timedelta(minutes=45)
        assert club.answer(session, "COMPTE").state == "answered"
    club.now = opened + timedelta(hours=8) - timedelta(seconds=1)
    assert club.answer(session, "MODIFIE 1 buyin=5").state == "executed"
    assert club.answer(session, "ANNULE 1").state == "pending"


# ---------------------------------------------------------------- who


def test_a_session_in_another_members_hand_is_burnt_and_its_owner_told(club: Scene) -> None:
    session = session_of(club)
    club.told()
    handled = club.answer(session, "ANNULE 1", who="bela")
    assert handled.state == "answered", "for bela it is a cold mail, and ANNULE of anna's game is refused him"
    assert kinds(club.told()) == [("misused", "anna"), ("refused", "bela")]
    assert club.answer(session, "ANNULE 1").state == "pending"


def test_a_stranger_burns_a_session_in_silence(club: Scene) -> None:
    session = session_of(club)
    club.told()
    assert club.answer(session, "ANNULE 1", who="evil@example.net").state == "ignored"
    assert kinds(club.told()) == [("misused", "anna")]
    assert club.game(1).state == "running"
    assert club.answer(session, "ANNULE 1").state == "pending"


def test_a_session_belongs_to_the_address_that_opened_it(club: Scene) -> None:
    second_address(club, "anna", "anna@work.example")
    session = session_of(club)
    club.told()
    assert club.answer(session, "ANNULE 1", who="anna@work.example").state == "pending"
    assert [(m.kind, m.address) for m in club.told()] == [("confirm", "anna@work.example")]
    assert club.answer(session, "ANNULE 1").state == "pending", "burnt"


def test_an_oui_from_another_of_his_addresses_is_accepted_and_opens_the_session_there(club: Scene) -> None:
    second_address(club, "anna", "anna@work.example")
    club.write("anna", GAME)
    handled = club.answer(club.latest("confirm", "anna"), "OUI", who="anna@work.example")
    assert handled.state == "executed"
    answer = club.latest("answer", "anna")
    assert answer.address == "anna@work.example"
    assert club.answer(answer, "ANNULE 1", who="anna@work.example").state == "executed"


@pytest.mark.parametrize("header", ["To", "Cc"])
def test_a_mail_that_shows_the_address_to_others_counts_and_burns_it(club: Scene, header: str) -> None:
    """T-9: reply to all."""
    session = session_of(club)
    address = reply_to(club, session)
    seen = {"to": f"{address}, dora@example.org"} if header == "To" else {"Cc": "Dora <dora@example.org>"}
    assert club.answer(session, "MODIFIE 1 buyin=5", **seen).state == "executed"
    answer = club.latest("answer", "anna")
    assert reply_to(club, answer).startswith("club+s")
    assert reply_to(club, answer) != address
    assert club.answer(session, "MODIFIE 1 buyin=3").state == "pending", "the old one is burnt"
    assert club.answer(answer, "ANNULE 1").state == "executed", "the new one is not"


def test_both_of_our_own_addresses_show_it_to_nobody(club: Scene) -> None:
    session = session_of(club)
    assert club.answer(session, "MODIFIE 1 buyin=5", Cc=CLUB).state == "executed"
    assert club.answer(session, "ANNULE 1").state == "executed"


def test_a_new_address_ends_no_later_than_the_burnt_one_would_have(club: Scene) -> None:
    """T-9."""
    session = session_of(club)
    opened = club.now
    while club.now - opened < timedelta(hours=7, minutes=30):
        club.now += timedelta(minutes=50)
        club.answer(session, "COMPTE", Cc="dora@example.org")
        session = club.latest("answer", "anna")
    club.now = opened + timedelta(hours=8, seconds=1)
    assert club.answer(session, "ANNULE 1").state == "pending"


def test_a_ban_burns_the_sessions_of_the_banned(club: Scene) -> None:
    """T-17, R-BAN-3."""
    session = session_of(club, "bela", "PARTIE joueurs=carl")
    club.do("anna", "BANNIT bela ne paie pas")
    handled = club.answer(session, "PARTIE joueurs=dora")
    assert [(line.outcome, line.rule) for line in handled.lines] == [("refused", "R-BAN-3")]
    assert sql.rows(club.db, "SELECT id FROM token WHERE member_id = 2 AND state = 'open'") == []


def test_fin_burns_on_request(club: Scene) -> None:
    session = session_of(club)
    assert club.answer(session, "FIN").state == "answered"
    assert reply_to(club, club.latest("answer", "anna")) == ""
    assert club.answer(session, "ANNULE 1").state == "pending"


def test_the_subject_carries_the_session_where_the_plus_part_is_stripped(club: Scene) -> None:
    """T-14."""
    session = session_of(club)
    assert club.answer(session, "ANNULE 1", to=CLUB).state == "executed"


def test_the_text_carries_the_session_where_nothing_else_does(club: Scene) -> None:
    """T-14: the reference line below our mail is quoted with it."""
    session = session_of(club)
    assert club.answer(session, "ANNULE 1", to=CLUB, subject="Re: ta partie").state == "executed"


def test_the_text_counts_only_where_address_and_subject_carry_nothing(club: Scene) -> None:
    """A thread quotes older mails, whose references are others."""
    club.write("anna", GAME)
    old = club.latest("confirm", "anna")
    session = session_of(club, "anna", "PARTIE joueurs=dora")
    token = club.token_of(old)
    raw = club.reply(session, f"ANNULE 1\n\n> [#{token}]")
    assert club.receive(raw).state == "executed"


# ---------------------------------------------------------------- two deliveries


def test_a_cold_copy_does_not_shadow_the_one_to_the_session_address(club: Scene) -> None:
    """P-2: done once, whichever comes first, and the question about the cold one is answered by it."""
    session = session_of(club)
    raw = club.reply(session, "ANNULE 1", to="undisclosed-recipients:;", subject="x").replace(b"[#", b"[")
    warm = b"Delivered-To: " + reply_to(club, session).encode() + b"\r\n" + raw
    assert club.receive(raw).state == "pending"
    asked = club.latest("confirm", "anna")
    assert club.receive(warm).state == "executed"
    assert club.answer(asked, "OUI").state == "answered", "its copy with proof stands for it"
    assert len(sql.rows(club.db, "SELECT kind FROM game_step")) == 2, "created and cancelled"


def test_a_cold_copy_that_comes_after_the_proved_one_is_a_copy(club: Scene) -> None:
    """P-2."""
    session = session_of(club)
    raw = club.reply(session, "ANNULE 1", to="undisclosed-recipients:;", subject="x").replace(b"[#", b"[")
    warm = b"Delivered-To: " + reply_to(club, session).encode() + b"\r\n" + raw
    assert club.receive(warm).state == "executed"
    assert club.receive(raw).reason == "duplicate"
