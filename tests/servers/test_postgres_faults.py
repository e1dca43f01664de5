"""What goes wrong with a server: told in our own errors, never half an effect, and mended alone (P-7)."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import peewee
import psycopg
import pytest

from store import database, inbox, outbox, sql, tables
from store.database import Server, for_club, in_transaction, unit_of_work
from store.errors import DuplicateEffect, RowExists, SchemaRefused, StoreError, StoreUnavailable
from store.handles import Postgresql
from store.records import NewMail
from tests.databases import new_place, open_database, postgres
from tests.store.scene import START, Scene, found

from .postgres import Postgres, running

pytestmark = pytest.mark.servers


@pytest.fixture
def db() -> peewee.Database:
    return open_database(new_place())


@pytest.fixture
def club(db: peewee.Database) -> Scene:
    scene = found(db)
    scene.open("anna", "bela")
    return scene


def note(db: peewee.Database, club_id: int, job: str) -> None:
    sql.insert(db, tables.Run, club_id=club_id, job=job, due_at=START, ran_at=START)


def jobs(db: peewee.Database) -> list[str]:
    return [job for (job,) in sql.rows(db, "SELECT job FROM run ORDER BY job")]


def cut(db: peewee.Database) -> None:
    """Cut the connection, as a network or an operator may."""
    assert isinstance(db, Postgresql)
    number = sql.value(db, "SELECT pg_backend_pid()")
    with psycopg.connect(db.server.url, autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(%s)", (number,))


# ---------------------------------------------------------------- refused by the schema


def test_what_must_be_unique_is_refused_as_such(club: Scene) -> None:
    note(club.db, club.id, "a")
    with pytest.raises(RowExists):
        note(club.db, club.id, "a")
    mail = NewMail("c", "answer", "anna", "anna@example.org", "", "s", "t\n")
    with pytest.raises(DuplicateEffect), unit_of_work(club.db):
        outbox.queue(club.db, club.id, [mail, mail], START)


def test_an_entry_without_a_seal_fails_at_the_commit(club: Scene) -> None:
    def unsealed() -> None:
        with unit_of_work(club.db):
            text = "INSERT INTO entry (club_id, number, kind, at, effect_key) VALUES (?, 99, 'x', 0, 'x')"
            sql.run(club.db, text, (club.id,))
            assert sql.value(club.db, "SELECT count(*) FROM entry WHERE number = 99") == 1

    with pytest.raises(SchemaRefused, match="seal"):
        unsealed()
    assert sql.value(club.db, "SELECT count(*) FROM entry WHERE number = 99") == 0
    assert not in_transaction(club.db)


@pytest.mark.parametrize("table", ["entry", "posting", "seal", "audit"])
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "TRUNCATE {} CASCADE", "UPDATE {0} SET {1} = {1}"])
def test_nothing_is_taken_out_of_journal_and_chain(club: Scene, table: str, statement: str) -> None:
    column = {"entry": "kind", "posting": "line", "seal": "entry_id", "audit": "hash"}[table]
    with pytest.raises(SchemaRefused, match="append-only"):
        club.raw(statement.format(table, column))


def test_wrong_sql_is_no_passing_trouble(db: peewee.Database) -> None:
    with pytest.raises(StoreError, match="nowhere") as wrong:
        sql.rows(db, "SELECT * FROM nowhere")
    assert not isinstance(wrong.value, StoreUnavailable)


# ---------------------------------------------------------------- connections that are lost


def test_a_connection_lost_between_transactions_is_replaced_at_the_next_try(club: Scene) -> None:
    cut(club.db)
    with pytest.raises(StoreUnavailable):
        note(club.db, club.id, "a")
    with unit_of_work(club.db):
        note(club.db, club.id, "b")
    assert jobs(club.db) == ["b"]


def test_a_connection_lost_within_a_transaction_leaves_nothing_of_it(club: Scene) -> None:
    def lose() -> None:
        with unit_of_work(club.db):
            note(club.db, club.id, "a")
            cut(club.db)
            note(club.db, club.id, "b")

    with pytest.raises(StoreUnavailable):
        lose()
    assert not in_transaction(club.db)
    assert jobs(club.db) == []


def test_what_follows_a_loss_in_the_same_transaction_is_not_written_by_itself(club: Scene) -> None:
    """Whoever swallows the first error must not go on, without knowing it, outside of any transaction."""

    def go_on() -> None:
        with unit_of_work(club.db):
            note(club.db, club.id, "a")
            cut(club.db)
            for job in ("b", "c"):
                with pytest.raises(StoreUnavailable):
                    note(club.db, club.id, job)

    with pytest.raises(StoreUnavailable):
        go_on()
    assert jobs(club.db) == []


def test_a_server_that_only_reads_is_waited_for(club: Scene) -> None:
    sql.run(club.db, "SET default_transaction_read_only = on")
    with pytest.raises(StoreUnavailable, match="read-only"), unit_of_work(club.db):
        note(club.db, club.id, "a")
    sql.run(club.db, "SET default_transaction_read_only = off")
    with unit_of_work(club.db):
        note(club.db, club.id, "a")


def test_of_two_in_a_deadlock_one_may_try_again(club: Scene) -> None:
    other = open_database(club.db.server)
    for job in ("a", "b"):
        note(club.db, club.id, job)
    text, met, told = "UPDATE run SET ran_at = ran_at + 1 WHERE job = ?", threading.Barrier(2), []

    def cross(db: peewee.Database, first: str, second: str) -> None:
        try:
            sql.run(db, "BEGIN")
            sql.run(db, text, (first,))
            met.wait(10)
            sql.run(db, text, (second,))
            sql.run(db, "COMMIT")
        except StoreUnavailable as error:
            told.append(str(error))
            sql.run(db, "ROLLBACK")
        finally:
            db.close()

    threads = [
        threading.Thread(target=cross, args=(club.db, "a", "b")),
        threading.Thread(target=cross, args=(other, "b", "a")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 1
    assert "deadlock" in told[0]


# ---------------------------------------------------------------- the right to write


def test_writers_of_different_clubs_do_not_wait_for_each_other(club: Scene) -> None:
    other = found(club.db, "autre@example.org")
    here, there = for_club(club.db, club.id), for_club(open_database(club.db.server), other.id)
    sql.run(there, "SET lock_timeout = '50ms'")
    with unit_of_work(here):
        note(here, club.id, "a")
        with unit_of_work(there):
            note(there, other.id, "b")
    assert jobs(club.db) == ["a", "b"]


@pytest.mark.parametrize("bound", [True, False])
def test_writers_of_one_club_and_of_all_clubs_wait(club: Scene, bound: bool) -> None:
    here, there = for_club(club.db, club.id), open_database(club.db.server)
    late = for_club(there, club.id) if bound else there
    sql.run(there, "SET lock_timeout = '50ms'")
    with unit_of_work(here), pytest.raises(StoreUnavailable, match="lock timeout"), unit_of_work(late):
        pass
    with unit_of_work(late):
        note(there, club.id, "a")


def test_numbers_are_not_given_twice_by_writers_side_by_side(club: Scene) -> None:
    mails, raised = 15, []

    def keep(name: str) -> None:
        db = for_club(open_database(club.db.server), club.id)
        try:
            for number in range(mails):
                with unit_of_work(db):
                    inbox.keep(db, club.id, f"{name}{number}", b"mail", START)
        except StoreError as error:
            raised.append(error)
        finally:
            db.close()

    threads = [threading.Thread(target=keep, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert raised == []
    numbers = [number for (number,) in sql.rows(club.db, "SELECT number FROM inbox ORDER BY number")]
    assert numbers == list(range(1, 3 * mails + 1))


# ---------------------------------------------------------------- a server that goes and comes back


@pytest.fixture
def server() -> Iterator[Postgres]:
    """One of its own, that keeps what it has acknowledged."""
    postgres()  # leaves the test out where there is none
    with running(safe=True) as one:
        yield one


def test_what_was_acknowledged_is_there_after_the_server_crashed(server: Postgres) -> None:
    """P-1, P-7: meanwhile it is unavailable, and afterwards nobody has to do anything."""
    db = database.open_database(Server(server.url))
    club = found(db)
    kept = []
    for number in range(5):
        with unit_of_work(db):
            kept.append(inbox.keep(db, club.id, f"smtp{number}", b"mail %d" % number, START))
    server.stop(signal.SIGQUIT)
    for _ in range(2):
        with pytest.raises(StoreUnavailable), unit_of_work(db):
            inbox.keep(db, club.id, "later", b"mail", START)
    server.start()
    with unit_of_work(db):
        kept.append(inbox.keep(db, club.id, "later", b"mail 5", START))
    assert [inbox.fetch(db, mail_id).raw for mail_id in kept] == [b"mail %d" % number for number in range(6)]
    db.close()


def test_a_password_is_read_from_its_file_for_each_connection(server: Postgres, tmp_path: Path) -> None:
    with psycopg.connect(server.url, autocommit=True) as admin:
        admin.execute("CREATE ROLE keeper LOGIN PASSWORD 'geheim'")
        admin.execute("GRANT ALL ON SCHEMA public TO keeper")
    server.ask_for_passwords()
    url, word = server.url.replace("mailflow@", "keeper@"), tmp_path / "word"
    with pytest.raises(StoreUnavailable, match="password"):
        database.open_database(Server(url))
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        database.open_database(Server(url, word))
    word.write_text("falsch\n")
    with pytest.raises(StoreUnavailable, match="password authentication failed") as told:
        database.open_database(Server(url, word))
    assert "falsch" not in str(told.value)
    word.write_text("geheim\n")
    database.open_database(Server(url, word)).close()
