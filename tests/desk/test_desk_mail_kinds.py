"""Whose mail is answered, with what, and whose is not (TRUST § 1, § 4; P-1)."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage

import pytest

from store import sql

from .desk_scene import CLUB, Scene, kinds, plain

PARTIE = "PARTIE joueurs=bela"


def nothing_happened(scene: Scene) -> None:
    assert sql.rows(scene.db, "SELECT * FROM game") == []
    assert scene.told() == []


# ---------------------------------------------------------------- nobody wrote


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Auto_Submitted": "auto-replied"}, "automatic"),
        ({"Precedence": "bulk"}, "automatic"),
        ({"X_Autoreply": "yes"}, "automatic"),
        ({"List_Id": "<liste.example.org>"}, "automatic"),
        ({"Return_Path": "<>"}, "automatic"),
        ({"subject": "Absence : OUI, je suis absent"}, "automatic"),
    ],
)
def test_a_vacation_notice_is_neither_obeyed_nor_answered(
    fresh: Scene, headers: dict[str, str], reason: str
) -> None:
    """T-13, T-30: RFC 3834."""
    handled = fresh.write("anna", PARTIE, **headers)
    assert (handled.state, handled.reason) == ("ignored", reason)
    nothing_happened(fresh)


def test_a_vacation_notice_that_quotes_the_confirmation_confirms_nothing(club: Scene) -> None:
    """T-13."""
    club.write("anna", PARTIE)
    mail = club.latest("confirm", "anna")
    club.told()
    raw = club.reply(mail, "Oui, je suis absent jusqu'à lundi.", Auto_Submitted="auto-replied")
    assert club.receive(raw).state == "ignored"
    nothing_happened(club)
    assert sql.rows(club.db, "SELECT state FROM token") == [("open",)]


def test_a_bounce_is_neither_obeyed_nor_answered(fresh: Scene) -> None:
    """T-32."""
    handled = fresh.write(
        "MAILER-DAEMON@example.org", PARTIE, subject="Undelivered Mail Returned to Sender", Return_Path="<>"
    )
    assert (handled.state, handled.reason) == ("ignored", "bounce")
    nothing_happened(fresh)


@pytest.mark.parametrize("sender", [CLUB, f"Le club <{CLUB}>", CLUB.upper(), "club+c0123@example.org"])
def test_our_own_mail_coming_back_is_neither_obeyed_nor_answered(fresh: Scene, sender: str) -> None:
    """T-30: two robots."""
    handled = fresh.write(sender, PARTIE)
    assert (handled.state, handled.reason) == ("ignored", "own")
    nothing_happened(fresh)


def test_what_we_send_yields_no_command_when_it_is_sent_back(fresh: Scene) -> None:
    """TRUST § 4: a redirected mail of ours, From and all."""
    fresh.write("anna", "PARTIE joueurs=bela 1=bela")
    for mail in fresh.told():
        assert fresh.receive(fresh.bytes_of(mail)).state == "ignored"
    assert fresh.told() == []


# ---------------------------------------------------------------- strangers


@pytest.mark.parametrize("text", [PARTIE, "AIDE", "OUI", "J'ACCEPTE", "bonjour", "PARTIE joueurs="])
def test_a_stranger_is_never_answered(fresh: Scene, text: str) -> None:
    """T-31."""
    handled = fresh.write("evil@example.net", text)
    assert (handled.state, handled.reason) == ("ignored", "stranger")
    nothing_happened(fresh)


@pytest.mark.parametrize(
    ("sender", "reason"),
    [
        ("anna@example.org <evil@example.net>", "from_unreadable"),
        ("anna@example.org, evil@example.net", "from_many"),
    ],
)
def test_a_sender_that_could_be_two_is_set_aside_in_silence(fresh: Scene, sender: str, reason: str) -> None:
    """T-4, TRUST § 1."""
    raw = fresh.written("x@example.net", PARTIE).replace(b"From: x@example.net", b"From: " + sender.encode())
    handled = fresh.receive(raw)
    assert (handled.state, handled.reason) == ("quarantined", reason)
    nothing_happened(fresh)


def test_two_from_lines_are_set_aside_in_silence(fresh: Scene) -> None:
    """T-4."""
    raw = b"From: anna@example.org\r\n" + fresh.written("evil@example.net", PARTIE)
    assert (fresh.receive(raw).state, fresh.told()) == ("quarantined", [])


def test_a_name_that_shows_a_members_address_is_not_his(fresh: Scene) -> None:
    """T-4."""
    assert fresh.write('"anna@example.org" <evil@example.net>', PARTIE).state == "ignored"
    nothing_happened(fresh)


@pytest.mark.parametrize("sender", ["ANNA@Example.ORG", "Anna <anna@example.org>", "anna@EXAMPLE.org"])
def test_a_member_is_known_however_his_address_is_cased(fresh: Scene, sender: str) -> None:
    assert fresh.write(sender, PARTIE).state == "executed"


@pytest.mark.parametrize(
    "sender", ["\u0430nna@example.org", "anna@ex\u0430mple.org", "a.nna@example.org", "anna+x@example.org"]
)
def test_an_address_that_only_looks_alike_is_a_strangers(fresh: Scene, sender: str) -> None:
    """T-6: Cyrillic letters, dots, plus parts."""
    raw = fresh.written("x@example.net", PARTIE).replace(b"From: x@example.net", b"From: " + sender.encode())
    assert fresh.receive(raw).state in ("ignored", "quarantined")
    nothing_happened(fresh)


def test_a_member_who_left_is_a_stranger(fresh: Scene) -> None:
    fresh.write("bela", "QUITTE")
    fresh.told()
    assert fresh.write("bela", "COMPTE").reason == "stranger"
    assert fresh.told() == []


# ---------------------------------------------------------------- duplicates


def test_the_same_mail_delivered_twice_has_one_effect_and_one_answer(fresh: Scene) -> None:
    """P-2: the second time through another server, with other Received lines."""
    raw = fresh.written("anna", PARTIE)
    assert fresh.receive(b"Received: by one.example\r\n" + raw).state == "executed"
    fresh.told()
    again = fresh.receive(b"Received: by two.example\r\nDelivered-To: club@example.org\r\n" + raw + b"\r\n")
    assert (again.state, again.reason) == ("ignored", "duplicate")
    assert fresh.told() == []


def test_the_same_offer_is_kept_once(fresh: Scene) -> None:
    raw = fresh.written("anna", PARTIE)
    assert fresh.keep(raw) == fresh.keep(raw)
    assert len(fresh.work()) == 1


def test_another_mail_with_the_same_message_id_is_another_mail(fresh: Scene) -> None:
    """P-2: Message-ID alone is never a key; some programs write the same one twice."""
    fresh.write("anna", PARTIE, Message_ID="<same@mail.example>")
    assert fresh.write("bela", "PARTIE joueurs=carl", Message_ID="<same@mail.example>").state == "executed"


def test_a_strangers_copy_does_not_shadow_the_members_mail(fresh: Scene) -> None:
    raw = fresh.written("anna", PARTIE)
    fresh.receive(raw.replace(b"anna@example.org", b"evil@example.net"))
    assert fresh.receive(raw).state == "executed"


# ---------------------------------------------------------------- newcomers


def invited(scene: Scene) -> None:
    scene.do("anna", "INVITE emil emil@example.org")


def test_an_invited_person_joins_by_answering_the_invitation(club: Scene) -> None:
    """R-ACC-1, R-ACC-3."""
    invited(club)
    handled = club.answer(club.latest("member.invited", "emil"), "J'ACCEPTE", who="emil")
    assert handled.state == "executed"
    assert kinds(club.told()) == [("member.opened", "emil"), ("member.opened", "anna")]
    assert club.balances["emil"] == 20000
    assert club.write("emil", "COMPTE").state == "answered"
    club.is_sound()


def test_an_invitation_goes_to_the_invited_address_with_a_reply_address_of_its_own(club: Scene) -> None:
    invited(club)
    mail = club.composed(club.latest("member.invited", "emil"))
    assert mail["To"] == "emil@example.org"
    assert str(mail["Reply-To"]).startswith("club+i")


def test_a_cold_acceptance_opens_nothing(club: Scene) -> None:
    """T-31: whoever knows the address could write it; the invitation goes out once more, to the address."""
    invited(club)
    handled = club.write("emil", "J'ACCEPTE")
    assert (handled.state, handled.reason) == ("ignored", "invitation not accepted")
    assert [mail.address for mail in club.told()] == ["emil@example.org"]
    assert "emil" not in club.balances


def test_an_invitation_is_no_use_to_anybody_else(club: Scene) -> None:
    invited(club)
    club.answer(club.latest("member.invited", "emil"), "J'ACCEPTE", who="evil@example.net")
    assert set(club.balances) == {"anna", "bela", "carl", "dora"}
    assert club.answer(club.latest("member.invited", "emil"), "J'ACCEPTE", who="emil").state == "executed"


def test_the_token_of_a_confirmation_opens_no_account(club: Scene) -> None:
    invited(club)
    club.write("anna", PARTIE)
    reply_to = str(club.composed(club.latest("confirm", "anna"))["Reply-To"])
    assert club.write("emil", "J'ACCEPTE", to=reply_to).state == "ignored"
    assert "emil" not in club.balances


def test_accepting_twice_opens_one_account(club: Scene) -> None:
    invited(club)
    mail = club.latest("member.invited", "emil")
    club.answer(mail, "J'ACCEPTE", who="emil")
    club.answer(mail, "J'ACCEPTE", who="emil")
    assert club.balances["emil"] == 20000
    club.is_sound()


@pytest.mark.parametrize("words", ["COMPTE", "Oui, j'accepte avec plaisir", "Non merci", "SIMULE J'ACCEPTE"])
def test_an_invited_person_who_writes_something_else_is_told_how_once_a_day(club: Scene, words: str) -> None:
    """TRUST § 1: never a dead end, and never more than one answer a day."""
    invited(club)
    invitation = club.latest("member.invited", "emil")
    assert club.answer(invitation, words, who="emil").state == "ignored"
    assert [(mail.kind, mail.address) for mail in club.told()] == [("invited.again", "emil@example.org")]
    club.answer(invitation, words, who="emil")
    assert club.told() == []
    club.now += timedelta(days=1)
    club.answer(invitation, words, who="emil")
    (again,) = club.told()
    assert "emil" not in club.balances
    assert club.answer(again, "J'accepte", who="emil").state == "executed"


# ---------------------------------------------------------------- not understood


def test_a_wrong_argument_is_answered_with_the_right_form(fresh: Scene) -> None:
    handled = fresh.write("anna", "VIREMENT 1e3 à bela")
    assert [line.outcome for line in handled.lines] == ["refused"]
    (mail,) = fresh.told()
    assert mail.kind == "malformed"
    assert "1e3" in mail.text
    assert "VIREMENT 15 à carl" in mail.text


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("VIRMENT 5 à bela", "VIREMENT"),
        ("PARTI buyin=2 joueurs=bela", "PARTIE"),
        ("CONTESTTE 3 faux", "CONTESTE"),
    ],
)
def test_a_misspelt_verb_is_never_guessed_but_suggested(fresh: Scene, text: str, verb: str) -> None:
    before = fresh.balances
    handled = fresh.write("anna", text)
    assert handled.state == "answered"
    assert verb in fresh.told()[0].text
    assert fresh.balances == before
    assert sql.rows(fresh.db, "SELECT * FROM game") == []


def test_a_misspelt_verb_is_answered_with_the_form_of_the_nearest(fresh: Scene) -> None:
    """TRUST § 4: an unknown keyword at the place of a command: the answer shows the right form, filled."""
    fresh.write("anna", "VIRMENT 5 à bela")
    text = fresh.told()[0].text
    assert "    VIREMENT 5 à bela\n" in text
    assert "Aucun membre" not in text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("VIRMENT 5 à bella", "unknown"),
        ("COMPTE\nVIRMENT 5 à bella", "malformed"),
        ("VIREMENT 1.500 à bella", "malformed"),
        ("RESULTAT 1=bella 2=bella 4=anna", "malformed"),
    ],
)
def test_a_form_with_a_handle_that_is_nobodys_says_so_with_the_nearest(
    fresh: Scene, text: str, kind: str
) -> None:
    fresh.write("anna", text)
    (mail,) = fresh.told()
    assert mail.kind == kind
    assert "Aucun membre ne s'appelle « bella ». Voulais-tu dire bela ?" in plain(mail.text)


def test_whoever_is_invited_is_no_member_yet(fresh: Scene) -> None:
    fresh.write("anna", "INVITE bella bella")
    (mail,) = fresh.told()
    assert mail.kind == "malformed"
    assert "Aucun membre" not in mail.text


def test_prose_is_answered_with_help(fresh: Scene) -> None:
    handled = fresh.write("anna", "Bonjour, on joue jeudi ?")
    assert [line.outcome for line in handled.lines] == ["unknown"]
    (mail,) = fresh.told()
    assert (mail.kind, mail.recipient) == ("unknown", "anna")
    assert "AIDE" in mail.text


def test_an_empty_mail_is_answered(fresh: Scene) -> None:
    assert fresh.write("anna", "\n-- \nAnna").state == "answered"
    assert kinds(fresh.told()) == [("empty", "anna")]


def test_a_mail_that_cannot_be_read_is_set_aside_and_its_member_told_once(fresh: Scene) -> None:
    """T-23."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = "anna@example.org", CLUB, "<big@mail.example>"
    mail.set_content(PARTIE + "\n" + "x " * 40_000)
    handled = fresh.receive(mail.as_bytes())
    assert (handled.state, handled.reason) == ("quarantined", "text_too_long")
    assert kinds(fresh.told()) == [("unreadable", "anna")]
    assert sql.rows(fresh.db, "SELECT * FROM game") == []


def test_a_command_that_is_somebody_elses_is_refused_with_its_rule(fresh: Scene) -> None:
    handled = fresh.write("bela", "BANNIT carl parce que")
    assert [(line.outcome, line.rule) for line in handled.lines] == [("refused", "R-BAN-1")]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("COMPTE", "ok"),
        ("HISTORIQUE", "ok"),
        ("PLAINTE carl il triche", "ok"),
        ("AIDE", "ok"),
        (PARTIE, "refused"),
        ("OUI", "refused"),
        ("JETON", "refused"),
        ("FIN", "refused"),
    ],
)
def test_a_banned_member_may_read_and_write_to_the_manager(fresh: Scene, text: str, outcome: str) -> None:
    """R-BAN-3."""
    fresh.write("anna", "BANNIT dora motif")
    handled = fresh.write("dora", text)
    rule = "R-BAN-3" if outcome == "refused" else None
    assert [(line.outcome, line.rule) for line in handled.lines] == [(outcome, rule)]


# ---------------------------------------------------------------- where answers go


@pytest.mark.parametrize("text", ["COMPTE", PARTIE, "VIREMENT 1e3 à bela", "bonjour", "OUI"])
def test_every_answer_goes_to_the_registered_address_only(club: Scene, text: str) -> None:
    """R-SEC-2, T-5."""
    evil = {"Reply_To": "evil@example.net", "Sender": "evil@example.net", "Cc": "evil@example.net"}
    club.write("Evil <ANNA@example.org>", text, **evil)
    sent = club.told()
    assert [mail.address for mail in sent] == ["anna@example.org"]
    for mail in sent:
        assert b"evil" not in club.bytes_of(mail).lower()


# ---------------------------------------------------------------- accounted for


def test_every_mail_ends_in_one_state_and_leaves_one_row_in_the_chain(fresh: Scene) -> None:
    """P-1, P-3, P-10."""
    mails = [
        ("anna", PARTIE),
        ("anna", "COMPTE"),
        ("anna", "SOLIDARITE bela"),
        ("anna", "VIREMENT 1e3 à bela"),
        ("anna", "bonjour"),
        ("evil@example.net", PARTIE),
        (CLUB, PARTIE),
    ]
    handled = [fresh.write(who, text) for who, text in mails]
    fresh.receive(b"\x00\xff\r\n\r\n\x00")
    counted = fresh.states()
    assert counted == {"executed": 1, "answered": 4, "ignored": 2, "quarantined": 1}
    rows = [(cause, payload["state"]) for cause, kind, payload in fresh.audited() if kind == "mail"]
    assert [cause for cause, _ in rows] == [f"mail:{n}" for n in range(1, 9)]
    assert [state for _, state in rows][:-1] == [h.state for h in handled]
    fresh.is_sound()


def test_what_a_member_wrote_is_not_in_the_audit(fresh: Scene) -> None:
    """T-38: the chain could never forget it."""
    fresh.write("anna", "PARTIE joueurs=bela,carl 1=bela")
    fresh.write("carl", "CONTESTE 1 un motif bien personnel")
    assert "personnel" not in repr(fresh.audited())
