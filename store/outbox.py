"""Mails to send: written with the effects that they tell of, delivered later by the sending door.

A mail is unique on what made us write it, its kind, its recipient and what it is about (P-2); its
Message-ID is drawn from the same, so that every retry is the same mail (P-4).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import peewee

from store import clubs, sql, tables
from store.errors import DuplicateEffect, RowExists
from store.instants import from_micros, maybe_from_micros
from store.records import NewMail, OutboxMail, OutboxState, Part


def queue(db: peewee.Database, club_id: int, mails: Sequence[NewMail], at: datetime) -> tuple[int, ...]:
    """Queue mails, due at once, and return their ids in the order given.

    Raises DuplicateEffect when one of them was queued before.
    """
    club = clubs.club(db, club_id)
    domain = club.address.rpartition("@")[2]
    before = sql.value(db, "SELECT coalesce(max(id), 0) FROM outbox")
    rows = [_new_row(club.id, domain, mail, at) for mail in mails]
    try:
        sql.run_many(db, sql.insert_text(tables.Outbox, *_NEW_COLUMNS), rows)
    except RowExists as error:
        raise DuplicateEffect(f"a mail is queued already: {error}") from error
    rows = sql.rows(db, "SELECT id FROM outbox WHERE id > ? AND club_id = ? ORDER BY id", (before, club_id))
    ids = tuple(mail_id for (mail_id,) in rows)
    _queue_parts(db, zip(ids, mails, strict=True))
    return ids


def _queue_parts(db: peewee.Database, queued: Iterable[tuple[int, NewMail]]) -> None:
    rows = [
        (mail_id, number, part.content_type, part.name, part.content_id, part.content)
        for mail_id, mail in queued
        for number, part in enumerate(mail.parts, 1)
    ]
    columns = ("outbox_id", "number", "content_type", "name", "content_id", "content")
    sql.run_many(db, sql.insert_text(tables.OutboxPart, *columns), rows)


def with_parts(db: peewee.Database, mails: Sequence[OutboxMail]) -> tuple[OutboxMail, ...]:
    """Return the mails with what they carry."""
    parts: dict[int, list[Part]] = {}
    for start in range(0, len(mails), _CHUNK):
        ids = [mail.id for mail in mails[start : start + _CHUNK]]
        text = (
            "SELECT outbox_id, content_type, name, content, content_id FROM outbox_part"
            f" WHERE outbox_id IN ({sql.marks(len(ids))}) ORDER BY outbox_id, number"
        )
        for mail_id, kind, name, content, content_id in sql.rows(db, text, ids):
            parts.setdefault(mail_id, []).append(Part(kind, name, bytes(content), content_id))
    if not parts:
        return tuple(mails)
    return tuple(replace(m, parts=tuple(parts[m.id])) if m.id in parts else m for m in mails)


_CHUNK = 500
"""Mails whose parts are asked for at a time."""


def by_message_id(db: peewee.Database, club_id: int, message_id: str) -> OutboxMail | None:
    """Return the mail with this Message-ID, given with or without angle brackets."""
    wanted = f"<{message_id.strip().removeprefix('<').removesuffix('>')}>"
    return _maybe(sql.row(db, SELECT + " WHERE club_id = ? AND message_id = ?", (club_id, wanted)))


def by_token(db: peewee.Database, token_id: int) -> OutboxMail | None:
    """Return the first mail that carries a token."""
    found = sql.row(db, SELECT + " WHERE token_id = ? ORDER BY id LIMIT 1", (token_id,))
    return None if found is None else mail_of(found)


def first_answer(db: peewee.Database, token_id: int) -> OutboxMail | None:
    """Return the mail that answered, to its owner, the mail that used a token up."""
    owner = "SELECT t.club_id, t.used_by, m.handle FROM token t JOIN member m ON m.id = t.member_id"
    found = sql.row(db, owner + " WHERE t.id = ? AND t.used_by <> ''", (token_id,))
    if found is None:
        return None
    club_id, cause, handle = found
    text = SELECT + (
        " WHERE club_id = ? AND (cause = ? OR (cause >= ? AND cause < ?)) AND recipient = ?"
        " ORDER BY id LIMIT 1"
    )
    return _maybe(sql.row(db, text, (club_id, cause, f"{cause}:", f"{cause};", handle)))


def latest(db: peewee.Database, club_id: int, kind: str, recipient: str) -> OutboxMail | None:
    """Return the newest mail of a kind to a recipient."""
    text = SELECT + " WHERE club_id = ? AND kind = ? AND recipient = ? ORDER BY id DESC LIMIT 1"
    return _maybe(sql.row(db, text, (club_id, kind, recipient)))


def latest_to(db: peewee.Database, club_id: int, kinds: Sequence[str], address: str) -> datetime | None:
    """Return when the newest mail of these kinds to somebody without a handle was queued."""
    text = (
        f"SELECT max(created_at) FROM outbox WHERE club_id = ? AND kind IN ({sql.marks(len(kinds))})"
        " AND recipient = '' AND address = ?"
    )
    return maybe_from_micros(sql.value(db, text, (club_id, *kinds, address)))


def queued_since(db: peewee.Database, club_id: int, kinds: Sequence[str], since: datetime) -> int:
    """Return how many mails of these kinds were queued after an instant."""
    text = (
        "SELECT count(*) FROM outbox WHERE club_id = ? AND created_at > ?"
        f" AND kind IN ({sql.marks(len(kinds))})"
    )
    return int(sql.value(db, text, (club_id, since, *kinds)))


def unasked_since(db: peewee.Database, club_id: int, since: datetime) -> Mapping[str, str]:
    """Return handle to the kind of the mail that came unasked, of those queued from an instant on."""
    text = (
        "SELECT recipient, kind FROM outbox WHERE club_id = ? AND unasked = 1 AND created_at >= ?"
        " ORDER BY id DESC"
    )
    return dict(sql.rows(db, text, (club_id, since)))


def listing(db: peewee.Database, club_id: int, after_id: int = 0) -> tuple[OutboxMail, ...]:
    """Return all mails queued after the one with this id, in order."""
    text = SELECT + " WHERE club_id = ? AND id > ? ORDER BY id"
    return with_parts(db, tuple(map(mail_of, sql.rows(db, text, (club_id, after_id)))))


def counts(db: peewee.Database, club_id: int) -> Mapping[str, int]:
    """Return state to number of mails, for every state."""
    text = "SELECT state, count(*) FROM outbox WHERE club_id = ? GROUP BY state"
    return {state.value: 0 for state in OutboxState} | dict(sql.rows(db, text, (club_id,)))


_NEW_COLUMNS = (
    "club_id",
    "cause",
    "kind",
    "recipient",
    "about",
    "address",
    "subject",
    "body",
    "game",
    "in_reply_to",
    "token_id",
    "message_id",
    "created_at",
    "state",
    "next_at",
    "language",
    "unasked",
)

SELECT = (
    "SELECT id, kind, recipient, address, subject, body, game, in_reply_to, token_id, message_id,"
    " created_at, state, attempts, last_error, tried_since, language FROM outbox"
)


def _new_row(club_id: int, domain: str, mail: NewMail, at: datetime) -> sql.Row:
    return (
        club_id,
        mail.cause,
        mail.kind,
        mail.recipient,
        mail.about,
        mail.address,
        mail.subject,
        mail.text,
        mail.game,
        mail.in_reply_to,
        mail.token,
        _message_id(club_id, domain, mail),
        at,
        OutboxState.QUEUED,
        at,
        mail.language,
        int(mail.unasked),
    )


def _message_id(club_id: int, domain: str, mail: NewMail) -> str:
    identity = "\0".join((str(club_id), mail.cause, mail.kind, mail.recipient, mail.about))
    return f"<{hashlib.sha256(identity.encode()).hexdigest()[:40]}@{domain}>"


def mail_of(row: sql.Row) -> OutboxMail:
    (
        mail_id,
        kind,
        recipient,
        address,
        subject,
        body,
        game,
        in_reply_to,
        token,
        message_id,
        created_at,
        state,
        attempts,
        last_error,
        tried_since,
        language,
    ) = row
    return OutboxMail(
        id=mail_id,
        kind=kind,
        recipient=recipient,
        address=address,
        subject=subject,
        text=body,
        game=game,
        in_reply_to=in_reply_to,
        token=token,
        message_id=message_id,
        created_at=from_micros(created_at),
        state=OutboxState(state),
        attempts=attempts,
        last_error=last_error,
        tried_since=maybe_from_micros(tried_since),
        language=language,
    )


def _maybe(row: sql.Row | None) -> OutboxMail | None:
    return None if row is None else mail_of(row)
