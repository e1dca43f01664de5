"""Measure and print. `--dir`: a folder on the disk to measure, here by default; a tmpfs would flatter."""

from __future__ import annotations

import argparse
import platform
import resource
import shutil
import smtplib
import sqlite3
import statistics
import sys
import tempfile
import threading
from datetime import timedelta
from pathlib import Path

from mailflow import intake
from mailflow.ambient import stopwatch
from mailflow.catalogue import GRAMMAR
from mailflow.compose import compose
from mailflow.desk import Desk
from mailflow.doors.maildir import MaildirTransport
from mailflow.doors.sender import deliver
from mailflow.doors.smtp import Entry, SmtpDoor
from mailflow.handlers import digest
from mailflow.picture import picture
from mailflow.sections.listen import Limits, Listen
from parsers.commands import read_commands
from parsers.letter import read_letter
from store import inbox, outbox
from store.database import unit_of_work
from tests.bench import ledgers, trusted
from tests.bench.worlds import ADDRESS, START, fill, handle, mail, open_club, ordinary_mails
from tests.bench.yardstick import Yardstick

MEMBERS = 30
BIG_MEMBERS = 1000


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("--dir", type=Path, default=Path.cwd())
    parser.add_argument("--mails", type=int, default=1000)
    parser.add_argument("--games", type=int, default=100_000, help="0 leaves the big ledger out")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix=".bench-", dir=options.dir))
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.machine()}")
    try:
        _stages(folder, options.mails)
        trusted.measure(folder, options.mails // 10)
        _whole_path(folder, options.mails // 2)
        if options.games:
            _big_ledger(folder, options.games)
            ledgers.measure(folder, options.games)
    finally:
        shutil.rmtree(folder)
    print(f"peak memory of this process: {_peak_mb():.0f} MB")
    return 0


def _stages(folder: Path, mails: int) -> None:
    """Each stage of a mail, one after the other, on a club of ordinary size."""
    desk = open_club(folder / "stages.db", MEMBERS)
    taken: dict[str, list[float]] = {name: [] for name in ("keep", "read", "handle")}
    kinds: dict[str, list[float]] = {}
    bare = Yardstick(folder)
    for number, raw in enumerate(ordinary_mails(mails, MEMBERS)):
        at = START + timedelta(minutes=number + 1)
        with _timed(taken["keep"]), unit_of_work(desk.db):
            intake.keep(desk.db, desk.club.id, "bench", raw, at)
        with _timed(taken["read"]):
            read_commands(read_letter(raw), GRAMMAR)
        bare.commit()
        waiting = inbox.waiting(desk.db, desk.club.id)
        assert waiting is not None
        with _timed(taken["handle"]):
            desk.handle(waiting, at)
        kinds.setdefault(_kind(raw), []).append(taken["handle"][-1])
    sent: list[float] = []
    rows = outbox.listing(desk.db, desk.club.id)[:300]
    for row in rows:
        with _timed(sent):
            compose(row, desk.club, None)
    print(f"\none mail, {mails} of them, club of {MEMBERS}, synchronous=FULL")
    _row("kept (own commit)", taken["keep"])
    _row("read: bytes to commands", taken["read"])
    _row("handled: read, rules, transaction, outbox", taken["handle"])
    for kind, seconds in sorted(kinds.items()):
        _row(f"  of these: {kind}", seconds)
    _row("one outgoing mail composed", sent)
    bare.tell()
    desk.db.close()


def _kind(raw: bytes) -> str:
    """A name for what a mail of `ordinary_mails` asks."""
    for word in (b"buyin=3D1", b"buyin=3D2", b"VIREMENT", b"CONTESTE", b"COMPTE"):
        if word in raw:
            return {b"buyin=3D1": "game of 5 with result", b"buyin=3D2": "game of 7 with result"}.get(
                word, word.decode()
            )
    return "other"


def _whole_path(folder: Path, mails: int) -> None:
    """SMTP in, transaction, outbox, Maildir out: what a club on one machine gets through."""
    desk = open_club(folder / "path.db", MEMBERS)
    came = threading.Semaphore(0)

    def keep(raw: bytes, at: object) -> int:
        with unit_of_work(desk.db):
            kept = intake.keep(desk.db, desk.club.id, "bench", raw, START + timedelta(minutes=1))
        came.release()
        return kept

    door = SmtpDoor(
        Entry(ADDRESS, keep, lambda: START), Listen(port=0, limits=Limits(mails_per_connection_max=mails))
    )
    door.start()
    begun = stopwatch()
    with smtplib.SMTP("127.0.0.1", door.port) as server:
        for raw in ordinary_mails(mails, MEMBERS):
            server.sendmail("member@example.org", [ADDRESS], raw)
    accepted = stopwatch()
    now = START + timedelta(minutes=2)
    handled = len(desk.work(now))
    worked = stopwatch()
    transport = MaildirTransport(folder / "out")
    sent = deliver(desk.db, desk.club.id, lambda m: compose(m, desk.club, None), transport, now)
    ended = stopwatch()
    door.stop()
    print(f"\nthe whole path, {mails} mails by SMTP")
    print(f"  taken in      {mails / (accepted - begun):8.0f} mails/s")
    print(f"  handled       {handled / (worked - accepted):8.0f} mails/s")
    print(f"  sent          {sent / (ended - worked):8.0f} mails/s ({sent} mails, each synced and marked)")
    print(f"  in, handled   {mails / (worked - begun):8.0f} mails/s")
    desk.db.close()


def _big_ledger(folder: Path, games: int) -> None:
    """COMPTE, the digest, and what the service needs in memory, over a long ledger."""
    desk = open_club(folder / "big.db", BIG_MEMBERS)
    begun = stopwatch()
    now = fill(desk, games, BIG_MEMBERS)
    postings = desk.db.execute_sql("SELECT count(*) FROM posting").fetchone()[0]
    print(f"\na ledger of {games:,} games, {postings:,} postings, {BIG_MEMBERS} members")
    print(f"  (made in {stopwatch() - begun:.0f} s)")
    account: list[float] = []
    for number in range(50):
        raw = mail(f"{handle(number * 7)}@example.org", "COMPTE", 10_000_000 + number)
        with unit_of_work(desk.db):
            intake.keep(desk.db, desk.club.id, "bench", raw, now)
        waiting = inbox.waiting(desk.db, desk.club.id)
        assert waiting is not None
        with _timed(account):
            desk.handle(waiting, now)
    _row("COMPTE, from mail to queued answer", account)
    data: list[float] = []
    for _ in range(5):
        with _timed(data):
            digest.weekly(picture(desk.db, desk.club, now))
    _row(f"digest data of {BIG_MEMBERS} members", data)
    whole: list[float] = []
    with _timed(whole):
        _run_digest(desk)
    _row(f"digest, {BIG_MEMBERS} mails written and queued", whole)
    desk.db.close()


def _run_digest(desk: Desk) -> None:
    now = START + timedelta(days=3 * 365 + 1)
    while (due := desk.agenda.next_due(now)).at <= now:
        desk.agenda.run(due, now)
        if due.name == "digest.weekly":
            return


class _timed:
    """Adds the seconds that a block took to a list."""

    def __init__(self, taken: list[float]) -> None:
        self._taken = taken

    def __enter__(self) -> None:
        self._begun = stopwatch()

    def __exit__(self, *_: object) -> None:
        self._taken.append(stopwatch() - self._begun)


def _row(name: str, seconds: list[float]) -> None:
    taken = sorted(s * 1000 for s in seconds)
    middle, high = statistics.median(taken), taken[min(len(taken) - 1, int(len(taken) * 0.95))]
    print(f"  {name:52} median {middle:8.2f} ms   p95 {high:8.2f} ms   min {taken[0]:8.2f} ms")


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    sys.exit(main())
