"""Floods, slow clients, giants: each is bounded, and its place is free again (T-34)."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime

import pytest

from mailflow.doors import smtp_session
from mailflow.doors.smtp import Keep, SmtpDoor
from mailflow.doors.smtp_data import TOO_BIG, MailBytes
from mailflow.doors.smtp_guard import Guard, client_of
from mailflow.sections.listen import Limits

from .door_scene import BOUND, CLUB, MAIL, NOW, RawLine, calling, listening, wait_for_a_place


def test_more_clients_than_places_are_told_to_come_again(keep: Keep) -> None:
    """T-34."""
    with listening(keep, Limits(connections_max=20, connections_per_client_max=20)) as door:
        lines = [RawLine(door.port) for _ in range(60)]
        greetings = [line.greeting[:3] for line in lines]
        assert greetings == [b"220"] * 20 + [b"421"] * 40
        for line in lines:
            line.socket.close()
        wait_for_a_place(door)


def test_one_client_does_not_take_all_places() -> None:
    guard = Guard(Limits(connections_max=10, connections_per_client_max=3))
    names = [guard.admit(("192.0.2.1", port)) for port in range(5)]
    assert names == ["192.0.2.1"] * 3 + [None] * 2
    assert guard.admit(("192.0.2.2", 1)) == "192.0.2.2"
    guard.leave("192.0.2.1")
    assert guard.admit(("192.0.2.1", 9)) == "192.0.2.1"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("2001:db8::1", 1, 0, 0), ("2001:db8::2", 2, 0, 0), True),
        (("2001:db8::1", 1, 0, 0), ("2001:db8:0:1::1", 2, 0, 0), False),
        (("::ffff:192.0.2.1", 1, 0, 0), ("192.0.2.1", 2), True),
        (("192.0.2.1", 1), ("192.0.2.2", 1), False),
        (("fe80::1%eth0", 1, 0, 3), ("fe80::2%eth0", 1, 0, 3), True),
    ],
)
def test_a_client_is_known_by_its_address_or_its_network(one: object, other: object, same: bool) -> None:
    assert (client_of(one) == client_of(other)) is same


def test_a_silent_client_is_hung_up_on(keep: Keep) -> None:
    with listening(keep, Limits(timeout_seconds=1)) as door, RawLine(door.port) as line:
        assert line.greeting.startswith(b"220")
        assert line.rest() == b"421 4.4.2 timeout\r\n"


def test_a_client_that_dribbles_a_command_is_hung_up_on(keep: Keep) -> None:
    """Each byte comes in time, the line never: the time is for the whole command."""
    with listening(keep, Limits(timeout_seconds=1)) as door, RawLine(door.port) as line:
        pause = threading.Event()
        for _ in range(BOUND * 10):
            try:
                line.send(b"N")
            except ConnectionError:
                break
            pause.wait(0.1)
        else:
            raise AssertionError("it may go on for ever")


def test_a_client_that_dribbles_a_mail_is_hung_up_on(keep: Keep, kept: list[bytes]) -> None:
    with listening(keep, Limits(timeout_seconds=1)) as door, RawLine(door.port) as line:
        line.to_data()
        for _ in range(BOUND * 10):
            try:
                line.send(b"x\r\n")
            except ConnectionError:
                break
            threading.Event().wait(0.1)
        else:
            raise AssertionError("it may go on for ever")
    assert kept == []


def test_a_client_that_does_not_read_is_hung_up_on(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its replies fill all buffers; its place is free again all the same."""
    monkeypatch.setattr(smtp_session, "FAREWELL_SECONDS", 0.2)
    limits = Limits(timeout_seconds=1, connections_max=1, errors_max=10**9, mails_per_connection_max=10**9)
    with listening(keep, limits) as door, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.settimeout(BOUND)
        deaf.connect(("127.0.0.1", door.port))
        try:
            while True:
                deaf.sendall(b"RSET\r\n" * 10_000)
        except (ConnectionError, TimeoutError):
            pass
        wait_for_a_place(door)


def test_a_slow_disk_holds_up_no_other_conversation(kept: list[bytes]) -> None:
    """A mail that is just being kept waits for its disk alone."""
    asked, free = threading.Event(), threading.Event()

    def keep(raw: bytes, at: datetime) -> int:
        asked.set()
        assert free.wait(BOUND)
        kept.append(raw)
        return len(kept)

    with listening(keep) as door, RawLine(door.port) as line:
        line.to_data()
        line.send(MAIL + b".\r\n")
        assert asked.wait(BOUND)
        with calling(door) as client:
            assert client.noop()[0] == 250
        free.set()
        assert line.reply() == b"250 2.0.0 kept as 1"


def test_mails_are_kept_in_the_order_in_which_they_were_complete(kept: list[bytes]) -> None:
    asked, free = threading.Event(), threading.Event()

    def keep(raw: bytes, at: datetime) -> int:
        asked.set()
        assert free.wait(BOUND)
        kept.append(raw)
        return len(kept)

    with listening(keep) as door:
        lines = [RawLine(door.port) for _ in range(6)]
        for n, line in enumerate(lines):
            line.to_data(b"m%d@example.org" % n)
            line.send(MAIL + b".\r\n")
            assert asked.wait(BOUND)
            # The entry has the final dot once another conversation that began later is served.
            with RawLine(door.port) as other:
                other.ask(b"NOOP")
        free.set()
        assert [line.reply()[:3] for line in lines] == [b"250"] * 6
        for line in lines:
            line.socket.close()
    assert [raw.split(b"\r\n")[0] for raw in kept] == [
        b"Return-Path: <m%d@example.org>" % n for n in range(6)
    ]


def test_a_mail_in_hand_is_answered_before_the_entry_stops(kept: list[bytes]) -> None:
    """P-1: its sender need not send it again."""
    asked, free = threading.Event(), threading.Event()

    def keep(raw: bytes, at: datetime) -> int:
        asked.set()
        assert free.wait(BOUND)
        return 7

    with listening(keep) as door, RawLine(door.port) as line:
        line.to_data()
        line.send(MAIL + b".\r\n")
        assert asked.wait(BOUND)
        with ThreadPoolExecutor(1) as pool:
            stopping = pool.submit(door.stop)
            free.set()
            stopping.result(BOUND)
        assert line.rest() == b"250 2.0.0 kept as 7\r\n421 4.3.2 shutting down\r\n"


def test_stopping_ends_idle_conversations_and_twice_is_once(keep: Keep) -> None:
    with listening(keep) as door, RawLine(door.port) as line:
        door.stop()
        assert line.rest() == b"421 4.3.2 shutting down\r\n"
        door.stop()
        with pytest.raises(ConnectionRefusedError):
            RawLine(door.port)


def test_the_thread_that_keeps_is_told_when_it_ends() -> None:
    """Its connection to the database is its own."""
    threads: list[tuple[str, int]] = []

    def keep(raw: bytes, at: datetime) -> int:
        threads.append(("keep", threading.get_ident()))
        return 1

    door = SmtpDoor(
        smtp_session.Entry(CLUB, keep, lambda: NOW, lambda: threads.append(("ended", threading.get_ident()))),
        smtp_session.Listen(port=0),
    )
    door.start()
    with calling(door) as client:
        client.sendmail("anna@example.org", [CLUB], MAIL)
    door.stop()
    (first, second) = threads
    assert (first[0], second[0]) == ("keep", "ended")
    assert first[1] == second[1] != threading.get_ident()


# ---------------------------------------------------------------- giants


def test_a_giant_command_is_refused_and_the_conversation_goes_on(door: SmtpDoor) -> None:
    with RawLine(door.port) as line:
        line.ask(b"EHLO client.example")
        line.send(b"MAIL FROM:<" + b"a" * 1_000_000 + b"@example.org>\r\n")
        assert line.reply().startswith(b"500")
        assert line.ask(b"RCPT TO:<" + b"b" * 600 + b"@example.org>").startswith(b"500")
        assert line.ask(b"NOOP").startswith(b"250")


@pytest.mark.parametrize(
    "path",
    [
        b"<", b"<>>", b"<@", b"<a@b", b"<\"", b"<a@[", b"<" + b"(" * 400, b"<" + b"\"" * 300 + b"@b>",
        b"<a\0b@c>",
        b"\xff\xfe", b"<club@example.org> " + b"X" * 400,
        b"<club@example.org> X=\xff",
        b"<" + b".".join([b"a"] * 200) + b"@example.org>",
    ],
)  # fmt: skip
def test_an_odd_address_is_a_5xx_and_no_fault_of_ours(door: SmtpDoor, path: bytes) -> None:
    """A 451 would have it come again for days (hazards E05, E09, G04)."""
    with RawLine(door.port) as line:
        line.ask(b"EHLO client.example")
        line.ask(b"MAIL FROM:<anna@example.org>")
        assert line.ask(b"RCPT TO:" + path)[:1] == b"5"
        assert line.ask(b"RCPT TO:<club@example.org>").startswith(b"250")


def test_a_giant_list_of_recipients_ends_the_conversation(door: SmtpDoor, kept: list[bytes]) -> None:
    """T-34."""
    with RawLine(door.port) as line:
        line.ask(b"EHLO client.example")
        line.ask(b"MAIL FROM:<anna@example.org>")
        line.send(b"".join(b"RCPT TO:<club+%d@example.org>\r\n" % n for n in range(10_000)))
        replies = line.rest().splitlines()
    assert [r[:3] for r in replies][:10] == [b"250"] * 10
    assert replies[-1] == b"421 4.7.0 too many errors" or len(replies) < 40
    assert kept == []


def test_mails_without_end_end_the_conversation(keep: Keep, kept: list[bytes]) -> None:
    with listening(keep, Limits(mails_per_connection_max=5)) as door, RawLine(door.port) as line:
        line.ask(b"EHLO client.example")
        for _ in range(5):
            line.ask(b"MAIL FROM:<anna@example.org>")
            line.ask(b"RCPT TO:<club@example.org>")
            line.ask(b"DATA")
            assert line.ask(MAIL + b".").startswith(b"250")
        assert line.ask(b"MAIL FROM:<anna@example.org>").startswith(b"421")
        assert line.rest() == b""
    assert len(kept) == 5


@pytest.mark.parametrize(
    "command", [b"NOOP", b"EHLO x", b"HELO x", b"VRFY x", b"XYZZY", b"", b"\xff", b"AUTH PLAIN x"]
)
def test_no_command_is_answered_for_ever(door: SmtpDoor, command: bytes) -> None:
    with RawLine(door.port) as line:
        with suppress(ConnectionError):
            line.send((command + b"\r\n") * 1000)
        assert line.rest().count(b"\r\n") < 300


def test_auth_is_neither_offered_nor_taken(door: SmtpDoor) -> None:
    with calling(door) as client:
        assert not client.has_extn("auth")
        assert client.docmd("AUTH", "PLAIN AGEAYg==")[0] == 502


def test_a_mail_without_line_ends_takes_no_memory_and_no_end(keep: Keep, kept: list[bytes]) -> None:
    """T-34 (hazard G03): refused, and read no further than twice the size that was announced."""
    with listening(keep, Limits(size_bytes_max=100_000)) as door, RawLine(door.port) as line:
        line.to_data()
        try:
            for _ in range(200):
                line.send(b"x" * 10_000)
        except ConnectionError:
            pass
        else:
            assert b"421" in line.rest()
    assert kept == []


def test_a_mail_without_end_is_read_no_further_than_twice_the_size(keep: Keep, kept: list[bytes]) -> None:
    with listening(keep, Limits(size_bytes_max=100_000)) as door, RawLine(door.port) as line:
        line.to_data()
        try:
            for _ in range(200):
                line.send((b"y" * 98 + b"\r\n") * 100)
        except ConnectionError:
            pass
        else:
            assert b"421" in line.rest()
    assert kept == []


def test_where_mails_in_hand_fill_the_memory_another_comes_later(keep: Keep, kept: list[bytes]) -> None:
    limits = Limits(memory_bytes_max=50_000)
    with listening(keep, limits) as door, RawLine(door.port) as first, RawLine(door.port) as second:
        first.to_data()
        first.send((b"y" * 98 + b"\r\n") * 400)
        while first.socket and door._reception.guard._bytes < 40_000:
            threading.Event().wait(0.01)
        second.to_data()
        second.send((b"y" * 98 + b"\r\n") * 400 + b".\r\n")
        assert second.reply().startswith(b"452 4.3.1")
        first.send(b".\r\n")
        assert first.reply().startswith(b"250")
        second.to_data()
        second.send((b"y" * 98 + b"\r\n") * 400 + b".\r\n")
        assert second.reply().startswith(b"250"), "the memory is free again"
    assert len(kept) == 2


def test_a_client_that_leaves_in_the_middle_gives_the_memory_back(keep: Keep) -> None:
    with listening(keep, Limits(connections_max=1)) as door:
        with RawLine(door.port) as line:
            line.to_data()
            line.send((b"y" * 98 + b"\r\n") * 400)
        wait_for_a_place(door)
        assert door._reception.guard._bytes == 0


@pytest.mark.parametrize("size", [99, 100, 101])
def test_size_counts_to_the_byte(size: int) -> None:
    mail = MailBytes(100)
    mail.add(b"x" * (size - 2) + b"\r\n")
    assert mail.refusal == (TOO_BIG if size > 100 else None)
