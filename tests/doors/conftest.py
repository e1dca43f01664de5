"""A club in a file, with its entry open on a free port of the loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import peewee
import pytest

from mailflow.founding import Founder, found
from mailflow.rulebook import shipped
from mailflow.settings import Charter
from store.database import open_database
from store.records import ClubRow

from .door_scene import CLUB, NOW


@pytest.fixture
def db(tmp_path: Path) -> Iterator[peewee.Database]:
    opened = open_database(tmp_path / "club.db")
    yield opened
    opened.close()


@pytest.fixture
def club(db: peewee.Database) -> ClubRow:
    charter = Charter("Le club", CLUB, "Europe/Paris", "EUR", "fr", "", shipped("friends"))
    return found(db, charter, [Founder("anna", "anna@example.org", manager=True)], NOW)
