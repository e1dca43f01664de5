"""P-7: the disk is full, broken or locked at any moment of an evening; then all goes on, and nothing is half.

Faults come from below SQLite (`tests/disk.py`): the n-th write, sync or lock fails, for n throughout it.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mailflow.doors import sender
from store import handles, sql
from store.database import in_transaction
from store.errors import StoreUnavailable
from tests.desk.desk_scene import open_scene
from tests.disk import BROKEN_SYNC, BROKEN_WRITE, BUSY, DONE, FULL, Call, Fate, watched

from .evening import Evening

pytestmark = pytest.mark.only_sqlite  # a server has a disk of its own

PLAYS = 40
"""Evenings for each kind of fault, spread evenly; where they begin is drawn anew each time."""


@dataclass
class Fault:
    """The `n`-th call of a kind fails, and those after it too where the fault `lasts` until it is lifted."""

    kind: str
    code: int
    lasts: bool
    half: bool = False
    n: int = 0
    seen: int = 0
    lifted: bool = False

    def __call__(self, call: Call) -> Fate:
        if call.kind != self.kind or self.lifted:
            return DONE
        self.seen += 1
        if self.seen == self.n or (self.lasts and 0 < self.n < self.seen):
            return Fate(self.code, len(call.data) // 2 if self.half else 0)
        return DONE

    def lift(self) -> None:
        self.lifted = True


FAULTS = {
    "the disk is full": Fault("write", FULL, lasts=True),
    "a write is cut short": Fault("write", BROKEN_WRITE, lasts=False, half=True),
    "no write succeeds any more": Fault("write", BROKEN_WRITE, lasts=True, half=True),
    "a sync fails": Fault("sync", BROKEN_SYNC, lasts=False),
    "no sync succeeds any more": Fault("sync", BROKEN_SYNC, lasts=True),
    "the file is locked": Fault("lock", BUSY, lasts=True),
}


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A club's books as they are before the evening; nobody waits for a lock."""
    monkeypatch.setattr(handles, "BUSY_SECONDS", 0)
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        open_scene(Path(name) / "template.db").db.close()
        yield Path(name)


def played(folder: Path, fault: Fault, n: int) -> tuple[Evening, dict[str, Any]]:
    """Play an evening with the n-th call failing; 0: with none."""
    books = folder / "mailflow.db"
    for old in folder.glob("mailflow.db*"):
        old.unlink()
    shutil.copyfile(folder / "template.db", books)
    fault.n, fault.seen, fault.lifted = n, 0, False
    evening = Evening(books, fault.lift)
    with watched(fault):
        return evening, evening.play()


def differences(folder: Path, fault: Fault, plays: int) -> Iterator[str]:
    """Say what each of so many evenings came to, where that is not what comes of a calm one."""
    evening, calm = played(folder, fault, 0)
    assert calm["game"][0] == "arbitration", calm
    assert (calm["lost"], calm["ledger"], evening.failures) == (0, 0, 0)
    count, failed = fault.seen, 0
    step = max(1, count // plays)
    for n in range(random.SystemRandom().randint(1, step), count + 1, step):
        evening, state = played(folder, fault, n)
        failed += evening.failures > 0
        yield from (f"at {n}: {k}: {state[k]} not {calm[k]}" for k in calm if state[k] != calm[k])
    assert failed > plays // 2, "hardly anything failed"


@pytest.mark.parametrize("name", FAULTS)
def test_when_the_disk_is_well_again_all_is_as_if_nothing_had_been(folder: Path, name: str) -> None:
    assert list(differences(folder, FAULTS[name], PLAYS)) == []


# ---------------------------------------------------------------- what would be found


def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """P-4: a sender that does not keep in mind what it could not mark."""
    real = sender.Sender._mark_and_let_go

    def forgets(this: Any) -> None:
        real(this)
        this._results.clear()

    monkeypatch.setattr(sender.Sender, "_mark_and_let_go", forgets)


def taken_for_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """P-1: an error of COMMIT that nobody hears of."""
    real = sql.run

    def run(db: Any, text: str, *args: Any) -> Any:
        try:
            return real(db, text, *args)
        except StoreUnavailable:
            if text != "COMMIT":
                raise
            return real(db, "ROLLBACK") if in_transaction(db) else None

    monkeypatch.setattr(sql, "run", run)


@pytest.mark.parametrize("plant", [forgetful, taken_for_done])
def test_a_planted_fault_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch, plant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    plant(monkeypatch)
    try:
        found = next(differences(folder, FAULTS["the disk is full"], PLAYS), "")
    except AssertionError as error:  # the evening broke off, as an answer that should be there was not
        found = str(error)
    assert found
    assert "hardly" not in found
