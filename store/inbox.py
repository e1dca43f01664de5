"""Received mails: kept as they came, before anything is done with them (P-1).

A mail is RECEIVED until it is finished. A start of the program counts against the mail whose turn it is,
so that one which kills us is recognised (P-8).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime

import peewee

from store import sql, tables
from store.errors import UnknownName, WrongState
from store.instants import from_micros, to_micros
from store.records import InboxMail, InboxState


def keep(
    db: peewee.Database,
    club_id: int,
    source: str,
    raw: bytes,
    received_at: datetime,
    masked: bytes | None = None,
    carried: str | None = None,
) -> int:
    """Keep a mail and return its id.

    `source` says where it came from. The same offer again (source, instant and bytes all equal, as when
    a mailbox is listed twice) is the same mail: its id is returned and nothing is kept twice.

    `masked`: what is kept in place of the bytes, where they hold the text of a token (T-15); `carried`: the
    digest of the one that counts.
    """
    offered = _offer(source, raw, received_at)
    found = sql.value(db, "SELECT id FROM inbox WHERE club_id = ? AND offered = ?", (club_id, offered))
    if found is not None:
        return int(found)
    values = (club_id, source, offered, received_at, InboxState.RECEIVED, carried, club_id)
    mail_id = int(sql.value(db, _INSERT, values))
    sql.insert(db, tables.InboxRaw, inbox_id=mail_id, content=raw if masked is None else masked)
    return mail_id


def waiting(db: peewee.Database, club_id: int) -> InboxMail | None:
    """Return the mail whose turn it is: the one received first of those not finished."""
    text = _SELECT + " WHERE i.club_id = ? AND i.state = 'received' ORDER BY i.received_at, i.id LIMIT 1"
    found = sql.row(db, text, (club_id,))
    return None if found is None else _mail(found)


def begin(db: peewee.Database, mail_id: int) -> None:
    """Count an attempt at which we died, or may yet. To be committed before the mail is read."""
    sql.run(db, "UPDATE inbox SET attempts = attempts + 1 WHERE id = ?", (mail_id,))


def note_fingerprint(
    db: peewee.Database, club_id: int, mail_id: int, fingerprint: str, proved: bool = False
) -> bool:
    """Give a mail its fingerprint; False, and nothing done, where another mail of the club has it (P-2).

    `proved`: the mail carries a live token. A copy without one never shadows the one with it.
    """
    mine, others = _levels(fingerprint, proved)
    text = (
        "UPDATE inbox SET fingerprint = ? WHERE id = ? AND NOT EXISTS"
        f" (SELECT 1 FROM inbox o WHERE o.club_id = ? AND o.fingerprint IN ({sql.marks(len(others))})"
        " AND o.id <> ?)"
    )
    changed = sql.run(db, text, (mine, mail_id, club_id, *others, mail_id)).rowcount
    return bool(changed == 1)


def knows(db: peewee.Database, club_id: int, fingerprint: str) -> bool:
    """Tell whether a mail with this fingerprint came, with a live token or without."""
    marks = [_levels(fingerprint, proved)[0] for proved in (False, True)]
    text = "SELECT 1 FROM inbox WHERE club_id = ? AND fingerprint IN (?, ?) LIMIT 1"
    return sql.value(db, text, (club_id, *marks)) is not None


def proved_copies(db: peewee.Database, club_id: int, fingerprints: Sequence[str]) -> frozenset[str]:
    """Return of which of these fingerprints a copy came that carried a live token."""
    marked = {_levels(fingerprint, True)[0]: fingerprint for fingerprint in fingerprints if fingerprint}
    if not marked:
        return frozenset()
    text = f"SELECT fingerprint FROM inbox WHERE club_id = ? AND fingerprint IN ({sql.marks(len(marked))})"
    return frozenset(marked[found] for (found,) in sql.rows(db, text, (club_id, *marked)))


def _levels(fingerprint: str, proved: bool) -> tuple[str, tuple[str, ...]]:
    """What a mail's fingerprint becomes, and those of other mails that make it a mere copy."""
    high = f"{fingerprint}+"
    return (high, (high,)) if proved else (fingerprint, (fingerprint, high))


def finish(
    db: peewee.Database,
    mail_id: int,
    state: InboxState,
    reason: str = "",
    was: InboxState = InboxState.RECEIVED,
) -> None:
    """Say what became of a mail. `reason` is ours, not the member's words.

    Raises WrongState where it is no more what it was: an end is never put in the place of another (P-1).
    """
    text = "UPDATE inbox SET state = ?, reason = ? WHERE id = ? AND state = ?"
    if sql.run(db, text, (state, reason, mail_id, was)).rowcount != 1:
        raise WrongState(f"mail {mail_id} is not {was.value}")


def counts(db: peewee.Database, club_id: int) -> Mapping[str, int]:
    """Return state to number of mails, for every state."""
    text = "SELECT state, count(*) FROM inbox WHERE club_id = ? GROUP BY state"
    return {state.value: 0 for state in InboxState} | dict(sql.rows(db, text, (club_id,)))


def latest_at(db: peewee.Database, club_id: int) -> datetime | None:
    """Return when the newest mail was received; None where none has come."""
    found = sql.value(db, "SELECT coalesce(max(received_at), 0) FROM inbox WHERE club_id = ?", (club_id,))
    return from_micros(found) if found else None


def quarantined(db: peewee.Database, club_id: int) -> tuple[InboxMail, ...]:
    """Return the mails set aside, in the order received."""
    text = _SELECT + " WHERE i.club_id = ? AND i.state = 'quarantined' ORDER BY i.received_at, i.id"
    return tuple(map(_mail, sql.rows(db, text, (club_id,))))


def newest(db: peewee.Database, club_id: int) -> int:
    """Return the id of the mail kept last, 0 where there is none."""
    return int(sql.value(db, "SELECT coalesce(max(id), 0) FROM inbox WHERE club_id = ?", (club_id,)))


def after(db: peewee.Database, club_id: int, mail_id: int) -> tuple[InboxMail, ...]:
    """Return the mails kept after the one with this id, whatever became of them."""
    text = _SELECT + " WHERE i.club_id = ? AND i.id > ? ORDER BY i.id"
    return tuple(map(_mail, sql.rows(db, text, (club_id, mail_id))))


def forget_fingerprint(db: peewee.Database, mail_id: int) -> None:
    """Let the same mail, kept once more, not be known as a duplicate of this one."""
    sql.run(db, "UPDATE inbox SET fingerprint = NULL WHERE id = ?", (mail_id,))


def fetch(db: peewee.Database, mail_id: int) -> InboxMail:
    """Return one mail. Raises UnknownName."""
    found = sql.row(db, _SELECT + " WHERE i.id = ?", (mail_id,))
    if found is None:
        raise UnknownName(f"no mail {mail_id}")
    return _mail(found)


def numbered(db: peewee.Database, club_id: int, number: int) -> InboxMail:
    """Return the club's mail with this number. Raises UnknownName."""
    found = sql.row(db, _SELECT + " WHERE i.club_id = ? AND i.number = ?", (club_id, number))
    if found is None:
        raise UnknownName(f"no mail {number}")
    return _mail(found)


_INSERT = (
    "INSERT INTO inbox (club_id, source, offered, received_at, state, carried, number) VALUES"
    " (?, ?, ?, ?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM inbox WHERE club_id = ?)) RETURNING id"
)

_SELECT = (
    "SELECT i.id, i.number, r.content, i.received_at, i.state, i.reason, i.attempts, i.carried"
    " FROM inbox i JOIN inbox_raw r ON r.inbox_id = i.id"
)


def _mail(row: sql.Row) -> InboxMail:
    mail_id, number, raw, received_at, state, reason, attempts, carried = row
    at, ended = from_micros(received_at), InboxState(state)
    return InboxMail(mail_id, number, bytes(raw), at, ended, reason, attempts, carried)


def _offer(source: str, raw: bytes, received_at: datetime) -> str:
    digest = hashlib.sha256(f"{source}\0{to_micros(received_at)}\0".encode())
    digest.update(raw)
    return digest.hexdigest()
