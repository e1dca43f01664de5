"""How much more several worker processes get done than one: `python -m tests.bench.workers`.

Many clubs in one PostgreSQL database that syncs, some mails for each; then so many workers handle them all
and send the answers into Maildirs. A database and folders of its own for each number of workers.
Processors that are not there cannot help.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import psycopg

from mailflow.ambient import stopwatch
from mailflow.settings import load
from store import inbox, pending, sql
from store.database import Server, unit_of_work
from tests.bench.worlds import handle, ordinary_mails
from tests.servers.clubs_scene import START, Clock, Process, clubs
from tests.servers.postgres import Postgres, running

MEMBERS = 10
WARMING = 40
"""Mails of a club of its own that each worker handles before the clock starts."""
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.workers")
    parser.add_argument("--clubs", type=int, default=100)
    parser.add_argument("--mails", type=int, default=20, help="for each club")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--at", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.at:
        return _work(options.at, str(options.workers[0]))
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, {platform.machine()}")
    first = 0.0
    with (
        running(safe=True) as server,
        tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder,
    ):
        for count in options.workers:
            seconds = _measured(server, Path(folder), count, options.clubs, options.mails)
            rate = options.clubs * options.mails / seconds
            first = first or rate
            print(
                f"{count} workers, {options.clubs} clubs: {rate:.0f} mails/s, {rate / first:.2f} times"
                f" the first (load of the machine {os.getloadavg()[0]:.1f})",
                flush=True,
            )
    return 0


def _measured(server: Postgres, folder: Path, workers: int, count: int, mails: int) -> float:
    """Seconds from the start of the work to the last mail sent."""
    name, home = f"bench{workers}", folder / f"bench{workers}"
    with psycopg.connect(server.url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    place = Server(server.url_of(name))
    settings = clubs(home, place, count + workers, [handle(i) for i in range(MEMBERS)])
    with Process(settings, "entry") as entry:
        for position, office in enumerate(entry.offices):
            here = mails if position < count else WARMING
            with unit_of_work(office.db):
                for number, raw in enumerate(ordinary_mails(here, MEMBERS)):
                    at = START + timedelta(seconds=number)
                    inbox.keep(office.db, office.club.id, f"bench{number}", raw, at)
        crew = [
            subprocess.Popen(_words(home, count + n), cwd=ROOT, stdout=subprocess.PIPE)
            for n in range(workers)
        ]
        for one in crew:
            assert one.stdout is not None
            one.stdout.readline()
        begun = stopwatch()
        (home / "go").touch()
        for one in crew:
            if one.wait():
                raise SystemExit("a worker failed")
        seconds = stopwatch() - begun
        db = entry.offices[0].db
        done = sql.value(db, "SELECT count(*) FROM audit WHERE kind = 'mail'")
        assert done == count * mails + workers * WARMING, f"{done} mails handled"
        assert not pending.clubs_with_mail(db, entry.clock())
    return seconds


def _words(home: Path, number: int) -> list[str]:
    return [sys.executable, "-m", "tests.bench.workers", "--at", str(home), "--workers", str(number)]


def _work(home: Path, name: str) -> int:
    """One worker: warm, ready, go, and work until no club has anything left."""
    settings = [load(folder) for folder in sorted(home.glob("club*"), key=lambda f: int(f.name[4:]))]
    with Process(settings, f"worker {name}", Clock()) as worker:
        from mailflow.workers import in_own_order

        worker.visit(worker.offices[int(name)])
        worker.offices = in_own_order(worker.offices, name)
        print("ready", flush=True)
        while not (home / "go").exists():
            time.sleep(0.005)
        worker.beats = 1  # nothing is due by the clock
        while pending.clubs_with_mail(worker.offices[0].db, worker.clock()):
            worker.beat()
            worker.beats = 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
