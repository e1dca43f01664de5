"""Mails on their way out: held by one sender at a time, sent, put off, given up, or come back.

A sender claims rows for a while by one conditional update, so that two senders never have the same mail. What
a sender that died has held is free again when that while is over, and at once for a sender of the same
name: whoever gives names sees to it that no two at work have the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import peewee

from store import outbox, sql
from store.instants import from_micros
from store.records import Bouncing, Fault, OutboxMail, Outgoing, Undelivered

FREE_FOR = "(held_by IS NULL OR held_by = ? OR held_until <= ?)"
"""Of a mail: whether a holder may have it at an instant."""

# ---------------------------------------------------------------- sending


def is_due(db: peewee.Database, club_id: int, holder: str, now: datetime) -> bool:
    """Tell whether the time of any queued mail has come that no other sender has in hand."""
    text = (
        f"SELECT 1 FROM outbox WHERE club_id = ? AND state = 'queued' AND next_at <= ? AND {FREE_FOR} LIMIT 1"
    )
    return sql.value(db, text, (club_id, now, holder, now)) is not None


def claim(
    db: peewee.Database, club_id: int, holder: str, now: datetime, until: datetime, limit: int
) -> tuple[OutboxMail, ...]:
    """Hold at most `limit` queued mails whose time has come, and return them, the longest due first."""
    due = "club_id = ? AND state = 'queued' AND next_at <= ?"
    chosen = f"SELECT id FROM outbox WHERE {due} AND {FREE_FOR} ORDER BY next_at, id LIMIT ?"
    # The condition stands twice: what another sender has taken between the two is left to him.
    text = f"UPDATE outbox SET held_by = ?, held_until = ? WHERE id IN ({chosen}) AND {FREE_FOR}"
    sql.run(db, text, (holder, until, club_id, now, holder, now, limit, holder, now))
    text = f"{outbox.SELECT} WHERE {due} AND held_by = ? AND held_until = ? ORDER BY next_at, id LIMIT ?"
    mails = map(outbox.mail_of, sql.rows(db, text, (club_id, now, holder, until, limit)))
    return outbox.with_parts(db, tuple(mails))


def let_go(db: peewee.Database, club_id: int, holder: str) -> None:
    """Give back all that is held and was not sent."""
    text = f"UPDATE outbox SET {_FREE} WHERE club_id = ? AND held_by = ?"
    sql.run(db, text, (club_id, holder))


def mark_sent(db: peewee.Database, mail_id: int, at: datetime) -> None:
    """Note that the server took the mail: that is so whoever holds it now."""
    mark_all_sent(db, [(mail_id, at)])


def mark_all_sent(db: peewee.Database, sent: Sequence[tuple[int, datetime]]) -> None:
    """Note of several mails when the server took each; all in one round trip to a database on a server."""
    text = f"UPDATE outbox SET state = 'sent', sent_at = ?, attempts = attempts + 1, {_FREE} WHERE id = ?"
    sql.run_many(db, text + " AND state = 'queued'", [(at, mail_id) for mail_id, at in sent])


def mark_retry(db: peewee.Database, mail_id: int, holder: str, next_at: datetime, error: str) -> None:
    """Note a failure that may pass, and when to try again; nothing if another holds the mail meanwhile."""
    text = f"UPDATE outbox SET next_at = ?, last_error = ?, attempts = attempts + 1, {_FREE}"
    sql.run(db, text + _MINE, (next_at, error, mail_id, holder))


def put_off(db: peewee.Database, mail_id: int, holder: str, next_at: datetime, error: str) -> None:
    """Note that no mail can go out just now: an attempt that does not count against this one."""
    text = f"UPDATE outbox SET next_at = ?, last_error = ?, {_FREE}"
    sql.run(db, text + _MINE, (next_at, error, mail_id, holder))


def mark_failed(
    db: peewee.Database, mail_id: int, holder: str, at: datetime, error: str, fault: Fault
) -> None:
    """Give a mail up; nothing if another holds it meanwhile."""
    text = (
        "UPDATE outbox SET state = 'failed', failed_at = ?, last_error = ?, fault = ?,"
        f" attempts = attempts + 1, {_FREE}"
    )
    sql.run(db, text + _MINE, (at, error, fault, mail_id, holder))


# ---------------------------------------------------------------- after a restore (P-11)


def hold(db: peewee.Database, club_id: int, why: str) -> int:
    """Send none of what is queued, as it may have gone out before; return how many mails that are."""
    text = "UPDATE outbox SET state = 'failed', last_error = ?, held_by = NULL, held_until = NULL"
    return int(sql.run(db, f"{text} WHERE club_id = ? AND state = 'queued'", (why, club_id)).rowcount)


def on_hold(db: peewee.Database, club_id: int) -> tuple[OutboxMail, ...]:
    """Return the mails that were held and neither sent nor dropped since, in order."""
    text = f"{outbox.SELECT} WHERE club_id = ? AND {_HELD} ORDER BY id"
    return tuple(map(outbox.mail_of, sql.rows(db, text, (club_id,))))


def release(db: peewee.Database, club_id: int, mail_ids: Sequence[int], now: datetime) -> int:
    """Queue mails that were held; return how many they are."""
    text = f"UPDATE outbox SET state = 'queued', last_error = '', next_at = ? WHERE club_id = ? AND {_HELD}"
    return sum(sql.run(db, text + " AND id = ?", (now, club_id, one)).rowcount for one in mail_ids)


def drop(db: peewee.Database, club_id: int, mail_ids: Sequence[int]) -> int:
    """Never send mails that were held; return how many they are."""
    text = f"UPDATE outbox SET last_error = 'dropped' WHERE club_id = ? AND {_HELD} AND id = ?"
    return sum(sql.run(db, text, (club_id, one)).rowcount for one in mail_ids)


def note_sent(db: peewee.Database, club_id: int, message_ids: Sequence[str], at: datetime) -> int:
    """Mark the queued mails among these as sent; return how many they are."""
    text = (
        "UPDATE outbox SET state = 'sent', sent_at = ?, held_by = NULL, held_until = NULL"
        " WHERE club_id = ? AND state = 'queued' AND message_id = ?"
    )
    return sum(sql.run(db, text, (at, club_id, one)).rowcount for one in message_ids)


_HELD = "state = 'failed' AND failed_at IS NULL AND last_error LIKE 'held %'"

# ----------------------------------------------------------------

_FREE = "held_by = NULL, held_until = NULL"
_MINE = " WHERE id = ? AND state = 'queued' AND held_by = ?"


# ---------------------------------------------------------------- what came to nothing


def mark_returned(
    db: peewee.Database, club_id: int, mail_id: int, at: datetime, error: str, fault: Fault
) -> OutboxMail | None:
    """Note that a mail which had been taken came back; None for one that is unknown, or was known to.

    A soft fault is mended by a hard one that follows: a server says that it waits, and then that it gave up.
    """
    text = (
        "UPDATE outbox SET failed_at = ?, last_error = ?, fault = ? WHERE id = ? AND club_id = ?"
        " AND state = 'sent' AND (fault IS NULL OR (fault = 'soft' AND ? = 'hard'))"
    )
    changed = sql.run(db, text, (at, error, fault, mail_id, club_id, fault)).rowcount
    if changed != 1:
        return None
    return outbox.mail_of(sql.rows(db, f"{outbox.SELECT} WHERE id = ?", (mail_id,))[0])


def untold(db: peewee.Database, club_id: int) -> tuple[Undelivered, ...]:
    """Return the mails that were given up or came back and that no manager was told of, in order."""
    text = (
        "SELECT id, kind, recipient, address, subject, last_error, failed_at FROM outbox"
        " WHERE club_id = ? AND failed_at IS NOT NULL AND told = 0 ORDER BY failed_at, id"
    )
    return tuple(map(_undelivered, sql.rows(db, text, (club_id,))))


def tell(db: peewee.Database, club_id: int, mail_ids: Sequence[int]) -> None:
    """Note that a manager is told of these."""
    text = f"UPDATE outbox SET told = 1 WHERE club_id = ? AND id IN ({sql.marks(len(mail_ids))})"
    if mail_ids:
        sql.run(db, text, (club_id, *mail_ids))


def failed_since(db: peewee.Database, club_id: int, since: datetime, limit: int) -> tuple[Undelivered, ...]:
    """Return the mails that were given up or came back since an instant, the newest first."""
    text = (
        "SELECT id, kind, recipient, address, subject, last_error, failed_at FROM outbox"
        " WHERE club_id = ? AND failed_at IS NOT NULL AND failed_at >= ? ORDER BY failed_at DESC, id LIMIT ?"
    )
    return tuple(map(_undelivered, sql.rows(db, text, (club_id, since, limit))))


def bouncing(db: peewee.Database, club_id: int, since: datetime) -> tuple[Bouncing, ...]:
    """Return the addresses that mails did not reach since an instant, the worst first.

    A mail that reached its address later on mends nothing: that it was taken says not that it arrived.
    """
    text = (
        "SELECT address, max(recipient), sum(CASE WHEN fault = 'hard' THEN 1 ELSE 0 END),"
        " sum(CASE WHEN fault = 'soft' THEN 1 ELSE 0 END), max(failed_at) FROM outbox"
        " WHERE club_id = ? AND failed_at IS NOT NULL AND failed_at >= ? AND fault IS NOT NULL"
        " GROUP BY address ORDER BY 3 DESC, 4 DESC, address"
    )
    return tuple(
        Bouncing(address, recipient, int(hard), int(soft), from_micros(last))
        for address, recipient, hard, soft, last in sql.rows(db, text, (club_id, since))
    )


def send_again(
    db: peewee.Database, club_id: int, mail_ids: Sequence[int] | None, now: datetime
) -> tuple[int, ...]:
    """Queue mails that were given up once more, all of them for None; return which. The same mail goes out.

    They count as made now only for how long they are tried: the mail itself keeps its date and its bytes.
    """
    text = "SELECT id FROM outbox WHERE club_id = ? AND state = 'failed' ORDER BY id"
    given_up = [mail_id for (mail_id,) in sql.rows(db, text, (club_id,))]
    chosen = [i for i in given_up if mail_ids is None or i in mail_ids]
    text = (
        "UPDATE outbox SET state = 'queued', next_at = ?, tried_since = ?, attempts = 0, failed_at = NULL,"
        f" fault = NULL, told = 0, {_FREE} WHERE club_id = ? AND id = ?"
    )
    sql.run_many(db, text, [(now, now, club_id, mail_id) for mail_id in chosen])
    return tuple(chosen)


def waiting(db: peewee.Database, club_id: int) -> Outgoing:
    """Return how the queue stands."""
    text = (
        "SELECT count(*), coalesce(sum(CASE WHEN attempts > 0 THEN 1 ELSE 0 END), 0), min(created_at),"
        " min(next_at) FROM outbox WHERE club_id = ? AND state = 'queued'"
    )
    ((queued, retried, oldest, next_at),) = sql.rows(db, text, (club_id,))
    text = (
        "SELECT last_error FROM outbox WHERE club_id = ? AND state = 'queued' AND last_error <> ''"
        " ORDER BY next_at DESC, id DESC LIMIT 1"
    )
    return Outgoing(
        int(queued),
        int(retried),
        None if oldest is None else from_micros(oldest),
        None if next_at is None else from_micros(next_at),
        sql.value(db, text, (club_id,)) or "",
    )


def _undelivered(row: sql.Row) -> Undelivered:
    mail_id, kind, recipient, address, subject, error, failed_at = row
    return Undelivered(mail_id, kind, recipient, address, subject, error, from_micros(failed_at))
