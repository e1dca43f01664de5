"""The journal: the only module that writes entries.

An entry is written in three strokes: its head, its postings, its seal. The database seals only what is
whole and balanced and commits only what is sealed; here the same is checked first, to say it clearly.
Nothing is ever changed or deleted: a correction is an entry that reverses another (R-ACC-5).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import peewee

from store import audit, sql, tables
from store.errors import DuplicateEffect, UnbalancedEntry, UnknownName, WrongState


def post(
    db: peewee.Database,
    club_id: int,
    kind: str,
    at: datetime,
    postings: Sequence[tuple[str, int]],
    effect_key: str,
    game: int | None = None,
    memo: str = "",
    reverses: int | None = None,
) -> int:
    """Write a balanced entry of (account code, cents) and return its number in the club.

    `game` and `reverses` are numbers. Raises UnbalancedEntry, UnknownName for an account, a game or an
    entry that is not the club's, WrongState for an entry reversed before, and DuplicateEffect when the
    effect key was used.
    """
    _check_balance(postings)
    game_id = None if game is None else _game_id(db, club_id, game)
    reversed_id = None if reverses is None else _reversible_id(db, club_id, reverses)
    head = (club_id, club_id, kind, at, game_id, reversed_id, effect_key)
    entry = sql.row(db, _INSERT_ENTRY, head)
    if entry is None:
        raise DuplicateEffect(f"the effect {effect_key!r} is in the journal already")
    entry_id, number = entry
    lines = [(entry_id, i, at, cents, club_id, code) for i, (code, cents) in enumerate(postings, 1)]
    if sql.run_many(db, _INSERT_POSTING, lines) != len(postings):
        raise UnknownName(f"no account {', '.join(_missing_codes(db, club_id, postings))}")
    if memo:
        sql.insert(db, tables.Memo, entry_id=entry_id, memo=memo)
    sql.run(db, "INSERT INTO seal (entry_id) VALUES (?)", (entry_id,))
    content = contents(db, club_id, number)[number]
    audit.record(db, club_id, at, effect_key, "entry", {"number": number, "digest": digest(content)})
    return int(number)


def reverse(
    db: peewee.Database,
    club_id: int,
    entry_number: int,
    at: datetime,
    effect_key: str,
    kind: str = "reversal",
) -> int:
    """Write the exact opposite of an entry, about the same game, and return the new entry's number."""
    text = (
        "SELECT a.code, -p.amount_cents, g.number FROM entry e JOIN posting p ON p.entry_id = e.id"
        " JOIN account a ON a.id = p.account_id LEFT JOIN game g ON g.id = e.game_id"
        " WHERE e.club_id = ? AND e.number = ? ORDER BY p.line"
    )
    lines = sql.rows(db, text, (club_id, entry_number))
    if not lines:
        raise UnknownName(f"no entry {entry_number}")
    opposite = [(code, cents) for code, cents, _ in lines]
    return post(db, club_id, kind, at, opposite, effect_key, game=lines[0][2], reverses=entry_number)


def open_account(db: peewee.Database, club_id: int, code: str) -> int:
    """Open an account at zero and return its id."""
    return int(sql.value(db, _INSERT_ACCOUNT, (club_id, code, club_id)))


def contents(db: peewee.Database, club_id: int, number: int | None = None) -> Mapping[int, list[Any]]:
    """Return number to what an entry says, of one entry or of all: the audit chain keeps a digest of it.

    Games, entries and accounts are named by their numbers in the club. An account's handle may be
    forgotten one day, so it does not count; and ids are the database's own affair.
    """
    only, values = ("", (club_id,)) if number is None else (" AND e.number = ?", (club_id, number))
    found: dict[int, list[Any]] = {}
    for entry, *head, account, cents in sql.rows(db, _CONTENTS.format(only=only), values):
        found.setdefault(entry, head).append([account, cents])
    return found


_CONTENTS = (
    "SELECT e.number, e.kind, e.at, coalesce(g.number, 0), coalesce(r.number, 0), e.effect_key,"
    " a.number, p.amount_cents FROM entry e JOIN posting p ON p.entry_id = e.id"
    " JOIN account a ON a.id = p.account_id LEFT JOIN game g ON g.id = e.game_id"
    " LEFT JOIN entry r ON r.id = e.reverses"
    " WHERE e.club_id = ?{only} ORDER BY e.number, p.line"
)


def digest(content: Sequence[Any]) -> str:
    """Return the SHA-256 of what an entry says."""
    return hashlib.sha256(audit.canonical(content).encode()).hexdigest()


def journal_digest(db: peewee.Database, club_id: int) -> str:
    """Return the SHA-256 of the whole journal: equal books have equal ones, in whatever database."""
    whole = hashlib.sha256()
    for number, content in contents(db, club_id).items():
        whole.update(audit.canonical([number, content]).encode())
    return whole.hexdigest()


def balances(db: peewee.Database, club_id: int) -> Mapping[str, int]:
    """Return account code to balance, of every account, by code."""
    text = "SELECT code, balance_cents FROM account WHERE club_id = ? ORDER BY code"
    return dict(sql.rows(db, text, (club_id,)))


def journal_sum(db: peewee.Database, club_id: int) -> int:
    """Return the sum over all accounts: zero, or we have a bug (R-ACC-2)."""
    text = "SELECT coalesce(sum(balance_cents), 0) FROM account WHERE club_id = ?"
    return int(sql.value(db, text, (club_id,)))


_INSERT_ACCOUNT = (
    "INSERT INTO account (club_id, code, number) VALUES"
    " (?, ?, (SELECT coalesce(max(number), 0) + 1 FROM account WHERE club_id = ?)) RETURNING id"
)

_INSERT_ENTRY = (
    "INSERT INTO entry (club_id, number, kind, at, game_id, reverses, effect_key) VALUES"
    " (?, (SELECT coalesce(max(number), 0) + 1 FROM entry WHERE club_id = ?), ?, ?, ?, ?, ?)"
    " ON CONFLICT (club_id, effect_key) DO NOTHING RETURNING id, number"
)

_INSERT_POSTING = (
    "INSERT INTO posting (entry_id, line, account_id, at, amount_cents)"
    " SELECT ?, ?, id, ?, ? FROM account WHERE club_id = ? AND code = ?"
)


def _check_balance(postings: Sequence[tuple[str, int]]) -> None:
    if len(postings) < 2:
        raise UnbalancedEntry(f"an entry needs two postings at least, not {len(postings)}")
    total = sum(cents for _, cents in postings)
    if total:
        raise UnbalancedEntry(f"the postings sum to {total} cents")


def _game_id(db: peewee.Database, club_id: int, number: int) -> int:
    found = sql.value(db, "SELECT id FROM game WHERE club_id = ? AND number = ?", (club_id, number))
    if found is None:
        raise UnknownName(f"no game {number}")
    return int(found)


def _reversible_id(db: peewee.Database, club_id: int, number: int) -> int:
    text = (
        "SELECT e.id, r.number FROM entry e LEFT JOIN entry r ON r.reverses = e.id"
        " WHERE e.club_id = ? AND e.number = ?"
    )
    found = sql.row(db, text, (club_id, number))
    if found is None:
        raise UnknownName(f"no entry {number}")
    if found[1] is not None:
        raise WrongState(f"the entry {number} is reversed already, by {found[1]}")
    return int(found[0])


def _missing_codes(db: peewee.Database, club_id: int, postings: Sequence[tuple[str, int]]) -> list[str]:
    known = balances(db, club_id)
    return sorted({repr(code) for code, _ in postings if code not in known})
