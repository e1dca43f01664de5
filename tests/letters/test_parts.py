"""What a mail carries besides its words: files are attached, pictures stand in the page (T-26)."""

from __future__ import annotations

from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest
from hypothesis import given

from mailflow.compose import compose
from store.records import Part
from tests.letters.test_headers import CLUB, EVIL, MAIL
from tests.letters.test_literal import BRIEF

FILE = Part("application/pdf", "releve-anna.pdf", bytes(range(256)) * 9)
TABLE = Part("text/csv; charset=utf-8", "releve.csv", b"\xef\xbb\xbfa;b\r\n--=_x\r\n")
PICTURE = Part("image/png", "soldes.png", b"\x89PNG", "balances@mailflow")


def parsed(raw: bytes) -> EmailMessage:
    mail = message_from_bytes(raw, policy=default)
    assert isinstance(mail, EmailMessage)
    assert not [defect for part in mail.walk() for defect in part.defects]
    return mail


def shape(mail: EmailMessage) -> list[str]:
    return [part.get_content_type() for part in mail.walk()]


def test_a_mail_without_parts_is_of_two_alternatives() -> None:
    assert shape(parsed(compose(MAIL, CLUB, None))) == ["multipart/alternative", "text/plain", "text/html"]


def test_files_are_attached_and_pictures_stand_in_the_page() -> None:
    mail = parsed(compose(replace(MAIL, parts=(FILE, PICTURE, TABLE)), CLUB, None))
    assert shape(mail) == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
        "application/pdf",
        "text/csv",
    ]
    files = list(mail.iter_attachments())
    assert [one.get_filename() for one in files] == [FILE.name, TABLE.name]
    assert [one.get_payload(decode=True) for one in files] == [FILE.content, TABLE.content]
    picture = next(part for part in mail.walk() if part.get_content_type() == "image/png")
    assert picture["Content-ID"] == "<balances@mailflow>"
    assert picture.get_content_disposition() == "inline"
    assert picture.get_payload(decode=True) == PICTURE.content
    body = mail.get_body(("plain",))
    assert body is not None
    assert "mot" in body.get_content()


def test_a_picture_alone_needs_no_mixture() -> None:
    mail = parsed(compose(replace(MAIL, parts=(PICTURE,)), CLUB, None))
    assert shape(mail)[:3] == ["multipart/alternative", "text/plain", "multipart/related"]


@BRIEF
@given(name=EVIL, content_id=EVIL)
def test_no_name_ends_its_header(name: str, content_id: str) -> None:
    """T-26."""
    one, two = replace(FILE, name=name), replace(PICTURE, name=name, content_id=content_id)
    raw = compose(replace(MAIL, parts=(one, two)), CLUB, None)
    assert b"\n" not in raw.replace(b"\r\n", b"")
    mail = parsed(raw)
    assert len(shape(mail)) == 7
    assert mail["Bcc"] is None
    for part in mail.walk():
        if part.get_content_disposition() is not None:
            assert set(part) <= {
                "Content-Type",
                "Content-Disposition",
                "Content-Transfer-Encoding",
                "Content-ID",
            }


def test_what_is_no_content_type_is_refused() -> None:
    with pytest.raises(ValueError, match="content type"):
        compose(replace(MAIL, parts=(replace(FILE, content_type="text/csv\r\nBcc: x"),)), CLUB, None)
