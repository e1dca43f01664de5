"""A club in a file, with its entry open on a free port of the loopback."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import peewee
import pytest

from mailflow.doors.smtp import Keep, SmtpDoor
from mailflow.founding import Founder, found
from mailflow.rulebook import shipped
from mailflow.settings import Charter
from store.records import ClubRow
from tests.databases import open_database

from .door_scene import CLUB, NOW, listening
from .localhost_certificate import written


@pytest.fixture
def db(tmp_path: Path) -> Iterator[peewee.Database]:
    opened = open_database(tmp_path / "club.db")
    yield opened
    opened.close()


@pytest.fixture
def club(db: peewee.Database) -> ClubRow:
    charter = Charter("Le club", CLUB, "Europe/Paris", "EUR", "fr", "", shipped("friends"))
    return found(db, charter, [Founder("anna", "anna@example.org", manager=True)], NOW)


@pytest.fixture
def kept() -> list[bytes]:
    return []


@pytest.fixture
def keep(kept: list[bytes]) -> Keep:
    def keep(raw: bytes, at: datetime) -> int:
        kept.append(raw)
        return len(kept)

    return keep


@pytest.fixture
def door(keep: Keep) -> Iterator[SmtpDoor]:
    """An entry that keeps in a list."""
    with listening(keep) as opened:
        yield opened


@pytest.fixture
def tls(tmp_path: Path) -> dict[str, Path]:
    certificate, key = written(tmp_path / "tls")
    return {"tls_certificate": certificate, "tls_key": key}
