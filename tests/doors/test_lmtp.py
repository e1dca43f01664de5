"""LMTP, for a mail server on the same machine that hands the mail over (RFC 2033)."""

from __future__ import annotations

import re

import pytest

from mailflow.doors.smtp import Keep, SmtpDoor

from .door_scene import MAIL, RawLine, listening


@pytest.fixture
def lmtp(keep: Keep) -> object:
    with listening(keep, protocol="lmtp") as door:
        yield door


def test_lmtp_has_its_own_greeting_and_no_other(lmtp: SmtpDoor) -> None:
    """RFC 2033 4.1."""
    with RawLine(lmtp.port) as line:
        assert b"LMTP" in line.greeting
        assert line.ask(b"EHLO x").startswith(b"500")
        assert line.ask(b"HELO x").startswith(b"500")
        line.send(b"LHLO x\r\n")
        assert line.reply().startswith(b"250")


def test_smtp_does_not_know_lhlo(door: SmtpDoor) -> None:
    with RawLine(door.port) as line:
        assert line.ask(b"LHLO x").startswith(b"500")


def test_lmtp_answers_for_each_recipient(lmtp: SmtpDoor, kept: list[bytes]) -> None:
    """RFC 2033 4.2: one reply for each recipient that was accepted, and one mail kept for all."""
    with RawLine(lmtp.port) as line:
        line.ask(b"LHLO x")
        line.ask(b"MAIL FROM:<anna@example.org>")
        assert line.ask(b"RCPT TO:<club@example.org>").startswith(b"250")
        assert line.ask(b"RCPT TO:<bela@example.org>").startswith(b"550")
        assert line.ask(b"RCPT TO:<club+x@example.org>").startswith(b"250")
        line.ask(b"DATA")
        line.send(MAIL + b".\r\nNOOP\r\n")
        assert [line.reply() for _ in range(3)] == [b"250 2.0.0 kept as 1"] * 2 + [b"250 2.0.0 OK"]
    assert kept[0].split(b"\r\n")[1:3] == [
        b"Delivered-To: club@example.org",
        b"Delivered-To: club+x@example.org",
    ]


@pytest.mark.parametrize(("body", "code"), [(b"a\nb\r\n", b"550"), (b"x" * 2000 + b"\r\n", b"500")])
def test_lmtp_refuses_for_each_recipient(lmtp: SmtpDoor, kept: list[bytes], body: bytes, code: bytes) -> None:
    with RawLine(lmtp.port) as line:
        line.ask(b"LHLO x")
        line.ask(b"MAIL FROM:<anna@example.org>")
        line.ask(b"RCPT TO:<club@example.org>")
        line.ask(b"RCPT TO:<club+x@example.org>")
        line.ask(b"DATA")
        line.send(MAIL + body + b".\r\nNOOP\r\n")
        assert [line.reply()[:3] for _ in range(3)] == [code, code, b"250"]
    assert kept == []


def test_lmtp_without_a_recipient_takes_no_data(lmtp: SmtpDoor) -> None:
    with RawLine(lmtp.port) as line:
        line.ask(b"LHLO x")
        line.ask(b"MAIL FROM:<anna@example.org>")
        line.ask(b"RCPT TO:<bela@example.org>")
        assert line.ask(b"DATA").startswith(b"503")


def test_every_refusal_bears_an_enhanced_code(door: SmtpDoor) -> None:
    """It was promised with ENHANCEDSTATUSCODES (RFC 2034), and RFC 2033 asks for it."""
    with RawLine(door.port) as line:
        replies = [line.ask(b"EHLO client.example")]
        for command in (
            b"MAIL",
            b"RCPT TO:<club@example.org>",
            b"DATA",
            b"XYZZY",
            b"VRFY a",
            b"RSET x",
            b"HELP",
            b"NOOP",
        ):
            replies.append(line.ask(command))
    assert [r for r in replies[1:] if not re.match(rb"[245]\d\d \d\.\d+\.\d+ ", r)] == []
