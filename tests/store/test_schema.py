"""The schema: made by migrations, declared in tables.py, and never half of it."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import peewee
import pytest

from store import migrations, sql, tables
from store.database import open_database
from store.errors import StoreError, StoreUnavailable
from store.migrations import Migration, migrate, shipped, statements

pytestmark = pytest.mark.only_sqlite  # PostgreSQL's is in tests/servers/test_postgres_schema.py

FROZEN = {
    1: "3db0008cfa7bfff812bae39d7f943e705a3e404a75b03e207a8a7e9c21da9e83",
    2: "f9cebf646bd9e0d36cadf0d83e9853966775125de5ef8321c14f1c369833333c",
    3: "593daf4908a686bad978e2cd0ddf01e9b1470e3754f26c106239b009b27124f4",
    4: "30e2113bbdf3879b6fe6600f59b525367817de79ef4f2e3202503ce8b5191df0",
    5: "d3833f62273d57e8332a7f4092f2a1516f19f37e670d38ecca07deec8ddbe16c",
    6: "6e188e18399ead2bfecd53a25affc79a79a2df0961b96c8b56214ec3f3b39468",
    7: "e95e752d8dd656dd4500a5a354802972e04848c93aaa84dfa188b07b0e008abc",
    8: "fb6477d156f5e004ab45dbf2e4dbdec1a570c40dfebbe9de88aa979b03c68497",
    9: "1c0bb8c730f1e293558b1a7ac6ed171798dca78a84ca207e4cf60ed67fb57f9e",
    10: "0fc180be76d2f02176de5fb1eb80a837b0e69e41f5041e9db27680d237e18040",
    11: "6ac778049ae0d45959970738a5dc171367fca167b1135d100971f4e7b025ec97",
    12: "4e43b670ce0ec6680b58a33364f6bc1e9fd555c79a64eaa98ae3b3c0b0d56e19",
    13: "0a0ca55eea6c8035cc9b1ca99ff442cef0f85e9cf1d218e9d56b57cdfaae77fd",
    14: "1615488d209157b47cb1b02a1171792085b80118e89c776f609fbf70b4a690c8",
    15: "da81fe66a3de34319562cc2a2816bce20b90a69b1c0c2b62b5098ca4b264d68e",
    16: "c634441b5a99684152b15a2cb9cccf2d4c673d947fb2f9bcd3ca2e1f2f7932de",
}


def schema(db: peewee.Database) -> list[tuple[object, ...]]:
    return sql.rows(db, "SELECT type, name, sql FROM sqlite_master ORDER BY type, name")


@pytest.mark.parametrize("table", tables.ALL, ids=lambda table: table._meta.table_name)
def test_tables_are_as_the_migrations_make_them(db: peewee.Database, table: type[peewee.Model]) -> None:
    rows = sql.rows(db, f"PRAGMA table_info({table._meta.table_name})")
    made = {name: (kind, bool(notnull or key)) for _, name, kind, notnull, _, key in rows}
    declared = {}
    for field in table._meta.sorted_fields:
        kind = {"TEXT": "TEXT", "BLOB": "BLOB"}.get(field.field_type, "INTEGER")
        declared[field.column_name] = (kind, not field.null)
    assert made == declared
    key = [name for _, name, _, _, _, key in sorted(rows, key=lambda row: row[5]) if key]
    assert key == [field.column_name for field in table._meta.get_primary_keys()]


@pytest.mark.parametrize("table", tables.ALL, ids=lambda table: table._meta.table_name)
def test_tables_refer_as_the_migrations_say(db: peewee.Database, table: type[peewee.Model]) -> None:
    rows = sql.rows(db, f"PRAGMA foreign_key_list({table._meta.table_name})")
    made = {(column, parent) for _, _, parent, column, *_ in rows}
    declared = {(field.column_name, field.rel_model._meta.table_name) for field in table._meta.refs}
    assert declared <= made


def test_every_table_is_declared(db: peewee.Database) -> None:
    made = {name for (name,) in sql.rows(db, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert made == {table._meta.table_name for table in tables.ALL}


def test_migrating_again_changes_nothing(file_db: peewee.Database) -> None:
    before = schema(file_db)
    assert migrate(file_db) == ()
    assert schema(file_db) == before


def test_migrations_are_numbered_from_one_and_frozen() -> None:
    assert [step.number for step in shipped()] == list(range(1, len(shipped()) + 1))
    frozen = {step.number: hashlib.sha256((step.text + step.twin).encode()).hexdigest() for step in shipped()}
    assert frozen == FROZEN, "a released migration is mended by a further one"


def test_a_migration_that_fails_half_way_leaves_the_file_as_it_was(file_db: peewee.Database) -> None:
    before = schema(file_db)
    bad = "CREATE TABLE new (id INTEGER);\nINSERT INTO new VALUES (1);\nNONSENSE;\n"
    step = Migration(len(shipped()) + 1, "bad", bad)
    with pytest.raises(StoreError, match="syntax"):
        migrate(file_db, (*shipped(), step))
    assert schema(file_db) == before
    assert migrations.version(file_db) == len(shipped())


def test_what_is_missing_is_applied_in_order(file_db: peewee.Database) -> None:
    first = len(shipped()) + 1
    more = (
        Migration(first, "a", "CREATE TABLE a (id INTEGER);"),
        Migration(first + 1, "b", "DROP TABLE a;"),
    )
    assert migrate(file_db, (*shipped(), *more)) == (first, first + 1)
    assert migrations.version(file_db) == first + 1


def test_a_migration_that_another_process_has_applied_meanwhile_is_left_out(
    file_db: peewee.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Migration(len(shipped()) + 1, "a", "CREATE TABLE a (id INTEGER);")
    answers = iter((len(shipped()), len(shipped()) + 1))
    monkeypatch.setattr(migrations, "version", lambda db: next(answers))
    assert migrate(file_db, (*shipped(), step)) == ()


def test_a_statement_ends_at_its_semicolon_and_not_within_a_trigger() -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  SELECT 1;\n  SELECT 2;\nEND;"
    text = f"-- a word before\nCREATE TABLE a (id INTEGER);\n\n{trigger}\n-- a word after\n"
    assert list(statements(text)) == ["-- a word before\nCREATE TABLE a (id INTEGER);", trigger]


def test_an_unfinished_statement_is_an_error() -> None:
    with pytest.raises(StoreError, match="within a statement"):
        list(statements("CREATE TABLE a (id INTEGER)\n"))


def test_a_database_from_the_future_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "club.db"
    db = open_database(path)
    sql.insert(db, tables.SchemaVersion, number=999, name="tomorrow")
    db.close()
    with pytest.raises(StoreError, match="newer than this program"):
        open_database(path)


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE songs (id INTEGER)")
    other.close()
    with pytest.raises(StoreError, match="another program"):
        open_database(path)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(b"Cher tous, " * 1000)
    with pytest.raises(StoreError, match="not a database"):
        open_database(path)
    assert path.read_bytes() == b"Cher tous, " * 1000


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="nowhere"):
        open_database(tmp_path / "nowhere" / "club.db")


def test_an_old_sqlite_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    with pytest.raises(StoreError, match="too old"):
        open_database(None)


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(StoreError, match="club has no column"):
        sql.insert_text(tables.Club, "colour")
