"""The SMTP entry in real conversations: what is taken is kept, as it came, before 250 is said."""

from __future__ import annotations

import logging
import smtplib
import socket
from datetime import datetime
from pathlib import Path

import peewee
import pytest

from mailflow import intake
from mailflow.doors.smtp import Keep, SmtpDoor
from mailflow.sections.listen import Limits
from parsers.letter import read_letter
from store import sql
from store.database import unit_of_work
from store.records import ClubRow
from tests.databases import open_database

from .door_scene import CLUB, NOW, calling, listening

MAIL = b"From: anna@example.org\r\nTo: club@example.org\r\nSubject: x\r\n\r\nCOMPTE\r\n"


def own(raw: bytes, stamps: int) -> bytes:
    """What is below the lines that the entry has put on top."""
    return raw.split(b"\r\n", stamps)[stamps]


# ---------------------------------------------------------------- kept before 250


def test_when_250_is_said_the_mail_is_in_the_database(
    db: peewee.Database, club: ClubRow, tmp_path: Path
) -> None:
    """P-1: seen through a connection of its own, as another process would after our death."""

    def keep(raw: bytes, at: datetime) -> int:
        with unit_of_work(db):
            return intake.keep(db, club.id, "smtp", raw, at)

    with listening(keep) as door, calling(door) as client:
        assert client.sendmail("anna@example.org", [CLUB], MAIL) == {}
        other = open_database(tmp_path / "club.db")
        ((raw, received_at, state),) = sql.rows(
            other, "SELECT content, received_at, state FROM inbox JOIN inbox_raw ON inbox_id = id"
        )
        other.close()
    assert bytes(raw).endswith(MAIL)
    assert received_at == NOW.timestamp() * 1_000_000
    assert state == "received"


def test_the_envelope_is_put_on_top(door: SmtpDoor, kept: list[bytes]) -> None:
    """RFC 5321 4.4: Return-Path tells bounces apart, Delivered-To keeps the plus part."""
    with calling(door) as client:
        client.sendmail("anna@example.org", ["club+cabc@example.org"], MAIL)
    assert kept == [b"Return-Path: <anna@example.org>\r\nDelivered-To: club+cabc@example.org\r\n" + MAIL]


def test_a_token_in_the_envelope_alone_is_found(door: SmtpDoor, kept: list[bytes]) -> None:
    token = "c" + "0123456789abcdefghjkmnpqrs"
    with calling(door) as client:
        client.sendmail("anna@example.org", [f"club+{token}@example.org"], MAIL)
    assert read_letter(kept[0]).token == token


def test_the_null_sender_of_a_bounce_is_kept(door: SmtpDoor, kept: list[bytes]) -> None:
    with calling(door) as client:
        client.sendmail("", [CLUB], MAIL)
    assert kept[0].startswith(b"Return-Path: <>\r\n")
    assert read_letter(kept[0]).kind.value == "automatic"


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe\x80 eight bits\r\n",
        "déjà vu, 100 €\r\n".encode(),
        b"..two dots\r\n.one dot\r\n",
        b"tab\t and \x1b[31m escape\r\n",
        b"\r\n\r\n\r\n",
        b"trailing spaces   \r\n",
        b"a" * 990 + b"\r\n",
    ],
)
def test_a_body_is_kept_byte_for_byte(door: SmtpDoor, kept: list[bytes], body: bytes) -> None:
    with calling(door) as client:
        client.sendmail("anna@example.org", [CLUB], MAIL + body, ["BODY=8BITMIME"])
    assert own(kept[0], 2) == MAIL + body


def test_a_mail_in_utf_8_headers_and_addresses_is_kept_byte_for_byte(
    door: SmtpDoor, kept: list[bytes]
) -> None:
    """RFC 6531."""
    raw = "From: José <josé@example.org>\r\nSubject: Été\r\n\r\nCOMPTE\r\n".encode()
    with calling(door) as client:
        client.sendmail("josé@example.org", [CLUB], raw, ["SMTPUTF8", "BODY=8BITMIME"])
    assert own(kept[0], 2) == raw
    assert kept[0].startswith("Return-Path: <josé@example.org>".encode())


def test_a_line_beyond_998_octets_is_refused_cleanly(door: SmtpDoor, kept: list[bytes]) -> None:
    """RFC 5321 4.5.3.1.6; the conversation goes on."""
    with calling(door) as client:
        with pytest.raises(smtplib.SMTPDataError) as refused:
            client.sendmail("anna@example.org", [CLUB], MAIL + b"x" * 5000 + b"\r\n")
        assert refused.value.smtp_code == 500
        client.sendmail("anna@example.org", [CLUB], MAIL)
    assert len(kept) == 1


def test_many_mails_come_through_one_connection(door: SmtpDoor, kept: list[bytes]) -> None:
    with calling(door) as client:
        for _ in range(5):
            client.sendmail("anna@example.org", [CLUB], MAIL)
    assert len(kept) == 5


# ---------------------------------------------------------------- for whom


@pytest.mark.parametrize(
    "to", [CLUB, "club+c123@example.org", "CLUB@Example.ORG", "Club+C1@EXAMPLE.org", "club+@example.org"]
)
def test_the_clubs_addresses_are_taken(door: SmtpDoor, kept: list[bytes], to: str) -> None:
    with calling(door) as client:
        client.sendmail("anna@example.org", [to], MAIL)
    assert len(kept) == 1


@pytest.mark.parametrize(
    "to",
    [
        "bela@example.org",
        "club@example.net",
        "club2@example.org",
        "xclub+c@example.org",
        "club%example.net@example.org",
        "club@example.org@example.net",
    ],
)
def test_nothing_is_relayed(door: SmtpDoor, kept: list[bytes], to: str) -> None:
    """T-34."""
    with calling(door) as client:
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
            client.sendmail("anna@example.org", [to], MAIL)
        assert next(iter(refused.value.recipients.values()))[0] in (550, 553)
    assert kept == []


def test_a_foreign_recipient_beside_the_clubs_is_refused_alone(door: SmtpDoor, kept: list[bytes]) -> None:
    with calling(door) as client:
        refused = client.sendmail("anna@example.org", [CLUB, "bela@example.org"], MAIL)
    assert list(refused) == ["bela@example.org"]
    assert b"bela" not in kept[0]


def test_a_giant_list_of_recipients_is_cut_short(door: SmtpDoor, kept: list[bytes]) -> None:
    """T-34: with a 452, so that an honest server comes again with the rest."""
    with calling(door) as client:
        client.mail("anna@example.org")
        codes = [client.rcpt(f"club+{n}@example.org")[0] for n in range(15)]
    assert codes == [250] * 10 + [452] * 5
    assert kept == []


def test_vrfy_and_expn_tell_nothing(door: SmtpDoor) -> None:
    """T-34."""
    with calling(door) as client:
        assert client.verify(CLUB) == client.verify("nobody@example.org")
        assert client.verify(CLUB)[0] == client.expn("club")[0] == 502


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    "error",
    [RuntimeError("the secret of /var/db"), OSError(28, "No space left on device"), MemoryError("secret")],
)
def test_a_fault_of_ours_is_451_and_tells_nothing(error: Exception) -> None:
    """P-7, T-35."""

    def keep(raw: bytes, at: datetime) -> int:
        raise error

    with listening(keep) as door, calling(door) as client:
        with pytest.raises(smtplib.SMTPDataError) as refused:
            client.sendmail("anna@example.org", [CLUB], MAIL)
        assert refused.value.smtp_code == 451
        said = refused.value.smtp_error.decode()
        assert not [word for word in ("secret", "Error", "space", "Traceback", "/var") if word in said]
        assert client.noop()[0] == 250, "the conversation goes on"


def test_after_a_fault_the_next_mail_is_taken(kept: list[bytes]) -> None:
    def keep(raw: bytes, at: datetime) -> int:
        kept.append(raw)
        if len(kept) == 1:
            raise RuntimeError
        return 1

    with listening(keep) as door, calling(door) as client:
        with pytest.raises(smtplib.SMTPDataError):
            client.sendmail("anna@example.org", [CLUB], MAIL)
        assert client.sendmail("anna@example.org", [CLUB], MAIL) == {}


def test_a_mail_that_is_announced_too_big_is_refused_before_it_is_sent(door: SmtpDoor) -> None:
    with calling(door) as client:
        assert client.esmtp_features["size"] == str(Limits().size_bytes_max)
        assert client.docmd(f"MAIL FROM:<anna@example.org> SIZE={Limits().size_bytes_max + 1}")[0] == 552


@pytest.mark.parametrize(("size", "code"), [(2000, 250), (2001, 552)])
def test_a_mail_that_turns_out_too_big_is_refused(
    keep: Keep, kept: list[bytes], size: int, code: int
) -> None:
    """T-23: the size that was announced just passes."""
    body = b"y" * 78 + b"\r\n"
    raw = MAIL + body * 20
    raw += b"z" * (size - len(raw) - 2) + b"\r\n"
    with listening(keep, Limits(size_bytes_max=2000)) as door, calling(door) as client:
        client.mail("anna@example.org")
        client.rcpt(CLUB)
        assert client.data(raw)[0] == code
        assert client.sendmail("anna@example.org", [CLUB], MAIL) == {}, "the conversation goes on"
    assert len(kept) == 1 + (code == 250)


def test_a_client_that_hangs_up_in_the_middle_leaves_nothing(door: SmtpDoor, kept: list[bytes]) -> None:
    with socket.create_connection(("127.0.0.1", door.port), timeout=30) as line:
        answers = line.makefile("rb")
        for command in (
            b"",
            b"EHLO x\r\n",
            b"MAIL FROM:<a@example.org>\r\n",
            b"RCPT TO:<club@example.org>\r\n",
            b"DATA\r\n",
        ):
            line.sendall(command)
            while answers.readline()[3:4] == b"-":
                pass
        line.sendall(MAIL)
        answers.close()
    with calling(door) as client:
        client.sendmail("anna@example.org", [CLUB], MAIL)
    assert len(kept) == 1


def test_no_token_is_in_the_log(door: SmtpDoor, caplog: pytest.LogCaptureFixture) -> None:
    """T-28: reply addresses are tokens, and `mailflow run` logs at INFO."""
    token = "c" + "0123456789abcdefghjkmnpqrs"
    with caplog.at_level(logging.DEBUG), calling(door) as client:
        client.sendmail("anna@example.org", [f"club+{token}@example.org"], MAIL + token.encode() + b"\r\n")
    assert token not in caplog.text
