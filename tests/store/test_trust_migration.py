"""Schema 8 to 9: what waits for an OUI in an older file can still be confirmed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from store import clubs, inbox, sql, tokens
from store.migrations import migrate
from store.verify import verify
from tests.store.scene import START

from .old import old_file

pytestmark = pytest.mark.only_sqlite


def test_an_older_file_keeps_its_mails_and_what_waits(tmp_path: Path) -> None:
    db = old_file(tmp_path / "old.db", 8)
    sql.run(
        db,
        "INSERT INTO token (id, club_id, purpose, member_id, address, nonce, digest, payload_json, issued_at,"
        " expires_at, state) SELECT 77, 1, 'confirm', id, 'bela@example.org', 'mail:1', 'd', '{}',"
        " ?, ?, 'open' FROM member WHERE handle = 'bela'",
        (START, START + timedelta(hours=24)),
    )
    migrate(db)
    assert verify(db, 1) == ()
    assert clubs.club(db, 1).epoch == 0
    assert inbox.fetch(db, 1).carried is None
    token = tokens.by_id(db, 77)
    assert token is not None
    assert (token.current, token.ends_at, token.misuses) == (True, None, 0)
    assert tokens.redeem(db, 77, "bela", START)
    db.close()
