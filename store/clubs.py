"""The clubs of a database. Most have one; all rows say to which they belong."""

from __future__ import annotations

from datetime import datetime

import peewee

from store import ledger, sql, tables
from store.errors import UnknownName
from store.records import INITIAL_CREDIT, ClubRow


def create_club(
    db: peewee.Database,
    name: str,
    address: str,
    timezone: str,
    currency: str,
    language: str,
    forum: str,
    rulebook_json: str,
    at: datetime,
) -> ClubRow:
    """Found a club with version 1 of its rulebook and the account that faces the initial credits."""
    club_id = sql.insert_id(
        db,
        tables.Club,
        name=name,
        address=address,
        timezone=timezone,
        currency=currency,
        language=language,
        forum=forum,
        created_at=at,
    )
    sql.insert(
        db, tables.Rulebook, club_id=club_id, number=1, values_json=rulebook_json, since_at=at, reason=""
    )
    ledger.open_account(db, club_id, INITIAL_CREDIT)
    return ClubRow(club_id, name, address, timezone, currency, language, forum)


def clubs(db: peewee.Database) -> tuple[ClubRow, ...]:
    """Return all clubs, the oldest first."""
    return tuple(ClubRow(*row) for row in sql.rows(db, _SELECT + " ORDER BY id"))


def club(db: peewee.Database, club_id: int) -> ClubRow:
    """Return one club. Raises UnknownName."""
    found = sql.row(db, _SELECT + " WHERE id = ?", (club_id,))
    if found is None:
        raise UnknownName(f"no club {club_id}")
    return ClubRow(*found)


def raise_epoch(db: peewee.Database, club_id: int, at: datetime) -> int:
    """T-37: begin a new epoch and return it: all tokens issued before are dead, whoever holds them.

    For a database restored from a backup, before it serves again. The number is drawn from the instant,
    so that two restores of one backup do not make the same tokens.
    """
    epoch = max(club(db, club_id).epoch + 1, int(at.timestamp()))
    sql.run(db, "UPDATE club SET epoch = ? WHERE id = ?", (epoch, club_id))
    return epoch


_SELECT = "SELECT id, name, address, timezone, currency, language, forum, epoch FROM club"
