"""Delivery reports of many servers: whom, whether for good, in which words; nothing stops the reader."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.bounces import DIAGNOSTIC_CHARACTERS_MAX, BounceReport
from parsers.kinds import LetterKind
from parsers.letter import read_letter

from .bounce_mails import CASES, Case


def read(raw: bytes) -> BounceReport:
    letter = read_letter(raw)
    assert letter.kind is LetterKind.BOUNCE
    assert letter.bounce is not None
    return letter.bounce


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_report_is_read(case: Case) -> None:
    found = read(case.raw)
    assert (found.fate, found.recipient, found.status, found.hard) == (
        case.fate,
        case.recipient,
        case.status,
        case.hard,
    )
    assert case.said in found.diagnostic
    assert "came back" not in found.diagnostic


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_crlf_makes_no_difference(case: Case) -> None:
    assert read(case.raw.replace(b"\n", b"\r\n")) == read(case.raw)


def test_only_a_bounce_has_a_report() -> None:
    assert read_letter(b"From: anna@example.org\n\nCOMPTE\n").bounce is None


@given(st.sampled_from(list(CASES)), st.randoms(use_true_random=False))
def test_no_report_however_mangled_stops_the_reader(name: str, chance: random.Random) -> None:
    raw = bytearray(CASES[name].raw)
    for _ in range(chance.randint(1, 30)):
        at = chance.randrange(len(raw) + 1)
        raw[at : at + chance.randint(0, 20)] = chance.choice(
            [b"", b"\n", b"\0", b"\xff", b"=", b"<", b"5.1.1", b": "]
        )
    letter = read_letter(bytes(raw))
    assert letter.reason != "unreadable"
    if letter.bounce is not None:
        assert len(letter.bounce.diagnostic) <= DIAGNOSTIC_CHARACTERS_MAX
        assert "\n" not in letter.bounce.diagnostic


@pytest.mark.parametrize(
    "piece",
    [b"<a@b.c>:\n", b"550 ", b"5.1.", b"<" * 50, b"Final-Recipient: x\n", b" x\n", b"--- copy of\n", b"a@b "],
)
def test_a_giant_report_is_read_in_part_alone(piece: bytes) -> None:
    """T-24: how much is looked at is bounded."""
    head = b"Return-Path: <>\nFrom: MAILER-DAEMON@x.net\nSubject: failure notice\n\n"
    assert read(head + piece * (900_000 // len(piece))).diagnostic is not None
