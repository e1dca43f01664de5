"""Read the journal from a member's side: his statement, changes over a period, levies in his favour."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import peewee

from store import people, sql
from store.instants import EARLIEST, LATEST, from_micros, to_micros
from store.records import JournalEntry, Statement, StatementLine


def statement(
    db: peewee.Database,
    club_id: int,
    handle: str,
    since: datetime | None,
    until: datetime | None,
    limit: int,
) -> Statement:
    """Return the newest `limit` lines of a member's account in [since, until), in order of time.

    Earlier lines of the period are counted as omitted; the opening is the balance before the first line
    shown. All is reckoned back from the balance of now, so the whole account is never read.
    """
    account = people.find(db, club_id, handle).account_id
    start = EARLIEST if since is None else to_micros(since)
    end = LATEST if until is None else to_micros(until)
    newest = sql.rows(db, _LINES, (account, start, end, limit))
    omitted = _count(db, account, start, end) - len(newest) if len(newest) == limit else 0
    closing = _balance_before(db, account, end)
    opening = closing - sum(line[4] for line in newest)
    others = _counterparts(db, account, newest)
    lines = _running(reversed_lines=newest, opening=opening, others=others)
    return Statement(since, until, opening, lines, closing, omitted)


def balance_changes(db: peewee.Database, club_id: int, since: datetime) -> Mapping[str, int]:
    """Return handle to the sum of his postings since an instant, for every member, by handle.

    The opening of an account, and what is brought along into it, is no change of it.
    """
    text = (
        "SELECT handle, (SELECT coalesce(sum(amount_cents), 0) FROM posting"
        " WHERE account_id = member.account_id AND at >= ? AND NOT EXISTS (SELECT 1 FROM entry"
        " WHERE entry.id = posting.entry_id AND entry.kind IN ('opening', 'carried', 'carried-back')))"
        " FROM member WHERE club_id = ? ORDER BY folded"
    )
    return dict(sql.rows(db, text, (since, club_id)))


def balances_at(
    db: peewee.Database, club_id: int, first: datetime, step: timedelta, steps: int
) -> Mapping[str, tuple[int, ...]]:
    """Return handle to his balances at an instant and after each of some equal steps, for every member.

    All is reckoned back from the balance of now, and what happened within a step is summed by the database.
    """
    start, length = to_micros(first), step // timedelta(microseconds=1)
    moved = (
        "SELECT account_id, (at - ?) / ? AS step, sum(amount_cents) AS cents FROM posting"
        " WHERE at >= ? GROUP BY account_id, step"
    )
    text = (
        "SELECT m.handle, a.balance_cents, moved.step, moved.cents"
        f" FROM member m JOIN account a ON a.id = m.account_id LEFT JOIN ({moved}) moved"
        " ON moved.account_id = a.id WHERE m.club_id = ? ORDER BY m.folded"
    )
    found: dict[str, list[int]] = {}
    for handle, balance, number, cents in sql.rows(db, text, (start, length, start, club_id)):
        balances = found.setdefault(handle, [balance] * (steps + 1))
        if number is not None:
            for earlier in range(min(number, steps) + 1):
                balances[earlier] -= cents
    return {handle: tuple(balances) for handle, balances in found.items()}


def opening_cents(db: peewee.Database, club_id: int, handle: str) -> int:
    """Return what a member's account was opened with (R-ACC-2). Raises UnknownName."""
    text = (
        "SELECT p.amount_cents FROM member m JOIN entry e ON e.club_id = m.club_id"
        " AND e.number = m.opening_entry JOIN posting p ON p.entry_id = e.id AND p.account_id = m.account_id"
        " WHERE m.id = ?"
    )
    return int(sql.value(db, text, (people.find(db, club_id, handle).id,)))


def entries_of_game(db: peewee.Database, club_id: int, number: int) -> tuple[JournalEntry, ...]:
    """Return the entries about a game, in order: results, and what took them back."""
    text = (
        "SELECT e.number, e.kind, e.at, coalesce(o.memo, ''), r.number, a.code, p.amount_cents"
        " FROM game g JOIN entry e ON e.game_id = g.id JOIN posting p ON p.entry_id = e.id"
        " JOIN account a ON a.id = p.account_id LEFT JOIN memo o ON o.entry_id = e.id"
        " LEFT JOIN entry r ON r.id = e.reverses"
        " WHERE g.club_id = ? AND g.number = ? ORDER BY e.number, p.line"
    )
    postings: defaultdict[sql.Row, list[tuple[str, int]]] = defaultdict(list)
    for *head, code, cents in sql.rows(db, text, (club_id, number)):
        postings[tuple(head)].append((code, cents))
    return tuple(
        JournalEntry(entry, kind, from_micros(at), number, memo, reverses, tuple(lines))
        for (entry, kind, at, memo, reverses), lines in postings.items()
    )


def levies_for(db: peewee.Database, club_id: int, handle: str) -> tuple[tuple[str, int], ...]:
    """R-BAN-4: (payer, cents) of joint solidarity for a member since his present ban began, by payer."""
    text = (
        "SELECT m.handle, -sum(p.amount_cents) FROM member debtor"
        " JOIN posting debt ON debt.account_id = debtor.account_id AND debt.at >= debtor.banned_at"
        " JOIN entry e ON e.id = debt.entry_id AND e.kind = 'solidarity'"
        " JOIN posting p ON p.entry_id = e.id AND p.account_id <> debtor.account_id"
        " JOIN member m ON m.account_id = p.account_id"
        " WHERE debtor.id = ? AND debt.amount_cents > 0"
        " AND NOT EXISTS (SELECT 1 FROM entry r WHERE r.reverses = e.id)"
        " GROUP BY m.id ORDER BY m.folded"
    )
    debtor = people.find(db, club_id, handle).id
    return tuple((payer, cents) for payer, cents in sql.rows(db, text, (debtor,)))


_LINES = (
    "SELECT p.at, e.kind, g.number, coalesce(o.memo, ''), p.amount_cents, p.entry_id"
    " FROM posting p JOIN entry e ON e.id = p.entry_id LEFT JOIN game g ON g.id = e.game_id"
    " LEFT JOIN memo o ON o.entry_id = e.id"
    " WHERE p.account_id = ? AND p.at >= ? AND p.at < ?"
    " ORDER BY p.at DESC, p.entry_id DESC, p.line DESC LIMIT ?"
)


def _count(db: peewee.Database, account: int, start: int, end: int) -> int:
    text = "SELECT count(*) FROM posting WHERE account_id = ? AND at >= ? AND at < ?"
    return int(sql.value(db, text, (account, start, end)))


def _balance_before(db: peewee.Database, account: int, end: int) -> int:
    """Return the balance of an account as it was at an instant."""
    text = (
        "SELECT balance_cents - (SELECT coalesce(sum(amount_cents), 0) FROM posting"
        " WHERE account_id = ? AND at >= ?) FROM account WHERE id = ?"
    )
    return int(sql.value(db, text, (account, end, account)))


def _counterparts(
    db: peewee.Database, account: int, lines: Sequence[sql.Row]
) -> Mapping[int, tuple[str, ...]]:
    """Return entry id to the handles on the other side of a transfer or a levy, by handle.

    Of a levy a contributor sees the debtor, and not the other contributors.
    """
    ids = sorted({line[5] for line in lines if line[1] in ("transfer", "solidarity")})
    text = (
        "SELECT mine.entry_id, m.handle FROM posting mine"
        " JOIN posting p ON p.entry_id = mine.entry_id AND (p.amount_cents > 0) <> (mine.amount_cents > 0)"
        " JOIN member m ON m.account_id = p.account_id"
        f" WHERE mine.account_id = ? AND mine.entry_id IN ({sql.marks(len(ids))}) ORDER BY m.folded"
    )
    found: defaultdict[int, tuple[str, ...]] = defaultdict(tuple)
    for entry_id, handle in sql.rows(db, text, (account, *ids)) if ids else ():
        found[entry_id] += (handle,)
    return found


def _running(
    reversed_lines: Sequence[sql.Row], opening: int, others: Mapping[int, tuple[str, ...]]
) -> tuple[StatementLine, ...]:
    """Put lines in order of time, each with the balance after it."""
    balance, lines = opening, []
    for at, kind, game, memo, cents, entry_id in reversed(reversed_lines):
        balance += cents
        with_whom = others.get(entry_id, ())
        lines.append(StatementLine(from_micros(at), kind, game, with_whom, memo, cents, balance))
    return tuple(lines)
