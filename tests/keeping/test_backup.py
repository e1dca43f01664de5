"""P-11: copies are whole, looked through, and made beside a running service."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mailflow import backups
from store import backup
from store.errors import StoreError, StoreUnavailable
from tests.command_line.cli_scene import letter, mailflow, running

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ADDRESS = "club@example.org"


def test_a_copy_is_made_and_looked_through(club: Path) -> None:
    said = mailflow("backup", "--dir", club)
    assert said.code == 0, said
    (copy,) = (club / "backups").iterdir()
    assert copy.name.startswith("club@example.org_")
    assert mailflow("backup", "--verify", copy).out == [f"{ADDRESS}: all is well in {copy}"]
    assert list((club / "backups").iterdir()) == [copy]


def test_nobody_else_can_read_a_copy(club: Path) -> None:
    mailflow("backup", "--dir", club)
    (copy,) = (club / "backups").iterdir()
    assert copy.stat().st_mode & 0o077 == 0


def test_a_copy_holds_what_a_running_service_has_committed(club: Path) -> None:
    with running(club) as run:
        run.send(letter("anna@example.org", "PARTIE joueurs=bela"))
        run.mail("confirmer", "anna@example.org")
        assert mailflow("backup", "--dir", club).code == 0
    (copy,) = (club / "backups").iterdir()
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("SELECT state FROM inbox").fetchall() == [("pending",)]


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE account SET balance_cents = balance_cents + 1 WHERE id = 2", "balance wrong"),
        ("DELETE FROM seal", "not a sound"),
    ],
)
def test_a_copy_of_wrong_books_is_told(club: Path, statement: str, code: str) -> None:
    """A copy in which the sums do not hold is no proof of anything: it says so."""
    mailflow("backup", "--dir", club)
    (copy,) = (club / "backups").iterdir()
    with closing(sqlite3.connect(copy)) as db, db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute(statement)
    said = mailflow("backup", "--verify", copy)
    assert said.code != 0
    assert code in "\n".join(said.out + said.err)


@pytest.mark.parametrize("where", [100, 5000, 20000])
def test_a_damaged_copy_is_refused_in_one_line(club: Path, where: int) -> None:
    mailflow("backup", "--dir", club)
    (copy,) = (club / "backups").iterdir()
    content = bytearray(copy.read_bytes())
    content[where : where + 4096] = b"\xff" * 4096
    copy.write_bytes(content)
    said = mailflow("backup", "--verify", copy)
    assert said.code == 2
    assert len(said.err) == 1


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_text("a letter to nobody")
    for path in (other, tmp_path / "missing.db"):
        said = mailflow("backup", "--verify", path)
        assert (said.code, len(said.err)) == (2, 1)


def test_only_this_clubs_oldest_copies_are_put_away(tmp_path: Path) -> None:
    ours = [tmp_path / f"{ADDRESS}_202603{day:02}T120000Z.db" for day in (1, 2, 3)]
    others = [
        tmp_path / name
        for name in (
            "xclub@example.org_20200101T000000Z.db",
            "club@example.orgx_20200101T000000Z.db",
            f"{ADDRESS}_20200101T000000Z.db.unfinished",
            f"{ADDRESS}_mine.db",
        )
    ]
    for path in (*ours, *others):
        path.touch()
    assert backups.put_away(ADDRESS, tmp_path, 2) == ours[:1]
    assert sorted(tmp_path.iterdir()) == sorted((*ours[1:], *others))


@pytest.mark.parametrize("number", [0, -1, "x", ""])
def test_keeping_none_is_refused_before_anything_is_done(club: Path, number: object) -> None:
    said = mailflow("backup", "--dir", club, "--keep", number)
    assert (said.code, said.out) == (2, [])
    assert f"{str(number)!r} is not a number, 1 or more" in said.err[-1]
    assert not (club / "backups").exists()


def test_a_copy_never_takes_the_place_of_another(tmp_path: Path) -> None:
    source, target = tmp_path / "source.db", tmp_path / "target.db"
    with closing(sqlite3.connect(source)) as db, db:
        db.execute("CREATE TABLE t (x)")
    target.write_text("here before")
    with pytest.raises(StoreError):
        backup.make(source, target)
    assert target.read_text() == "here before"


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "source.db"
    source.write_bytes(b"no database at all, but long enough to look like one" * 100)
    with pytest.raises(StoreUnavailable):
        backup.make(source, tmp_path / "target.db")
    assert list(tmp_path.iterdir()) == [source]


def test_what_an_interrupted_copy_left_does_not_hinder_the_next(tmp_path: Path) -> None:
    source, target = tmp_path / "source.db", tmp_path / "target.db"
    with closing(sqlite3.connect(source)) as db, db:
        db.execute("CREATE TABLE t (x)")
    (tmp_path / "target.db.unfinished").write_text("torn")
    backup.make(source, target)
    assert sorted(tmp_path.iterdir()) == [source, target]


def test_a_club_without_books_is_one_clear_line(tmp_path: Path) -> None:
    assert mailflow("init", tmp_path / "new", "--name", "N", "--address", ADDRESS).code == 0
    said = mailflow("backup", "--dir", tmp_path / "new")
    assert (said.code, len(said.err)) == (2, 1)


def test_books_whose_program_was_killed_within_a_transaction_can_be_copied(club: Path) -> None:
    """They have a journal beside them that whoever reads them must play back first: none but a writer may."""
    books, folder = club / "mailflow.db", club / "backups"
    with closing(sqlite3.connect(books)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA cache_size = 2")  # so that pages reach the file before the end
        db.execute("BEGIN IMMEDIATE")
        db.execute("CREATE TABLE half_done (text)")
        db.executemany("INSERT INTO half_done VALUES (?)", [("x" * 2000,)] * 50)
        files = {name: (club / name).read_bytes() for name in ("mailflow.db", "mailflow.db-journal")}
        db.execute("ROLLBACK")
    for name, raw in files.items():
        (club / name).write_bytes(raw)
    copy = backups.make(books, ADDRESS, folder, NOW)
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half_done'").fetchone() == (0,)
    assert not any(backups.findings(copy).values())


def test_what_killed_copies_left_behind_is_removed_by_the_next(club: Path) -> None:
    folder = club / "backups"
    folder.mkdir()
    others = [f"cercle@example.org_20250101T000000Z.db{backup.UNFINISHED}", "notes.unfinished"]
    ours = [
        f"{ADDRESS}_20250101T000000Z.db{backup.UNFINISHED}",
        f"{ADDRESS}_20250101T000000Z.db{backup.UNFINISHED}-journal",
    ]
    for name in (*others, *ours):
        (folder / name).touch()
    copy = backups.make(club / "mailflow.db", ADDRESS, folder, NOW)
    assert {path.name for path in folder.iterdir()} == {copy.name, *others}
