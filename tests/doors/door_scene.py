"""What the tests of the doors share: a club's address, an instant, and servers that answer as told."""

from __future__ import annotations

import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import peewee
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from mailflow.ambient import stopwatch
from mailflow.doors.relay import RelayTransport
from mailflow.doors.relay_session import Patience
from mailflow.doors.smtp import Entry, Keep, SmtpDoor
from mailflow.sections.listen import Limits, Listen
from mailflow.sections.relay import Relay
from store import outbox, sql
from store.database import unit_of_work
from store.records import NewMail, OutboxMail

CLUB = "club@example.org"
NOW = datetime(2026, 1, 6, 9, 30, tzinfo=UTC)

MAIL = b"From: anna@example.org\r\nTo: club@example.org\r\nSubject: x\r\n\r\nCOMPTE\r\n"
BOUND = 30
"""Seconds after which a test gives up: no measure of anything."""


@contextmanager
def listening(keep: Keep, limits: Limits | None = None, **how: Any) -> Iterator[SmtpDoor]:
    """The SMTP entry, open on a free port."""
    door = SmtpDoor(Entry(CLUB, keep, lambda: NOW), Listen(port=0, limits=limits or Limits(), **how))
    door.start()
    try:
        yield door
    finally:
        door.stop()


@contextmanager
def calling(door: SmtpDoor) -> Iterator[smtplib.SMTP]:
    """A well-bred client of the entry."""
    with smtplib.SMTP("127.0.0.1", door.port, local_hostname="client.example", timeout=BOUND) as client:
        client.ehlo()
        yield client


class RawLine:
    """A client that sends whatever it likes."""

    def __init__(self, port: int) -> None:
        self.socket: socket.socket = socket.create_connection(("127.0.0.1", port), timeout=BOUND)
        self._unread = b""
        self.greeting = self.reply()

    def __enter__(self) -> RawLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, line: bytes) -> bytes:
        """Send a command and return the last line of the reply."""
        self.send(line + b"\r\n")
        return self.reply()

    def reply(self) -> bytes:
        """The last line of the next reply; empty once the other end has hung up."""
        line = self._line()
        while line[3:4] == b"-":
            line = self._line()
        return line

    def rest(self) -> bytes:
        """Everything until the other end hangs up."""
        try:
            while piece := self.socket.recv(65536):
                self._unread += piece
        except ConnectionError:
            pass
        found, self._unread = self._unread, b""
        return found

    def _line(self) -> bytes:
        while b"\r\n" not in self._unread:
            try:
                piece = self.socket.recv(65536)
            except ConnectionError:
                piece = b""
            if not piece:
                return b""
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\r\n")
        return line

    def to_data(self, sender: bytes = b"anna@example.org", to: bytes = CLUB.encode()) -> None:
        """Say all that comes before a mail's bytes."""
        self.ask(b"EHLO client.example")
        self.ask(b"MAIL FROM:<%s>" % sender)
        self.ask(b"RCPT TO:<%s>" % to)
        assert self.ask(b"DATA").startswith(b"354")

    def start_tls(self, context: ssl.SSLContext) -> None:
        """Go over to TLS."""
        self.socket = context.wrap_socket(self.socket, server_hostname="localhost")


def wait_for_a_place(door: SmtpDoor) -> None:
    """Call until there is a place again, each call being over before the next."""
    for _ in range(BOUND * 100):
        with RawLine(door.port) as line:
            if line.greeting.startswith(b"220"):
                line.ask(b"QUIT")
                line.rest()
                return
        threading.Event().wait(0.01)
    raise AssertionError("the place was not freed")


@dataclass
class Server:
    """A real SMTP server that takes mail, or refuses as `rcpt` and `data` say (a reply per recipient)."""

    rcpt: dict[str, str] = field(default_factory=dict)
    data: str = "250 OK"
    mail: str = ""
    taken: list[tuple[str, bytes]] = field(default_factory=list)
    connections: int = 0
    port: int = 0

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        self.connections += 1
        session.host_name = hostname
        return responses

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.mail:
            return self.mail
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        reply = self.rcpt.get(address, "250 OK")
        if reply.startswith("250"):
            envelope.rcpt_tos.append(address)
        return reply

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.data.startswith("250"):
            content = envelope.content
            assert isinstance(content, bytes)
            self.taken.extend((to, content) for to in envelope.rcpt_tos)
        return self.data


class _AnyPort(Controller):
    """Tries whether it answers on the port that it got, where port 0 asked for any."""

    def _trigger_server(self) -> None:
        assert self.server is not None
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@contextmanager
def served(server: Server, **options: Any) -> Iterator[Server]:
    """Have it listen on a free port."""
    controller = _AnyPort(server, hostname="127.0.0.1", port=0, **options)
    controller.start()
    server.port = controller.port
    try:
        yield server
    finally:
        controller.stop()


def relay_at(port: int, patience: Patience | None = None, **options: Any) -> RelayTransport:
    """What sends to a server on this machine."""
    relay = Relay("127.0.0.1", port, **options)
    return RelayTransport(relay, "example.org", lambda mail: CLUB, stopwatch, patience)


def queue(db: peewee.Database, club_id: int, *addresses: str, at: datetime = NOW) -> Sequence[int]:
    """Put a mail to each address into the outbox."""
    mails = [
        NewMail(f"mail:{n}:{at}", "answer", f"m{n}", address, "", f"sujet {n}", f"texte {n}\n")
        for n, address in enumerate(addresses, 1)
    ]
    with unit_of_work(db):
        return outbox.queue(db, club_id, mails, at)


def states(db: peewee.Database) -> dict[str, str]:
    """Address -> state, of all that is in the outbox."""
    return dict(sql.rows(db, "SELECT address, state FROM outbox ORDER BY id"))


def row(db: peewee.Database, column: str) -> Any:
    """A column of the only mail in the outbox."""
    ((value,),) = sql.rows(db, f"SELECT {column} FROM outbox")
    return value


def plainly(mail: OutboxMail) -> bytes:
    """A mail's bytes, made without a key or a club."""
    head = (
        f"From: {CLUB}\r\nTo: {mail.address}\r\nMessage-ID: {mail.message_id}\r\nSubject: {mail.subject}\r\n"
    )
    return f"{head}\r\n{mail.text}".replace("\r\n", "\n").replace("\n", "\r\n").encode()
