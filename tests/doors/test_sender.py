"""Sending: each mail once, the same bytes again where that is unsure, no mail delays another (P-4, P-6)."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import Any

import peewee
import pytest

from mailflow.compose import compose
from mailflow.doors import sender
from mailflow.doors.maildir import MaildirTransport
from mailflow.doors.relay import RelayTransport
from mailflow.doors.sender import GIVE_UP_AFTER, deliver
from mailflow.doors.transport import NotTaken
from store import delivery, sql
from store.database import unit_of_work
from store.errors import StoreUnavailable
from store.records import ClubRow, OutboxMail, OutboxState

from .door_scene import NOW, Server, plainly, queue, relay_at, row, served, states

LATER = NOW + timedelta(minutes=2)


class Recorder:
    """A transport that keeps what it is given, and fails for an address as it is told."""

    def __init__(self, **fails: NotTaken) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self.closed = 0
        self.fails = fails

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        error = self.fails.get(mail.address.partition("@")[0])
        if error is not None:
            raise error
        self.sent.append((mail.address, raw))

    def close(self) -> None:
        self.closed += 1


def relay(server: Server, **options: Any) -> RelayTransport:
    return relay_at(server.port, **options)


def mail_to(address: str = "anna@example.org") -> OutboxMail:
    return OutboxMail(
        7, "answer", "anna", address, "sujet", "texte\n", None, None, None, "<7@example.org>", NOW,
        OutboxState.QUEUED, 0, "",
    )  # fmt: skip


# ---------------------------------------------------------------- one run through the outbox


def test_all_that_is_due_is_sent_and_marked(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, "anna@example.org", "bela@example.org")
    transport = Recorder()
    assert deliver(db, club.id, plainly, transport, LATER) == 2
    assert [to for to, _ in transport.sent] == ["anna@example.org", "bela@example.org"]
    assert set(states(db).values()) == {"sent"}
    assert transport.closed == 1


def test_what_was_sent_is_not_sent_again(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, "anna@example.org")
    deliver(db, club.id, plainly, Recorder(), LATER)
    transport = Recorder()
    assert deliver(db, club.id, plainly, transport, LATER + timedelta(days=30)) == 0
    assert transport.sent == []


def test_more_mails_than_a_batch_are_all_sent(
    db: peewee.Database, club: ClubRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "BATCH", 3)
    queue(db, club.id, *(f"m{n}@example.org" for n in range(8)))
    assert deliver(db, club.id, plainly, Recorder(), LATER) == 8


def test_a_batch_of_failures_does_not_turn_in_circles(
    db: peewee.Database, club: ClubRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "BATCH", 1)
    queue(db, club.id, "anna@example.org", "bela@example.org")
    later = NotTaken("450 later", for_good=False)
    assert deliver(db, club.id, plainly, Recorder(anna=later, bela=later), LATER) == 0
    assert set(states(db).values()) == {"queued"}


def test_one_bad_address_delays_no_other(db: peewee.Database, club: ClubRow) -> None:
    """P-6."""
    queue(db, club.id, "anna@example.org", "bela@example.org", "carl@example.org")
    transport = Recorder(anna=NotTaken("550 no", for_good=True), bela=NotTaken("450 later", for_good=False))
    assert deliver(db, club.id, plainly, transport, LATER) == 1
    assert states(db) == {
        "anna@example.org": "failed",
        "bela@example.org": "queued",
        "carl@example.org": "sent",
    }


def test_a_mail_that_cannot_be_composed_delays_no_other(db: peewee.Database, club: ClubRow) -> None:
    """P-6: or a single row would stop `mailflow run`, and stop it again at each start."""

    def breaks_for_anna(mail: OutboxMail) -> bytes:
        if mail.address == "anna@example.org":
            raise ValueError("Header values may not contain linefeed or carriage return characters")
        return plainly(mail)

    queue(db, club.id, "anna@example.org", "bela@example.org")
    transport = Recorder()
    deliver(db, club.id, breaks_for_anna, transport, LATER)
    assert [to for to, _ in transport.sent] == ["bela@example.org"]
    assert states(db)["anna@example.org"] != "sent"


@pytest.mark.parametrize("address", ["josé@example.org", "a@exämple.org", "a@b..c", ".a@example.org"])
def test_an_odd_address_in_the_outbox_delays_no_other(
    db: peewee.Database, club: ClubRow, address: str
) -> None:
    """P-6: with the real words and a real server. An address was registered that mail cannot go to."""
    queue(db, club.id, address, "bela@example.org")
    with served(Server()) as server:
        deliver(db, club.id, lambda mail: compose(mail, club, None), relay(server), LATER)
    assert "bela@example.org" in [to for to, _ in server.taken]
    assert states(db)["bela@example.org"] == "sent"


# ---------------------------------------------------------------- trying again


def test_a_mail_that_is_not_taken_is_tried_again_after_longer_and_longer_waits(
    db: peewee.Database, club: ClubRow
) -> None:
    """P-6."""
    queue(db, club.id, "anna@example.org")
    now, waits = NOW, []
    for _ in range(9):
        deliver(db, club.id, plainly, Recorder(anna=NotTaken("450 later", for_good=False)), now)
        next_at = datetime.fromtimestamp(row(db, "next_at") / 1_000_000, NOW.tzinfo)
        waits.append(int((next_at - now).total_seconds() // 60))
        assert deliver(db, club.id, plainly, Recorder(), next_at - timedelta(seconds=1)) == 0, "not before"
        now = next_at
    assert waits == [1, 5, 15, 60, 180, 360, 360, 360, 360]
    assert (row(db, "attempts"), row(db, "last_error")) == (9, "450 later")
    assert deliver(db, club.id, plainly, Recorder(), now) == 1


def test_after_five_days_a_mail_is_given_up(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, "anna@example.org")
    later = NotTaken("450 later", for_good=False)
    deliver(db, club.id, plainly, Recorder(anna=later), NOW + GIVE_UP_AFTER - timedelta(seconds=1))
    assert row(db, "state") == "queued"
    deliver(db, club.id, plainly, Recorder(anna=later), NOW + GIVE_UP_AFTER + timedelta(hours=6))
    assert row(db, "state") == "failed"
    transport = Recorder()
    deliver(db, club.id, plainly, transport, NOW + timedelta(days=60))
    assert transport.sent == []


def test_a_mail_is_given_to_be_sent_again_as_the_same_bytes(db: peewee.Database, club: ClubRow) -> None:
    """P-4: the server took it, and we died before it was marked."""
    queue(db, club.id, "anna@example.org")
    made: list[bytes] = []

    class Dies(Recorder):
        def send(self, mail: OutboxMail, raw: bytes) -> None:
            made.append(raw)
            raise KeyboardInterrupt

    for minutes in (1, 60):
        with pytest.raises(KeyboardInterrupt):
            deliver(db, club.id, lambda m: compose(m, club, None), Dies(), NOW + timedelta(minutes=minutes))
    assert made[0] == made[1]
    assert row(db, "state") == "queued"


# ---------------------------------------------------------------- two senders, a database that is away


def test_two_senders_never_send_the_same_mail(db: peewee.Database, club: ClubRow) -> None:
    """Each finds the other in the middle of its batch."""
    queue(db, club.id, *(f"m{n}@example.org" for n in range(50)))
    second = Recorder()

    class Interrupted(Recorder):
        def send(self, mail: OutboxMail, raw: bytes) -> None:
            super().send(mail, raw)
            if len(self.sent) == 5:
                deliver(db, club.id, plainly, second, LATER, "two")

    first = Interrupted()
    deliver(db, club.id, plainly, first, LATER, "one")
    assert len(first.sent) == sender.BATCH
    assert sorted(to for to, _ in first.sent + second.sent) == sorted(states(db))
    assert set(states(db).values()) == {"sent"}


def test_what_a_killed_sender_held_is_sent_by_another_later_and_by_itself_at_once(
    db: peewee.Database, club: ClubRow
) -> None:
    class Dies(Recorder):
        def send(self, mail: OutboxMail, raw: bytes) -> None:
            raise SystemExit

    queue(db, club.id, *(f"m{n}@example.org" for n in range(5)))
    with unit_of_work(db):  # as a process leaves it that was killed after it had claimed them
        delivery.claim(db, club.id, "one", LATER, LATER + sender.HELD_FOR, 3)
    two = Recorder()
    deliver(db, club.id, plainly, two, LATER, "two")
    assert [to for to, _ in two.sent] == ["m3@example.org", "m4@example.org"]
    with pytest.raises(SystemExit):
        deliver(db, club.id, plainly, Dies(), LATER, "one")
    deliver(db, club.id, plainly, two, LATER + sender.HELD_FOR, "two")
    assert set(states(db).values()) == {"sent"}


def test_a_batch_that_takes_long_is_claimed_anew_before_its_time_is_over(
    db: peewee.Database, club: ClubRow
) -> None:
    """Or another sender would take the rest of it while we go on."""
    queue(db, club.id, *(f"m{n}@example.org" for n in range(6)))
    now = [LATER]
    held: list[bool] = []

    class Slow(Recorder):
        def send(self, mail: OutboxMail, raw: bytes) -> None:
            now[0] += sender.MAIL_TAKES
            super().send(mail, raw)
            ((until,),) = sql.rows(db, "SELECT held_until FROM outbox WHERE id = ?", (mail.id,))
            held.append(until > now[0].timestamp() * 1_000_000)

    transport = Slow()
    assert sender.Sender(db, club.id, plainly, transport, lambda: now[0], "here").run() == 6
    assert held == [True] * 6
    assert len(transport.sent) == 6


def test_a_database_that_cannot_be_written_sends_no_mail_twice(
    db: peewee.Database, club: ClubRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-4: what was sent is kept in mind until it can be marked, and nothing else is sent before."""
    queue(db, club.id, *(f"m{n}@example.org" for n in range(30)))
    transport = Recorder()
    here = sender.Sender(db, club.id, plainly, transport, lambda: LATER, "here")
    real, full = delivery.mark_all_sent, [True]

    def mark_all_sent(*args: Any) -> None:
        if full[0]:
            raise StoreUnavailable("database or disk is full")
        real(*args)

    monkeypatch.setattr(delivery, "mark_all_sent", mark_all_sent)
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            here.run()
    assert len(transport.sent) == sender.BATCH
    full[0] = False
    here.run()
    assert len(transport.sent) == len({to for to, _ in transport.sent}) == 30
    assert set(states(db).values()) == {"sent"}


def test_where_nothing_is_due_nothing_is_written(
    db: peewee.Database, club: ClubRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked at every few seconds."""
    monkeypatch.setattr(sender, "unit_of_work", lambda db: pytest.fail("a transaction"))
    assert deliver(db, club.id, plainly, Recorder(), LATER) == 0


# ---------------------------------------------------------------- the folder


def test_a_mail_in_the_folder_is_a_mail(tmp_path: Path) -> None:
    MaildirTransport(tmp_path / "out").send(mail_to(), plainly(mail_to()))
    (file,) = (tmp_path / "out" / "new").iterdir()
    assert message_from_bytes(file.read_bytes())["To"] == "anna@example.org"
    assert list((tmp_path / "out" / "tmp").iterdir()) == []


def test_a_mail_sent_again_into_the_folder_is_the_same_file(tmp_path: Path) -> None:
    """P-4."""
    for _ in range(2):
        MaildirTransport(tmp_path / "out").send(mail_to(), plainly(mail_to()))
    assert len(list((tmp_path / "out" / "new").iterdir())) == 1


def test_two_mails_of_one_instant_are_two_files(tmp_path: Path) -> None:
    transport = MaildirTransport(tmp_path / "out")
    transport.send(mail_to(), b"one")
    transport.send(replace(mail_to(), id=8), b"two")
    assert len(list((tmp_path / "out" / "new").iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_tried_again(
    db: peewee.Database, club: ClubRow, tmp_path: Path
) -> None:
    (tmp_path / "out").write_text("a file where a folder should be")
    queue(db, club.id, "anna@example.org")
    assert deliver(db, club.id, plainly, MaildirTransport(tmp_path / "out"), LATER) == 0
    assert row(db, "state") == "queued"
    (tmp_path / "out").unlink()
    assert deliver(db, club.id, plainly, MaildirTransport(tmp_path / "out"), LATER + timedelta(hours=1)) == 1


# ---------------------------------------------------------------- the server


def test_many_mails_go_through_one_connection(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, *(f"m{n}@example.org" for n in range(20)))
    with served(Server()) as server:
        assert deliver(db, club.id, plainly, relay(server), LATER) == 20
    assert server.connections == 1
    assert [to for to, _ in server.taken] == [f"m{n}@example.org" for n in range(20)]


def test_the_server_gets_the_bytes_as_they_were_made(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, "anna@example.org")
    made: list[bytes] = []

    def makes(mail: OutboxMail) -> bytes:
        made.append(compose(mail, club, None))
        return made[-1]

    with served(Server()) as server:
        deliver(db, club.id, makes, relay(server), LATER)
    assert [raw for _, raw in server.taken] == made


def test_450_is_tried_again_and_550_is_given_up_and_the_others_go_out(
    db: peewee.Database, club: ClubRow
) -> None:
    """P-6."""
    queue(db, club.id, "anna@example.org", "bela@example.org", "carl@example.org", "dora@example.org")
    server = Server(
        rcpt={"anna@example.org": "550 5.1.1 no such user", "carl@example.org": "450 4.2.1 later"}
    )
    with served(server):
        assert deliver(db, club.id, plainly, relay(server), LATER) == 2
    assert states(db) == {
        "anna@example.org": "failed",
        "bela@example.org": "sent",
        "carl@example.org": "queued",
        "dora@example.org": "sent",
    }


@pytest.mark.parametrize(("reply", "state"), [("451 4.3.0 later", "queued"), ("554 5.7.1 spam", "failed")])
def test_a_refusal_after_data_counts_by_its_code(
    db: peewee.Database, club: ClubRow, reply: str, state: str
) -> None:
    queue(db, club.id, "anna@example.org")
    with served(Server(data=reply)) as server:
        deliver(db, club.id, plainly, relay(server), LATER)
    assert row(db, "state") == state
    assert reply[:3] in row(db, "last_error")


def test_greylisting_passes_at_the_second_try(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, "anna@example.org")
    with served(Server(rcpt={"anna@example.org": "450 4.7.1 greylisted"})) as server:
        deliver(db, club.id, plainly, relay(server), LATER)
        server.rcpt.clear()
        assert deliver(db, club.id, plainly, relay(server), LATER + timedelta(minutes=1)) == 1


def test_a_server_that_is_away_is_tried_again(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, "anna@example.org", "bela@example.org")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound and not listening: refused
        transport = relay_at(nobody.getsockname()[1])
        assert deliver(db, club.id, plainly, transport, LATER) == 0
    assert set(states(db).values()) == {"queued"}


def test_a_server_that_is_away_is_not_called_for_each_mail(
    db: peewee.Database, club: ClubRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dead host costs a wait for each call."""
    calls: list[object] = []

    def refuses(place: object, patience: float) -> socket.socket:
        calls.append(place)
        raise TimeoutError("timed out")

    monkeypatch.setattr(socket, "create_connection", refuses)
    queue(db, club.id, *(f"m{n}@example.org" for n in range(50)))
    deliver(db, club.id, plainly, relay_at(25), LATER)
    assert set(states(db).values()) == {"queued"}
    assert calls == [("127.0.0.1", 25)]


@pytest.mark.parametrize(
    ("options", "why"),
    [({"tls": "starttls"}, "no STARTTLS"), ({"user": "club"}, "no AUTH")],
)
def test_a_server_that_does_not_let_us_in_may_yet_be_mended(
    db: peewee.Database, club: ClubRow, tmp_path: Path, options: dict[str, Any], why: str
) -> None:
    """P-6: what a wrong setting does is not the mail's fault."""
    (tmp_path / "password").write_text("secret\n")
    queue(db, club.id, "anna@example.org")
    with served(Server()) as server:
        deliver(db, club.id, plainly, relay(server, password_file=tmp_path / "password", **options), LATER)
    assert row(db, "state") == "queued", why


def test_a_wrong_password_is_tried_again_and_not_told(
    db: peewee.Database, club: ClubRow, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """P-6, T-28."""

    def refuses(*_: Any) -> bool:
        return False

    (tmp_path / "password").write_text("hunter2\n")
    queue(db, club.id, "anna@example.org")
    with served(Server(), auth_callback=refuses, auth_require_tls=False) as server:
        transport = relay(server, user="club", password_file=tmp_path / "password")
        deliver(db, club.id, plainly, transport, LATER)
    assert row(db, "state") == "queued"
    assert "hunter2" not in caplog.text + row(db, "last_error")


@pytest.mark.parametrize("make", [lambda p: p, lambda p: p / "missing"])
def test_a_password_file_that_cannot_be_read_is_tried_again(
    db: peewee.Database, club: ClubRow, tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    queue(db, club.id, "anna@example.org")
    with served(Server()) as server:
        deliver(db, club.id, plainly, relay(server, user="club", password_file=make(tmp_path)), LATER)
    assert row(db, "state") == "queued"


@pytest.mark.parametrize(
    "reply", ["530 5.7.0 Authentication required", "530 5.7.0 Must issue STARTTLS first"]
)
def test_a_server_that_asks_for_a_login_first_may_yet_be_mended(
    db: peewee.Database, club: ClubRow, reply: str
) -> None:
    """P-6: 530 to MAIL FROM is about us, not about the mail (RFC 4954 6, RFC 3207 4)."""
    queue(db, club.id, "anna@example.org", "bela@example.org")
    with served(Server(mail=reply)) as server:
        deliver(db, club.id, plainly, relay(server), LATER)
    assert set(states(db).values()) == {"queued"}


def test_a_server_that_closes_in_between_loses_no_mail(db: peewee.Database, club: ClubRow) -> None:
    """421 at the second mail of a connection; a minute later all goes on."""
    queue(db, club.id, "anna@example.org", "bela@example.org", "carl@example.org")
    with served(Server(rcpt={"bela@example.org": "421 4.4.2 closing"})) as server:
        deliver(db, club.id, plainly, relay(server), LATER)
        server.rcpt.clear()
        deliver(db, club.id, plainly, relay(server), LATER + timedelta(hours=1))
    assert set(states(db).values()) == {"sent"}
    assert sorted(to for to, _ in server.taken) == [
        "anna@example.org",
        "bela@example.org",
        "carl@example.org",
    ]
