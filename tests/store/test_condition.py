"""A database looked at without being touched: a file, and with the servers' tests a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from store import audit, inbox
from store.condition import condition, latest_mails
from store.database import Server, open_database, unit_of_work
from store.errors import StoreError
from store.migrations import shipped
from tests.databases import empty_place, new_place

from .scene import START, Scene, found

CLUB, OTHER = "club@example.org", "autre@example.org"


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.servers)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | Server:
    return tmp_path / "club.db" if request.param == "file" else new_place()


@pytest.fixture
def clubs(place: Path | Server) -> Iterator[tuple[Scene, Scene]]:
    db = open_database(place)
    yield found(db, CLUB), found(db, OTHER)
    db.close()


def keep(club: Scene, raw: bytes) -> None:
    with unit_of_work(club.db):
        inbox.keep(club.db, club.id, "test", raw, START)


def test_each_club_has_its_own_last_instant(place: Path | Server, clubs: tuple[Scene, Scene]) -> None:
    club, other = clubs
    newest = shipped()[-1].number
    assert condition(place, CLUB).written_at is None
    for one, hours in ((club, 1), (club, 2), (other, 3)):
        with unit_of_work(one.db):
            audit.record(one.db, one.id, START + timedelta(hours=hours), "test", "test", {})
    found_here = condition(place, CLUB)
    assert (found_here.schema, found_here.newest) == (newest, newest)
    assert found_here.written_at == START + timedelta(hours=2)
    assert condition(place, "nobody@example.org").written_at is None


def test_the_latest_mails_of_the_club_come_newest_first_and_cut(
    place: Path | Server, clubs: tuple[Scene, Scene]
) -> None:
    club, other = clubs
    for number in range(4):
        keep(club, b"mail %d" % number)
    keep(other, b"not ours")
    assert latest_mails(place, CLUB, 3, 100) == (b"mail 3", b"mail 2", b"mail 1")
    assert latest_mails(place, CLUB, 1, 4) == (b"mail",)
    assert latest_mails(place, "nobody@example.org", 3, 100) == ()


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        condition(tmp_path / "club.db", CLUB)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.servers
def test_an_empty_database_is_left_empty() -> None:
    place = empty_place()
    assert condition(place, CLUB).schema == 0
    assert condition(place, CLUB).schema == 0


@pytest.mark.servers
def test_a_server_that_does_not_answer_is_an_error_of_the_store() -> None:
    with pytest.raises(StoreError):
        condition(Server("postgresql://nobody@127.0.0.1:1/nothing"), CLUB)
