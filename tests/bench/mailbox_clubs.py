"""A club at a real mailbox, served by `mailflow run` as a process of its own, and the mails for it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

from mailflow.ambient import now
from mailflow.app import Office, add_member, open_office
from mailflow.founding import Founder
from mailflow.founding_file import NewClub, write_settings
from mailflow.identify import Trust
from mailflow.settings import load
from store import changes
from store.database import unit_of_work
from store.records import CreateGame
from tests.bench.worlds import ADDRESS, handle, mail
from tests.servers.dovecot import PASSWORD, Dovecot

ROOT = Path(__file__).resolve().parents[2]
MEMBERS = 60
SEATS = 6


@dataclass(frozen=True)
class Served:
    """A process at the mailbox, and the mails that are for it."""

    process: int
    mails: Sequence[bytes]


Serving: TypeAlias = Callable[[Dovecot, Path, int, int], AbstractContextManager[Served]]
"""Serves the mailbox of a server, with a folder of its own, answers to a relay's port; for so many mails."""


def statements(count: int) -> list[bytes]:
    """Mails that ask for a statement."""
    first = time.monotonic_ns()
    return [mail(f"{handle(n % MEMBERS)}@example.org", "COMPTE", first + n) for n in range(count)]


@contextlib.contextmanager
def asked(server: Dovecot, folder: Path, port: int, count: int) -> Iterator[Served]:
    """A club that is asked for statements."""
    with _running(_made(server, folder / "asked", port)) as process:
        yield Served(process, statements(count))


@contextlib.contextmanager
def played(server: Dovecot, folder: Path, port: int, count: int) -> Iterator[Served]:
    """A club where so many games of six run, whose results are sent each in its writer's session."""
    home = _made(server, folder / "played", port)
    with open_office(load(home), Trust.CONFIRM, now()) as office:
        mails = [_result(office, number) for number in range(1, count + 1)]
    with _running(home) as process:
        yield Served(process, mails)


def _result(office: Office, number: int) -> bytes:
    """Create a game of six and open a session; return the mail that tells the game's result."""
    at, desk = now(), office.desk
    seated = tuple(handle((number * 7 + seat) % MEMBERS) for seat in range(SEATS))
    who = seated[0]
    with unit_of_work(office.db):
        created = CreateGame(number, who, 100, seated, 1)
        changes.apply(office.db, office.club.id, created, at, f"bench:{number}")
        until = at + timedelta(hours=3)
        desk.register.issue("session", who, f"{who}@example.org", f"bench:{number}", {}, at, until, until)
    token = desk.keyring.token("session", f"bench:{number}", office.club.epoch)
    raw = mail(f"{who}@example.org", f"RESULTAT {number} 1={seated[0]} 2={seated[1]}", time.monotonic_ns())
    local, _, domain = ADDRESS.partition("@")
    return raw.replace(f"<{ADDRESS}>".encode(), f"<{local}+{token}@{domain}>".encode())


@contextlib.contextmanager
def _running(home: Path) -> Iterator[int]:
    """`mailflow run` as a process; yields its id."""
    with (home.parent / f"{home.name}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "mailflow", "run", "--dir", str(home)], cwd=ROOT, stdout=log, stderr=log
        )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)


def _made(server: Dovecot, home: Path, port: int) -> Path:
    file = write_settings(home, NewClub("Les amis", ADDRESS, relay_host="127.0.0.1", relay_port=port))
    (home / "secret.key").write_text("6b" * 32)
    (home / "imap.password").write_text(PASSWORD)
    text = file.read_text("utf-8").replace('[smtp]\nhost = "127.0.0.1"', '[smtp]\nhost = ""')
    mailbox = f'host = "127.0.0.1"\ntls = "none"\nport = {server.imap_port}\nuser = "{ADDRESS}"'
    text = text.replace('[imap]\nhost = ""', f'[imap]\n{mailbox}\npassword_file = "imap.password"')
    text = text.replace("[trust]", "[trust]\nanswers_per_hour_max = 10000\nanswers_per_day_max = 10000")
    file.write_text(text, "utf-8")
    with open_office(load(home), Trust.CONFIRM, now()) as office:
        for number in range(MEMBERS):
            member = Founder(handle(number), f"{handle(number)}@example.org", number == 0)
            assert add_member(office, member, now()) == ()
    return home
