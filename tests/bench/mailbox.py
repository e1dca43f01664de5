"""A mailbox at work: `python -m tests.bench.mailbox`, beside what the bare libraries need for the same.

How long it takes from a mail's arrival in the mailbox (Dovecot's 250) to its answer at the relay, on an idle
machine and told by IDLE; and how a backlog is worked off, with what memory. `mailflow run` is a process of
its own. The floor reads with imapclient, commits each mail to SQLite with synchronous=FULL, answers it
through one kept SMTP connection and moves it; it checks nothing and knows no rules.

Dovecot tells an IDLE client half a second after a delivery: that is in its source, and in both figures.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import smtplib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from imapclient import IMAPClient

from mailflow.ambient import now, stopwatch
from mailflow.app import add_member, open_office
from mailflow.founding import Founder
from mailflow.founding_file import NewClub, write_settings
from mailflow.identify import Trust
from mailflow.settings import load
from tests.bench.worlds import ADDRESS, handle, mail
from tests.bench.yardstick import yardstick
from tests.servers.dovecot import PASSWORD, Dovecot, dovecot
from tests.servers.ground import free_ports

ROOT = Path(__file__).resolve().parents[2]
MEMBERS = 60
BOUND_SECONDS = 1200
BATCH = 100
WARM = 50
"""Answers after which the processor's time is counted: what it takes to start is another matter."""


@dataclass
class Relay:
    """Takes the answers, and notes when each came, by the mail that it answers."""

    came: dict[str, float] = field(default_factory=dict)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content
        assert isinstance(content, bytes)
        self.came[str(message_from_bytes(content)["In-Reply-To"])] = stopwatch()
        return "250 OK"

    def wait(self, ids: Sequence[str]) -> None:
        end = stopwatch() + BOUND_SECONDS
        while not self.came.keys() >= set(ids):
            if stopwatch() > end:
                raise SystemExit(f"only {len(self.came)} of {len(ids)} were answered")
            time.sleep(0.002)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.mailbox")
    parser.add_argument("--idle", type=int, default=10, help="mails one by one, on an idle machine")
    parser.add_argument("--backlog", type=int, default=300, help="mails that lie there at the start")
    parser.add_argument(
        "--dir", type=Path, default=Path.cwd(), help="where to measure; a tmpfs would flatter"
    )
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} processors")
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(dovecot())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".bench-", dir=options.dir)))
        for name, reading in (("bare libraries", floor), ("mailflow", club)):
            relay = Relay()
            with listening(relay) as port:
                waiting = deliver(server, options.backlog, "b")
                begun = stopwatch()
                with reading(server, folder, port) as process:
                    relay.wait(waiting[:WARM])
                    before, already = processor(process), len(relay.came)
                    relay.wait(waiting)
                    spent = (processor(process) - before) / max(1, len(relay.came) - already)
                    said = f"{1000 * spent:.1f} ms of its processor a mail; {memory(process)}"
                    backlog(name, [relay.came[i] - begun for i in waiting], said if process else "")
                    latency(name, server, relay, options.idle)
        yardstick(folder)
    return 0


def processor(process: int | None) -> float:
    """Return the seconds of processor that a process has had so far."""
    if process is None:
        return 0.0
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process: int | None) -> str:
    """Say what memory a process has, and what it had at most."""
    if process is None:
        return ""
    lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    sizes = dict(line.split(":")[:2] for line in lines if line.startswith(("VmHWM", "VmRSS")))
    return f"memory {_mb(sizes['VmRSS'])} MB, at most {_mb(sizes['VmHWM'])} MB"


def backlog(name: str, seconds: list[float], said: str) -> None:
    if len(seconds) > 1:
        first, last = min(seconds), max(seconds)
        print(
            f"{name:15} backlog of {len(seconds)}: first answer after {first:.2f} s, last after {last:.1f} s;"
            f" {1000 * (last - first) / (len(seconds) - 1):.1f} ms a mail between them; {said}",
            flush=True,
        )


def latency(name: str, server: Dovecot, relay: Relay, count: int) -> None:
    taken = []
    for _ in range(count):
        time.sleep(0.4)  # it is back in IDLE
        ids = deliver(server, 1, "l")
        arrived = stopwatch()
        relay.wait(ids)
        taken.append(relay.came[ids[0]] - arrived)
    if taken:
        print(
            f"{name:15} arrival to answer, {count} times: median {statistics.median(taken):.3f} s, least"
            f" {min(taken):.3f} s, most {max(taken):.3f} s (0.5 s of it Dovecot's)",
            flush=True,
        )


def deliver(server: Dovecot, count: int, kind: str) -> list[str]:
    """Put statements asked for into the mailbox; return their Message-IDs."""
    numbers = [time.monotonic_ns() + n for n in range(count)]
    mails = [mail(f"{handle(n % MEMBERS)}@example.org", "COMPTE", number) for n, number in enumerate(numbers)]
    if mails:
        server.deliver(*mails, to=ADDRESS)
    return [f"<{number}@bench.example>" for number in numbers]


@contextlib.contextmanager
def listening(relay: Relay) -> Iterator[int]:
    (port,) = free_ports(1)
    controller = Controller(relay, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


@contextlib.contextmanager
def club(server: Dovecot, folder: Path, port: int) -> Iterator[int | None]:
    """`mailflow run` at that mailbox; yields its process id."""
    home = made_club(server, folder / "club", port)
    process = subprocess.Popen(
        [sys.executable, "-m", "mailflow", "run", "--dir", str(home)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)


def _mb(size: str) -> int:
    return int(size.split()[0]) // 1024


def made_club(server: Dovecot, home: Path, port: int) -> Path:
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


@contextlib.contextmanager
def floor(server: Dovecot, folder: Path, port: int) -> Iterator[int | None]:
    """The least that can be done with the same libraries, in a thread of this process."""
    stopping = threading.Event()
    thread = threading.Thread(target=_serve, args=(server, folder / "floor.db", port, stopping))
    thread.start()
    try:
        yield None
    finally:
        stopping.set()
        thread.join()


def _serve(server: Dovecot, path: Path, port: int, stopping: threading.Event) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous=FULL")
    db.execute("PRAGMA journal_mode=PERSIST")
    db.execute("CREATE TABLE mail (uid INTEGER, raw BLOB, answer BLOB)")
    mailbox = IMAPClient("127.0.0.1", server.imap_port, ssl=False)
    with smtplib.SMTP("127.0.0.1", port) as relay, mailbox as client:
        client.login(ADDRESS, PASSWORD)
        client.create_folder("floor-done")
        client.select_folder("INBOX")
        while not stopping.is_set():
            uids = client.search("ALL")
            for start in range(0, len(uids), BATCH):
                batch = uids[start : start + BATCH]
                for uid, said in client.fetch(batch, ["BODY.PEEK[]", "INTERNALDATE"]).items():
                    _answer(db, relay, uid, said[b"BODY[]"])
                client.move(batch, "floor-done")
            client.idle()
            while not stopping.is_set() and not client.idle_check(timeout=0.2):
                pass
            client.idle_done()
    db.close()


def _answer(db: sqlite3.Connection, relay: smtplib.SMTP, uid: int, raw: bytes) -> None:
    asked = message_from_bytes(raw)
    head = f"From: {ADDRESS}\r\nTo: {asked['From']}\r\nIn-Reply-To: {asked['Message-ID']}\r\n\r\n"
    answer = head.encode() + b"Ton solde : 200,00 EUR\r\n" * 40
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO mail VALUES (?, ?, ?)", (uid, raw, answer))
    db.execute("COMMIT")
    relay.sendmail(ADDRESS, ["member@example.org"], answer)


if __name__ == "__main__":
    sys.exit(main())
