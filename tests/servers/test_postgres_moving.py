"""`mailflow migrate-to`: the books move whole, once, and nothing is written beside them."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from mailflow.app import make_key, open_office
from mailflow.founding_file import NewClub, write_settings
from mailflow.identify import Trust
from mailflow.service import only_one
from mailflow.settings import load
from store import audit, ledger, migrations, moving, sql, tables
from store.database import Server
from store.database import open_database as really_open
from store.snapshot import members
from store.verify import verify
from tests.command_line.cli_scene import ROOT, Said, mailflow
from tests.databases import new_place, open_database
from tests.store.old import old_file

from .clubs_scene import START, clubs, write

pytestmark = pytest.mark.servers

ADDRESS = "club@example.org"


@pytest.fixture
def place() -> Server:
    return new_place()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A club of some weeks: games, a reversal, transfers, mails, a digest; see `old_file`."""
    home = tmp_path / "home"
    write_settings(home, NewClub("Le club d'avant", ADDRESS))
    settings = load(home)
    make_key(settings, b"k" * 32)
    old_file(settings.database).close()
    really_open(settings.database).close()
    return home


def use(folder: Path, lines: list[str]) -> None:
    """Put the lines that migrate-to has told into club.toml."""
    path = folder / "club.toml"
    kept = path.read_text("utf-8").partition("\n[database]\n")[0]
    path.write_text(kept + "\n" + "\n".join(lines[-2:]) + "\n", "utf-8")
    assert tomllib.loads(path.read_text("utf-8"))["database"]["url"]


def move(folder: Path, place: Server) -> Said:
    return mailflow("migrate-to", place.url, "--dir", folder)


def test_the_books_are_the_same_after_the_move(folder: Path, place: Server) -> None:
    with closing(really_open(folder / "mailflow.db")) as before:
        digests = ledger.journal_digest(before, 1), audit.head(before, 1)
        people = members(before, 1)
    said = move(folder, place)
    assert (said.code, said.err) == (0, []), said
    assert [line.split()[-1] for line in said.out[1:3]] == list(digests)
    use(folder, said.out)
    with open_office(load(folder), Trust.EVERYBODY, START + timedelta(days=30)) as office:
        assert (
            ledger.journal_digest(office.db, office.club.id),
            audit.head(office.db, office.club.id),
        ) == digests
        assert members(office.db, office.club.id) == people
        assert verify(office.db, office.club.id) == ()


def test_a_moved_club_lives_on_as_it_would_have_in_its_file(
    folder: Path, tmp_path: Path, place: Server
) -> None:
    """The same mails afterwards leave the same journal and chain as in a copy that was never moved."""
    stayed = tmp_path / "stayed"
    stayed.mkdir()
    for name in ("club.toml", "secret.key", "mailflow.db"):
        (stayed / name).write_bytes((folder / name).read_bytes())
    use(folder, move(folder, place).out)
    heads = []
    for home in (folder, stayed):
        with open_office(load(home), Trust.EVERYBODY, START + timedelta(days=30)) as office:
            at = START + timedelta(days=30)
            for text in ("PARTIE joueurs=anna\nRESULTAT 1=bela", "VIREMENT 0,50 à anna", "COMPTE"):
                at += timedelta(minutes=1)
                write(office, "bela", text, at)
                office.desk.work(at)
            db, number = office.db, office.club.id
            causes = sql.rows(
                db, "SELECT cause, kind FROM audit WHERE club_id = ? ORDER BY number", (number,)
            )
            heads.append((ledger.journal_digest(db, number), causes))
            assert verify(office.db, office.club.id) == ()
    assert heads[0] == heads[1]


def test_the_first_club_of_a_database_keeps_its_ids(folder: Path, place: Server) -> None:
    """A delivery report comes back to an address that names a mail sent before the move by its id."""
    ids = "SELECT id, message_id FROM outbox ORDER BY id"
    with closing(really_open(folder / "mailflow.db")) as before:
        sent = sql.rows(before, ids)
    use(folder, move(folder, place).out)
    with open_office(load(folder), Trust.EVERYBODY, START + timedelta(days=30)) as office:
        assert sql.rows(office.db, ids) == sent
        write(office, "bela", "COMPTE", START + timedelta(days=30))
        office.desk.work(START + timedelta(days=30))
        assert len(sql.rows(office.db, ids)) > len(sent)


def test_other_clubs_of_the_database_keep_theirs(folder: Path, tmp_path: Path, place: Server) -> None:
    settings = clubs(tmp_path, place, 2)
    said = move(folder, place)
    assert said.code == 0, said
    use(folder, said.out)
    for home in (*(one.folder for one in settings), folder):
        assert mailflow("verify", "--dir", home).code == 0
    assert len(mailflow("member", "list", "--dir", settings[0].folder).out) == 3
    assert len(mailflow("member", "list", "--dir", folder).out) == 4


def test_the_file_is_not_served_any_more(folder: Path, place: Server) -> None:
    said = move(folder, place)
    for words in (("status",), ("member", "add", "emil", "emil@example.org"), ("run",)):
        again = mailflow(*words, "--dir", folder)
        assert (again.code, f"the books were moved to {place.url}" in again.err[0]) == (2, True), again
    again = move(folder, place)
    assert (again.code, again.out[0]) == (0, f"{ADDRESS}: moved before")
    use(folder, said.out)
    again = move(folder, place)
    assert (again.code, "already" in again.err[0]) == (2, True)


def test_a_club_that_is_served_is_not_moved(folder: Path, place: Server) -> None:
    with only_one(folder / "mailflow.lock"):
        said = move(folder, place)
    assert (said.code, "another mailflow is at work" in said.err[0]) == (2, True)
    assert moving.arriving(open_database(place), ADDRESS) is None
    assert mailflow("verify", "--dir", folder).code == 0


def test_books_that_are_there_already_are_not_moved_upon(folder: Path, place: Server, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("club.toml", "secret.key", "mailflow.db"):
        (other / name).write_bytes((folder / name).read_bytes())
    assert move(folder, place).code == 0
    said = move(other, place)
    assert (said.code, "keeps club@example.org already" in said.err[0]) == (2, True)
    assert mailflow("verify", "--dir", other).code == 0, "it can be served as before"


def test_a_tampered_file_is_not_moved(folder: Path, place: Server) -> None:
    with closing(sqlite3.connect(folder / "mailflow.db")) as db, db:
        db.execute("UPDATE member SET opening_entry = 99 WHERE handle = 'anna'")
        db.execute("UPDATE account SET balance_cents = balance_cents + 1 WHERE code = 'member:anna'")
        db.execute("UPDATE inbox SET state = 'answered' WHERE id = 1")
        db.execute("DROP TRIGGER audit_stays")
        db.execute("DELETE FROM audit WHERE number > 8")
    said = move(folder, place)
    assert (said.code, "not sound" in said.err[0]) == (2, True), said
    assert sql.rows(open_database(place), "SELECT * FROM club") == []
    assert mailflow("status", "--dir", folder).code == 0


DYING = """
import os, signal, sys
from mailflow.__main__ import main
from store import moving, sql
place = sys.argv[1]
def die(*args, **named):
    os.kill(os.getpid(), signal.SIGKILL)
if place == "copying":
    real = moving._copy_table
    def copy(source, target, table, *rest):
        return die() if table._meta.table_name == "posting" else real(source, target, table, *rest)
    moving._copy_table = copy
elif place == "copied":
    real = sql.run
    def run(db, text, *rest):
        return die() if text.startswith("INSERT INTO schema_version") else real(db, text, *rest)
    sql.run = run
else:
    moving.finish = die
main(["migrate-to", sys.argv[2], "--dir", sys.argv[3]])
"""


def die(folder: Path, place: Server, where: str) -> None:
    words = [sys.executable, "-c", DYING, where, place.url, str(folder)]
    done = subprocess.run(words, cwd=ROOT, env=os.environ, capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


@pytest.mark.parametrize("where", ["copying", "copied"])
def test_killed_before_the_file_is_marked_the_file_is_what_counts(
    folder: Path, place: Server, where: str
) -> None:
    die(folder, place, where)
    assert mailflow("verify", "--dir", folder).code == 0
    if where == "copied":
        served = folder.parent / "served"
        served.mkdir()
        for name in ("club.toml", "secret.key"):
            (served / name).write_bytes((folder / name).read_bytes())
        use(served, ["[database]", f'url = "{place.url}"'])
        said = mailflow("status", "--dir", served)
        assert (said.code, "has not wholly arrived" in said.err[0]) == (2, True), said
    assert mailflow("member", "add", "emil", "emil@example.org", "--dir", folder).code == 0
    said = move(folder, place)
    assert said.code == 0, said
    use(folder, said.out)
    assert len(mailflow("member", "list", "--dir", folder).out) == 5, "what was written since is there"
    assert mailflow("verify", "--dir", folder).code == 0


def test_an_unfinished_copy_that_is_like_the_books_is_taken_up(folder: Path, place: Server) -> None:
    die(folder, place, "copied")
    assert move(folder, place).code == 0
    assert sql.rows(open_database(place), "SELECT address FROM club") == [(ADDRESS,)]


def test_killed_after_the_file_is_marked_the_move_is_finished_by_the_next_try(
    folder: Path, place: Server
) -> None:
    die(folder, place, "marked")
    assert mailflow("status", "--dir", folder).code == 2
    said = move(folder, place)
    assert (said.code, said.out[0]) == (0, f"{ADDRESS}: moved before")
    use(folder, said.out)
    assert mailflow("verify", "--dir", folder).code == 0


def test_every_reference_to_an_id_is_declared_so_that_it_moves_along() -> None:
    """A column that holds an id and is not declared as a reference would keep the id of the file."""
    db = open_database(new_place())
    text = (
        "SELECT t.relname, a.attname FROM pg_constraint f JOIN pg_class t ON t.oid = f.conrelid"
        " JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]"
        " WHERE f.contype = 'f' AND array_length(f.conkey, 1) = 1 AND NOT f.condeferrable"
    )
    declared = {(t._meta.table_name, ref.column_name) for t in tables.ALL for ref in t._meta.refs}
    assert set(sql.rows(db, text)) == declared


def test_every_table_is_moved_or_stays_on_purpose() -> None:
    moved = moving.moved_tables()
    assert set(moved) | moving.STAYS == set(tables.ALL)
    for table in moved:
        assert "= ?" in moving.of_club(table)
    assert len(migrations.shipped()) < migrations.MOVED
