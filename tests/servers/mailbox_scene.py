"""A mailbox door at work in this process, on a mailbox of its own at the real Dovecot."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mailflow.doors.imap import MailboxDoor
from mailflow.founding import Founder, found
from mailflow.rulebook import shipped
from mailflow.sections.imap import Imap
from mailflow.settings import Charter
from store import inbox, sql
from store.database import Database, unit_of_work
from store.records import ClubRow, InboxState
from tests.databases import open_database

from .dovecot import PASSWORD, Dovecot
from .ground import until

CLUB = "club@example.org"
_numbers = itertools.count(1)


def mail(subject: str, text: str = "COMPTE", sender: str = "anna@example.org") -> bytes:
    """A small mail, told apart from all others by its Message-ID."""
    number = next(_numbers)
    lines = (
        f"From: {sender}",
        f"To: {CLUB}",
        f"Subject: {subject}",
        f"Message-ID: <{number}.{time.monotonic_ns()}@mail.example>",
        "",
        text,
        "",
    )
    return "\r\n".join(lines).encode()


@dataclass
class Post:
    """A club's database, the mailbox that its mails come to, and the settings to read it with."""

    db: Database
    club: ClubRow
    dovecot: Dovecot
    user: str
    settings: Imap

    def deliver(self, *mails: bytes) -> None:
        self.dovecot.deliver(*mails, to=self.user)

    def subjects(self, folder: str = "INBOX") -> list[str]:
        return self.dovecot.subjects(self.user, folder)

    def kept(self) -> list[bytes]:
        """The mails in the database, in the order in which they were kept."""
        return [bytes(raw) for (raw,) in sql.rows(self.db, "SELECT content FROM inbox_raw ORDER BY inbox_id")]

    def handle(self, state: InboxState = InboxState.EXECUTED) -> None:
        """Bring all waiting mails to an end, as the desk does."""
        with unit_of_work(self.db):
            while (waiting := inbox.waiting(self.db, self.club.id)) is not None:
                inbox.finish(self.db, waiting.id, state)

    def imap(self, **settings: Any) -> Imap:
        return replace(self.settings, **settings)

    def door(self, holder: str = "one", shared: bool = False, **settings: Any) -> MailboxDoor:
        return MailboxDoor(
            self.db,
            self.club.id,
            self.imap(**settings),
            holder,
            lambda: datetime.now(UTC),
            time.monotonic,
            lambda: None,
            shared,
        )

    @contextmanager
    def reading(self, holder: str = "one", shared: bool = False, **settings: Any) -> Iterator[MailboxDoor]:
        door = self.door(holder, shared, **settings)
        door.start()
        try:
            yield door
        finally:
            door.stop()
            assert not door._thread.is_alive()

    def until_kept(self, count: int) -> list[bytes]:
        return until(lambda: found if len(found := self.kept()) >= count else None, f"{count} mails kept")

    def until_in(self, folder: str, *subjects: str) -> None:
        until(lambda: self.subjects(folder) == list(subjects), f"{subjects} in {folder}")


def post(dovecot: Dovecot, folder: Path) -> Post:
    """A new club with a new, empty mailbox."""
    user = f"m{next(_numbers)}@example.org"
    (folder / "imap.password").write_text(PASSWORD + "\n")
    db = open_database(folder / "club.db")
    charter = Charter("Le club", CLUB, "Europe/Paris", "EUR", "fr", "", shipped("friends"))
    club = found(db, charter, [Founder("anna", "anna@example.org", manager=True)], datetime.now(UTC))
    settings = Imap(
        host="127.0.0.1",
        port=dovecot.imap_port,
        tls="none",
        user=user,
        password_file=folder / "imap.password",
        poll_seconds=5,
    )
    return Post(db, club, dovecot, user, settings)


class Wire:
    """A cable between a client and a server that can be cut, or go dead without a word."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.connections = 0
        self._open: list[socket.socket] = []
        self._dead = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections."""
        while self._open:
            hang_up(self._open.pop())

    def go_dead(self) -> None:
        """From now on nothing passes, and nobody is told: a half-open connection."""
        self._dead.set()

    def come_alive(self) -> None:
        """New connections pass again; the old ones stay dead."""
        self._dead = threading.Event()

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._listener.accept()
                there = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self.connections += 1
            self._open += [here, there]
            for one, other in ((here, there), (there, here)):
                threading.Thread(target=self._pass, args=(one, other, self._dead), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket, dead: threading.Event) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                if dead.is_set():
                    return
                other.sendall(data)
        if not dead.is_set():
            hang_up(one)
            hang_up(other)


def hang_up(one: socket.socket) -> None:
    """Close a connection, for whoever waits for it in another thread too."""
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()


@contextmanager
def wire(target: int) -> Iterator[Wire]:
    cable = Wire(target)
    try:
        yield cable
    finally:
        cable.close()
