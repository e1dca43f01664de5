"""A club's file of an earlier schema is brought up to date with all that is in it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from store import migrations, sql
from store.database import Database
from store.migrations import migrate, shipped
from store.snapshot import Books, members
from store.verify import verify

from .old import old_file

pytestmark = pytest.mark.only_sqlite

LATEST = len(shipped())
UNASKED = {"digest.weekly", "reminder.daily", "reminder.weekly", "inactivity.nudge"}


def kept(db: Database) -> dict[str, object]:
    """What must be the same before and after."""
    columns = {
        "posting": "*",
        "entry": "*",
        "audit": "*",
        "outbox": "id, message_id, body, state",
        "inbox": "id, offered, received_at, state",
        "inbox_raw": "*",
        "game": "*",
        "token": "id, purpose, member_id, address, nonce, digest, payload_json, issued_at, expires_at, state",
    }
    return {
        table: sql.rows(db, f"SELECT {what} FROM {table} ORDER BY 1, 2") for table, what in columns.items()
    }


def test_a_file_of_the_first_schema_is_taken_up(tmp_path: Path) -> None:
    db = old_file(tmp_path / "old.db")
    before = kept(db)
    assert migrate(db) == tuple(range(2, LATEST + 1))
    assert migrations.version(db) == LATEST
    assert kept(db) == before
    assert verify(db, 1) == ()
    assert {m.handle: m.balance_cents for m in members(db, 1)} == {
        "anna": 198_00,
        "bela": 198_00,
        "carl": 205_50,
        "dora": 198_50,
    }
    db.close()


@pytest.mark.parametrize("schema", range(1, LATEST + 1))
def test_a_file_of_any_schema_is_taken_up(tmp_path: Path, schema: int) -> None:
    db = old_file(tmp_path / "old.db", schema)
    assert migrate(db) == tuple(range(schema + 1, LATEST + 1))
    assert verify(db, 1) == ()
    assert Books(db, 1).next_game_number() == 3
    db.close()


def test_mails_and_accounts_of_before_are_numbered_as_their_digests_say(tmp_path: Path) -> None:
    """What was put down to mail 3 stays so, and the next mail is the tenth."""
    db = old_file(tmp_path / "old.db")
    migrate(db)
    assert [number for (number,) in sql.rows(db, "SELECT number FROM inbox ORDER BY id")] == list(
        range(1, 10)
    )
    assert [number for (number,) in sql.rows(db, "SELECT number FROM account ORDER BY id")] == [1, 2, 3, 4, 5]
    db.close()


def test_everybody_gets_the_digest_and_what_came_unasked_before_is_known(tmp_path: Path) -> None:
    """Nobody gets a second mail of that kind on the day of the change."""
    db = old_file(tmp_path / "old.db", 13)
    before = {kind for (kind,) in sql.rows(db, "SELECT kind FROM outbox")}
    migrate(db)
    assert "digest.weekly" in before
    unasked = sql.rows(db, "SELECT DISTINCT kind FROM outbox WHERE unasked = 1 ORDER BY kind")
    assert [kind for (kind,) in unasked] == sorted(before & UNASKED)
    assert all(member.digest for member in members(db, 1))
    since = datetime(2020, 1, 1, tzinfo=UTC)
    assert set(Books(db, 1).unasked_since(since).values()) <= UNASKED
    db.close()
