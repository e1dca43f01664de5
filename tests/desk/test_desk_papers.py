"""What waits for a manager: mails that nobody could handle, REFAIRE, CLASSE, and the list in his digest.

T-22, R-SEC-1: a manager's word moves nothing in another's name; T-29: what a card shows is never obeyed.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from mailflow.catalogue import COMMANDS, Need, Who
from mailflow.compose import text_part
from mailflow.rules.papers import PER_MEMBER_MAX, REDONE
from store import sql

from .desk_scene import CLUB, START, Scene, kinds, plain

WRONG = "PARTIE buyin=trois joueurs=carl"
RIGHT = "PARTIE buyin=3 joueurs=carl"
TWO_DAYS = timedelta(days=2)


def carded(club: Scene, text: str = WRONG, who: str = "bela") -> int:
    """A mail that nobody could handle, shown to anna two days after; its number."""
    club.write(who, text)
    number = int(sql.value(club.db, "SELECT max(number) FROM inbox"))
    club.now += TWO_DAYS
    club.work()
    return number


def next_day(club: Scene, days: float = 1) -> list[tuple[str, str]]:
    """The cards of the following days."""
    club.told()
    club.now += timedelta(days=days)
    club.work()
    return [one for one in kinds(club.told()) if one[0] == "mail.unhandled"]


# ---------------------------------------------------------------- the card


def test_a_mail_that_was_not_understood_reaches_the_manager_when_its_writer_does_not_mend_it(
    club: Scene,
) -> None:
    """P-1: he has his own answer first, and a day; the card comes once."""
    club.write("bela", WRONG)
    assert next_day(club, 0.99) == [], "bela has a day to mend it"
    assert next_day(club) == [("mail.unhandled", "anna")]
    assert next_day(club) == []
    shown = plain(text_part(club.latest("mail.unhandled", "anna")))
    assert "« PARTIE buyin=trois joueurs=carl »" in shown
    assert "« trois » n'est pas un montant que je sais lire" in shown
    assert "REFAIRE 1 la commande corrigée" in shown


def test_what_its_writer_mended_himself_is_no_managers_business(club: Scene) -> None:
    club.write("bela", WRONG)
    club.write("bela", RIGHT)
    assert next_day(club, 3) == []


def test_another_mail_that_is_not_understood_mends_nothing(club: Scene) -> None:
    club.write("bela", WRONG)
    club.write("bela", "bonjour")
    assert next_day(club, 2) == [("mail.unhandled", "anna")]


@pytest.mark.parametrize(
    "text", ["Merci pour la soirée", "bonjour tout le monde", "COMPTE", "VIREMENT 500 à carl"]
)
def test_chat_and_what_a_rule_refused_is_not_shown_to_him(club: Scene, text: str) -> None:
    """His work stays minutes a week: the writer knows already all there is to know."""
    club.write("bela", text)
    assert next_day(club, 2) == []


def test_a_day_brings_one_mail_whatever_its_number_and_few_of_one_member(club: Scene) -> None:
    for n in range(PER_MEMBER_MAX + 2):
        club.write("bela", f"PARTIE buyin=trois{n} joueurs=carl")
        club.write("carl", f"PARTIE buyin=quatre{n} joueurs=bela")
    assert next_day(club, 2) == [("mail.unhandled", "anna")]
    shown = text_part(club.latest("mail.unhandled", "anna"))
    assert shown.count("buyin=trois") == shown.count("buyin=quatre") == PER_MEMBER_MAX
    assert "trois0" not in shown, "the latest ones"


def test_an_unreadable_mail_is_shown_too(club: Scene) -> None:
    """T-23: set aside; its member was told."""
    raw = club.written("bela", WRONG).replace(b"text/plain", b"multipart/mixed; boundary=never")
    assert club.receive(raw).state == "quarantined"
    assert next_day(club, 2) == [("mail.unhandled", "anna")]


def test_no_token_stands_in_a_card(club: Scene) -> None:
    """T-15: the mail was masked before it was kept."""
    club.write("bela", RIGHT)
    token = club.token_of(club.latest("confirm", "bela"))
    assert token is not None
    club.write("bela", f"{WRONG} {token}", to=CLUB)
    club.now += TWO_DAYS
    club.work()
    shown = text_part(club.latest("mail.unhandled", "anna"))
    assert "trois" in shown
    assert token not in shown


def test_what_a_card_quotes_is_never_obeyed(club: Scene) -> None:
    """T-29: the manager's answer without a command of his own does nothing."""
    carded(club, "BANNIT carl raison\nPARTIE buyin=trois joueurs=carl")
    handled = club.answer(club.latest("mail.unhandled", "anna"), "Je ne sais pas.")
    assert handled.state == "answered"
    assert handled.reason in ("unknown-command", "empty")
    assert club.dump()["member"] == Scene.dump(club)["member"]
    assert sql.value(club.db, "SELECT count(*) FROM member WHERE status = 'banned'") == 0


# ---------------------------------------------------------------- REFAIRE


def test_redo_asks_the_member_and_his_yes_does_it(club: Scene) -> None:
    """R-SEC-1: one step for the manager, one for the member; the chain says who put it so (P-10)."""
    number = carded(club)
    club.told()
    assert club.answer(club.latest("mail.unhandled", "anna"), f"REFAIRE {number} {RIGHT}").state == "executed"
    assert kinds(club.told()) == [("answer", "anna"), ("confirm", "bela")]
    assert sql.value(club.db, "SELECT count(*) FROM game") == 0, "nothing is done in another's name"
    asked = club.latest("confirm", "bela")
    assert "anna, qui gère le club, pense" in plain(asked.text)
    assert club.answer(asked, "OUI").state == "executed"
    assert club.game().creator == "bela"
    wishes = [payload for _, kind, payload in club.audited() if kind == "wish"]
    anna = sql.value(club.db, "SELECT a.number FROM account a JOIN member m ON m.account_id = a.id"
                              " WHERE m.handle = 'anna'")  # fmt: skip
    assert wishes == [{"by": anna, "mail": number}]
    club.is_sound()


def test_the_corrected_command_may_stand_in_the_body_below_the_button_s_subject(club: Scene) -> None:
    """What stands there is never read as the manager's own command."""
    number = carded(club)
    mail = club.latest("mail.unhandled", "anna")
    to = str(club.composed(mail)["Reply-To"])
    raw = club.written("anna", f"{RIGHT}\n", subject=f"REFAIRE {number}", to=to)
    assert club.receive(raw).state == "executed"
    assert club.latest("confirm", "bela").recipient == "bela"
    two = club.written("anna", f"{RIGHT}\nANNONCE Bonjour\n", subject=f"REFAIRE {number}", to=to)
    handled = club.receive(two)
    assert (handled.state, handled.reason) == ("answered", "malformed")


def test_without_the_card_the_manager_confirms_first(club: Scene) -> None:
    """T-22: a forged manager must not have members asked."""
    number = carded(club)
    club.told()
    assert club.write("anna", f"REFAIRE {number} {RIGHT}").state == "pending"
    told = club.told()
    assert kinds(told) == [("confirm", "anna")]
    assert "bela (la question, à laquelle il faut répondre OUI)" in plain(text_part(told[0]))
    assert club.answer(club.latest("confirm", "anna"), "OUI").state == "executed"
    assert ("confirm", "bela") in kinds(club.told())


def test_only_its_writer_can_say_yes(club: Scene) -> None:
    """T-8."""
    number = carded(club)
    club.answer(club.latest("mail.unhandled", "anna"), f"REFAIRE {number} {RIGHT}")
    asked = club.latest("confirm", "bela")
    assert club.answer(asked, "OUI", who="anna").state == "ignored"
    assert sql.value(club.db, "SELECT count(*) FROM game") == 0
    assert club.answer(asked, "NON").state == "answered"


def test_a_late_yes_is_asked_anew_and_still_says_who_asks(club: Scene) -> None:
    """T-12."""
    number = carded(club)
    club.answer(club.latest("mail.unhandled", "anna"), f"REFAIRE {number} {RIGHT}")
    asked = club.latest("confirm", "bela")
    club.now += timedelta(hours=30)
    assert club.answer(asked, "OUI").state == "pending"
    assert club.answer(club.latest("confirm", "bela"), "OUI").state == "executed"
    assert [kind for _, kind, _ in club.audited()].count("wish") == 1


def test_a_card_is_good_for_its_own_mails_only(club: Scene) -> None:
    number = carded(club)
    mail = club.latest("mail.unhandled", "anna")
    club.write("carl", WRONG.replace("carl", "bela"))
    theirs = RIGHT.replace("carl", "bela")
    assert club.answer(mail, f"REFAIRE {number + 1} {theirs}").state == "pending"
    assert club.answer(mail, "BANNIT bela motif").state == "pending"
    assert club.answer(mail, f"REFAIRE {number} {RIGHT}", who="bela").state != "executed"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("REFAIRE 1 BANNIT carl motif", "ne se fait pas au nom d'un autre"),
        ("REFAIRE 1 OUI", "ne se fait pas au nom d'un autre"),
        ("REFAIRE 1 COMPTE", "ne se fait pas au nom d'un autre"),
        ("REFAIRE 99 PARTIE joueurs=carl", "Il n'y a pas de mail 99"),
        ("REFAIRE 2 PARTIE joueurs=carl", "a eu sa suite"),
        ("REFAIRE 1 VIREMENT 190 à carl", "Le règlement dit non à « VIREMENT » de la part de bela (R-TRA-2"),
    ],
)
def test_what_cannot_be_redone_is_refused_and_asks_nobody(club: Scene, command: str, reason: str) -> None:
    """R-TRA-4: of another's account the refusal tells nothing but the rule."""
    club.write("bela", WRONG)
    club.write("carl", "COMPTE")
    club.told()
    assert club.write("anna", command).reason == "refused"
    (told,) = club.told()
    assert told.recipient == "anna"
    assert reason in plain(text_part(told))
    assert "150,00" not in plain(text_part(told)), "the greatest amount that would pass is bela's to know"


@pytest.mark.parametrize(
    "command", ["REFAIRE 1 PARTIE buyin=quatre joueurs=carl", "REFAIRE 1", "REFAIRE 1 truc"]
)
def test_a_correction_that_is_wrong_itself_is_answered_as_any_other(club: Scene, command: str) -> None:
    club.write("bela", WRONG)
    assert club.write("anna", command).reason in ("malformed", "refused", "unknown-command")
    assert club.latest("malformed", "anna").kind == "malformed"


def test_a_mail_is_redone_once(club: Scene) -> None:
    number = carded(club)
    mail = club.latest("mail.unhandled", "anna")
    club.answer(mail, f"REFAIRE {number} {RIGHT}")
    assert club.answer(mail, f"REFAIRE {number} PARTIE buyin=1 joueurs=carl").reason == "refused"
    assert club.answer(mail, f"CLASSE mail {number}").reason == "refused"


def test_members_redo_nothing(club: Scene) -> None:
    club.write("bela", WRONG)
    handled = club.write("carl", f"REFAIRE 1 {RIGHT}")
    assert (handled.reason, [line.rule for line in handled.lines]) == ("refused", ["R-SEC-1"])


def test_what_may_be_redone_is_what_any_member_may_do_himself() -> None:
    acts = {c.name for c in COMMANDS if c.need is Need.ACT and c.who in (Who.MEMBER, Who.ANYBODY)}
    assert acts - {"BILAN"} == REDONE


# ---------------------------------------------------------------- the list in the digest


def monday(club: Scene) -> str:
    """The manager's next digest."""
    while True:
        club.now += timedelta(days=1)
        club.told()
        club.work()
        if ("digest.weekly", "anna") in kinds(club.told()):
            return plain(text_part(club.latest("digest.weekly", "anna")))


def test_each_item_is_settled_by_answering_the_digest_and_shown_no_more(club: Scene) -> None:
    """R-ARB-1, R-ACC-3, R-REG-2: one step each, without another OUI; what is done is never shown again."""
    club.do("bela", "PLAINTE carl il triche")
    club.write("gina@example.org", "ADHESION gina")
    club.write("fred@example.org", "ADHESION fred")
    club.do("dora", "PARTIE joueurs=bela,carl 1=dora")
    club.answer(club.latest("game.result", "carl"), "CONTESTE je n'ai pas joué")
    club.now = START + timedelta(days=8)
    club.work()
    club.write("bela", WRONG)
    number = int(sql.value(club.db, "SELECT max(number) FROM inbox"))
    shown = monday(club)
    commands = (
        "ACCEPTE 1 la feuille le montre", "INVITE gina gina@example.org", "CLASSE candidature 2",
        "CLASSE plainte 1", f"CLASSE mail {number}",
    )  # fmt: skip
    digest = club.latest("digest.weekly", "anna")
    for command in commands:
        assert command.removesuffix(" la feuille le montre") in shown
        assert club.answer(digest, command).state == "executed", command
    assert "Rien ne t'attend comme gestionnaire" in monday(club)
    for command in commands:
        again = club.answer(digest, command)
        assert again.reason == "refused" or again.state == "pending", command
    assert "refused" in club.answer(digest, commands[0]).reason
    club.is_sound()


def test_what_moves_others_is_shown_first_even_from_the_digest(club: Scene) -> None:
    """TRUST § 2, R-SOL-4, R-BAN-4: never without a look at what it does."""
    club.do("anna", "BANNIT bela ne paie pas")
    assert "Le compte banni de bela est en règle" in monday(club)
    digest = club.latest("digest.weekly", "anna")
    for command in ("RETABLIT bela", "BANNIT carl motif", "INVITE zoe zoe@example.org"):
        assert club.answer(digest, command).state == "pending", command


def test_a_case_decided_and_disputed_again_is_not_decided_by_an_old_digest(club: Scene) -> None:
    """TRUST § 3: the reply address is bound to that very case."""
    club.do("dora", "PARTIE joueurs=bela,carl 1=dora")
    club.answer(club.latest("game.result", "carl"), "CONTESTE je n'ai pas joué")
    club.now = START + timedelta(days=8)
    club.work()
    monday(club)
    digest = club.latest("digest.weekly", "anna")
    assert club.answer(digest, "ACCEPTE 1 vu").state == "executed"
    club.do("dora", "RESULTAT 1 1=bela")
    club.answer(club.latest("game.result", "carl"), "CONTESTE encore")
    club.now += timedelta(days=9)
    club.work()
    assert club.game().state == "arbitration"
    assert club.answer(digest, "REJETTE 1 vu").state == "pending"


def test_he_is_shown_what_was_refused_and_set_aside_and_who_is_near_the_limit(club: Scene) -> None:
    """P-8, T-2, R-REM-2."""
    club.receive(club.written("bela", "x").replace(b"text/plain", b"multipart/mixed; boundary=never"))
    shown = monday(club)
    assert "Le mail 1, reçu le mardi 6 janvier 2026" in shown
    assert "n'a pas pu être lu" in shown
    assert "n'a pas pu être lu" not in monday(club), "since the digest before"


def test_members_are_shown_nothing_of_it(club: Scene) -> None:
    club.do("bela", "PLAINTE carl il triche")
    monday(club)
    assert "À FAIRE" not in text_part(club.latest("digest.weekly", "bela"))
