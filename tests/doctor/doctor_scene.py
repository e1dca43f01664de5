"""A club's folder to look at, and a relay that treats mail as servers on the way do."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from mailflow.app import make_key
from mailflow.founding_file import NewClub, write_settings
from mailflow.settings import load
from tests.command_line.cli_scene import free_port

BOUND_SECONDS = 30
CLUB = "club@example.org"

RECEIVED = "Received: from relay.example by mx.example.org with ESMTPS id 1; Tue, 6 Jan 2026 10:00:00 +0100"
STAMP = "Authentication-Results: mx.example.org; dmarc=pass (p=reject) header.from=example.org"


def new_club(folder: Path, **more: Any) -> Path:
    """club.toml and a key, on a free port."""
    write_settings(folder, NewClub("Le club", CLUB, port=free_port(), **more))
    make_key(load(folder), b"the key of a test is no secret..")
    return folder


def amended(folder: Path, old: str, new: str) -> None:
    path = folder / "club.toml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


@dataclass
class Relay:
    """A server that takes the club's mail and delivers it to the club's own port, with headers on top.

    `takes_plus`: whether it knows addresses with a plus part; `loses_plus`: whether it forgets the part;
    `renames`: what it makes of a subject.
    """

    club_port: int
    headers: list[str] = field(default_factory=lambda: [STAMP, RECEIVED])
    takes_plus: bool = True
    loses_plus: bool = False
    drops_plus: bool = False
    drops_all: bool = False
    renames: tuple[str, str] = ("", "")
    taken: list[tuple[str, bytes]] = field(default_factory=list)

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if "+" in address and not self.takes_plus:
            return "550 5.1.1 unknown user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        recipient, content = envelope.rcpt_tos[0], envelope.content
        self.taken.append((recipient, content))
        if self.drops_all or (self.drops_plus and "+" in recipient):
            return "250 OK"
        if self.loses_plus:
            local, _, domain = recipient.partition("@")
            bare = f"{local.partition('+')[0]}@{domain}"
            recipient, content = bare, content.replace(recipient.encode(), bare.encode())
        content = content.replace(*(word.encode() for word in self.renames)) if self.renames[0] else content
        top = "".join(f"{header}\r\n" for header in self.headers).encode()
        with smtplib.SMTP("127.0.0.1", self.club_port, timeout=BOUND_SECONDS) as club:
            club.sendmail(envelope.mail_from or "", [recipient], top + content)
        return "250 OK"


@contextmanager
def relaying(relay: Relay) -> Iterator[int]:
    """Have it listen; gives its port."""
    controller = Controller(relay, hostname="127.0.0.1", port=free_port())
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


@contextmanager
def club_behind(folder: Path, **how: Any) -> Iterator[Relay]:
    """A club whose mail goes out through such a relay, and comes back from it."""
    new_club(folder)
    relay = Relay(load(folder).listen.port, **how)
    with relaying(relay) as port:
        amended(folder, 'host = ""\nport = 25', f'host = "127.0.0.1"\nport = {port}')
        yield relay
