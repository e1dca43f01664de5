"""The mails that go out: to whom, in which thread, with exactly the intended headers (P-4, T-26, T-27)."""

from __future__ import annotations

import re
from dataclasses import replace
from email import message_from_bytes
from email.policy import compat32, default

import pytest

from mailflow.compose import compose
from parsers.letter import read_letter
from store.records import OutboxMail, OutboxState

from .desk_scene import CLUB, START, Scene, plain, text_of

ALWAYS = {
    "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "X-Auto-Response-Suppress", "List-Id",
    "MIME-Version", "Content-Type",
}  # fmt: skip
THREAD = {"In-Reply-To", "References"}

INJECTIONS = [
    "x\r\nBcc: evil@example.net",
    "x\nBcc: evil@example.net",
    "x\rBcc: evil@example.net",
    "x\x0bBcc: evil@example.net",
    "x\x85Bcc: evil@example.net",
    "x\u2028Bcc: evil@example.net",
    "x\x00Bcc: evil@example.net",
    "=?utf-8?q?x=0D=0ABcc:_evil@example.net?=",
    "=?utf-8?b?eA0KQmNjOiBldmlsQGV4YW1wbGUubmV0?=",
    "x\r\n\r\n<script>alert(1)</script>",
    "\u202egnp.exe",
    "a" * 900,
    "é" * 500,
    "=?utf-8?q?" + "=C3=A9" * 100 + "?=",
]
"""What somebody may write where a header is made of it."""


def headers_of(raw: bytes) -> list[str]:
    """The names of the headers as any other program reads them, line by line."""
    head = raw.partition(b"\r\n\r\n")[0]
    assert b"\n" not in head.replace(b"\r\n", b""), "a bare line feed"
    assert b"\r" not in head.replace(b"\r\n", b""), "a bare carriage return"
    return message_from_bytes(raw, policy=compat32).keys()


def has_the_intended_headers(scene: Scene, mail: OutboxMail) -> None:
    """An answered message id that could do harm is left out; one as RFC 5322 has it makes a thread.

    So does a game.
    """
    names = headers_of(scene.bytes_of(mail))
    answers = re.fullmatch(r"<[A-Za-z0-9.@-]{1,240}>", mail.in_reply_to or "") is not None
    fit = answers or mail.game is not None
    threaded = THREAD if set(names) >= THREAD else set()
    wanted = ALWAYS | threaded | ({"Reply-To"} if mail.token else set())
    assert sorted(names) == sorted(wanted)
    assert threaded or not fit
    assert b"\nBcc:" not in scene.bytes_of(mail).partition(b"\r\n\r\n")[0]


# ---------------------------------------------------------------- headers


def test_every_kind_of_mail_has_its_headers_and_no_other(club: Scene) -> None:
    club.write("anna", "PARTIE joueurs=bela,carl 1=bela")
    club.answer(club.latest("confirm", "anna"), "OUI")
    club.write("anna", "VIREMENT 5,555 à bela")
    club.write("anna", "VIREMENT 500 à bela")
    club.write("anna", "INVITE emil emil@example.org")
    club.answer(club.latest("confirm", "anna"), "OUI")
    sent = club.told()
    assert {mail.kind for mail in sent} == {
        "confirm", "game.result", "malformed", "refused", "answer", "member.invited"
    }  # fmt: skip
    for mail in sent:
        has_the_intended_headers(club, mail)


def test_an_answer_joins_the_thread_of_the_mail_it_answers(fresh: Scene) -> None:
    fresh.write("anna", "PARTIE joueurs=bela 1=bela", Message_ID="<question@mail.example>")
    mails = {mail.recipient: fresh.composed(mail) for mail in fresh.told()}
    assert mails["anna"]["In-Reply-To"] == "<question@mail.example>"
    assert mails["anna"]["References"].split()[-1] == "<question@mail.example>"
    assert "<question@mail.example>" not in mails["bela"]["References"], "he has not seen that mail"


def test_a_game_is_one_thread_for_each_recipient(fresh: Scene) -> None:
    """RFC 5322 3.6.4: whatever is told of it, and whatever is answered, refers to one root of his."""
    for who, text in (
        ("anna", "PARTIE joueurs=bela,carl"), ("anna", "MODIFIE 1 buyin=5"), ("anna", "RESULTAT 1 1=bela"),
        ("bela", "CONTESTE 1 c'est faux"), ("bela", "RETIRE 1"), ("carl", "PARTIE joueurs=bela"),
    ):  # fmt: skip
        fresh.write(who, text)
    roots: dict[tuple[str, int], set[str]] = {}
    for mail in fresh.told():
        if mail.game is not None:
            root = fresh.composed(mail)["References"].split()[0]
            roots.setdefault((mail.recipient, mail.game), set()).add(root)
    assert set(roots) == {(who, 1) for who in ("anna", "bela", "carl")} | {("carl", 2), ("bela", 2)}
    assert all(len(found) == 1 for found in roots.values())
    assert len(set.union(*roots.values())) == len(roots), "no two share one"


def test_a_mail_about_no_game_is_in_no_games_thread(fresh: Scene) -> None:
    fresh.write("anna", "PARTIE joueurs=bela")
    fresh.told()
    fresh.write("anna", "COMPTE", Message_ID="<question@mail.example>")
    (mail,) = fresh.told()
    assert fresh.composed(mail)["References"] == "<question@mail.example>"


def test_a_mail_without_message_id_is_answered_all_the_same(fresh: Scene) -> None:
    raw = b"".join(
        line
        for line in fresh.written("anna", "COMPTE").splitlines(True)
        if not line.startswith(b"Message-ID")
    )
    assert fresh.receive(raw).state == "answered"
    (mail,) = fresh.told()
    has_the_intended_headers(fresh, mail)


def test_robots_are_told_not_to_answer(fresh: Scene) -> None:
    """RFC 3834, T-30 (hazard F05)."""
    fresh.write("anna", "PARTIE joueurs=bela")
    for mail in fresh.told():
        submitted = "auto-replied" if mail.in_reply_to else "auto-generated"
        assert fresh.composed(mail)["Auto-Submitted"] == submitted


def test_a_mail_that_needs_no_token_carries_none(fresh: Scene) -> None:
    fresh.write("anna", "PARTIE joueurs=bela")
    for mail in fresh.told():
        composed = fresh.composed(mail)
        assert composed["Reply-To"] is None
        assert "[#" not in composed["Subject"]


def test_the_token_is_read_back_from_the_mail_as_it_goes_out(club: Scene) -> None:
    """T-14: from the reply address, from the subject that a button opens, and from the text, quoted."""
    club.write("anna", "PARTIE joueurs=bela,carl,dora 1=bela 2=carl")
    mail = club.latest("confirm", "anna")
    composed = club.composed(mail)
    token = club.token_of(mail)
    head = "From: anna@example.org\r\nTo: club@example.org\r\nSubject: OUI"
    by_subject = f"{head}\r\n [#{token}]\r\n\r\n".encode()
    by_address = f"From: anna@example.org\r\nTo: {composed['Reply-To']}\r\n\r\nOUI\r\n".encode()
    assert read_letter(by_subject).token == token
    assert read_letter(by_address).token == token
    for kind in ("plain", "html"):
        shown = composed.get_body((kind,)).get_content()
        assert f"[#{token}]" in shown
    assert "[#" not in composed["Subject"], "a subject says the news and nothing else"


@pytest.mark.parametrize("what", INJECTIONS)
@pytest.mark.parametrize("where", ["reason", "subject", "name", "message id", "unknown words", "note"])
def test_nothing_that_somebody_wrote_adds_a_header(fresh: Scene, where: str, what: str) -> None:
    """T-26: through the whole desk, as raw bytes, as the attacker's program writes them."""
    fresh.write("bela", "PARTIE joueurs=anna,carl 1=anna")
    fresh.told()
    body, subject, name, message_id = "COMPTE", "salut", "Anna", "<a@mail.example>"
    if where == "reason":
        body = f"CONTESTE 1 {what}"
    elif where == "unknown words":
        body = what
    elif where == "note":
        body = f"VIREMENT 1 à bela note={what}"
    elif where == "subject":
        subject = f"CONTESTE 99 {what}"
        body = ""
    elif where == "name":
        name = what
    else:
        message_id = f"<{what}@mail.example>"
    head = f"From: {name} <anna@example.org>\nTo: {CLUB}\nSubject: {subject}\nMessage-ID: {message_id}\n"
    raw = head + f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{body}\n"
    fresh.receive(raw.encode())
    for mail in fresh.told():
        has_the_intended_headers(fresh, mail)
        assert mail.address.endswith("@example.org")


@pytest.mark.parametrize("what", INJECTIONS)
@pytest.mark.parametrize("field", ["subject", "in_reply_to"])
def test_a_row_of_the_outbox_never_adds_a_header(fresh: Scene, field: str, what: str) -> None:
    """T-26: the last line of defence, whatever came to be in the row; and it never raises (P-6)."""
    mail = OutboxMail(
        1, "answer", "anna", "anna@example.org", "sujet", "texte\n", None, "<q@mail.example>", None,
        "<1@example.org>", START, OutboxState.QUEUED, 0, "",
    )  # fmt: skip
    has_the_intended_headers(fresh, replace(mail, **{field: what}))


@pytest.mark.parametrize("what", INJECTIONS)
def test_the_clubs_name_never_adds_a_header(fresh: Scene, what: str) -> None:
    fresh.club = replace(fresh.club, name=what)
    fresh.write("anna", "COMPTE")
    (mail,) = fresh.told()
    has_the_intended_headers(fresh, mail)
    assert fresh.composed(mail)["From"].addresses[0].addr_spec == CLUB


# ---------------------------------------------------------------- literal words

MARKUP = [
    "<b>gras</b><script>alert(1)</script>",
    "{{7*7}}",
    "{% for x in y %}",
    "{{ club.members }}",
    "{# rien #}",
    "%s %(name)s %n",
    "{0.__class__}",
    "`id` ${HOME}",
    "&lt;b&gt; &amp;",
    "# titre *gras* _x_ [lien](http://example.net)",
]


@pytest.mark.parametrize("what", MARKUP)
def test_markup_in_a_reason_is_shown_literally(fresh: Scene, what: str) -> None:
    """T-27."""
    fresh.write("anna", "PARTIE joueurs=bela,carl 1=bela")
    fresh.told()
    handled = fresh.write("carl", f"CONTESTE 1 {what}")
    assert [line.outcome for line in handled.lines] == ["ok"]
    (to_anna,) = [mail for mail in fresh.told() if (mail.kind, mail.recipient) == ("dispute.filed", "anna")]
    assert plain(what) in plain(text_of(fresh.composed(to_anna)))


@pytest.mark.parametrize("what", MARKUP)
def test_markup_in_unknown_words_is_shown_literally(fresh: Scene, what: str) -> None:
    """T-27."""
    fresh.write("anna", what)
    (mail,) = fresh.told()
    assert "49" not in mail.text
    if mail.kind == "unknown":
        assert plain(what)[:60] in plain(text_of(fresh.composed(mail)))


def test_a_confirmation_quoted_back_says_neither_oui_nor_any_command(club: Scene) -> None:
    """TRUST § 4: its own « OUI » stands in it, quoted in whatever way."""
    club.write("anna", "PARTIE joueurs=bela")
    mail = club.latest("confirm", "anna")
    assert club.answer(mail, "").state == "answered"
    assert club.answer(mail, "Merci, je regarde ce soir.").state == "answered"
    assert [m.kind for m in club.told()][1:] == ["empty", "unknown"]


def test_t14_where_plus_addresses_do_not_arrive_the_subject_alone_carries_the_token(club: Scene) -> None:
    """`[border] plus = false`: no address in the mail, buttons included, has a plus part."""
    club.write("anna", "PARTIE joueurs=bela")
    asked = club.latest("confirm", "anna")
    token = club.token_of(asked)
    assert token is not None
    raw = compose(asked, club.club, token, plus=False)
    mail = message_from_bytes(raw, policy=default)
    assert mail["Reply-To"] is None
    assert mail["Subject"].endswith(f"[#{token}]")
    html = mail.get_body(("html",)).get_content()
    assert f"mailto:{CLUB}?" in html
    assert "+" not in "".join(re.findall(r"mailto:([^?\"]*)", html))
    subject = f"Re: {mail['Subject']}"
    assert club.write("anna", "OUI", subject=subject).state == "executed"
