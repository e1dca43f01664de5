"""How mails were read, and the file of before that was known."""

from pathlib import Path

import peewee

from store import inbox, migrations, readings, sql
from store.database import unit_of_work
from store.migrations import migrate, shipped
from store.verify import verify

from .scene import START, Scene, found


def kept(club: Scene) -> int:
    with unit_of_work(club.db):
        return inbox.keep(club.db, club.id, "test", b"raw", START)


def test_a_reading_is_found_by_the_number_of_its_mail(club: Scene) -> None:
    number = kept(club)
    with unit_of_work(club.db):
        readings.keep(club.db, club.id, number, "anna", {"class": "command"})
    reading = club.books.reading(number)
    assert reading is not None
    assert (reading.number, reading.member, reading.received_at) == (number, "anna", START)
    assert reading.record == {"class": "command"}


def test_a_mail_that_is_read_again_keeps_the_latest(club: Scene) -> None:
    number = kept(club)
    with unit_of_work(club.db):
        readings.keep(club.db, club.id, number, None, {"class": "empty"})
        readings.keep(club.db, club.id, number, "anna", {"class": "command"})
    reading = club.books.reading(number)
    assert reading is not None
    assert (reading.member, reading.record) == ("anna", {"class": "command"})


def test_what_was_not_kept_is_not_found(club: Scene) -> None:
    assert club.books.reading(kept(club)) is None
    assert club.books.reading(99) is None


def test_a_populated_file_of_before_gets_the_table_and_keeps_the_rest(tmp_path: Path) -> None:
    """Schema 1 to 2, on a club with members, a game and mails."""
    db = peewee.SqliteDatabase(str(tmp_path / "old.db"), pragmas={"foreign_keys": "ON"})
    assert migrate(db, shipped()[:1]) == (1,)
    scene = found(db)
    number = kept(scene)
    before = sql.rows(db, "SELECT * FROM posting"), scene.balances, sql.rows(db, "SELECT * FROM inbox")
    assert migrate(db) == (2,)
    assert migrations.version(db) == 2
    assert (
        sql.rows(db, "SELECT * FROM posting"),
        scene.balances,
        sql.rows(db, "SELECT * FROM inbox"),
    ) == before
    assert verify(db, scene.id) == ()
    with unit_of_work(db):
        readings.keep(db, scene.id, number, None, {"class": "empty"})
    assert scene.books.reading(number) is not None
    db.close()
