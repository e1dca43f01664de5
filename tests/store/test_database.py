"""Connections and transactions: settings, all or nothing, two threads on one file."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import peewee
import pytest

from store import handles, inbox, sql, tables
from store.database import in_transaction, journal_mode, savepoint, unit_of_work
from store.errors import SchemaRefused, StoreError, StoreUnavailable
from tests.databases import open_database
from tests.store.scene import START, Scene, found


def runs(db: peewee.Database) -> list[str]:
    return [job for (job,) in sql.rows(db, "SELECT job FROM run ORDER BY job")]


def note(club: Scene, job: str) -> None:
    sql.insert(club.db, tables.Run, club_id=club.id, job=job, due_at=START, ran_at=START)


@pytest.mark.only_sqlite
def test_settings_of_a_file(file_db: peewee.Database) -> None:
    def pragma(name: str) -> object:
        return sql.value(file_db, f"PRAGMA {name}")

    assert pragma("journal_mode") == journal_mode(sqlite3.sqlite_version_info).lower()
    assert pragma("synchronous") == 2  # FULL
    assert pragma("foreign_keys") == 1
    assert pragma("busy_timeout") == 1000 * handles.BUSY_SECONDS


@pytest.mark.parametrize(
    ("version", "mode"),
    [((3, 40, 1), "PERSIST"), ((3, 51, 2), "PERSIST"), ((3, 51, 3), "WAL"), ((4, 0, 0), "WAL")],
)
def test_the_log_is_used_only_where_it_is_sound(version: tuple[int, ...], mode: str) -> None:
    assert journal_mode(version) == mode


def test_what_is_written_is_there_after_opening_again(tmp_path: Path) -> None:
    db = open_database(tmp_path / "club.db")
    club = found(db)
    club.open("anna")
    db.close()
    again = Scene(open_database(tmp_path / "club.db"), club.id)
    assert again.balances == {"anna": 200_00}
    again.db.close()


def test_two_databases_in_one_process_are_two(db: peewee.Database) -> None:
    other = open_database(None)
    found(db)
    assert sql.value(db, "SELECT count(*) FROM club") == 1
    assert sql.value(other, "SELECT count(*) FROM club") == 0
    other.close()


def test_a_unit_of_work_is_rolled_back_by_any_exception(bare: Scene) -> None:
    def interrupted() -> None:
        with unit_of_work(bare.db):
            note(bare, "a")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert runs(bare.db) == []
    assert not in_transaction(bare.db)


def test_units_of_work_do_not_nest(bare: Scene) -> None:
    with pytest.raises(StoreError, match="within another"), unit_of_work(bare.db), unit_of_work(bare.db):
        pass
    assert not in_transaction(bare.db)


def test_a_savepoint_takes_back_its_own_part(bare: Scene) -> None:
    with unit_of_work(bare.db):
        note(bare, "a")
        with savepoint(bare.db) as point:
            note(bare, "b")
            point.rollback()
            note(bare, "c")
        note(bare, "d")
    assert runs(bare.db) == ["a", "c", "d"]


def test_an_exception_takes_back_the_savepoint_only(bare: Scene) -> None:
    def twice() -> None:
        with savepoint(bare.db):
            note(bare, "b")
            note(bare, "a")

    with unit_of_work(bare.db):
        note(bare, "a")
        with pytest.raises(SchemaRefused):
            twice()
        note(bare, "c")
    assert runs(bare.db) == ["a", "c"]


def test_savepoints_nest(bare: Scene) -> None:
    with unit_of_work(bare.db), savepoint(bare.db) as outer:
        note(bare, "a")
        with savepoint(bare.db) as inner:
            note(bare, "b")
            inner.rollback()
        with savepoint(bare.db):
            note(bare, "c")
        assert runs(bare.db) == ["a", "c"]
        outer.rollback()
    assert runs(bare.db) == []


def test_a_savepoint_needs_a_unit_of_work(bare: Scene) -> None:
    with pytest.raises(StoreError, match="outside"), savepoint(bare.db):
        pass


def test_a_transaction_that_the_database_ended_itself_raises_the_first_error(bare: Scene) -> None:
    def fill_the_disk() -> None:
        with unit_of_work(bare.db), savepoint(bare.db):
            sql.run(bare.db, "ROLLBACK")  # what SQLite may do by itself when the disk is full
            raise StoreUnavailable("disk full")

    with pytest.raises(StoreUnavailable):
        fill_the_disk()


@pytest.mark.only_sqlite
def test_a_full_disk_is_told_apart_from_wrong_sql(file_db: peewee.Database) -> None:
    club = found(file_db)
    pages = sql.value(file_db, "PRAGMA page_count")
    sql.run(file_db, f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreUnavailable, match="full"), unit_of_work(file_db):
        inbox.keep(file_db, club.id, "imap", bytes(100_000), START)
    with pytest.raises(StoreError, match="no such table") as wrong:
        sql.run(file_db, "SELECT * FROM nowhere")
    assert not isinstance(wrong.value, StoreUnavailable)
    assert inbox.waiting(file_db, club.id) is None


def test_a_number_too_great_for_the_database_is_our_error(bare: Scene) -> None:
    with pytest.raises(StoreError, match=r"too large|out of range"):
        sql.run(bare.db, "SELECT ?", (2**63,))


@pytest.mark.only_sqlite
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "club.db"
    open_database(path).close()
    path.chmod(0o400)
    db = open_database(path)
    with pytest.raises(StoreUnavailable, match="readonly"):
        found(db)
    db.close()


@pytest.mark.only_sqlite
def test_a_database_in_memory_serves_one_thread(db: peewee.Database) -> None:
    raised: list[Exception] = []

    def use() -> None:
        try:
            sql.rows(db, "SELECT 1")
        except StoreError as error:
            raised.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert "thread" in str(raised[0])


def test_a_thread_keeps_mails_while_another_works(file_db: peewee.Database) -> None:
    club = found(file_db)
    started = threading.Event()

    def receive() -> None:
        for number in range(20):
            with unit_of_work(file_db):
                inbox.keep(file_db, club.id, f"smtp:{number}", b"mail", START)
            started.set()
        file_db.close()  # this thread's own connection

    thread = threading.Thread(target=receive)
    thread.start()
    started.wait(10)
    for number in range(20):
        with unit_of_work(file_db):
            note(club, f"job {number:02}")
    thread.join()
    assert len(runs(file_db)) == 20
    assert inbox.counts(file_db, club.id)["received"] == 20


def test_one_of_two_connections_waits_for_the_other(tmp_path: Path) -> None:
    here, there = open_database(tmp_path / "club.db"), open_database(tmp_path / "club.db")
    club = found(here)
    waited: list[int] = []

    def count_up() -> None:
        with unit_of_work(there):
            waited.append(sql.value(there, "SELECT count(*) FROM run"))
        there.close()

    with unit_of_work(here):
        thread = threading.Thread(target=count_up)
        thread.start()
        note(club, "a")
    thread.join()
    there.close()
    here.close()
    assert waited == [1]


def test_a_writer_that_has_waited_too_long_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handles, "BUSY_SECONDS", 0.05)
    here, there = open_database(tmp_path / "club.db"), open_database(tmp_path / "club.db")
    with (
        unit_of_work(here),
        pytest.raises(StoreUnavailable, match=r"locked|lock timeout"),
        unit_of_work(there),
    ):
        pass
    here.close()
    there.close()
