"""Forget somebody who has left (T-38): his name, addresses and words go, a pseudonym and the amounts stay.

What was his own is deleted; in what others wrote his handle, name and addresses give way to the pseudonym.
The journal, its digests and the audit chain name nobody: they hold numbers, so nothing of them changes.
"""

from __future__ import annotations

from datetime import datetime

import peewee

from store import audit, people, sql, tables
from store.errors import WrongState
from store.forgetting_columns import alike, mask_everywhere, values, within_club
from store.forgetting_mails import EMPTIED, forget_mails
from store.former import OMITTED, Former
from store.instants import from_micros
from store.masking import Mask
from store.records import Erasure, Forget, fold_handle, member_account
from store.writing import Writing

LAST_MAIL = "forgotten"
"""The kind of the one mail that still bears his address, until it has left."""


def forget(writing: Writing, change: Forget) -> None:
    """Erase who somebody was. Raises WrongState for one who has not left."""
    db, club = writing.db, writing.club_id
    person = people.find(db, club, change.member)
    status, name = sql.rows(db, "SELECT status, name FROM member WHERE id = ?", (person.id,))[0]
    if status != "left":
        raise WrongState(f"{person.handle} has not left")
    number = people.number(db, club, person.handle)
    addresses = _addresses(db, club, person.id)
    mask = Mask(frozenset({person.handle, name, *addresses}), pseudonym(number))
    former = Former(db, club, person.id, person.handle, addresses, mask, change.mail, writing.at)
    _forget_his_words(former)
    _forget_his_papers(former)
    forget_mails(former)
    mask_everywhere(db, club, person.handle, mask)
    _rename(former)
    _note(writing, number)


def pseudonym(number: int) -> str:
    """What stands for the holder of an account who was forgotten. No handle can be like it, for its `~`."""
    return f"anonyme~{number}"


def names_in_chain(db: peewee.Database, club_id: int, handle: str) -> bool:
    """Whether the journal or the audit chain bears a handle: those begun by older versions may, for good."""
    text = "SELECT count(*) FROM audit WHERE club_id = ? AND (payload_json LIKE ? OR cause LIKE ?)"
    quoted = audit.canonical(handle)
    found = sql.value(db, text, (club_id, f'%"member":{quoted}%', f"open:{handle}:%"))
    return bool(found)


def _addresses(db: peewee.Database, club_id: int, member: int) -> tuple[str, ...]:
    """Every address that was his, or that he wanted to be his; none that is another member's now."""
    text = (
        "SELECT address FROM address WHERE member_id = ? UNION SELECT address FROM identity_change"
        " WHERE club_id = ? AND member_id = ? AND address <> '' AND address NOT IN"
        " (SELECT address FROM address WHERE club_id = ? AND member_id <> ?) ORDER BY 1"
    )
    return tuple(a for (a,) in sql.rows(db, text, (member, club_id, member, club_id, member)))


# ---------------------------------------------------------------- what was his


def _forget_his_words(former: Former) -> None:
    """Reasons, complaints by him and about him, notes of his transfers."""
    db, club = former.db, former.club_id
    sql.run(db, "UPDATE dispute SET reason = ? WHERE member_id = ?", (OMITTED, former.id))
    sql.run(db, "UPDATE member SET ban_reason = '' WHERE id = ?", (former.id,))
    for table, column, whose in _SIGNED:
        for spelling in alike(values(db, club, table, whose), former.handle):
            text = f"UPDATE {table} SET {column} = ? WHERE {whose} = ?{within_club(table)}"
            sql.run(db, text, (OMITTED, spelling, club))
    notes = (
        "DELETE FROM memo WHERE entry_id IN (SELECT p.entry_id FROM posting p JOIN member m"
        " ON m.account_id = p.account_id WHERE m.id = ? AND p.amount_cents < 0)"
    )
    sql.run(db, notes, (former.id,))


_SIGNED = (
    ("decision", "reason", "manager"),
    ("complaint", "complaint", "author"),
    ("complaint", "complaint", "about"),
    ("rulebook", "reason", "author"),
    ("member", "ban_reason", "banned_by"),
)
"""Table, column with words, and whose they are, or about whom."""


def _forget_his_papers(former: Former) -> None:
    """Addresses, invitations and applications; what is numbered stays as an empty row."""
    db, club, marks = former.db, former.club_id, sql.marks(len(former.addresses))
    sql.run(db, "DELETE FROM address WHERE member_id = ?", (former.id,))
    text = f"DELETE FROM invitation WHERE club_id = ? AND (folded = ? OR address IN ({marks}))"
    sql.run(db, text, (club, fold_handle(former.handle), *former.addresses))
    text = (
        "UPDATE application SET state = CASE state WHEN 'open' THEN 'superseded' ELSE state END,"
        f" handle = '', address = '' WHERE club_id = ? AND address IN ({marks})"
    )
    sql.run(db, text, (club, *former.addresses))
    text = (
        "UPDATE identity_change SET address = '', ended_at = coalesce(ended_at, ?),"
        " state = CASE WHEN ended_at IS NULL THEN 'lapsed' ELSE state END WHERE club_id = ? AND member_id = ?"
    )
    sql.run(db, text, (former.at, club, former.id))


def _rename(former: Former) -> None:
    new = former.mask.instead
    text = "UPDATE member SET handle = ?, folded = ?, name = ? WHERE id = ?"
    sql.run(former.db, text, (new, fold_handle(new), new, former.id))
    text = "UPDATE account SET code = ? WHERE club_id = ? AND code = ?"
    sql.run(former.db, text, (member_account(new), former.club_id, member_account(former.handle)))


# ---------------------------------------------------------------- the last trace


def _note(writing: Writing, account: int) -> None:
    sql.insert(
        writing.db,
        tables.Erasure,
        club_id=writing.club_id,
        number=next_number(writing.db, writing.club_id),
        account=account,
        erased_at=writing.at,
    )


def next_number(db: peewee.Database, club_id: int) -> int:
    """Return the number that the next erasure gets; the first is 1."""
    text = "SELECT coalesce(max(number), 0) + 1 FROM erasure WHERE club_id = ?"
    return int(sql.value(db, text, (club_id,)))


def to_wipe(db: peewee.Database, club_id: int) -> Erasure | None:
    """Return an erasure that still lingers: its last mail, and all that were queued before, have left.

    Or they were given up, which takes days at most.
    """
    text = (
        "SELECT number, account, erased_at FROM erasure e WHERE club_id = ? AND wiped_at IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.club_id = e.club_id AND o.state = 'queued'"
        " AND o.created_at <= e.erased_at) ORDER BY number LIMIT 1"
    )
    found = sql.row(db, text, (club_id,))
    return None if found is None else Erasure(found[0], found[1], from_micros(found[2]))


def forget_last_mails(db: peewee.Database, club_id: int, erasure: Erasure) -> None:
    """Empty the mail that told him, and take his words out of what was on its way to others."""
    text = f"UPDATE outbox SET {EMPTIED}, address = '' WHERE club_id = ? AND kind = ? AND about = ?"
    sql.run(db, text, (club_id, LAST_MAIL, str(erasure.number)))
    named = f"%{pseudonym(erasure.account)}%"
    text = (
        f"UPDATE outbox SET {EMPTIED} WHERE club_id = ? AND created_at <= ?"
        " AND (subject LIKE ? OR body LIKE ?"
        " OR EXISTS (SELECT 1 FROM outbox_part p WHERE p.outbox_id = outbox.id))"
    )
    sql.run(db, text, (club_id, erasure.at, named, named))


def mark_wiped(db: peewee.Database, club_id: int, number: int, at: datetime) -> None:
    """Note that the disk holds no trace any more."""
    sql.run(db, "UPDATE erasure SET wiped_at = ? WHERE club_id = ? AND number = ?", (at, club_id, number))
