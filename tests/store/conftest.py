"""A small club: `club` has anna (manager), bela, carl and dora, each with 200 €."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import peewee
import pytest

from tests.databases import open_database
from tests.store.scene import Scene, found


@pytest.fixture
def db() -> Iterator[peewee.Database]:
    opened = open_database(None)
    yield opened
    opened.close()


@pytest.fixture
def file_db(tmp_path: Path) -> Iterator[peewee.Database]:
    opened = open_database(tmp_path / "club.db")
    yield opened
    opened.close()


@pytest.fixture
def bare(db: peewee.Database) -> Scene:
    """A club without members."""
    return found(db)


@pytest.fixture
def club(bare: Scene) -> Scene:
    bare.open("anna", manager=True)
    bare.open("bela", "carl", "dora")
    return bare
