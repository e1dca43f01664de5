"""STARTTLS at the entry: nothing said or slipped in before it counts behind it (T-33)."""

from __future__ import annotations

import socket
import ssl
import struct
from pathlib import Path

import pytest

from mailflow.doors.smtp import Keep, SmtpDoor
from mailflow.sections.listen import Limits

from .door_scene import CLUB, MAIL, RawLine, calling, listening, wait_for_a_place
from .localhost_certificate import trusting


def test_starttls_is_offered_and_used(keep: Keep, kept: list[bytes], tls: dict[str, Path]) -> None:
    with listening(keep, **tls) as door, calling(door) as client:
        assert client.has_extn("starttls")
        client.starttls(context=trusting())
        client.ehlo()
        assert not client.has_extn("starttls"), "it is TLS already"
        assert client.docmd("STARTTLS")[0] == 503
        assert client.sendmail("anna@example.org", [CLUB], MAIL) == {}
    assert len(kept) == 1


def test_without_a_certificate_starttls_is_not_offered(door: SmtpDoor) -> None:
    with calling(door) as client:
        assert not client.has_extn("starttls")
        assert client.docmd("STARTTLS")[0] == 503


def test_what_is_injected_behind_starttls_is_dropped(
    keep: Keep, kept: list[bytes], tls: dict[str, Path]
) -> None:
    """T-33 (hazard G02): commands of an attacker on the way must not run as if they had come through TLS."""
    with listening(keep, **tls) as door, RawLine(door.port) as line:
        line.ask(b"EHLO client.example")
        line.send(b"STARTTLS\r\nEHLO evil\r\nMAIL FROM:<boss@example.org>\r\nRCPT TO:<club@example.org>\r\n")
        assert line.reply().startswith(b"220")
        line.start_tls(trusting())
        assert line.ask(b"DATA").startswith(b"503"), "no envelope has come through TLS"
        assert line.ask(b"MAIL FROM:<anna@example.org>").startswith(b"503"), "nor a greeting"
        line.to_data()
        line.send(MAIL + b".\r\n")
        assert line.reply().startswith(b"250")
    assert len(kept) == 1
    assert b"boss" not in kept[0]


def test_what_was_said_before_tls_is_forgotten(keep: Keep, kept: list[bytes], tls: dict[str, Path]) -> None:
    """RFC 3207 4.2."""
    with listening(keep, **tls) as door, RawLine(door.port) as line:
        line.ask(b"EHLO client.example")
        line.ask(b"MAIL FROM:<boss@example.org>")
        line.ask(b"RCPT TO:<club@example.org>")
        assert line.ask(b"STARTTLS").startswith(b"220")
        line.start_tls(trusting())
        assert line.ask(b"DATA").startswith(b"503")
    assert kept == []


def test_a_handshake_that_fails_frees_the_place(keep: Keep, kept: list[bytes], tls: dict[str, Path]) -> None:
    with listening(keep, Limits(connections_max=1), **tls) as door:
        for _ in range(3):
            with RawLine(door.port) as line:
                line.ask(b"EHLO client.example")
                line.ask(b"STARTTLS")
                line.send(b"this is no handshake\r\n" * 50)
                line.rest()
            wait_for_a_place(door)
        with calling(door) as client:
            client.sendmail("anna@example.org", [CLUB], MAIL)
    assert len(kept) == 1


@pytest.mark.parametrize("abrupt", [False, True])
def test_a_client_that_leaves_in_the_handshake_frees_the_place(
    keep: Keep, tls: dict[str, Path], abrupt: bool
) -> None:
    with listening(keep, Limits(connections_max=1), **tls) as door:
        with RawLine(door.port) as line:
            line.ask(b"EHLO client.example")
            line.ask(b"STARTTLS")
            line.send(b"\x16\x03\x01")
            if abrupt:  # the other end gets a reset, not an end
                line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wait_for_a_place(door)


def test_a_renewed_certificate_is_used_and_a_broken_one_is_not(keep: Keep, tls: dict[str, Path]) -> None:
    with listening(keep, **tls) as door:
        for broken in (False, True, False):
            path = tls["tls_certificate"]
            text = path.read_text()
            if broken:
                path.write_text("half a certificate")
            with calling(door) as client:
                assert client.starttls(context=trusting())[0] == 220
            path.write_text(text)


def test_no_word_of_a_conversation_is_in_the_log(
    door: SmtpDoor, caplog: pytest.LogCaptureFixture, tls: dict[str, Path], keep: Keep
) -> None:
    """T-28."""
    caplog.set_level("DEBUG")
    with listening(keep, **tls) as opened, RawLine(opened.port) as line:
        line.ask(b"EHLO hunter2")
        line.ask(b"MAIL FROM:<hunter2@example.org>")
        line.ask(b"AUTH PLAIN hunter2")
        line.ask(b"STARTTLS")
        line.send(b"hunter2")
    assert "hunter2" not in caplog.text


def test_a_client_without_a_trusted_certificate_learns_it(keep: Keep, tls: dict[str, Path]) -> None:
    with listening(keep, **tls) as door, RawLine(door.port) as line:
        line.ask(b"EHLO client.example")
        line.ask(b"STARTTLS")
        with pytest.raises(ssl.SSLCertVerificationError):
            line.start_tls(ssl.create_default_context())
