"""What can be done next is a tap and a send: the mail that a button opens says one command, and only that."""

from email.message import EmailMessage
from functools import cache
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from mailflow.catalogue import GRAMMAR, grammar_of
from mailflow.compose import text_part
from mailflow.html_part import Desk, mailto
from mailflow.markup import Button
from mailflow.notices import KINDS
from mailflow.preview.lives import EVENING, played
from parsers.commands import read_commands
from parsers.letter import Letter, read_letter
from tests.house.test_templates import in_every_language, sent
from tests.parsers.test_our_mails import page_of

from .test_literal import BRIEF

REASON = "ce n'est pas ce qui s'est passé"
FILLED = {"REFAIRE": "VIREMENT 15 à carl"}
"""What is written where a button's command has a blank: mostly a reason."""


def opened(link: str, adds: str = "") -> tuple[str, Letter]:
    """The mail that a program makes of a link (RFC 6068) once its writer pressed Send: to whom, and read."""
    parts = urlsplit(link)
    assert parts.scheme == "mailto"
    fields = parse_qs(parts.query, keep_blank_values=True, strict_parsing=True, encoding="utf-8")
    assert set(fields) <= {"subject", "body"}
    mail = EmailMessage()
    mail["From"], mail["To"] = "bela@example.org", unquote(parts.path)
    (mail["Subject"],) = fields["subject"]
    mail.set_content(fields.get("body", [""])[0] + adds)
    return unquote(parts.path), read_letter(mail.as_bytes())


@cache
def buttons(language: str) -> dict[str, tuple[str, bool, str]]:
    """Each button of the mails in a language: its words, whether it has a blank, its link."""
    return {
        " ".join(a.text_content().split()): (a.text.strip(), a.find("em") is not None, a.get("href"))
        for _, raw in sent(language)
        for a in html.fromstring(page_of(raw)).iter("a")
    }


def filled(command: str, has_blank: bool) -> str:
    return FILLED.get(command.split()[0], REASON) if has_blank else ""


@in_every_language
def test_each_button_says_its_one_command(language: str) -> None:
    for words, (command, has_blank, link) in buttons(language).items():
        blank = filled(command, has_blank)
        reading = read_commands(opened(link, blank)[1], GRAMMAR)
        assert (words, reading.problems, len(reading.commands)) == (words, (), 1)
        assert reading.commands[0].verb == GRAMMAR.by_word[command.split()[0]].name
        assert blank in reading.commands[0].text


@in_every_language
def test_a_club_of_francs_writes_them_and_reads_its_buttons_back(language: str) -> None:
    for one in played(EVENING, language, "CHF"):
        assert "€" not in text_part(one.mail) + one.mail.subject
        assert "CHF" in text_part(one.mail) or one.mail.kind not in {"confirm", *KINDS}
        for a in html.fromstring(page_of(one.raw)).iter("a"):
            _, letter = opened(a.get("href"), filled(a.text, a.find("em") is not None))
            reading = read_commands(letter, grammar_of("CHF"))
            assert (a.text, reading.problems, len(reading.commands)) == (a.text, (), 1)


@in_every_language
def test_a_signature_below_takes_nothing_away(language: str) -> None:
    for words, (command, has_blank, link) in buttons(language).items():
        signed = f"{filled(command, has_blank)}\n\n-- \nBela Kovács\nEnvoyé de mon iPhone\n"
        reading = read_commands(opened(link, signed)[1], GRAMMAR)
        assert (words, reading.problems, len(reading.commands)) == (words, (), 1)


@in_every_language
def test_the_mails_offer_what_the_brief_of_each_asks_for(language: str) -> None:
    shown = {words.split()[0] for words in buttons(language)}
    assert shown >= {
        "OUI",
        "NON",
        "CONTESTE",
        "ACCEPTE",
        "REJETTE",
        "RETIRE",
        "J'ACCEPTE",
        "INJONCTION",
        "COMPTE",
    }


def test_a_button_of_a_mail_with_a_token_answers_to_that_token() -> None:
    asked = [(mail, raw) for mail, raw in sent() if mail.token is not None]
    assert {mail.kind for mail, _ in asked} >= {"confirm", "member.invited"}
    for _, raw in asked:
        reply_to = read_reply_to(raw)
        for link in html.fromstring(page_of(raw)).iter("a"):
            to, letter = opened(link.get("href"))
            assert to == reply_to
            assert letter.token is not None
            assert letter.token in reply_to


def read_reply_to(raw: bytes) -> str:
    (line,) = [line for line in raw.split(b"\r\n") if line.startswith(b"Reply-To: ")]
    return line.removeprefix(b"Reply-To: ").decode()


@in_every_language
def test_the_text_shows_what_to_type_for_each_button(language: str) -> None:
    for mail, raw in sent(language):
        typed = [line.strip() for line in text_part(mail).splitlines()]
        for link in html.fromstring(page_of(raw)).iter("a"):
            assert " ".join(link.text_content().split(" ")) in typed


@pytest.mark.parametrize(
    ("button", "link"),
    [
        (Button("OUI", "", True), "mailto:club+c0@example.org?subject=OUI%20%5B%23c0%5D&body=OUI"),
        (
            Button("CONTESTE 12", "le motif", False),
            "mailto:club+c0@example.org?subject=CONTESTE%2012%20%5B%23c0%5D",
        ),
    ],
)
def test_the_link(button: Button, link: str) -> None:
    assert mailto(button, Desk("club+c0@example.org", "[#c0]")) == link


@BRIEF
@given(st.text(max_size=40))
def test_no_command_can_add_a_header_or_leave_its_subject(command: str) -> None:
    """T-26: a name in a button is part of the subject, whatever stands in it."""
    link = mailto(Button(f"BANNIT {command}", "", True), Desk("club@example.org"))
    fields = parse_qs(urlsplit(link).query, strict_parsing=True)
    assert fields == {"subject": [f"BANNIT {command}".rstrip()]}
