"""What was taken over from a file: batches, their rows, and the entries and games that these brought about.

History is booked when it is taken over, for the journal is append-only; the day that it is about stands with
it. A game of history has an entry that bears no game, so that undoing can take its row away and leaves, like
everything that is undone, only an entry and its reversal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import peewee

from store import audit, ledger, people, sql, tables, tokens
from store.instants import from_micros, maybe_from_micros
from store.records import GameState
from store.writing import Writing

OPENING_BALANCES = "equity:opening-balances"
"""Code of the account that faces the balances which members bring along."""
CARRIED, CARRIED_BACK, HISTORY = "carried", "carried-back", "history"
"""Kinds of entries: a balance taken over, the same undone, a game of before."""


@dataclass(frozen=True)
class Batch:
    """A file that was taken over. `rows`: how many of its rows were new."""

    number: int
    kind: str
    name: str
    rows: int
    imported_at: datetime
    undone_at: datetime | None


@dataclass(frozen=True)
class PastGame:
    """A game that was over before. `players`: handles, as they are listed; `places`: the paid ones."""

    number: int
    played_at: datetime
    buyin_cents: int
    players: tuple[str, ...]
    places: Mapping[int, str]
    gains_cents: Mapping[str, int]
    rulebook_version: int


@dataclass(frozen=True)
class Later:
    """Something that was booked, or is going on, on an account that a batch touched."""

    member: str
    entry: int | None
    game: int | None


def batches(db: peewee.Database, club_id: int) -> tuple[Batch, ...]:
    """Return all batches, undone ones included, in order."""
    text = (
        "SELECT b.number, b.kind, b.name, (SELECT count(*) FROM import_row r WHERE r.club_id = b.club_id"
        " AND r.batch = b.number), b.imported_at, b.undone_at FROM import_batch b WHERE b.club_id = ?"
        " ORDER BY b.number"
    )
    return tuple(
        Batch(number, kind, name, int(rows), from_micros(at), maybe_from_micros(undone))
        for number, kind, name, rows, at, undone in sql.rows(db, text, (club_id,))
    )


def known(db: peewee.Database, club_id: int) -> Mapping[str, int]:
    """Return the key of each row that was taken over, and not undone, to the number of its batch."""
    text = (
        "SELECT r.row_key, r.batch FROM import_row r JOIN import_batch b ON b.club_id = r.club_id"
        " AND b.number = r.batch WHERE r.club_id = ? AND b.undone_at IS NULL"
    )
    return dict(sql.rows(db, text, (club_id,)))


def free_again(db: peewee.Database, club_id: int) -> frozenset[str]:
    """Return the handles of those whose account was opened by an import that was undone, and not since."""
    text = (
        "SELECT m.handle FROM member m JOIN import_row r ON r.club_id = m.club_id"
        " AND r.entry = m.opening_entry JOIN import_batch b ON b.club_id = r.club_id AND b.number = r.batch"
        " WHERE m.club_id = ? AND m.status = 'left' AND b.kind = 'members' AND b.undone_at IS NOT NULL"
    )
    return frozenset(handle for (handle,) in sql.rows(db, text, (club_id,)))


def opened(db: peewee.Database, club_id: int, number: int) -> frozenset[str]:
    """Return the handles whose accounts a batch opened."""
    text = (
        "SELECT m.handle FROM member m JOIN import_row r ON r.club_id = m.club_id"
        " AND r.entry = m.opening_entry WHERE m.club_id = ? AND r.batch = ?"
    )
    return frozenset(handle for (handle,) in sql.rows(db, text, (club_id, number)))


def batch_of_entry(db: peewee.Database, club_id: int, entry: int) -> int | None:
    """Return which batch brought an entry about, if one did."""
    text = "SELECT batch FROM import_row WHERE club_id = ? AND entry = ?"
    found = sql.value(db, text, (club_id, entry))
    return None if found is None else int(found)


def moved_since_opening(db: peewee.Database, club_id: int, handle: str) -> bool:
    """Whether anything that stands was booked on a member's account since it was opened."""
    person = people.find(db, club_id, handle)
    text = (
        "SELECT count(*) FROM posting p JOIN entry e ON e.id = p.entry_id WHERE p.account_id = ?"
        f" AND e.number > ? AND {_STANDS}"
    )
    return bool(sql.value(db, text, (person.account_id, person.opening_entry)))


_STANDS = "e.reverses IS NULL AND NOT EXISTS (SELECT 1 FROM entry r WHERE r.reverses = e.id)"

# ---------------------------------------------------------------- taking over


def begin(db: peewee.Database, club_id: int, kind: str, name: str, at: datetime) -> int:
    """Begin a batch and return its number."""
    text = "SELECT coalesce(max(number), 0) + 1 FROM import_batch WHERE club_id = ?"
    number = int(sql.value(db, text, (club_id,)))
    sql.insert(db, tables.ImportBatch, club_id=club_id, number=number, kind=kind, name=name, imported_at=at)
    return number


def end(db: peewee.Database, club_id: int, number: int, kind: str, rows: int, at: datetime) -> None:
    """Put a batch into the audit chain."""
    audit.record(db, club_id, at, f"import:{number}", "import", {"kind": kind, "rows": rows})


def note(
    db: peewee.Database,
    club_id: int,
    batch: int,
    line: int,
    key: str,
    entry: int | None,
    game: int | None = None,
) -> None:
    """Note a row and what it brought about."""
    sql.insert(
        db,
        tables.ImportRow,
        club_id=club_id,
        batch=batch,
        line=line,
        row_key=key,
        entry=entry,
        game=game,
    )


def carry(writing: Writing, handle: str, cents: int, day: str) -> int | None:
    """Bring a member's account from what it was opened with to more or less; None where nothing lacks."""
    if cents == 0:
        return None
    if OPENING_BALANCES not in ledger.balances(writing.db, writing.club_id):
        ledger.open_account(writing.db, writing.club_id, OPENING_BALANCES)
    postings = [(writing.person(handle).account, cents), (OPENING_BALANCES, -cents)]
    return _post(writing, CARRIED, postings, day)


def play(writing: Writing, game: PastGame, day: str) -> int:
    """Write a game that was over before, and its entry (R-RES-4); return the entry's number."""
    seated = people.find_all(writing.db, writing.club_id, game.players)
    buyins = [(seated[handle].account, -game.buyin_cents) for handle in game.players]
    gains = [(seated[handle].account, cents) for handle, cents in game.gains_cents.items()]
    entry = _post(writing, HISTORY, buyins + gains, day)
    game_id = sql.insert_id(
        writing.db,
        tables.Game,
        club_id=writing.club_id,
        number=game.number,
        creator_id=seated[game.players[0]].id,
        buyin_cents=game.buyin_cents,
        state=GameState.FINAL,
        rulebook_version=game.rulebook_version,
        created_at=game.played_at,
        result_at=game.played_at,
        window_ends_at=game.played_at,
        result_entry=entry,
    )
    places = {handle: place for place, handle in game.places.items()}
    for position, handle in enumerate(game.players, 1):
        sql.insert(
            writing.db,
            tables.Participant,
            game_id=game_id,
            member_id=seated[handle].id,
            position=position,
            place=places.get(handle),
        )
    _steps(writing, game_id, game)
    return entry


def _steps(writing: Writing, game_id: int, game: PastGame) -> None:
    created = {"buyin_cents": game.buyin_cents, "participants": list(game.players)}
    result = {"places": {str(place): handle for place, handle in sorted(game.places.items())}}
    for kind, details in (("created", created), ("result", result)):
        sql.insert(
            writing.db,
            tables.GameStep,
            game_id=game_id,
            at=game.played_at,
            actor=game.players[0],
            kind=kind,
            details_json=audit.canonical(details),
        )


def _post(writing: Writing, kind: str, postings: Sequence[tuple[str, int]], day: str) -> int:
    key = writing.effect_key
    return ledger.post(writing.db, writing.club_id, kind, writing.at, postings, key, memo=day)


# ---------------------------------------------------------------- undoing


def later(db: peewee.Database, club_id: int, number: int) -> tuple[Later, ...]:
    """Return what depends on a batch: entries that stand, and games that go on, of members it touched."""
    entries = "SELECT entry FROM import_row WHERE club_id = ? AND batch = ? AND entry IS NOT NULL"
    touched = (
        "SELECT m.id FROM member m JOIN posting t ON t.account_id = m.account_id"
        f" JOIN entry te ON te.id = t.entry_id WHERE te.club_id = ? AND te.number IN ({entries})"
    )
    text = (
        "SELECT m.handle, min(e.number) FROM posting p JOIN entry e ON e.id = p.entry_id"
        f" JOIN member m ON m.account_id = p.account_id WHERE m.id IN ({touched})"
        f" AND e.number > (SELECT min(entry) FROM ({entries}) AS own) AND e.number NOT IN ({entries})"
        f" AND {_STANDS} GROUP BY m.handle ORDER BY m.handle"
    )
    own = (club_id, number)
    booked = [Later(h, int(e), None) for h, e in sql.rows(db, text, (club_id, *own, *own, *own))]
    text = (
        "SELECT m.handle, g.number FROM participant p JOIN member m ON m.id = p.member_id"
        " JOIN game g ON g.id = p.game_id WHERE g.state IN ('running', 'recent', 'arbitration')"
        f" AND m.id IN ({touched}) ORDER BY g.number, m.handle"
    )
    return (*booked, *(Later(h, None, int(g)) for h, g in sql.rows(db, text, (club_id, *own))))


def undo(db: peewee.Database, club_id: int, number: int, at: datetime) -> None:
    """Take back a batch on which nothing depends: entries are reversed, accounts closed, games taken out."""
    text = "SELECT kind FROM import_batch WHERE club_id = ? AND number = ?"
    kind = sql.value(db, text, (club_id, number))
    text = "SELECT line, entry, game FROM import_row WHERE club_id = ? AND batch = ? ORDER BY line DESC"
    rows = sql.rows(db, text, (club_id, number))
    for line, entry, game in rows:
        key = f"import:{number}:{line}:undo"
        if entry is not None:
            ledger.reverse(db, club_id, entry, at, key, _REVERSALS[kind])
        if kind == "members":
            _close(db, club_id, entry, at)
        if game is not None:
            _take_out(db, club_id, game)
    text = "UPDATE import_batch SET undone_at = ? WHERE club_id = ? AND number = ?"
    sql.run(db, text, (at, club_id, number))
    audit.record(db, club_id, at, f"import:{number}:undo", "import_undone", {"rows": len(rows)})


_REVERSALS = {"members": "closing", "balances": CARRIED_BACK, "games": "reversal"}


def _close(db: peewee.Database, club_id: int, opening: int, at: datetime) -> None:
    """His address is free again, for it may have been a mistake."""
    text = "SELECT id, handle FROM member WHERE club_id = ? AND opening_entry = ?"
    member, handle = sql.rows(db, text, (club_id, opening))[0]
    sql.run(db, "UPDATE member SET status = 'left', left_at = ? WHERE id = ?", (at, member))
    sql.run(db, "DELETE FROM address WHERE member_id = ?", (member,))
    tokens.revoke_all(db, club_id, handle)


def _take_out(db: peewee.Database, club_id: int, number: int) -> None:
    game = sql.value(db, "SELECT id FROM game WHERE club_id = ? AND number = ?", (club_id, number))
    for table in ("game_step", "participant"):
        sql.run(db, f"DELETE FROM {table} WHERE game_id = ?", (game,))
    sql.run(db, "DELETE FROM game WHERE id = ?", (game,))
