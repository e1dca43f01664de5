"""Proofs that were asked for (TRUST § 3). Only the digest of a token is here, never its text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import peewee

from store import people, sql, tables
from store.instants import from_micros
from store.records import Token, TokenState


def issue(
    db: peewee.Database,
    club_id: int,
    purpose: str,
    member: str | None,
    address: str,
    nonce: str,
    digest: str,
    payload: Mapping[str, Any],
    issued_at: datetime,
    expires_at: datetime,
) -> int:
    """Keep a new open token and return its id. `member` is None for somebody who is none yet."""
    return sql.insert_id(
        db,
        tables.Token,
        club_id=club_id,
        purpose=purpose,
        member_id=None if member is None else people.find(db, club_id, member).id,
        address=address,
        nonce=nonce,
        digest=digest,
        payload_json=json.dumps(payload, ensure_ascii=False),
        issued_at=issued_at,
        expires_at=expires_at,
        state=TokenState.OPEN,
    )


def by_digest(db: peewee.Database, club_id: int, digest: str) -> Token | None:
    """Return the token with this digest, whatever its state."""
    return _maybe(sql.row(db, _SELECT + " WHERE t.club_id = ? AND t.digest = ?", (club_id, digest)))


def by_id(db: peewee.Database, token_id: int) -> Token | None:
    """Return the token with this id, whatever its state."""
    return _maybe(sql.row(db, _SELECT + " WHERE t.id = ?", (token_id,)))


def open_of(db: peewee.Database, club_id: int, member: str, purpose: str) -> tuple[Token, ...]:
    """Return a member's open tokens for a purpose, expired ones included, the newest first."""
    text = (
        _SELECT + " WHERE t.club_id = ? AND t.member_id = ? AND t.purpose = ? AND t.state = 'open'"
        " ORDER BY t.issued_at DESC, t.id DESC"
    )
    owner = people.find(db, club_id, member).id
    return tuple(map(_token, sql.rows(db, text, (club_id, owner, purpose))))


def redeem(db: peewee.Database, token_id: int, now: datetime) -> bool:
    """Use a token up, if it is open and not expired; True for the one caller who did it."""
    text = "UPDATE token SET state = 'used' WHERE id = ? AND state = 'open' AND expires_at >= ?"
    return bool(sql.run(db, text, (token_id, now)).rowcount == 1)


def waiting(db: peewee.Database, club_id: int, purpose: str, now: datetime) -> tuple[Token, ...]:
    """Return the open tokens of everybody for a purpose that can still be used, the oldest first."""
    text = _SELECT + (
        " WHERE t.club_id = ? AND t.purpose = ? AND t.state = 'open' AND t.expires_at >= ? ORDER BY t.id"
    )
    return tuple(map(_token, sql.rows(db, text, (club_id, purpose, now))))


def close(db: peewee.Database, token_id: int, state: TokenState) -> bool:
    """End an open token without using it (declined, superseded); False if it was not open."""
    text = "UPDATE token SET state = ? WHERE id = ? AND state = 'open'"
    return bool(sql.run(db, text, (state, token_id)).rowcount == 1)


def revoke_all(db: peewee.Database, club_id: int, member: str) -> int:
    """R-BAN-3: end all open tokens of a member and return how many there were."""
    text = "UPDATE token SET state = 'superseded' WHERE club_id = ? AND member_id = ? AND state = 'open'"
    return int(sql.run(db, text, (club_id, people.find(db, club_id, member).id)).rowcount)


_SELECT = (
    "SELECT t.id, t.purpose, m.handle, t.address, t.nonce, t.digest, t.payload_json, t.issued_at,"
    " t.expires_at, t.state FROM token t LEFT JOIN member m ON m.id = t.member_id"
)


def _token(row: sql.Row) -> Token:
    token_id, purpose, member, address, nonce, digest, payload, issued_at, expires_at, state = row
    return Token(
        token_id,
        purpose,
        member,
        address,
        nonce,
        digest,
        json.loads(payload),
        from_micros(issued_at),
        from_micros(expires_at),
        TokenState(state),
    )


def _maybe(row: sql.Row | None) -> Token | None:
    return None if row is None else _token(row)
