"""Real programs read our mails: each kind in each language, as sent, says in all of them what its text says.

Python's own parser, neomutt's pager (the text, and the page by way of w3m) and w3m. Nothing is lost, nothing
stands elsewhere, no letter, amount or date comes out otherwise.
"""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mailflow import compose, text_part, words
from mailflow.markup import Paragraph, Picture, blocks
from mailflow.preview.gallery import looks
from mailflow.preview.lives import LIVES, START, Life, Sent, played

from .dovecot import Dovecot
from .mail_readers import Neomutt, shown_by_w3m

PARIS = ZoneInfo("Europe/Paris")
CLUB = "Les amis du mardi"
THOUSANDS = Life(
    "55 anna PARTIE joueurs=bela\n55 bela POURQUOI 1\n55 bela COMPTE",
    days=56,
    rulebook={"initial_credit_cents": 123_456},
)
"""Amounts of four figures, on the first of March."""
WIDE = 10_000
"""Columns: no cell of a table is wrapped, so that its words stand one after the other."""

in_every_language = pytest.mark.parametrize("language", words.languages())


@cache
def mails(language: str) -> tuple[Sent, ...]:
    """One mail of each look, and those of the life above."""
    lived = (one for life in LIVES for one in played(life, language))
    return (*looks(lived), *looks(played(THOUSANDS, language)))


def parsed(raw: bytes) -> EmailMessage:
    mail = message_from_bytes(raw, policy=default)
    assert isinstance(mail, EmailMessage)
    return mail


def part(mail: EmailMessage, kind: str) -> EmailMessage:
    found = mail.get_body((kind,))
    assert found is not None
    return found


def said(text: str) -> list[str]:
    """The words of a text in their order, whatever their case, lines, quotes and bullets."""
    bare = (word.strip("«»“”„") for word in text.casefold().split())
    return [word for word in bare if re.search(r"\w|€", word)]


def reference(one: Sent) -> list[str]:
    """The reference line that a mail ends in, if it has one: the last words of both parts."""
    text = str(part(parsed(one.raw), "plain").get_content()).strip()
    return re.findall(r"\[#\w+\]$", text)


def page_says(one: Sent) -> list[str]:
    """What the page of a mail has to say: the words of its text and pictures, the club, the reference."""
    read = blocks(one.mail.text, frozenset())
    told = [Paragraph(f"{b.alt} {b.caption}") if isinstance(b, Picture) else b for b in read]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_part, "TABLE_WIDTH", WIDE)
        text = text_part.text_of(told)
    return said(text) + said(CLUB) + reference(one)


@in_every_language
def test_pythons_parser_finds_nothing_wrong_and_reads_the_words(language: str) -> None:
    for one in mails(language):
        mail = parsed(one.raw)
        assert [defect for piece in mail.walk() for defect in piece.defects] == [], one.mail.kind
        assert mail["Subject"] == one.mail.subject
        text = str(part(mail, "plain").get_content())
        wanted = compose.text_part(one.mail).split("\n") + reference(one)
        assert [line for line in text.splitlines() if line] == [line for line in wanted if line]


@in_every_language
def test_neomutts_pager_shows_the_text_line_by_line(language: str, dovecot: Dovecot, tmp_path: Path) -> None:
    shown = Neomutt(dovecot, tmp_path / "neomutt").shows([one.raw for one in mails(language)])
    for one, screen in zip(mails(language), shown, strict=True):
        head, _, body = screen.partition("\nSubject: ")[2].partition("\n\n")
        text = str(part(parsed(one.raw), "plain").get_content())
        assert " ".join(head.split()) == " ".join(one.mail.subject.split())
        lines, wanted = body.rstrip().splitlines(), text.rstrip().splitlines()
        assert lines[: len(wanted)] == wanted
        assert [line for line in lines[len(wanted) :] if line and not line.startswith("[-- ")] == []


@in_every_language
def test_neomutt_shows_the_page_of_each_kind_by_way_of_w3m(
    language: str, dovecot: Dovecot, tmp_path: Path
) -> None:
    each = list({one.mail.kind: one for one in mails(language)}.values())
    shown = Neomutt(dovecot, tmp_path / "neomutt", page=True).shows([one.raw for one in each])
    for one, screen in zip(each, shown, strict=True):
        body = screen.partition("\nSubject: ")[2].partition("\n\n")[2]
        page = "".join(line for line in body.splitlines(True) if not line.startswith("[-- "))
        assert (one.mail.subject, said(page)) == (one.mail.subject, page_says(one))


@in_every_language
def test_w3m_shows_each_page_with_the_words_of_its_text(language: str, tmp_path: Path) -> None:
    for one in mails(language):
        page = part(parsed(one.raw), "html").get_payload(decode=True)
        assert isinstance(page, bytes)
        assert (one.mail.subject, said(shown_by_w3m(page, tmp_path))) == (one.mail.subject, page_says(one))


def test_w3m_sets_amounts_one_below_the_other(tmp_path: Path) -> None:
    one = next(one for one in mails("fr") if one.mail.kind == "digest.weekly")
    page = part(parsed(one.raw), "html").get_payload(decode=True)
    assert isinstance(page, bytes)
    shown = shown_by_w3m(page, tmp_path).partition("Membre ")[2].partition("\n\n")[0].split("\n")[1:]
    ends = [[found.end() for found in re.finditer("€", line)] for line in shown]
    assert len(ends) == 4
    assert ends[1:] == ends[:-1]
    assert len({len(line) - len(line.lstrip()) for line in shown}) == 1


@in_every_language
def test_large_amounts_and_the_first_of_a_month_are_among_them(language: str) -> None:
    every = said(" ".join(str(part(parsed(one.raw), "plain").get_content()) for one in mails(language)))
    first = words.day(START.replace(month=3, day=1), PARIS, language)
    for wanted in (words.money(123_456, "EUR", language), first):
        assert f" {' '.join(said(wanted))} " in " ".join(every)


def test_another_charset_would_be_seen(dovecot: Dovecot, tmp_path: Path) -> None:
    """What these tests look for, made once: the same bytes, declared or read as Latin."""
    one = next(one for one in mails("fr") if one.mail.kind == "game.result")
    latin = one.raw.replace(b'charset="utf-8"', b'charset="iso-8859-1"')
    right, wrong = Neomutt(dovecot, tmp_path / "neomutt").shows([one.raw, latin])
    assert "définitif" in right
    assert "dÃ©finitif" in wrong
    page = part(parsed(one.raw), "html").get_payload(decode=True)
    assert isinstance(page, bytes)
    twice = page.decode("latin-1").encode("utf-8")
    assert said(shown_by_w3m(twice, tmp_path)) != page_says(one) == said(shown_by_w3m(page, tmp_path))
