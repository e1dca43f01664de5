"""T-26: outgoing mail, read again, has exactly the intended headers, whatever stands in its row."""

from __future__ import annotations

from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import compat32, default

from hypothesis import given
from hypothesis import strategies as st

from mailflow.compose import compose
from mailflow.mail_headers import HEADER_MAX, encoded
from mailflow.preview.lives import START
from mailflow.words import one_line
from store.records import ClubRow, OutboxMail, OutboxState

from .test_literal import BRIEF

CLUB = ClubRow(1, "Les amis", "club@example.org", "Europe/Paris", "EUR", "fr", "")
MAIL = OutboxMail(
    1, "answer", "anna", "anna@example.org", "Sujet", "# Titre\n\nmot\n", None, None, None,
    "<1@example.org>", START, OutboxState.QUEUED, 0, "",
)  # fmt: skip
EVIL = st.one_of(
    st.text(max_size=120),
    st.text(st.sampled_from("a:\r\n\x0b\x0c\x85\u2028\0 =?utf-8qb_<>@\"\\(),;é€"), max_size=60),
    st.sampled_from((
        "x\r\nBcc: evil@example.net", "=?utf-8?q?x=0D=0ABcc:_evil@example.net?=", "\r\n\r\n<b>x</b>",
        "x\r\n\r\n--=_boundary\r\nContent-Type: text/html\r\n\r\nx", "\ud800", "é" * 300, "a" * 900,
        '"', "<x@y>", "a, b",
    )),
)  # fmt: skip
TOKEN = "c8069zrdvjkpg9kw5tzp5jn1gxm"


def parsed(raw: bytes) -> EmailMessage:
    mail = message_from_bytes(raw, policy=default)
    assert isinstance(mail, EmailMessage)
    return mail


@BRIEF
@given(
    subject=EVIL,
    name=EVIL,
    in_reply_to=EVIL,
    text=EVIL,
    token=st.sampled_from((None, TOKEN)),
    plus=st.booleans(),
)
def test_a_row_has_exactly_its_headers_and_two_parts(
    subject: str, name: str, in_reply_to: str, text: str, token: str | None, plus: bool
) -> None:
    row = replace(MAIL, subject=subject, in_reply_to=in_reply_to, text=text)
    raw = compose(row, replace(CLUB, name=name), token, plus)
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert b"\r" not in raw.replace(b"\r\n", b"")
    mail = parsed(raw)
    optional = {"In-Reply-To", "References"} & set(mail.keys())
    wanted = {
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "X-Auto-Response-Suppress",
        "List-Id", "MIME-Version", "Content-Type",
    }  # fmt: skip
    wanted |= optional | ({"Reply-To"} if token and plus else set())
    assert sorted(message_from_bytes(raw, policy=compat32).keys()) == sorted(wanted)
    assert mail["From"].addresses[0].addr_spec == CLUB.address
    assert len(mail["From"].addresses) == len(mail["To"].addresses) == 1
    assert [part.get_content_type() for part in mail.walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]
    assert not mail.defects
    assert compose(row, replace(CLUB, name=name), token, plus) == raw, "P-4"


@BRIEF
@given(text=EVIL)
def test_a_subject_reads_back_as_it_is(text: str) -> None:
    shown = one_line(text.encode("utf-8", "replace").decode(), HEADER_MAX)
    header = f"Subject: {encoded(shown)}"
    assert all(len(line) <= 76 or (line.isascii() and "=?" not in shown) for line in header.split("\r\n"))
    read = parsed(f"{header}\r\n\r\n".encode())["Subject"]
    assert (read or "") == shown


def test_the_parts_are_the_text_first_and_the_page_last() -> None:
    """RFC 2046 5.1.4: the last is the best."""
    mail = parsed(compose(MAIL, CLUB, None))
    plain, page = mail.iter_parts()
    assert plain.get_content() == "Titre\r\n\r\nmot\r\n"
    assert "<h1" in page.get_content()
    assert 'lang="fr"' in page.get_content()


def test_a_page_is_in_the_language_of_its_mail() -> None:
    page = parsed(compose(replace(MAIL, language="de"), CLUB, None)).get_body(("html",))
    assert page is not None
    assert '<html lang="de"' in page.get_content()


def test_no_mail_is_bigger_than_a_phone_shows_whole() -> None:
    """Gmail cuts a page at 102 KB; ours stay under 60."""
    from tests.house.test_templates import sent
    from tests.parsers.test_our_mails import page_of

    assert max(len(page_of(raw).encode()) for _, raw in sent()) < 60_000


def ids_of(raw: bytes) -> set[str]:
    """The pictures that a mail brings along."""
    parts = message_from_bytes(raw, policy=default).walk()
    return {str(part["Content-ID"]) for part in parts if part.get_content_maintype() == "image"}


def test_no_page_fetches_anything_or_leads_anywhere_but_to_a_mail() -> None:
    """TRUST § 3: no http link, ever: a scanner that opens links confirms nothing (hazard F17)."""
    from lxml import html

    from tests.house.test_templates import sent
    from tests.parsers.test_our_mails import page_of

    for mail, raw in sent():
        root = html.document_fromstring(page_of(raw))
        links = [value for _, attribute, value, _ in root.iterlinks()]
        images = [image.get("src") for image in root.iter("img")]
        assert all(link.startswith("mailto:club") or link in images for link in links), (mail.kind, links)
        assert {f"<{source.removeprefix('cid:')}>" for source in images} == ids_of(raw)
        assert not [e.tag for e in root.iter("script", "link", "iframe", "object", "form", "svg", "base")]
        assert "url(" not in page_of(raw)
        assert "@import" not in page_of(raw)
