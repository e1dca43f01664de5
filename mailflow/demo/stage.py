"""The demo's club: real files, the real SMTP entry and sender, and a clock that the story moves."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from mailflow import ambient
from mailflow.agenda import Due
from mailflow.app import Office, add_member, make_key, open_office, transport_of
from mailflow.demo.story import Story, answered_kind, in_thread
from mailflow.doors.sender import deliver
from mailflow.doors.smtp import Entry, SmtpDoor
from mailflow.errors import MailflowError, SettingsError
from mailflow.founding_file import write_settings
from mailflow.identify import Trust
from mailflow.model import Club
from mailflow.picture import picture
from mailflow.register import Handled
from mailflow.sections.listen import Listen
from mailflow.sending import finished
from mailflow.service import keeper
from mailflow.settings import load
from parsers.letter import read_letter
from store import outbox
from store.records import OutboxMail

HOST = "127.0.0.1"
TIMEOUT_SECONDS = 30


@dataclass
class Clock:
    """Shows the instant that it was last set to."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True)
class Happening:
    """A mail that was handled, or something that fell due, and the mails that went out for it."""

    at: datetime
    what: Handled | Due
    sent: tuple[OutboxMail, ...]


@dataclass
class Stage:
    """`port`: where the SMTP entry listens. Nothing happens between two calls."""

    office: Office
    clock: Clock
    port: int
    _seen: int = field(default=0, init=False)

    @property
    def picture(self) -> Club:
        return picture(self.office.db, self.office.club, self.clock.now)

    def pass_time(self, until: datetime) -> Iterator[Happening]:
        """Run what falls due up to an instant, each at its own time, and stop the clock there."""
        agenda = self.office.desk.agenda
        while (due := agenda.next_due(self.clock.now)).at <= until:
            self.clock.now = due.at
            agenda.run(due, due.at)
            yield Happening(due.at, due, self._sent())
        self.clock.now = until

    def receive(self, raw: bytes) -> Iterator[Happening]:
        """Hand a mail to the entry, as the sender's server would, and let the desk work."""
        letter = read_letter(raw)
        sender = "" if b"\nAuto-Submitted:" in raw or letter.sender is None else letter.sender
        with smtplib.SMTP(HOST, self.port, "localhost", TIMEOUT_SECONDS) as server:
            server.sendmail(sender, letter.recipients[:1], raw, ["BODY=8BITMIME"])
        for handled in self.office.desk.work(self.clock.now):
            yield Happening(self.clock.now, handled, self._sent())

    def threaded(self, raw: bytes) -> bytes:
        """Let a sample answer the newest mail of that kind which its sender was really sent."""
        kind = answered_kind(raw)
        if kind is None:
            return raw
        address = read_letter(raw).sender
        for mail in reversed(self.mails()):
            if mail.kind == kind and mail.address == address:
                return in_thread(raw, mail.message_id, self.token_of(mail))
        raise MailflowError(f"the story answers a {kind} that {address} was never sent")

    def mails(self, handle: str | None = None) -> list[OutboxMail]:
        """Return all mails sent, or those to one member, the oldest first."""
        sent = outbox.listing(self.office.db, self.office.club.id)
        return [mail for mail in sent if handle in (None, mail.recipient)]

    def token_of(self, mail: OutboxMail) -> str | None:
        return self.office.desk.register.token_of(mail)

    def _sent(self) -> tuple[OutboxMail, ...]:
        """Deliver what waits, and return what has been queued since the last look."""
        office = self.office
        transport = transport_of(office, ambient.stopwatch)
        deliver(office.db, office.club.id, finished(office), transport, self.clock.now)
        sent = outbox.listing(office.db, office.club.id, after_id=self._seen)
        self._seen = sent[-1].id if sent else self._seen
        return sent


@contextmanager
def open_stage(folder: Path, story: Story) -> Iterator[Stage]:
    """Make the story's club in an empty folder, as `mailflow init` does, and open its SMTP entry."""
    if folder.exists() and any(folder.iterdir()):
        raise SettingsError(f"{folder} is not empty: the demo wants a folder of its own")
    _amend(write_settings(folder, story.club), story)
    settings = load(folder)
    make_key(settings, ambient.random_key())
    clock = Clock(story.start)
    with open_office(settings, Trust.EVERYBODY, story.start) as office:
        for member in story.members:
            if refusals := add_member(office, member, story.start):
                raise MailflowError(f"{member.handle} cannot be a member: {refusals[0].code}")
        door = SmtpDoor(_entry(office, clock), Listen(HOST, 0))
        door.start()
        try:
            yield Stage(office, clock, door.port)
        finally:
            door.stop()


def _entry(office: Office, clock: Clock) -> Entry:
    """Return the entry; it keeps mails in a thread of its own, and gives its connection back after each."""
    return Entry(office.club.address, keeper(office, office.db.close), clock)


def _amend(settings_file: Path, story: Story) -> None:
    """Write the story's numbers under [rulebook]."""
    lines = "".join(f"{name} = {value}\n" for name, value in story.rulebook.items())
    text = settings_file.read_text("utf-8")
    settings_file.write_text(text.replace("[rulebook]\n", f"[rulebook]\n{lines}", 1), "utf-8")
