"""Clubs that share a PostgreSQL database, each with a folder of its own, and mails for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mailflow import intake
from mailflow.ambient import stopwatch
from mailflow.app import Office, make_key, open_offices
from mailflow.founding import Founder, open_account
from mailflow.founding_file import NewClub, write_settings
from mailflow.identify import Trust
from mailflow.picture import picture
from mailflow.settings import Settings, load
from mailflow.shifts import Shifts
from mailflow.workers import Worker
from store import sql
from store.database import Server, unit_of_work
from tests.command_line.cli_scene import letter

START = datetime(2026, 1, 6, 9, 30, tzinfo=UTC)
MEMBERS = ("anna", "bela", "carl")


@dataclass
class Clock:
    now: datetime = START + timedelta(minutes=1)

    def __call__(self) -> datetime:
        return self.now


def clubs(folder: Path, place: Server, count: int, members: Sequence[str] = MEMBERS) -> list[Settings]:
    """Found so many clubs in the database, with members; the first of them manages."""
    made = []
    for number in range(1, count + 1):
        home = folder / f"club{number}"
        path = write_settings(home, NewClub(f"Club {number}", f"club{number}@example.org"))
        text = path.read_text("utf-8")
        head, table, rest = text.partition("[database]\n")
        path.write_text(head + table + rest.replace('url = ""', f'url = "{place.url}"', 1), "utf-8")
        settings = load(home)
        make_key(settings, b"%032d" % number)
        made.append(settings)
    with open_offices(made, Trust.EVERYBODY, START) as offices:
        for office in offices:
            club = picture(office.db, office.club, START)
            with unit_of_work(office.db):
                for handle in members:
                    founder = Founder(handle, f"{handle}@example.org", handle == members[0])
                    open_account(office.db, office.club, founder, club.rulebook, 1, START)
    return made


def write(office: Office, who: str, text: str, at: datetime = START) -> int:
    """Keep a mail for a club, as the entry does."""
    raw = letter(f"{who}@example.org", text, office.club.address).as_bytes()
    with unit_of_work(office.db):
        return intake.keep(office.db, office.club.id, "test", raw, at)


@dataclass
class Process:
    """What one process is to the database: offices with connections of their own, and a name."""

    settings: Sequence[Settings]
    name: str
    clock: Clock = field(default_factory=Clock)

    def __enter__(self) -> Worker:
        self._context = open_offices(self.settings, Trust.EVERYBODY, START)
        offices = self._context.__enter__()
        return Worker(offices, Shifts(self.name, self.clock), self.clock, stopwatch, self.name)

    def __exit__(self, *_: object) -> None:
        self._context.__exit__(None, None, None)


def handled(office: Office) -> list[str]:
    """The causes of the club's mails in the order in which they were handled."""
    text = "SELECT cause FROM audit WHERE club_id = ? AND kind = 'mail' ORDER BY number"
    return [cause for (cause,) in sql.rows(office.db, text, (office.club.id,))]
