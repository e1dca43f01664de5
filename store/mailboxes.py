"""What was taken from mailboxes: our own record, by folder, UIDVALIDITY and UID, never a flag on the server.

A UID that is on record is not taken again, whatever the server lists (P-5). A mail that is met under another
UID, because somebody moved it, the folder was made anew or the server restored it, is known by its bytes and
stays the one mail that it was (P-2).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from datetime import datetime

import peewee

from store import inbox, sql, tables
from store.instants import from_micros
from store.records import InboxState


def mailbox(db: peewee.Database, club_id: int, account: str, folder: str, uidvalidity: int) -> int:
    """Return the id of a folder under its present UIDVALIDITY, put on record if it is new."""
    text = "SELECT id FROM mailbox WHERE club_id = ? AND account = ? AND folder = ? AND uidvalidity = ?"
    found = sql.value(db, text, (club_id, account, folder, uidvalidity))
    if found is not None:
        return int(found)
    return sql.insert_id(
        db, tables.Mailbox, club_id=club_id, account=account, folder=folder, uidvalidity=uidvalidity
    )


def not_taken(db: peewee.Database, mailbox_id: int, listed: Iterable[int]) -> list[int]:
    """Return the UIDs of a listing that are not on record, each once, in order."""
    uids = sorted(set(listed))
    if not uids:
        return []
    text = "SELECT uid FROM mailbox_mail WHERE mailbox_id = ? AND uid BETWEEN ? AND ?"
    taken = {uid for (uid,) in sql.rows(db, text, (mailbox_id, uids[0], uids[-1]))}
    return [uid for uid in uids if uid not in taken]


def keep(
    db: peewee.Database,
    club_id: int,
    mailbox_id: int,
    uid: int,
    raw: bytes,
    received_at: datetime,
    masked: bytes | None = None,
    carried: str | None = None,
) -> int:
    """Keep a mail of a mailbox and put its UID on record; return the id of the kept mail.

    The same bytes under another UID of any mailbox of the club are the same mail. `masked`, `carried`: see
    `inbox.keep`.
    """
    digest = hashlib.sha256(raw).hexdigest()
    mail_id = _by_digest(db, club_id, digest)
    if mail_id is None:
        mail_id = inbox.keep(db, club_id, f"imap:{mailbox_id}", raw, received_at, masked, carried)
    text = sql.insert_text(tables.MailboxMail, "mailbox_id", "uid", "inbox_id", "digest")
    sql.run(db, text + " ON CONFLICT (mailbox_id, uid) DO NOTHING", (mailbox_id, uid, mail_id, digest))
    return mail_id


def to_settle(db: peewee.Database, mailbox_id: int, limit: int) -> list[tuple[int, InboxState]]:
    """Return UIDs not yet moved whose mail has come to an end, with that end; the lowest first."""
    text = (
        "SELECT m.uid, i.state FROM mailbox_mail m JOIN inbox i ON i.id = m.inbox_id"
        " WHERE m.mailbox_id = ? AND m.settled = 0 AND i.state <> 'received' ORDER BY m.uid LIMIT ?"
    )
    return [(uid, InboxState(state)) for uid, state in sql.rows(db, text, (mailbox_id, limit))]


def mark_settled(db: peewee.Database, mailbox_id: int, uids: Collection[int]) -> None:
    """Note that these UIDs have been moved, or are gone from the folder, or stay there for good."""
    text = "UPDATE mailbox_mail SET settled = 1 WHERE mailbox_id = ? AND uid = ?"
    sql.run_many(db, text, [(mailbox_id, uid) for uid in uids])


def mark_looked(db: peewee.Database, mailbox_id: int, at: datetime) -> None:
    """Note that all mail which the mailbox received up to an instant has been kept."""
    sql.run(db, "UPDATE mailbox SET looked_at = ? WHERE id = ?", (at, mailbox_id))


def looked_at(db: peewee.Database, club_id: int, account: str, folder: str) -> datetime | None:
    """Return the instant up to which the mail of a folder is known; None before it was looked at first."""
    text = "SELECT coalesce(max(looked_at), 0) FROM mailbox WHERE club_id = ? AND account = ? AND folder = ?"
    found = sql.value(db, text, (club_id, account, folder))
    return from_micros(found) if found else None


def _by_digest(db: peewee.Database, club_id: int, digest: str) -> int | None:
    text = (
        "SELECT m.inbox_id FROM mailbox_mail m JOIN mailbox b ON b.id = m.mailbox_id"
        " WHERE m.digest = ? AND b.club_id = ? LIMIT 1"
    )
    found = sql.value(db, text, (digest, club_id))
    return None if found is None else int(found)
