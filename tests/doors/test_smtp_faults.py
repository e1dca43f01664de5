"""A fault of ours, or a stop, while a mail is being kept: whole or not at all, and 451 (P-1, P-7, T-35)."""

from __future__ import annotations

import threading
from datetime import datetime
from pathlib import Path

import peewee

from mailflow.sections.listen import Limits
from store import inbox, sql
from store.database import open_database, unit_of_work
from store.records import ClubRow

from .door_scene import BOUND, MAIL, RawLine, listening, wait_for_a_place


def test_a_full_disk_is_451_and_what_comes_after_it_is_taken(
    db: peewee.Database, club: ClubRow, tmp_path: Path
) -> None:
    """P-7: with a database that can really grow no further; then the disk has room again."""

    def keep(raw: bytes, at: datetime) -> int:
        other = open_database(tmp_path / "club.db")
        try:
            if not (tmp_path / "room").exists():
                pages = sql.value(other, "PRAGMA page_count")
                sql.run(other, f"PRAGMA max_page_count = {pages}")
            with unit_of_work(other):
                return inbox.keep(other, club.id, "smtp", raw, at)
        finally:
            other.close()

    big = MAIL + (b"y" * 98 + b"\r\n") * 1000
    with listening(keep) as door, RawLine(door.port) as line:
        line.to_data()
        line.send(big + b".\r\n")
        assert line.reply() == b"451 4.3.0 please try again later"
        assert (
            sql.value(db, "SELECT count(*) FROM inbox")
            == sql.value(db, "SELECT count(*) FROM inbox_raw")
            == 0
        )
        (tmp_path / "room").touch()
        line.to_data()
        line.send(big + b".\r\n")
        assert line.reply().startswith(b"250")
    assert sql.value(db, "SELECT count(*) FROM inbox_raw") == 1


def test_a_client_that_leaves_while_its_mail_is_kept_does_no_harm(kept: list[bytes]) -> None:
    """It is kept whole: its sender does not know it, and will send it again."""
    asked, free = threading.Event(), threading.Event()

    def keep(raw: bytes, at: datetime) -> int:
        asked.set()
        assert free.wait(BOUND)
        kept.append(raw)
        return 1

    with listening(keep, Limits(connections_max=1)) as door:
        with RawLine(door.port) as line:
            line.to_data()
            line.send(MAIL + b".\r\n")
            assert asked.wait(BOUND)
        wait_for_a_place(door)
        free.set()
    assert [raw.endswith(MAIL) for raw in kept] == [True]
