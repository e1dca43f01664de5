"""Read games and what happened to them.

However many games are asked for, three queries answer: the games, their participants, their disputes.
All three pick the games by the same condition.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import peewee

from store import people, sql
from store.instants import EARLIEST, from_micros, maybe_from_micros
from store.records import Decision, Dispute, Game, GameState, GameStep


def game(db: peewee.Database, club_id: int, number: int) -> Game | None:
    """Return a game of any state."""
    games = _load(db, "club_id = ? AND number = ?", (club_id, number))
    return games[0] if games else None


def next_number(db: peewee.Database, club_id: int) -> int:
    """Return the number that the next game gets; the first is 1."""
    text = "SELECT coalesce(max(number), 0) + 1 FROM game WHERE club_id = ?"
    return int(sql.value(db, text, (club_id,)))


def open_games(db: peewee.Database, club_id: int) -> tuple[Game, ...]:
    """Return the games that can still change: running, recent, in arbitration; by number."""
    return _load(db, f"club_id = ? AND {_OPEN}", (club_id,))


def open_games_of(db: peewee.Database, club_id: int, handle: str) -> tuple[Game, ...]:
    """Return the open games in which a member takes part, by number."""
    return _taking_part(db, club_id, handle, _OPEN)


def running_games_of(db: peewee.Database, club_id: int, handle: str) -> tuple[Game, ...]:
    """Return the running games in which a member takes part, by number."""
    return _taking_part(db, club_id, handle, "state = 'running'")


def _taking_part(db: peewee.Database, club_id: int, handle: str, state: str) -> tuple[Game, ...]:
    member = people.find(db, club_id, handle).id
    taking_part = "EXISTS (SELECT 1 FROM participant WHERE game_id = game.id AND member_id = ?)"
    return _load(db, f"club_id = ? AND {state} AND {taking_part}", (club_id, member))


def history(
    db: peewee.Database, club_id: int, handle: str | None, since: datetime | None, limit: int
) -> tuple[Game, ...]:
    """Return the newest games of any state, those of one member or all, created since an instant."""
    start = EARLIEST if since is None else since
    if handle is None:
        condition = "club_id = ? AND created_at >= ? ORDER BY number DESC LIMIT ?"
        return _load(db, condition, (club_id, start, limit), newest_first=True)
    mine = (
        "id IN (SELECT g.id FROM participant p JOIN game g ON g.id = p.game_id"
        " WHERE p.member_id = ? AND g.created_at >= ? ORDER BY p.game_id DESC LIMIT ?)"
    )
    member = people.find(db, club_id, handle).id
    return _load(db, mine, (member, start, limit), newest_first=True)


def results_between(db: peewee.Database, club_id: int, since: datetime, until: datetime) -> tuple[Game, ...]:
    """Return the games whose standing result was recorded in [since, until), by number."""
    return _load(db, "club_id = ? AND result_at >= ? AND result_at < ?", (club_id, since, until))


def window_ends(
    db: peewee.Database, club_id: int, limit: int, skipped: int = 0
) -> tuple[tuple[datetime, int], ...]:
    """Return when the windows of recent games end and the games' numbers, the first to end first."""
    text = (
        "SELECT window_ends_at, number FROM game WHERE club_id = ? AND state = 'recent'"
        " ORDER BY window_ends_at, number LIMIT ? OFFSET ?"
    )
    found = sql.rows(db, text, (club_id, limit, skipped))
    return tuple((from_micros(at), int(number)) for at, number in found)


def steps(db: peewee.Database, club_id: int, number: int) -> tuple[GameStep, ...]:
    """Return what happened to a game, in order."""
    text = (
        "SELECT s.at, s.actor, s.kind, s.details_json FROM game_step s JOIN game g ON g.id = s.game_id"
        " WHERE g.club_id = ? AND g.number = ? ORDER BY s.id"
    )
    return tuple(
        GameStep(from_micros(at), actor, kind, json.loads(details))
        for at, actor, kind, details in sql.rows(db, text, (club_id, number))
    )


def decision(db: peewee.Database, club_id: int, number: int) -> Decision | None:
    """Return the decision kept with a game (R-ARB-2), with the disputes it is about."""
    text = (
        "SELECT d.game_id, d.manager, d.verdict, d.reason, d.decided_at"
        " FROM decision d JOIN game g ON g.id = d.game_id WHERE g.club_id = ? AND g.number = ?"
    )
    found = sql.row(db, text, (club_id, number))
    if found is None:
        return None
    game_id, manager, verdict, reason, at = found
    disputes = _disputes(db, "id = ?", (game_id,))[game_id]
    about = tuple((dispute.member, dispute.reason) for dispute in disputes)
    return Decision(manager, verdict, reason, from_micros(at), about)


def last_participations(db: peewee.Database, club_id: int) -> Mapping[str, datetime]:
    """R-INA-1: handle to the latest standing result of his games, or to the day he joined.

    A standing result has a posting for every participant, at the instant of the result; so each member's
    account is read backwards until it comes upon one.
    """
    text = (
        "SELECT m.handle, coalesce((SELECT p.at FROM posting p JOIN entry e ON e.id = p.entry_id"
        " JOIN game g ON g.id = e.game_id AND g.result_entry = e.number"
        " WHERE p.account_id = m.account_id ORDER BY p.at DESC LIMIT 1), m.joined_at)"
        " FROM member m WHERE m.club_id = ? ORDER BY m.folded"
    )
    return {handle: from_micros(at) for handle, at in sql.rows(db, text, (club_id,))}


_OPEN = "state IN ('running', 'recent', 'arbitration')"


def _load(
    db: peewee.Database, condition: str, params: Sequence[Any], newest_first: bool = False
) -> tuple[Game, ...]:
    """Return the games that fulfil a condition, by number."""
    text = (
        "SELECT g.id, g.number, c.handle, g.buyin_cents, g.state, g.rulebook_version, g.created_at,"
        " g.result_at, g.window_ends_at FROM game g JOIN member c ON c.id = g.creator_id"
        f" WHERE g.id IN (SELECT id FROM game WHERE {condition})"
        f" ORDER BY g.number {'DESC' if newest_first else ''}"
    )
    found = sql.rows(db, text, params)
    if not found:
        return ()
    participants = _participants(db, condition, params)
    disputes = _disputes(db, condition, params)
    return tuple(_game(row, participants[row[0]], disputes[row[0]]) for row in found)


def _participants(
    db: peewee.Database, condition: str, params: Sequence[Any]
) -> Mapping[int, list[tuple[str, int | None]]]:
    """Return game id to (handle, place) in the order in which they were named."""
    text = (
        "SELECT p.game_id, m.handle, p.place FROM participant p JOIN member m ON m.id = p.member_id"
        f" WHERE p.game_id IN (SELECT id FROM game WHERE {condition}) ORDER BY p.game_id, p.position"
    )
    found: defaultdict[int, list[tuple[str, int | None]]] = defaultdict(list)
    for game_id, handle, place in sql.rows(db, text, params):
        found[game_id].append((handle, place))
    return found


def _disputes(db: peewee.Database, condition: str, params: Sequence[Any]) -> Mapping[int, list[Dispute]]:
    """Return game id to its disputes in the order in which they were filed."""
    text = (
        "SELECT d.game_id, m.handle, d.reason, d.filed_at, d.changed_at"
        " FROM dispute d JOIN member m ON m.id = d.member_id"
        f" WHERE d.game_id IN (SELECT id FROM game WHERE {condition})"
        " ORDER BY d.game_id, d.filed_at, m.folded"
    )
    found: defaultdict[int, list[Dispute]] = defaultdict(list)
    for game_id, handle, reason, filed_at, changed_at in sql.rows(db, text, params):
        dispute = Dispute(handle, reason, from_micros(filed_at), maybe_from_micros(changed_at))
        found[game_id].append(dispute)
    return found


def _game(row: sql.Row, players: list[tuple[str, int | None]], disputes: list[Dispute]) -> Game:
    _, number, creator, buyin_cents, state, version, created_at, result_at, window_ends_at = row
    places = {place: handle for handle, place in players if place is not None}
    return Game(
        number=number,
        creator=creator,
        buyin_cents=buyin_cents,
        state=GameState(state),
        participants=tuple(handle for handle, _ in players),
        places=dict(sorted(places.items())),
        rulebook_version=version,
        created_at=from_micros(created_at),
        result_at=maybe_from_micros(result_at),
        window_ends_at=maybe_from_micros(window_ends_at),
        disputes=tuple(disputes),
    )
