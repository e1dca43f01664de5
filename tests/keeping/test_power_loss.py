"""P-1, P-3: when the power goes, the books are as before a transaction or after it, and nothing told is lost.

An evening is played once; at many moments of it we take down what a power cut would leave on the disk
(`tests/keeping/power.py`), and open that afterwards.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from store import clubs, handles, sql
from store.database import open_database
from store.verify import verify
from tests.desk.desk_scene import open_scene
from tests.disk import Call, watched

from .evening import Evening
from .power import Power

pytestmark = pytest.mark.only_sqlite  # a server has a disk of its own

CUTS = 250


@dataclass(frozen=True)
class Cut:
    """What was left when the power went. `committed`, `acknowledged`: so many transactions and mails."""

    files: Mapping[str, bytes]
    committed: int
    acknowledged: int
    at: str


@dataclass
class Night:
    """An evening with power cuts. `states`: a digest of the books after each transaction."""

    folder: Path
    seed: int
    cuts_in_all: int
    states: list[str] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    evening: Evening = field(init=False)
    _calls: int = 0
    _at: str = ""

    def play(self, monkeypatch: pytest.MonkeyPatch) -> None:
        draw = random.Random(self.seed)
        books = self.folder / "mailflow.db"
        self.evening = Evening(books)
        shutil.copyfile(self.folder / "template.db", books)
        self.states.append(content(books))
        real, every = sql.run, max(1, CALLS // self.cuts_in_all)

        def run(db: Any, text: str, *args: Any) -> Any:
            done = real(db, text, *args)
            if text == "COMMIT":
                self.states.append(content(books))
            return done

        def is_time(call: Call) -> bool:
            self._calls += 1
            self._at = f"{self._calls}: {call.kind} {Path(call.path).name} {call.at}"
            return draw.randrange(every) == 0

        def cut(files: Mapping[str, bytes]) -> None:
            taken = len(self.evening.acknowledged)
            self.cuts.append(Cut(dict(files), len(self.states) - 1, taken, self._at))

        monkeypatch.setattr(sql, "run", run)
        with watched(Power(draw, is_time, cut)):
            self.evening.play()
        monkeypatch.setattr(sql, "run", real)

    def wrong(self) -> Iterator[str]:
        """Open what each cut left, and say what is not as it should be."""
        books = self.folder / "after" / "mailflow.db"
        for cut in self.cuts:
            books.parent.mkdir()
            shutil.copyfile(self.folder / "template.db", books)
            for name, raw in cut.files.items():
                (books.parent / name).write_bytes(raw)
            yield from (f"seed {self.seed}, before {cut.at}: {what}" for what in self._faults(books, cut))
            shutil.rmtree(books.parent)

    def _faults(self, books: Path, cut: Cut) -> Iterator[str]:
        try:
            db = open_database(books)
        except Exception as error:
            yield f"cannot be opened: {error}"
            return
        with closing(db):
            (club,) = clubs.clubs(db)
            yield from map(str, verify(db, club.id))
            kept = {bytes(raw) for (raw,) in sql.rows(db, "SELECT content FROM inbox_raw")}
        missing = set(self.evening.acknowledged[: cut.acknowledged]) - kept
        if missing:
            yield f"{len(missing)} mails that were acknowledged are lost"
        if content(books) not in self.states[cut.committed : cut.committed + 2]:
            yield "the books are neither as before nor as after"


CALLS = 1500
"""About so many calls that change a file are made in an evening."""


def content(books: Path) -> str:
    """A digest of all that is in the books."""
    with closing(sqlite3.connect(books)) as db:
        return hashlib.sha256("\n".join(db.iterdump()).encode()).hexdigest()


@pytest.fixture
def night(tmp_path: Path) -> Night:
    open_scene(tmp_path / "template.db").db.close()
    return Night(tmp_path, random.SystemRandom().randrange(10**9), CUTS)


def test_a_power_cut_leaves_the_state_before_or_after_and_all_that_was_acknowledged(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    night.play(monkeypatch)
    assert len(night.cuts) > CUTS // 4  # drawn by chance: about half of them fall at a moment worth it
    assert list(night.wrong()) == []


def test_books_that_are_not_synced_would_be_found_broken(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What keeps the promise is synchronous=FULL, and this test would see it go."""
    real = handles.connect_file

    def careless(*args: Any) -> Any:
        db = real(*args)
        db._pragmas = [(name, "OFF" if name == "synchronous" else value) for name, value in db._pragmas]
        return db

    with monkeypatch.context() as patch:
        patch.setattr(handles, "connect_file", careless)
        night.play(patch)
    assert next(night.wrong(), None) is not None
