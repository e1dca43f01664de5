"""A long ledger, asked for its balances: `mailflow balances` beside `hledger balance` on the same journal.

Both are measured as whole processes, from their start to their last line, with the processor's time that
they took. hledger reads what `mailflow export hledger` wrote, and both must come to the same sums.
"""

from __future__ import annotations

import re
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mailflow.ambient import stopwatch
from mailflow.app import open_office
from mailflow.founding import Founder, open_account
from mailflow.founding_file import NewClub, write_settings
from mailflow.identify import Trust
from mailflow.settings import load
from store.database import unit_of_work
from tests.bench.worlds import ADDRESS, START, fill, handle
from tests.bench.yardstick import yardstick

ROOT = Path(__file__).resolve().parents[2]
BOUND_SECONDS = 900
MEMBERS = 1000
RUNS = 5


@dataclass(frozen=True)
class Run:
    """One process: `wall` and `cpu` in seconds, and what it printed."""

    wall: float
    cpu: float
    printed: str


def measure(folder: Path, games: int, members: int = MEMBERS) -> None:
    """Make a club with so many games, and print how long each program takes to say its balances."""
    home = folder / "ledger"
    postings = _made(home, games, members)
    print(f"\nbalances of {members} accounts, {games:,} games, {postings:,} postings; whole processes")
    mine = [run(_mailflow("balances", "--dir", str(home))) for _ in range(RUNS)]
    start = [run(_mailflow("--version")) for _ in range(RUNS)]
    yardstick(folder)
    _show("mailflow --version", start)
    _show("mailflow balances", mine)
    if shutil.which("hledger") is None:
        print("  hledger is not here: nothing to compare with")
        return
    journal = folder / "club.journal"
    exported = run(_mailflow("export", "hledger", "--to", str(journal), "--dir", str(home)))
    _show(f"mailflow export hledger ({journal.stat().st_size / 1e6:.0f} MB)", [exported])
    theirs = [run(["hledger", "-f", str(journal), "balance", "--flat", "-E"])]
    _show("hledger balance", theirs)
    _same_sums(mine[0].printed, theirs[0].printed, members)
    wall, cpu = (statistics.median(getattr(r, name) for r in mine) for name in ("wall", "cpu"))
    print(
        f"  hledger takes {theirs[0].wall / wall:.0f} times as long,"
        f" {theirs[0].cpu / cpu:.0f} times the processor"
    )


def _made(home: Path, games: int, members: int) -> int:
    """Found the club and play; return how many postings there are."""
    write_settings(home, NewClub("Les amis", ADDRESS))
    (home / "secret.key").write_text("6b" * 32)
    with open_office(load(home), Trust.CONFIRM, START) as office:
        rulebook = office.settings.rulebook
        with unit_of_work(office.db):
            for n in range(members):
                founder = Founder(handle(n), f"{handle(n)}@example.org", n == 0)
                open_account(office.db, office.club, founder, rulebook, 1, START)
        fill(office.desk, games, members)
        return int(office.db.execute_sql("SELECT count(*) FROM posting").fetchone()[0])


def _mailflow(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "mailflow", *arguments]


def run(command: Sequence[str]) -> Run:
    """Run a program to its end. Raises CalledProcessError where it fails."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), stopwatch()
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=BOUND_SECONDS,
        check=True,
    )
    wall, after = stopwatch() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, done.stdout)


def _show(name: str, runs: Sequence[Run]) -> None:
    wall, cpu = (statistics.median(getattr(r, which) for r in runs) for which in ("wall", "cpu"))
    print(f"  {name:46} {wall:8.3f} s   processor {cpu:8.3f} s", flush=True)


def _same_sums(ours: str, theirs: str, members: int) -> None:
    """Both programs must have said the same of every member."""
    mine = {
        found[1].upper(): _cents(found[2]) for found in re.finditer(r"^(\S+) +(\S+)\s€", ours, re.MULTILINE)
    }
    hledger = {
        found[2].upper(): _cents(found[1])
        for found in re.finditer(r"(\S+) EUR +Assets:Members:(\S+)", theirs)
    }
    if len(mine) < members or any(mine[name] != hledger.get(name, 0) for name in mine if name != "JOURNAL:"):
        raise SystemExit("the two programs do not come to the same balances")


def _cents(amount: str) -> int:
    return int(re.sub(r"[^\d-]", "", amount.replace("\N{MINUS SIGN}", "-")))
