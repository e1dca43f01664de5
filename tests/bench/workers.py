"""How much more several worker processes get done than one: `python -m tests.bench.workers`.

Many clubs in one PostgreSQL database that syncs, some mails for each; then so many workers handle them all
and send the answers into Maildirs. A database and folders of its own for each number of workers. The clock
starts when all of them are warm and ends with the last mail sent; mails come in before.

Processors that are not there cannot help. A worker and the server's process that serves it take turns, so
that one worker keeps nearly one processor busy: beside the rates stands what a mail takes of the processors.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
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
REST_SECONDS = 0.02
"""Between two beats, so that a worker to whom no club is left takes nothing from the others."""
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
            took = _measured(server, Path(folder), count, options.clubs, options.mails)
            total = options.clubs * options.mails
            rate = total / took.seconds
            first = first or rate
            print(
                f"{count} workers, {options.clubs} clubs: {rate:.0f} mails/s, {rate / first:.2f} times"
                f" the first; a mail takes {took.workers / total * 1000:.1f} ms of the processors in workers"
                f" and {took.server / total * 1000:.1f} ms in the server"
                f" (load of the machine {os.getloadavg()[0]:.1f})",
                flush=True,
            )
    return 0


@dataclass(frozen=True)
class Took:
    """Seconds from the start of the work to the last mail sent; and of processor time, by whom."""

    seconds: float
    workers: float
    server: float


def _measured(server: Postgres, folder: Path, workers: int, count: int, mails: int) -> Took:
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
        begun, used = stopwatch(), _processor_seconds(server.pid)
        (home / "go").touch()
        theirs = [float(one.communicate()[0] or "nan") for one in crew]
        if any(one.returncode for one in crew):
            raise SystemExit("a worker failed")
        took = Took(stopwatch() - begun, sum(theirs), _processor_seconds(server.pid) - used)
        db = entry.offices[0].db
        done = sql.value(db, "SELECT count(*) FROM audit WHERE kind = 'mail'")
        assert done == count * mails + workers * WARMING, f"{done} mails handled"
        assert not pending.clubs_with_mail(db, entry.clock())
    return took


def _processor_seconds(parent: int) -> float:
    """What a process and its children took of the processors so far, those that have ended included."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(stat.parent.name) == parent:
                ticks += sum(map(int, fields[11:15]))
            elif int(fields[1]) == parent:
                ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


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
        before = time.process_time()
        worker.beats = 1  # nothing is due by the clock
        while pending.clubs_with_mail(worker.offices[0].db, worker.clock()):
            worker.beat()
            worker.beats = 1
            time.sleep(REST_SECONDS)
        print(time.process_time() - before, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
