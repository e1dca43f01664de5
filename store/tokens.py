"""Proofs that were asked for (TRUST § 3). Only the digest of a token is here, never its text.

A token is used by one conditional UPDATE that checks state, expiry, owner and epoch, within the
transaction of what it permits: of two who come at once, one changes a row and the other none.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

import peewee

from store import people, sql
from store.instants import from_micros
from store.records import NewToken, Token, TokenState, fold_handle


def issue(db: peewee.Database, club_id: int, token: NewToken) -> int:
    """Keep a new open token and return its id. Raises UnknownName for an owner who is no member."""
    if token.member is not None:
        people.find(db, club_id, token.member)
    return issue_all(db, club_id, (token,))[0]


def issue_all(db: peewee.Database, club_id: int, new: Sequence[NewToken]) -> tuple[int, ...]:
    """Keep new open tokens, in one statement, and return their ids in the order given."""
    ids: dict[str, int] = {}
    for start in range(0, len(new), _AT_ONCE):
        some = new[start : start + _AT_ONCE]
        values = [value for token in some for value in _values(club_id, token)]
        text = f"{_INSERT} VALUES {', '.join([_MARKS] * len(some))} RETURNING digest, id"
        ids.update(sql.rows(db, text, values))
    return tuple(ids[token.digest] for token in new)


_AT_ONCE = 50
_INSERT = (
    "INSERT INTO token (club_id, purpose, member_id, address, nonce, digest, payload_json, issued_at,"
    " expires_at, ends_at, epoch, state)"
)
_MARKS = "(?, ?, (SELECT id FROM member WHERE club_id = ? AND folded = ?), ?, ?, ?, ?, ?, ?, ?, ?, 'open')"


def _values(club_id: int, token: NewToken) -> tuple[object, ...]:
    owner = "" if token.member is None else fold_handle(token.member)
    payload = json.dumps(token.payload, ensure_ascii=False)
    return (
        club_id,
        token.purpose,
        club_id,
        owner,
        token.address,
        token.nonce,
        token.digest,
        payload,
        token.issued_at,
        token.expires_at,
        token.ends_at,
        token.epoch,
    )


# ---------------------------------------------------------------- looking


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


def waiting(db: peewee.Database, club_id: int, purpose: str, now: datetime) -> tuple[Token, ...]:
    """Return the open tokens of everybody for a purpose that can still be used, the oldest first."""
    text = _SELECT + (
        " WHERE t.club_id = ? AND t.purpose = ? AND t.state = 'open' AND t.expires_at >= ?"
        " AND t.epoch = c.epoch ORDER BY t.id"
    )
    return tuple(map(_token, sql.rows(db, text, (club_id, purpose, now))))


def sessions(
    db: peewee.Database, club_id: int, members: Collection[str], now: datetime
) -> Mapping[tuple[str, str], int]:
    """Return the newest live session by the member and the address that it is good for."""
    folded = sorted({fold_handle(member) for member in members})
    text = (
        "SELECT m.handle, t.address, t.id FROM member m JOIN club c ON c.id = m.club_id"
        " JOIN token t ON t.club_id = m.club_id AND t.member_id = m.id AND t.purpose = 'session'"
        " AND t.state = 'open' WHERE m.club_id = ? AND t.expires_at >= ? AND t.epoch = c.epoch"
        f" AND m.folded IN ({sql.marks(len(folded))}) ORDER BY t.id"
    )
    found = sql.rows(db, text, (club_id, now, *folded)) if folded else []
    return {(handle, address): token_id for handle, address, token_id in found}


def known(db: peewee.Database, digests: Iterable[str]) -> frozenset[str]:
    """Return which of these digests are those of tokens, of whatever club and state."""
    wanted = sorted(set(digests))
    text = f"SELECT digest FROM token WHERE digest IN ({sql.marks(len(wanted))})"
    return frozenset(digest for (digest,) in sql.rows(db, text, wanted)) if wanted else frozenset()


# ---------------------------------------------------------------- using


_USABLE = (
    " WHERE id = ? AND state = 'open' AND expires_at >= ?"
    " AND epoch = (SELECT epoch FROM club WHERE club.id = token.club_id)"
    " AND coalesce(member_id, 0) = coalesce("
    "(SELECT m.id FROM member m WHERE m.club_id = token.club_id AND m.folded = ?), 0)"
)
"""State, expiry, epoch and owner, in one condition."""


def redeem(db: peewee.Database, token_id: int, member: str | None, now: datetime, by: str = "") -> bool:
    """Use a token up, if it is open, of this epoch, this member's and not expired; True for who did it.

    `by`: the cause that used it, whose mails answer it.
    """
    text = "UPDATE token SET state = 'used', used_by = ?" + _USABLE
    return bool(sql.run(db, text, (by, token_id, now, _folded(member))).rowcount == 1)


def keep_alive(
    db: peewee.Database, token_id: int, member: str, now: datetime, until: datetime | None = None
) -> bool:
    """Use a token that is good for many times; False where it is not usable.

    `until`: to when a session slides, never past its hard end and never back.
    """
    if until is None:
        text = "UPDATE token SET expires_at = expires_at" + _USABLE
        return bool(sql.run(db, text, (token_id, now, _folded(member))).rowcount == 1)
    text = (
        "UPDATE token SET expires_at = CASE WHEN ? < expires_at THEN expires_at"
        " WHEN ? < ends_at THEN ? ELSE ends_at END" + _USABLE
    )
    return bool(sql.run(db, text, (until, until, until, token_id, now, _folded(member))).rowcount == 1)


def note_misuse(db: peewee.Database, token_id: int) -> int:
    """Count that somebody else presented a token; return how often that happened by now."""
    text = "UPDATE token SET misuses = misuses + 1 WHERE id = ? RETURNING misuses"
    return int(sql.value(db, text, (token_id,)))


def close(db: peewee.Database, token_id: int, state: TokenState) -> bool:
    """End an open token without using it (declined, superseded); False if it was not open."""
    text = "UPDATE token SET state = ? WHERE id = ? AND state = 'open'"
    return bool(sql.run(db, text, (state, token_id)).rowcount == 1)


def revoke(db: peewee.Database, club_id: int, member: str, purposes: Sequence[str]) -> int:
    """End a member's open tokens for these purposes and return how many there were."""
    text = (
        "UPDATE token SET state = 'superseded' WHERE club_id = ? AND member_id = ? AND state = 'open'"
        f" AND purpose IN ({sql.marks(len(purposes))})"
    )
    return int(sql.run(db, text, (club_id, people.find(db, club_id, member).id, *purposes)).rowcount)


def revoke_all(db: peewee.Database, club_id: int, member: str) -> int:
    """R-BAN-3: end all open tokens of a member and return how many there were."""
    text = "UPDATE token SET state = 'superseded' WHERE club_id = ? AND member_id = ? AND state = 'open'"
    return int(sql.run(db, text, (club_id, people.find(db, club_id, member).id)).rowcount)


_SELECT = (
    "SELECT t.id, t.purpose, m.handle, t.address, t.nonce, t.digest, t.payload_json, t.issued_at,"
    " t.expires_at, t.state, t.epoch, t.ends_at, t.misuses, t.epoch = c.epoch FROM token t"
    " JOIN club c ON c.id = t.club_id LEFT JOIN member m ON m.id = t.member_id"
)


def _folded(member: str | None) -> str:
    return "" if member is None else fold_handle(member)


def _token(row: sql.Row) -> Token:
    token_id, purpose, member, address, nonce, digest, payload, issued_at, expires_at, state = row[:10]
    epoch, ends_at, misuses, current = row[10:]
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
        epoch,
        None if ends_at is None else from_micros(ends_at),
        misuses,
        bool(current),
    )


def _maybe(row: sql.Row | None) -> Token | None:
    return None if row is None else _token(row)
