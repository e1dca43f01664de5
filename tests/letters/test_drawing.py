"""The digest's picture: the same bytes for the same figures, small, and told in words besides."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from functools import cache
from hashlib import sha256
from io import BytesIO
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from PIL import Image

from mailflow.catalogue import GRAMMAR
from mailflow.compose import compose
from mailflow.drawing import HEIGHT, WIDTH, Course, course_of, png_of, source_of
from mailflow.handlers.courses import LINES_MAX, STEPS_MAX
from mailflow.literal import literal, source
from mailflow.markup import Paragraph, blocks
from mailflow.preview.lives import SEASON, Sent, played
from mailflow.text_part import text_of
from store.records import ClubRow

BYTES_MAX = 30_000
CLUB = ClubRow(1, "Les amis", "club@example.org", "Europe/Paris", "EUR", "fr", "")
PLAIN = Course((200_00, 190_00, 224_00), ((None, 200_00, 176_00),), 200_00, ("05/01", "06/01"), "224,00")
GREEN, LIGHT = (27, 107, 69), (251, 252, 251)


def full() -> Course:
    """As much as is ever drawn, as wild as it comes."""
    chance = Random(1)
    lines = [
        tuple(chance.randrange(-999_99, 9_999_99) for _ in range(STEPS_MAX + 1)) for _ in range(LINES_MAX)
    ]
    return Course(lines[0], tuple(lines[1:]), 200_00, ("02/06", "01/09", "01/12"), "1234,50")


amounts = st.integers(-(10**9), 10**9)


@given(
    st.lists(amounts, min_size=2, max_size=STEPS_MAX + 1),
    st.lists(st.lists(st.none() | amounts, min_size=2, max_size=4).map(tuple), max_size=3).map(tuple),
)
def test_any_balances_can_be_drawn_and_are_kept_as_they_are(own, others):
    course = Course(tuple(own), others, 200_00, ("05/01", "12/01"), "0,00")
    assert course_of(source_of(course)) == course
    assert len(png_of(source_of(course))) < BYTES_MAX


def test_the_fullest_picture_is_small():
    assert len(png_of(source_of(full()))) < BYTES_MAX
    assert len(source_of(full())) < 6_000


def test_another_process_draws_the_same_bytes():
    """P-4: a retry after a restart is the same mail."""
    code = (
        "import sys, hashlib; from mailflow.drawing import png_of;"
        "print(hashlib.sha256(png_of(sys.argv[1])).hexdigest())"
    )
    for course in (PLAIN, full()):
        kept = source_of(course)
        done = subprocess.run(
            [sys.executable, "-c", code, kept], capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stdout.strip() == sha256(png_of(kept)).hexdigest()


def test_its_ground_is_light_and_the_reader_s_line_stands_out():
    """It is legible on a dark page as well; the own line is bold, the others thin."""
    image = Image.open(BytesIO(png_of(source_of(PLAIN))))
    assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT))
    seen = image.convert("RGB").getcolors(1_000_000) or []
    count = {colour: number for number, colour in seen}
    near = {c: n for c, n in count.items() if max(abs(a - b) for a, b in zip(c, GREEN, strict=True)) < 12}
    assert max(count, key=lambda c: count[c]) == pytest.approx(LIGHT, abs=3)
    assert sum(near.values()) > 3_000


# ---------------------------------------------------------------- in the mail


@cache
def digests() -> tuple[Sent, ...]:
    return tuple(one for one in played(SEASON) if one.mail.kind == "digest.weekly")


def parsed(raw: bytes) -> EmailMessage:
    mail = message_from_bytes(raw, policy=default)
    assert isinstance(mail, EmailMessage)
    return mail


def test_it_stands_in_the_mail_beside_the_page_that_shows_it():
    """RFC 2387, 2392: alternative of the text, and of the page with its picture."""
    mail = parsed(digests()[0].raw)
    plain, related = mail.iter_parts()
    page, picture = related.iter_parts()
    types = [part.get_content_type() for part in (mail, plain, related, page, picture)]
    assert types == [
        "multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png",
    ]  # fmt: skip
    [image] = html.document_fromstring(page.get_content()).iter("img")
    assert f"<{image.get('src').removeprefix('cid:')}>" == picture["Content-ID"]
    assert picture.get_content_disposition() == "inline"
    assert picture.get_content().startswith(b"\x89PNG")


def test_the_text_has_no_trace_of_it():
    for one in digests():
        text = parsed(one.raw).get_body(("plain",)).get_content()
        assert "balances:" not in text
        assert "cid:" not in text
        assert "\n\n\n" not in text


def test_its_words_say_what_it_shows():
    """With pictures off, or to who hears the mail."""
    one = digests()[0]
    [image] = html.document_fromstring(parsed(one.raw).get_body(("html",)).get_content()).iter("img")
    course = next(line for line in one.mail.text.splitlines() if line.startswith("!["))
    last = course_of(course.rpartition("(balances:")[2].partition(" ")[0]).last
    assert f"à {last} €" in image.get("alt").replace("\u00a0", " ")
    assert image.get("width") == "552"


def test_the_same_row_makes_the_same_bytes_again():
    """P-4."""
    for one in digests()[:3]:
        png_of.cache_clear()
        assert compose(one.mail, CLUB, "token") == compose(one.mail, CLUB, "token")


def test_no_member_can_write_a_picture():
    """T-27: what he writes is words, whatever it looks like."""
    written = f'![mots](balances:{source_of(PLAIN)} "légende")'
    kept = source(str(literal(written)))
    read = blocks(kept, frozenset(GRAMMAR.by_word))
    assert [type(block) for block in read] == [Paragraph]
    assert "balances:" in text_of(read)
    shown = compose(replace(digests()[0].mail, text=kept), CLUB, None)
    assert b"image/png" not in shown
