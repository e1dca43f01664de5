"""[database] in club.toml: the books on a server, the same commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from mailflow.errors import SettingsError
from mailflow.settings import load
from store.database import Server
from tests.databases import new_place

from .cli_scene import letter, mailflow, running


def put(folder: Path, url: str, password_file: str = "") -> None:
    """Write where the books are kept into a club's settings."""
    path = folder / "club.toml"
    head, table, rest = path.read_text("utf-8").partition("[database]\n")
    rest = rest.replace('url = ""', f'url = "{url}"')
    path.write_text(head + table + rest.replace('password_file = ""', f'password_file = "{password_file}"'))


def init(folder: Path, address: str = "club@example.org") -> Path:
    said = mailflow("init", folder, "--name", "Le club", "--address", address)
    assert said.code == 0, said
    return folder


def test_without_a_url_the_books_are_in_a_file(club: Path) -> None:
    assert load(club).books == club / "mailflow.db"


def test_a_url_names_the_server(club: Path) -> None:
    (club / "word").write_text("geheim\n")
    put(club, "postgresql://mailflow@db.example.org/clubs", "word")
    assert load(club).books == Server("postgresql://mailflow@db.example.org/clubs", club / "word")


def put_line(folder: Path, line: str) -> None:
    """Write one line above all tables, and no table for the database."""
    path = folder / "club.toml"
    head, _, rest = path.read_text("utf-8").partition("[database]\n")
    path.write_text(f"{line}\n{head}{rest.partition('[trust]')[2] and '[trust]'}\n")


def test_one_line_above_all_tables_names_the_server_too(club: Path) -> None:
    put_line(club, 'database = "postgresql://mailflow@db.example.org/clubs"')
    assert load(club).books == Server("postgresql://mailflow@db.example.org/clubs", None)
    put_line(club, 'database = ""')


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('database = "mysql://a@b/c"', "database must be of the form postgresql://"),
        ('database = "postgresql://me:secret@host/name"', "database must hold no password"),
        ("database = 5", r"\[database\] must be a table"),
    ],
)
def test_a_line_that_cannot_be_used_is_told(club: Path, line: str, says: str) -> None:
    put_line(club, line)
    with pytest.raises(SettingsError, match=says) as told:
        load(club)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://a@b/c", "must be of the form postgresql://"),
        ("postgresql://host", "must be of the form postgresql://"),
        ("postgresql://host:port/name", "must be of the form postgresql://"),
        ("postgresql://me:secret@host/name", "must hold no password"),
        ("postgresql://me@host/name?password=secret", "must hold no password"),
    ],
)
def test_a_url_that_cannot_be_used_is_told_with_the_right_form(club: Path, url: str, says: str) -> None:
    put(club, url)
    with pytest.raises(SettingsError, match=says) as told:
        load(club)
    assert "secret" not in str(told.value)


def test_a_server_that_is_not_there_is_one_clear_line(club: Path) -> None:
    put(club, "postgresql://mailflow@127.0.0.1:1/clubs")
    said = mailflow("status", "--dir", club)
    assert said.code == 2
    assert said.err[0].startswith("mailflow: postgresql://mailflow@127.0.0.1:1/clubs: ")


def test_a_missing_password_file_is_told(club: Path) -> None:
    put(club, "postgresql://mailflow@127.0.0.1:1/clubs", "word")
    assert "there is no file" in mailflow("status", "--dir", club).err[0]


@pytest.mark.servers
def test_clubs_that_share_a_database_do_not_meet(tmp_path: Path) -> None:
    place = new_place()
    for name in ("un", "deux"):
        put(init(tmp_path / name, f"{name}@example.org"), place.url)
    for name, handle in (("un", "anna"), ("un", "bela"), ("deux", "anna")):
        said = mailflow("member", "add", handle, f"{handle}@example.org", "--dir", tmp_path / name)
        assert said.code == 0, said
    assert len(mailflow("member", "list", "--dir", tmp_path / "un").out) == 2
    assert len(mailflow("member", "list", "--dir", tmp_path / "deux").out) == 1
    for name in ("un", "deux"):
        assert mailflow("verify", "--dir", tmp_path / name).out == [
            "all is well: sums, balances and audit chain agree"
        ]
    assert not (tmp_path / "un" / "mailflow.db").exists()


@pytest.mark.servers
def test_a_club_on_a_server_is_served_from_mail_to_answer(tmp_path: Path) -> None:
    put(init(tmp_path), new_place().url)
    assert mailflow("member", "add", "anna", "anna@example.org", "--manager", "--dir", tmp_path).code == 0
    with running(tmp_path) as club:
        club.send(letter("anna@example.org", "COMPTE"))
        assert "200,00" in club.mail("ompte", "anna@example.org").get_body(("plain",)).get_content()
        assert club.stop()[0] == 0
    assert mailflow("verify", "--dir", tmp_path).code == 0


@pytest.mark.servers
def test_books_on_a_server_are_copied_by_its_own_means(tmp_path: Path) -> None:
    put(init(tmp_path), new_place().url)
    said = mailflow("backup", "--dir", tmp_path)
    assert (said.code, "pg_dump" in said.err[0]) == (2, True)
