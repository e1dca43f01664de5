"""The schema in PostgreSQL: the same tables, made from the same migrations, never half of them."""

from __future__ import annotations

import threading

import peewee
import psycopg
import pytest

from store import database, migrations, sql, tables
from store.database import Server
from store.errors import StoreError, StoreUnavailable
from store.migrations import Migration, migrate, shipped
from tests.databases import empty_place, new_place, open_database, postgres

pytestmark = pytest.mark.servers


@pytest.fixture
def db() -> peewee.Database:
    return open_database(new_place())


@pytest.mark.parametrize("table", tables.ALL, ids=lambda table: table._meta.table_name)
def test_tables_are_as_the_migrations_make_them(db: peewee.Database, table: type[peewee.Model]) -> None:
    text = (
        "SELECT column_name, data_type, is_nullable, collation_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND table_name = ?"
    )
    rows = sql.rows(db, text, (table._meta.table_name,))
    declared = {}
    for field in table._meta.sorted_fields:
        kind = {"TEXT": "text", "BLOB": "bytea"}.get(field.field_type, "bigint")
        declared[field.column_name] = (kind, field.null)
    assert {name: (kind, null == "YES") for name, kind, null, _ in rows} == declared
    assert {collation for _, kind, _, collation in rows if kind == "text"} <= {"C"}


def test_every_table_is_there(db: peewee.Database) -> None:
    assert migrations.table_names(db) == {table._meta.table_name for table in tables.ALL}


def test_what_is_unique_indexed_and_referred_to_is_so_in_both(db: peewee.Database) -> None:
    lite = open_sqlite()
    names = "SELECT name, tbl_name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    here = "SELECT indexname, tablename FROM pg_indexes WHERE schemaname = current_schema()"
    assert set(sql.rows(lite, names)) <= set(sql.rows(db, here))
    for table in tables.ALL:
        name = table._meta.table_name
        unique = sql.rows(lite, "SELECT count(*) FROM pragma_index_list(?) WHERE origin = 'u'", (name,))
        refers = sql.rows(lite, "SELECT count(DISTINCT id) FROM pragma_foreign_key_list(?)", (name,))
        counted = "SELECT count(*) FROM pg_constraint WHERE conrelid = to_regclass(?) AND contype = ?"
        assert (sql.rows(db, counted, (name, "u")), sql.rows(db, counted, (name, "f"))) == (unique, refers), (
            name
        )
    lite.close()


def open_sqlite() -> peewee.Database:
    return database.open_database(None)


def test_migrating_again_changes_nothing(db: peewee.Database) -> None:
    assert migrate(db) == ()


def test_a_migration_that_fails_half_way_leaves_the_database_as_it_was(db: peewee.Database) -> None:
    before = migrations.table_names(db)
    step = Migration(len(shipped()) + 1, "bad", "CREATE TABLE new (id INTEGER);\n", "NONSENSE;")
    with pytest.raises(StoreError, match="syntax"):
        migrate(db, (*shipped(), step))
    assert migrations.table_names(db) == before
    assert migrations.version(db) == len(shipped())


def test_two_processes_that_find_an_empty_database_make_it_once() -> None:
    place, made, raised = empty_place(), [], []

    def begin() -> None:
        try:
            made.append(open_database(place))
            made[-1].close()  # this thread's connection
        except StoreError as error:
            raised.append(error)

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert raised == []
    assert [migrations.version(one) for one in made] == [len(shipped())] * 4


def test_a_database_of_another_program_is_refused() -> None:
    place = empty_place()
    with psycopg.connect(place.url, autocommit=True) as other:
        other.execute("CREATE TABLE songs (id int)")
    with pytest.raises(StoreError, match="another program"):
        open_database(place)


def test_a_database_from_the_future_is_refused(db: peewee.Database) -> None:
    sql.insert(db, tables.SchemaVersion, number=999, name="tomorrow")
    with pytest.raises(StoreError, match="newer than this program"):
        migrate(db)


def test_a_database_that_holds_no_unicode_is_refused() -> None:
    name = empty_place().url.rpartition("/")[2]
    with psycopg.connect(postgres().url, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name}")
        admin.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(StoreError, match="LATIN1"):
        open_database(Server(postgres().url_of(name)))


def test_a_server_that_is_not_there_is_unavailable_and_named() -> None:
    with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1"):
        open_database(Server("postgresql://mailflow@127.0.0.1:1/club"))
