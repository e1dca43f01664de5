"""Make a copy, restore one, or migrate a file, and be killed on the way; say what is there then.

Run as a program, because a fork of the test process would share its threads:
`python -m tests.keeping.half_way WORK FOLDER SEED KILLS [planted]`. A step is just before SQLite writes,
syncs, cuts or deletes a file, before a statement that writes, and before a file is renamed, linked, synced
or removed; and in the middle of one that is copied. One JSON object a line. With a planted fault it stops
where that was found.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from mailflow import restoring
from mailflow.backups import findings, make
from mailflow.settings import load
from store import backup, clubs, journal, migrations, sql
from store.database import Database, open_database
from store.verify import verify
from tests.desk.desk_scene import CLUB, START
from tests.disk import DONE, Call, Fate, watched
from tests.store.old import old_file

from .test_restore import World, played

LATER = START + timedelta(days=30)


class Deaths:
    """Counts steps, and dies at the `fatal`-th; 0: at none."""

    def __init__(self, fatal: int) -> None:
        self.names: list[str] = []
        self._fatal = fatal

    def __call__(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) == self._fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def disk(self, call: Call) -> Fate:
        if call.kind != "lock":
            self(f"{call.kind} {Path(call.path).name}")
        return DONE

    def watch(self) -> None:
        """Count from now on, in this process."""
        for name in ("replace", "link", "fsync", "unlink"):
            setattr(os, name, self._before(name, getattr(os, name)))
        real, real_copy = sql.run, shutil.copyfile

        def run(db: Any, text: str, *args: Any) -> Any:
            if not text.lstrip().startswith(("SELECT", "PRAGMA")):
                self(text[:40])
            return real(db, text, *args)

        def copyfile(source: Path, target: Path) -> object:
            raw = Path(source).read_bytes()
            Path(target).write_bytes(raw[: len(raw) // 2])
            self("half a file is copied")
            return real_copy(source, target)

        sql.run = run
        shutil.copyfile = copyfile  # type: ignore[assignment]

    def _before(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **named: Any) -> Any:
            self(name)
            return real(*args, **named)

        return step


def killed(work: Callable[[], object], fatal: int) -> list[str] | None:
    """Do it in a child that dies at a step; return its steps, None if it died."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            deaths = Deaths(fatal)
            deaths.watch()
            with watched(deaths.disk):
                work()
            os.write(writing, "|".join(deaths.names).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) or status == 0, "it failed by itself"
    return said.split("|") if said else None


# ---------------------------------------------------------------- what is killed


class Works:
    """A template folder, the work that is done in a copy of it, and what must be so when it was killed."""

    def __init__(self, template: Path) -> None:
        template.mkdir()

    def work(self, folder: Path) -> None:
        raise NotImplementedError

    def wrong(self, folder: Path) -> Iterator[str]:
        raise NotImplementedError


class Backup(Works):
    """P-11: under a copy's name there is a sound one, or nothing; and the next one can be made."""

    def __init__(self, template: Path) -> None:
        world = World(template)
        played(world)
        world.end()
        shutil.rmtree(template / "backups")
        self._entries = entries(template / "mailflow.db")

    def work(self, folder: Path) -> None:
        make(folder / "mailflow.db", CLUB, folder / "backups", LATER)

    def wrong(self, folder: Path) -> Iterator[str]:
        if entries(folder / "mailflow.db") != self._entries:
            yield "the books are others"
        make(folder / "mailflow.db", CLUB, folder / "backups", LATER + timedelta(days=1))
        copies = sorted((folder / "backups").iterdir())
        yield from (f"{copy.name} is left" for copy in copies if copy.suffix != ".db")
        for copy in (copy for copy in copies if copy.suffix == ".db"):
            if any(findings(copy).values()) or entries(copy) != self._entries:
                yield f"{copy.name} is no whole copy"


class Restore(Works):
    """P-11, T-37: the books that stood there, or the restored ones; and it can be done again."""

    def __init__(self, template: Path) -> None:
        world = World(template)
        copy, self._now = played(world)
        world.end()
        copy.rename(template / "copy.db")
        self._before = entries(template / "mailflow.db")
        self._after = entries(template / "copy.db")
        assert self._before != self._after

    def work(self, folder: Path) -> None:
        restoring.restore(load(folder), folder / "copy.db", None, folder / "taken", self._now)

    def wrong(self, folder: Path) -> Iterator[str]:
        there = entries(folder / "mailflow.db")
        if there not in (self._before, self._settled(folder)):
            yield "the books are neither the old nor the restored ones"
        self.work(folder)
        if entries(folder / "mailflow.db") != self._settled(folder):
            yield "it cannot be restored any more"
        if list(folder.glob("*.unfinished*")):
            yield "a draft is left"

    def _settled(self, folder: Path) -> object:
        """What the copy comes to by the time of the restore: what fell due has been run."""
        apart = folder / "apart"
        if not apart.exists():
            apart.mkdir()
            for name in ("club.toml", "secret.key", "copy.db"):
                shutil.copy(folder / name, apart / name)
            restoring.restore(load(apart), apart / "copy.db", None, folder / "taken", self._now)
        return entries(apart / "mailflow.db")


class Migration(Works):
    """A file of the first schema: it can be copied as it is, and what is missing can be applied."""

    def __init__(self, template: Path) -> None:
        super().__init__(template)
        old_file(template / "mailflow.db").close()
        self._rows = rows(template / "mailflow.db")

    def work(self, folder: Path) -> None:
        open_database(folder / "mailflow.db").close()

    def wrong(self, folder: Path) -> Iterator[str]:
        backup.make(folder / "mailflow.db", folder / "copy.db")  # nobody has to open the books first
        self.work(folder)
        if rows(folder / "mailflow.db") != self._rows:
            yield "rows are others than before"
        with closing(open_database(folder / "mailflow.db")) as db:
            yield from map(str, verify(db, 1))
            if migrations.version(db) != len(migrations.shipped()):
                yield "it is not up to date"


def entries(books: Path) -> list[Any]:
    """The journal of books that must be sound."""
    with closing(open_database(books)) as db:
        (club,) = clubs.clubs(db)
        found = verify(db, club.id)
        assert not found, found
        return [(e.number, e.kind, e.at, e.game, e.postings) for e in journal.entries(db, club.id)]


def rows(books: Path) -> list[Any]:
    """The rows of an old file that no migration changes."""
    with closing(sqlite3.connect(books)) as db:
        return [
            db.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in ("posting", "entry", "audit")
        ]


WORKS: dict[str, Callable[[Path], Works]] = {"backup": Backup, "restore": Restore, "migration": Migration}


def in_place(draft: Path, target: Path) -> None:
    """A planted fault: a file is written under the name that counts."""
    shutil.copyfile(draft, target)
    draft.unlink()


@contextmanager
def piecemeal(db: Database) -> Iterator[None]:
    """A planted fault: a migration of which each statement counts by itself."""
    yield


def plant(name: str) -> None:
    """Plant the fault that this work could suffer from, to see it found."""
    if name == "migration":
        migrations.schema_change = piecemeal  # type: ignore[assignment]
    else:
        backup.put_in_place = in_place


def main(name: str, root: Path, seed: int, kills: int, *planted: str) -> None:
    template, folder = root / "template", root / "case"
    works = WORKS[name](template)
    if planted:
        plant(name)

    def case(fatal: int) -> tuple[list[str] | None, list[str]]:
        shutil.copytree(template, folder)
        try:
            steps = killed(lambda: works.work(folder), fatal)
            try:
                return steps, list(works.wrong(folder))
            except Exception as error:
                return steps, [f"{type(error).__name__}: {error}"]
        finally:
            shutil.rmtree(folder)

    steps, wrong = case(0)
    assert steps is not None
    assert not wrong, wrong
    print(json.dumps({"steps": len(steps)}), flush=True)
    for fatal in chosen(steps, seed, kills):
        told, wrong = case(fatal)
        said = {"died": told is None, "step": fatal, "what": steps[fatal - 1], "wrong": wrong}
        print(json.dumps(said), flush=True)
        if planted and wrong:
            return


def chosen(steps: list[str], seed: int, kills: int) -> list[int]:
    """Every step but SQLite's own writes, and of those as many as are left, drawn by the seed."""
    few = [n for n, name in enumerate(steps, 1) if not name.startswith("write")]
    draw = random.Random(seed)
    few = sorted(draw.sample(few, min(len(few), kills * 2 // 3)))
    rest = sorted(set(range(1, len(steps) + 1)) - set(few))
    return sorted(few + draw.sample(rest, min(len(rest), kills - len(few))))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
