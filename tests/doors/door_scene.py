"""What the tests of the doors share: a club's address, an instant, and servers that answer as told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import peewee
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from store import outbox, sql
from store.database import unit_of_work
from store.records import NewMail, OutboxMail

CLUB = "club@example.org"
NOW = datetime(2026, 1, 6, 9, 30, tzinfo=UTC)


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
