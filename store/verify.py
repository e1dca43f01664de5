"""Recompute everything that can be recomputed, and say where the books and the sum differ (P-10, T36).

An empty answer means: every entry balances and is sealed, every derived balance is right, every reversal
is exact, every game agrees with its entry, the audit chain is whole, the file is sound. Each check is
one query that selects what is wrong; only the audit chain is walked row by row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import peewee

from store import audit, ledger, soundness, sql


@dataclass(frozen=True)
class Finding:
    """Something that is not as it must be.

    `code` names the check, `where` the row in words of the club ("entry 12", "account member:anna"),
    `detail` the values that differ.
    """

    code: str
    where: str
    detail: Mapping[str, Any] = field(hash=False)


def verify(db: peewee.Database, club_id: int) -> tuple[Finding, ...]:
    """Return all findings, in the order of the checks and of the rows; empty when all is well."""
    file_findings = tuple(_integrity(db))
    if file_findings:
        return file_findings
    return tuple(finding for check in _CHECKS for finding in check(db, club_id))


def _integrity(db: peewee.Database) -> Iterator[Finding]:
    """The database itself; when it is damaged, nothing else can be believed."""
    for message in soundness.damages(db):
        yield Finding("file_damaged", "the file", {"message": message})


def _references(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    """Rows that refer to something that is not there: among them entries without a seal."""
    for row, parent in soundness.broken_references(db):
        yield Finding("reference_broken", row, {"missing_in": parent})


def _entries_balance(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    text = (
        "SELECT e.number, count(p.line), coalesce(sum(p.amount_cents), 0) FROM entry e"
        " LEFT JOIN posting p ON p.entry_id = e.id WHERE e.club_id = ?"
        " GROUP BY e.id HAVING count(p.line) < 2 OR sum(p.amount_cents) <> 0 ORDER BY e.number"
    )
    for number, postings, cents in sql.rows(db, text, (club_id,)):
        yield Finding("entry_unbalanced", f"entry {number}", {"postings": postings, "sum_cents": cents})


def _entries_are_sealed(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    text = (
        "SELECT number FROM entry WHERE club_id = ? AND id NOT IN (SELECT entry_id FROM seal) ORDER BY number"
    )
    for (number,) in sql.rows(db, text, (club_id,)):
        yield Finding("entry_unsealed", f"entry {number}", {})


def _postings_belong(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    text = (
        "SELECT e.number, p.line FROM entry e JOIN posting p ON p.entry_id = e.id"
        " JOIN account a ON a.id = p.account_id"
        " WHERE e.club_id = ? AND (a.club_id <> e.club_id OR p.at <> e.at) ORDER BY e.number, p.line"
    )
    for number, line in sql.rows(db, text, (club_id,)):
        yield Finding("posting_astray", f"entry {number}", {"line": line})


def _journal_is_zero(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    text = (
        "SELECT coalesce(sum(p.amount_cents), 0) FROM posting p JOIN account a ON a.id = p.account_id"
        " WHERE a.club_id = ?"
    )
    total = sql.value(db, text, (club_id,))
    if total:
        yield Finding("journal_unbalanced", "the journal", {"sum_cents": total})


def _balances_are_derived(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    text = (
        "SELECT code, balance_cents, recomputed FROM (SELECT a.code, a.balance_cents,"
        " (SELECT coalesce(sum(amount_cents), 0) FROM posting WHERE account_id = a.id) AS recomputed"
        " FROM account a WHERE a.club_id = ?) AS sums WHERE balance_cents <> recomputed ORDER BY code"
    )
    for code, kept, recomputed in sql.rows(db, text, (club_id,)):
        detail = {"kept_cents": kept, "recomputed_cents": recomputed}
        yield Finding("balance_wrong", f"account {code}", detail)


def _credits_are_there(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    """R-ACC-2: members hold the initial credits opened less those closed, and what they brought along."""
    text = (
        "SELECT coalesce(sum(p.amount_cents), 0),"
        " coalesce(sum(CASE WHEN e.kind IN ('opening', 'closing', 'carried', 'carried-back')"
        " THEN p.amount_cents ELSE 0 END), 0)"
        " FROM member m JOIN posting p ON p.account_id = m.account_id JOIN entry e ON e.id = p.entry_id"
        " WHERE m.club_id = ?"
    )
    held, given = sql.rows(db, text, (club_id,))[0]
    if held != given:
        yield Finding("credits_wrong", "the members", {"held_cents": held, "given_cents": given})


def _reversals_are_opposite(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    """Account by account, an entry and its reversal cancel out; only reversals and closings reverse."""
    text = (
        "SELECT r.number, e.number, a.code, sum(p.amount_cents) FROM entry r"
        " JOIN entry e ON e.id = r.reverses JOIN posting p ON p.entry_id IN (r.id, e.id)"
        " JOIN account a ON a.id = p.account_id WHERE r.club_id = ?"
        " GROUP BY r.id, e.id, a.id HAVING sum(p.amount_cents) <> 0 ORDER BY r.number, a.code"
    )
    for number, reversed_number, code, cents in sql.rows(db, text, (club_id,)):
        detail = {"reverses": reversed_number, "account": code, "left_cents": cents}
        yield Finding("reversal_inexact", f"entry {number}", detail)


def _games_have_their_entry(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    """A game names as its result the one result entry about it that is not reversed, or none.

    A game taken over from a file names the entry that its row brought about (`store.imports`).
    """
    text = (
        "SELECT g.number, g.state, g.result_entry, coalesce(s.number, i.entry) FROM game g LEFT JOIN"
        " (SELECT e.game_id, min(e.number) AS number, count(*) AS found FROM entry e"
        " LEFT JOIN entry r ON r.reverses = e.id WHERE e.kind = 'result' AND r.id IS NULL"
        " AND e.club_id = ? GROUP BY e.game_id) s ON s.game_id = g.id"
        " LEFT JOIN (SELECT r.club_id, r.game, r.entry FROM import_row r JOIN import_batch b"
        " ON b.club_id = r.club_id AND b.number = r.batch WHERE b.undone_at IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM entry o JOIN entry x ON x.id = o.reverses WHERE x.club_id = r.club_id"
        " AND x.number = r.entry)) i ON i.club_id = g.club_id AND i.game = g.number WHERE g.club_id = ?"
        " AND (coalesce(g.result_entry, 0) <> coalesce(s.number, i.entry, 0) OR coalesce(s.found, 1) <> 1)"
        " ORDER BY g.number"
    )
    for number, state, named, standing in sql.rows(db, text, (club_id, club_id)):
        detail = {"state": state, "named": named, "standing": standing}
        yield Finding("result_wrong", f"game {number}", detail)


def _games_agree_with_entry(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    """R-RES-4: a buy-in from every participant, gains to placed ones only, in all the pot."""
    text = (
        "SELECT number, players, buyins, gains_cents, strangers FROM (SELECT g.number, g.buyin_cents,"
        " (SELECT count(*) FROM participant WHERE game_id = g.id) AS players,"
        " count(CASE WHEN p.amount_cents = -g.buyin_cents THEN 1 END) AS buyins,"
        " sum(CASE WHEN p.amount_cents > 0 THEN p.amount_cents ELSE 0 END) AS gains_cents,"
        " count(CASE WHEN t.member_id IS NULL OR (p.amount_cents > 0 AND t.place IS NULL) THEN 1 END)"
        " AS strangers FROM game g JOIN entry e ON e.club_id = g.club_id AND e.number = g.result_entry"
        " JOIN posting p ON p.entry_id = e.id LEFT JOIN member m ON m.account_id = p.account_id"
        " LEFT JOIN participant t ON t.game_id = g.id AND t.member_id = m.id"
        " WHERE g.club_id = ? GROUP BY g.id) AS results WHERE strangers > 0 OR buyins <> players"
        " OR gains_cents <> players * buyin_cents ORDER BY number"
    )
    for number, players, buyins, gains_cents, strangers in sql.rows(db, text, (club_id,)):
        detail = {
            "participants": players,
            "buyins": buyins,
            "gains_cents": gains_cents,
            "strangers": strangers,
        }
        yield Finding("result_differs", f"game {number}", detail)


def _entries_are_as_audited(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    """T36: the chain bears a digest of each entry, so none is changed, taken out or slipped in unseen."""
    text = "SELECT payload_json FROM audit WHERE club_id = ? AND kind = 'entry' ORDER BY number"
    rows = [json.loads(payload) for (payload,) in sql.rows(db, text, (club_id,))]
    audited = {row.get("number", 0): row.get("digest") for row in rows}
    kept = {number: ledger.digest(said) for number, said in ledger.contents(db, club_id).items()}
    for number in sorted(audited.keys() | kept.keys()):
        if audited.get(number) != kept.get(number):
            detail = {"audited": audited.get(number), "kept": kept.get(number)}
            yield Finding("entry_not_as_audited", f"entry {number}", detail)


def _mails_are_audited(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    """P-3: a mail that has ended left its row in the chain; where the chain was cut, it is missing."""
    text = (
        "SELECT 'mail:' || number FROM inbox WHERE club_id = ? AND state <> 'received'"
        " EXCEPT SELECT cause FROM audit WHERE club_id = ? AND kind = 'mail' ORDER BY 1"
    )
    for (cause,) in sql.rows(db, text, (club_id, club_id)):
        yield Finding("mail_not_audited", cause.replace(":", " "), {})


def _chain_is_whole(db: peewee.Database, club_id: int) -> Iterator[Finding]:
    """P-10: the first row whose number or hash is not what it must be; later ones follow from it."""
    text = "SELECT number, at, cause, kind, payload_json, hash FROM audit WHERE club_id = ? ORDER BY number"
    previous = audit.GENESIS
    for expected, row in enumerate(sql.rows(db, text, (club_id,)), 1):
        number, at, cause, kind, payload, kept = row
        previous = audit.chained(previous, number, at, cause, kind, payload)
        if number != expected or kept != previous:
            yield Finding("chain_broken", f"audit {number}", {"kept": kept, "recomputed": previous})
            return


_CHECKS: tuple[Callable[[peewee.Database, int], Iterator[Finding]], ...] = (
    _references,
    _entries_are_sealed,
    _entries_balance,
    _postings_belong,
    _journal_is_zero,
    _balances_are_derived,
    _credits_are_there,
    _reversals_are_opposite,
    _games_have_their_entry,
    _games_agree_with_entry,
    _entries_are_as_audited,
    _mails_are_audited,
    _chain_is_whole,
)
