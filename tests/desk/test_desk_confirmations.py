"""TRUST § 3: what acts is shown first, and done when its OUI comes: once, and exactly as shown."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path

import pytest

from mailflow.identify import Trust
from mailflow.proofs import Keyring
from store import sql

from .desk_scene import CLUB, MAILS, Scene, kinds, open_scene, plain, text_of

GAME = "PARTIE buyin=2 joueurs=bela,carl"
TRANSFER = "VIREMENT 15,50 à bela"


def lose(scene: Scene, loser: str, winner: str, games: int = 1) -> None:
    """Move 10 € a game from one to the other, whatever the desk's trust."""
    trust, scene.desk.trust = scene.desk.trust, Trust.EVERYBODY
    for _ in range(games):
        handled = scene.write(winner, f"PARTIE buyin=10 joueurs={loser} 1={winner}")
        assert handled.state == "executed", handled
    scene.desk.trust = trust
    scene.told()


def asked(scene: Scene, who: str, text: str) -> int:
    """Have a member ask for something; the number of mails this brought is one, the confirmation."""
    scene.told()
    handled = scene.write(who, text)
    assert (handled.state, [line.outcome for line in handled.lines]) == ("pending", ["confirm"])
    (mail,) = scene.told()
    assert (mail.kind, mail.recipient) == ("confirm", who)
    return mail.id


# ---------------------------------------------------------------- asking


def test_an_acting_mail_waits_for_its_oui_and_changes_nothing(club: Scene) -> None:
    before = club.dump(MAILS | {"token"})
    asked(club, "anna", GAME)
    assert club.dump(MAILS | {"token"}) == before
    assert len(sql.rows(club.db, "SELECT id FROM token")) == 1
    club.is_sound()


def test_the_confirmation_shows_amounts_balances_after_and_who_is_told(club: Scene) -> None:
    lose(club, "bela", "carl", 3)
    asked(club, "anna", TRANSFER)
    mail = club.composed(club.latest("confirm", "anna"))
    text = plain(text_of(mail))
    assert "15,50 €" in plain(mail["Subject"])
    assert "Rien n'est encore fait" in text
    assert "Tu vireras 15,50 € à bela" in text
    assert "Ton solde sera de 184,50 €, et ton disponible de 184,50 €" in text
    assert "bela (le virement)" in text
    assert "OUI" in text
    assert "NON" in text
    assert "mercredi 7 janvier 2026 à 10:30" in text, "24 hours later, in club time"


def test_a_game_in_preview_bears_the_number_it_will_get(club: Scene) -> None:
    asked(club, "anna", GAME)
    text = plain(club.latest("confirm", "anna").text)
    assert "Tu créeras la partie 1, avec une mise de 2,00 €" in text
    assert "Ton solde sera de 200,00 €, et ton disponible de 198,00 €" in text
    assert "bela et carl (la nouvelle partie)" in text


def test_a_mail_of_several_commands_gets_one_confirmation_that_lists_all(club: Scene) -> None:
    handled = club.write("anna", f"{GAME}\nRESULTAT 1=bela\nCOMPTE")
    assert [line.outcome for line in handled.lines] == ["confirm"] * 3
    (mail,) = club.told()
    text = plain(mail.text)
    assert "Tu créeras la partie 1" in text
    assert "Tu enregistreras le résultat de la partie 1" in text
    assert "Ton solde sera de 198,00 €" in text


@pytest.mark.parametrize(
    "text", ["COMPTE", "PARTIES", "JOUEURS", "HISTORIQUE", "REGLEMENT", "AIDE", "BANQUIERS"]
)
def test_who_only_reads_is_answered_at_once(club: Scene, text: str) -> None:
    lose(club, "bela", "carl")
    handled = club.write("bela", text)
    assert (handled.state, [line.outcome for line in handled.lines]) == ("answered", ["ok"])
    assert kinds(club.told()) == [("answer", "bela")]


def test_what_is_refused_is_refused_at_once_and_asks_for_no_oui(club: Scene) -> None:
    handled = club.write("anna", "PARTIE buyin=2 joueurs=zoe")
    assert [(line.outcome, line.rule) for line in handled.lines] == [("refused", "R-GAME-4")]
    assert kinds(club.told()) == [("refused", "anna")]
    assert sql.rows(club.db, "SELECT * FROM token") == []


# ---------------------------------------------------------------- OUI


@pytest.mark.parametrize("word", ["OUI", "oui.", "Oui !", "yes", "ok", "sì", "Ja"])
def test_oui_by_the_reply_address_carries_out_what_was_shown(club: Scene, word: str) -> None:
    asked(club, "anna", GAME)
    handled = club.answer(club.latest("confirm", "anna"), word)
    assert (handled.state, [line.outcome for line in handled.lines]) == ("executed", ["ok"])
    assert kinds(club.told()) == [("answer", "anna"), ("game.created", "bela"), ("game.created", "carl")]
    assert club.game().participants == ("anna", "bela", "carl")
    club.is_sound()


def test_where_the_plus_part_is_stripped_the_tag_in_the_subject_works(club: Scene) -> None:
    """T-14."""
    asked(club, "anna", GAME)
    handled = club.answer(club.latest("confirm", "anna"), "OUI", to=CLUB)
    assert handled.state == "executed"


def test_where_the_subject_is_rewritten_the_reply_address_works(club: Scene) -> None:
    """T-14."""
    asked(club, "anna", GAME)
    handled = club.answer(club.latest("confirm", "anna"), "OUI", subject="Rép : ta partie")
    assert handled.state == "executed"


def test_a_token_in_upper_case_works(club: Scene) -> None:
    """T-14: some servers write addresses in capitals."""
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    to = str(club.composed(mail)["Reply-To"]).upper()
    assert club.answer(mail, "OUI", to=to, subject="OUI").state == "executed"


def test_carriers_that_disagree_are_no_token(club: Scene) -> None:
    asked(club, "anna", GAME)
    first = club.latest("confirm", "anna")
    asked(club, "anna", "PARTIE joueurs=dora")
    other = club.composed(club.latest("confirm", "anna"))
    subject = f"OUI [#{club.token_of(first)}]"
    handled = club.answer(first, "OUI", to=str(other["Reply-To"]), subject=subject)
    assert handled.state == "answered"
    assert sql.rows(club.db, "SELECT * FROM game") == []


def test_oui_without_any_token_confirms_nothing(club: Scene) -> None:
    asked(club, "anna", GAME)
    handled = club.write("anna", "OUI")
    assert (handled.state, [line.outcome for line in handled.lines]) == ("answered", ["refused"])
    assert sql.rows(club.db, "SELECT * FROM game") == []


def test_a_second_oui_does_nothing_more_and_is_told_so(club: Scene) -> None:
    """P-2, T-10."""
    lose(club, "bela", "carl", 3)
    asked(club, "anna", TRANSFER)
    mail = club.latest("confirm", "anna")
    club.answer(mail, "OUI")
    balances = club.balances
    club.told()
    again = club.answer(mail, "OUI")
    assert again.state == "answered"
    assert club.balances == balances == {"anna": 18450, "bela": 18550, "carl": 23000, "dora": 20000}
    (told,) = club.told()
    assert "déjà" in told.text
    assert told.recipient == "anna"


def test_two_ouis_that_wait_together_have_one_effect(club: Scene) -> None:
    """T-10: delivered while the machine was off."""
    lose(club, "bela", "carl", 3)
    asked(club, "anna", TRANSFER)
    mail = club.latest("confirm", "anna")
    for _ in range(2):
        club.keep(club.reply(mail, "OUI"))
    assert [h.state for h in club.work()] == ["executed", "answered"]
    assert club.balances["anna"] == 18450


def test_non_drops_what_was_shown(club: Scene) -> None:
    asked(club, "anna", GAME)
    handled = club.answer(club.latest("confirm", "anna"), "NON")
    assert (handled.state, [line.outcome for line in handled.lines]) == ("answered", ["ok"])
    assert sql.rows(club.db, "SELECT * FROM game") == []
    (told,) = club.told()
    assert "annulée" in told.text


def test_an_oui_after_non_does_nothing_and_is_told_so(club: Scene) -> None:
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    club.answer(mail, "NON")
    club.told()
    assert club.answer(mail, "OUI").state == "answered"
    (told,) = club.told()
    assert "renoncé" in told.text
    assert sql.rows(club.db, "SELECT * FROM game") == []


def test_a_non_after_oui_undoes_nothing(club: Scene) -> None:
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    club.answer(mail, "OUI")
    handled = club.answer(mail, "NON")
    assert [line.outcome for line in handled.lines] == ["refused"]
    assert club.game().state == "running"


def test_oui_and_non_in_one_mail_are_neither(club: Scene) -> None:
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    assert club.answer(mail, "OUI\nNON").reason == "malformed"
    assert club.answer(mail, "OUI").state == "executed", "and the question is still open"


def test_oui_together_with_a_command_carries_out_neither(club: Scene) -> None:
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    handled = club.answer(mail, "OUI\nCOMPTE")
    assert [line.outcome for line in handled.lines] == ["refused", "refused"]
    assert sql.rows(club.db, "SELECT * FROM game") == []


def test_words_quoted_below_an_oui_are_not_what_is_done(club: Scene) -> None:
    """T-21: the stored set counts, whatever the quotation says."""
    lose(club, "bela", "carl", 3)
    asked(club, "anna", TRANSFER)
    mail = club.latest("confirm", "anna")
    raw = club.reply(mail, "OUI").replace(b"15,50", b"99,50")
    assert club.receive(raw).state == "executed"
    assert club.balances["anna"] == 18450


# ---------------------------------------------------------------- whose token


def test_the_token_of_another_member_is_not_used_up(club: Scene) -> None:
    """T-8: a confirmation that was forwarded."""
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    handled = club.answer(mail, "OUI", who="bela")
    assert handled.state != "executed"
    assert sql.rows(club.db, "SELECT state FROM token") == [("open",)]
    assert sql.rows(club.db, "SELECT * FROM game") == []
    assert club.answer(mail, "OUI").state == "executed", "its owner's OUI still works"


def test_the_owner_is_told_when_somebody_else_answers_and_the_other_is_not(club: Scene) -> None:
    """T-8, TRUST § 3."""
    asked(club, "anna", GAME)
    club.answer(club.latest("confirm", "anna"), "OUI", who="bela")
    assert [mail.recipient for mail in club.told()] == ["anna"]


def test_non_with_the_token_of_another_member_drops_nothing(club: Scene) -> None:
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    club.answer(mail, "NON", who="bela")
    assert club.answer(mail, "OUI").state == "executed"


def test_a_stranger_with_the_token_gets_no_answer_and_no_effect(club: Scene) -> None:
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    club.told()
    assert club.answer(mail, "OUI", who="evil@example.net").state == "ignored"
    assert [mail.recipient for mail in club.told()] == ["anna"], "the owner is told, nobody else"
    assert sql.rows(club.db, "SELECT state FROM token") == [("open",)]


def test_a_guessed_token_confirms_nothing(club: Scene) -> None:
    """T-7: in silence."""
    asked(club, "anna", GAME)
    club.told()
    handled = club.write("anna", "OUI", to=f"club+c{'0' * 26}@example.org")
    assert (handled.state, handled.reason) == ("ignored", "unknown token")
    assert club.told() == []
    assert sql.rows(club.db, "SELECT * FROM game") == []


def test_a_ban_ends_the_open_confirmations_of_the_banned(club: Scene) -> None:
    """R-BAN-3, T-17."""
    asked(club, "bela", "PARTIE joueurs=carl")
    mail = club.latest("confirm", "bela")
    club.do("anna", "BANNIT bela ne paie pas")
    handled = club.answer(mail, "OUI")
    assert [(line.outcome, line.rule) for line in handled.lines] == [("refused", "R-BAN-3")]
    assert sql.rows(club.db, "SELECT * FROM game") == []


# ---------------------------------------------------------------- too late, or no longer so


@pytest.mark.parametrize(
    ("who", "text", "hours"), [("bela", "PARTIE joueurs=carl", 24), ("anna", "BANNIT bela motif", 12)]
)
def test_an_oui_counts_until_the_last_second(club: Scene, who: str, text: str, hours: int) -> None:
    asked(club, who, text)
    mail = club.latest("confirm", who)
    club.now = mail.created_at + timedelta(hours=hours, seconds=-2)
    assert club.answer(mail, "OUI").state == "executed"


@pytest.mark.parametrize(
    ("who", "text", "hours"), [("bela", "PARTIE joueurs=carl", 24), ("anna", "BANNIT bela motif", 12)]
)
def test_a_late_oui_is_asked_again_with_a_fresh_token(club: Scene, who: str, text: str, hours: int) -> None:
    """T-12: never a dead end."""
    asked(club, who, text)
    first = club.latest("confirm", who)
    club.now = first.created_at + timedelta(hours=hours)
    before = club.dump(MAILS | {"token", "run"})
    handled = club.answer(first, "OUI")
    assert (handled.state, [line.outcome for line in handled.lines]) == ("pending", ["confirm"])
    assert club.dump(MAILS | {"token", "run"}) == before
    second = club.latest("confirm", who)
    assert club.token_of(second) != club.token_of(first)
    assert "après le délai" in plain(second.text)
    assert club.answer(first, "OUI").state == "answered", "the old token is worth nothing now"
    assert club.answer(second, "OUI").state == "executed"


def test_an_oui_that_came_in_time_counts_though_it_is_handled_late(club: Scene) -> None:
    """T-12: when the club RECEIVED it is what counts, not when the machine was on again."""
    asked(club, "bela", "PARTIE joueurs=carl")
    mail = club.latest("confirm", "bela")
    club.now = mail.created_at + timedelta(hours=23)
    club.keep(club.reply(mail, "OUI"))
    club.now += timedelta(hours=5)
    assert [h.state for h in club.work()] == ["executed"]


def test_a_set_that_no_longer_passes_is_refused_at_the_oui(club: Scene) -> None:
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    club.do("anna", "PARTIE joueurs=dora")
    handled = club.answer(mail, "OUI")
    assert [(line.outcome, line.rule) for line in handled.lines] == [("refused", "R-GAME-2")]
    assert club.told()[-1].kind == "refused"
    assert len(sql.rows(club.db, "SELECT * FROM game")) == 1


def test_a_solidarity_whose_list_has_changed_is_shown_again(club: Scene) -> None:
    """R-SOL-4."""
    lose(club, "bela", "carl", 2)
    club.do("anna", "BANNIT bela ne paie pas")
    asked(club, "anna", "SOLIDARITE bela")
    first = club.latest("confirm", "anna")
    lose(club, "dora", "carl", 1)
    club.do("anna", "BANNIT dora aussi")
    before = club.balances
    handled = club.answer(first, "OUI")
    assert (handled.state, [line.outcome for line in handled.lines]) == ("pending", ["confirm"])
    assert club.balances == before
    second = club.latest("confirm", "anna")
    assert "situation a changé" in plain(second.text)
    assert club.answer(second, "OUI").state == "executed"
    assert club.balances == {"anna": 19000, "bela": 20000, "carl": 22000, "dora": 19000}
    club.is_sound()


def test_solidarity_is_asked_even_of_a_fresh_manager(fresh: Scene) -> None:
    """R-SOL-4."""
    lose(fresh, "bela", "carl", 2)
    fresh.write("anna", "BANNIT bela ne paie pas")
    assert fresh.write("anna", "SOLIDARITE bela").state == "pending"
    assert fresh.answer(fresh.latest("confirm", "anna"), "OUI").state == "executed"
    assert fresh.balances["bela"] == 20000


# ---------------------------------------------------------------- JETON and FIN


@pytest.mark.parametrize("word", ["JETON", "FIN"])
def test_without_proof_the_waiting_question_is_sent_again_as_it_was(club: Scene, word: str) -> None:
    """T-1: a forged sender can neither end a confirmation nor renew it."""
    asked(club, "anna", GAME)
    first = club.latest("confirm", "anna")
    before = club.dump(MAILS | {"run"})
    assert club.write("anna", word).state == "answered"
    assert club.dump(MAILS | {"run"}) == before
    second = club.latest("confirm", "anna")
    assert (second.token, second.text) == (first.token, first.text)
    assert club.answer(second, "OUI").state == "executed"


def test_fin_in_answer_to_a_question_ends_all_that_waits(club: Scene) -> None:
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    assert club.answer(mail, "FIN").state == "answered"
    club.told()
    assert club.answer(mail, "OUI").state == "answered"
    assert sql.rows(club.db, "SELECT * FROM game") == []


# ---------------------------------------------------------------- where a token never is


@pytest.mark.only_sqlite
def test_the_text_of_a_token_is_neither_in_the_database_nor_in_a_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """T-15, T-28: only its SHA-256 is kept."""
    path = tmp_path / "club.db"
    with caplog.at_level(logging.DEBUG):
        scene = open_scene(path)
        asked(scene, "anna", GAME)
        asked(scene, "anna", "INVITE emil emil@example.org")
        tokens = [scene.token_of(scene.latest("confirm", "anna"))]
        mail = scene.latest("confirm", "anna")
        files = b"".join(p.read_bytes() for p in tmp_path.iterdir())
        assert b"confirm" in files, "the database is what was read"
        scene.answer(mail, "OUI")
        invited = scene.latest("member.invited", "emil")
        tokens.append(scene.token_of(invited))
        scene.db.close()
    kept = path.read_bytes()
    assert all(token is not None and len(token) == 27 for token in tokens)
    assert tokens[0].encode() not in files.lower()
    assert tokens[1].encode() not in kept.lower()
    assert not [t for t in tokens if t in caplog.text.lower()]


def test_another_key_makes_another_token() -> None:
    """T-15: without the key no token can be made from what the database holds."""
    assert Keyring(b"a" * 32).token("confirm", "mail:1") != Keyring(b"b" * 32).token("confirm", "mail:1")
    assert "a" * 8 not in repr(Keyring(b"a" * 32))


def test_a_confirmation_is_the_same_bytes_each_time_it_is_sent(club: Scene) -> None:
    """P-4."""
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    assert club.bytes_of(mail) == club.bytes_of(mail)
    assert club.token_of(mail) in str(club.composed(mail)["Reply-To"])


def test_a_cold_copy_does_not_shadow_the_one_that_carries_the_token(club: Scene) -> None:
    """P-2: one mail to both addresses of the club comes twice; the token is in one envelope only."""
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    raw = club.reply(mail, "OUI", to="undisclosed-recipients:;", subject="Re: ta partie")
    raw = raw.replace(b"[#", b"[")
    club.receive(b"Delivered-To: club@example.org\r\n" + raw)
    reply_to = str(club.composed(mail)["Reply-To"]).encode()
    assert club.receive(b"Delivered-To: " + reply_to + b"\r\n" + raw).state == "executed"


# ---------------------------------------------------------------- nothing but what was shown


def test_a_banned_member_may_complain_and_confirm_it(club: Scene) -> None:
    """R-BAN-3, R-REG-2."""
    club.do("anna", "BANNIT bela ne paie pas")
    assert [mail.kind for mail in club.do("bela", "PLAINTE carl il triche")] == [
        "answer",
        "complaint.received",
    ]


@pytest.mark.parametrize("word", ["SIMULE OUI", "SIMULE NON", "SIMULE FIN"])
def test_a_simulated_answer_answers_nothing(club: Scene, word: str) -> None:
    asked(club, "anna", GAME)
    mail = club.latest("confirm", "anna")
    club.answer(mail, word)
    assert sql.rows(club.db, "SELECT state FROM token") == [("open",)]
    assert sql.rows(club.db, "SELECT * FROM game") == []


def test_a_result_that_would_post_otherwise_than_was_shown_is_shown_again(club: Scene) -> None:
    """TRUST § 3: executed is what was shown; the game was changed in between."""
    club.do("anna", "PARTIE buyin=1 joueurs=bela")
    asked(club, "anna", "RESULTAT 1 1=bela")
    result = club.latest("confirm", "anna")
    club.do("anna", "MODIFIE 1 buyin=10 +carl")
    handled = club.answer(result, "OUI")
    assert [line.outcome for line in handled.lines] == ["confirm"]
    assert set(club.balances.values()) == {200_00}


def test_a_deadline_that_moves_on_with_the_clock_needs_no_second_oui(club: Scene) -> None:
    """An evening's result, confirmed after midnight."""
    club.do("anna", "PARTIE buyin=1 joueurs=bela")
    club.now = club.now.replace(hour=22, minute=55)
    asked(club, "anna", "RESULTAT 1 1=bela")
    club.now += timedelta(minutes=30)
    assert club.answer(club.latest("confirm", "anna"), "OUI").state == "executed"


def test_a_forged_dispute_holds_a_result_no_longer_than_an_oui_may_take(club: Scene) -> None:
    """R-DIS-4, T-1."""
    club.do("anna", "PARTIE joueurs=bela 1=anna")
    for hours in (0, 20, 40):
        club.now += timedelta(hours=hours)
        club.write("bela", "CONTESTE 1 faux")
        club.write("bela", "JETON")
    ends_at = club.game().window_ends_at
    club.now = ends_at - timedelta(minutes=5)
    club.write("bela", "CONTESTE 1 faux encore")
    club.now = ends_at + timedelta(hours=1)
    club.work()
    assert club.game().state == "recent"
    club.now = ends_at + timedelta(hours=24)
    club.work()
    assert club.game().state == "final"
