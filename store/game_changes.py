"""Write the life of a game (R-GAME-1). Each change leaves a step, which nothing removes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from store import audit, ledger, people, sql, tables
from store.errors import UnknownName, WrongState
from store.records import (
    AcceptDisputes,
    CancelGame,
    ChangeGame,
    CloseWindow,
    CreateGame,
    EndArbitration,
    FileDispute,
    GameState,
    RecordResult,
    RejectDisputes,
    WithdrawDispute,
    member_account,
)
from store.writing import Writing


def create_game(writing: Writing, change: CreateGame) -> None:
    """R-GAME-2 to R-GAME-4."""
    game_id = sql.insert_id(
        writing.db,
        tables.Game,
        club_id=writing.club_id,
        number=change.number,
        creator_id=writing.person(change.creator).id,
        buyin_cents=change.buyin_cents,
        state=GameState.RUNNING,
        rulebook_version=change.rulebook_version,
        created_at=writing.at,
    )
    players = _seat(writing, game_id, change.participants)
    details = {"buyin_cents": change.buyin_cents, "participants": players}
    _step(writing, game_id, change.creator, "created", details)


def change_game(writing: Writing, change: ChangeGame) -> None:
    """R-GAME-5, R-BAN-2."""
    game = _game_in(writing, change.game, GameState.RUNNING)
    sql.run(writing.db, "UPDATE game SET buyin_cents = ? WHERE id = ?", (change.buyin_cents, game.id))
    sql.run(writing.db, "DELETE FROM participant WHERE game_id = ?", (game.id,))
    players = _seat(writing, game.id, change.participants)
    details = {"buyin_cents": change.buyin_cents, "participants": players}
    kind = "changed" if change.because_banned is None else "player_banned"
    _step(writing, game.id, change.actor, kind, details | _banned(change.because_banned))


def cancel_game(writing: Writing, change: CancelGame) -> None:
    """R-GAME-7, R-BAN-2."""
    game = _game_in(writing, change.game, GameState.RUNNING)
    _move(writing, game.id, GameState.CANCELLED)
    _step(writing, game.id, change.actor, "cancelled", _banned(change.because_banned))


def record_result(writing: Writing, change: RecordResult) -> None:
    """R-RES-4: one entry takes the buy-in of every participant and gives the gains."""
    game = _game_in(writing, change.game, GameState.RUNNING)
    players = _players(writing, game.id)
    winners = people.find_all(writing.db, writing.club_id, {*change.places.values(), *change.gains_cents})
    buyins = [(member_account(handle), -game.buyin_cents) for handle in players]
    gains = [(winners[handle].account, cents) for handle, cents in change.gains_cents.items()]
    entry = ledger.post(
        writing.db,
        writing.club_id,
        "result",
        writing.at,
        buyins + gains,
        writing.effect_key,
        game=change.game,
    )
    _place(writing, game.id, {winners[handle].id: place for place, handle in change.places.items()})
    text = (
        "UPDATE game SET state = 'recent', result_at = ?, window_ends_at = ?, result_entry = ? WHERE id = ?"
    )
    sql.run(writing.db, text, (writing.at, change.window_ends_at, entry, game.id))
    places = {str(place): winners[handle].handle for place, handle in sorted(change.places.items())}
    _step(writing, game.id, change.actor, "result", {"places": places, "entry": entry})


def file_dispute(writing: Writing, change: FileDispute) -> None:
    """R-DIS-1, R-DIS-2: a second one of the same member replaces his reason."""
    game = _game_in(writing, change.game, GameState.RECENT)
    person = writing.person(change.member)
    text = "UPDATE dispute SET reason = ?, changed_at = ? WHERE game_id = ? AND member_id = ?"
    values = (change.reason, change.received_at, game.id, person.id)
    replaced = sql.run(writing.db, text, values).rowcount
    if not replaced:
        sql.insert(
            writing.db,
            tables.Dispute,
            game_id=game.id,
            member_id=person.id,
            reason=change.reason,
            filed_at=change.received_at,
        )
    _step(writing, game.id, person.handle, "dispute_changed" if replaced else "disputed", {})


def withdraw_dispute(writing: Writing, change: WithdrawDispute) -> None:
    """R-DIS-2, R-BAN-2."""
    game = _game_in(writing, change.game, GameState.RECENT, GameState.ARBITRATION)
    person = writing.person(change.member)
    text = "DELETE FROM dispute WHERE game_id = ? AND member_id = ?"
    if sql.run(writing.db, text, (game.id, person.id)).rowcount != 1:
        raise UnknownName(f"{person.handle} has no dispute of game {change.game}")
    banned = _banned(person.handle if change.because_banned else None)
    _step(writing, game.id, person.handle, "dispute_withdrawn", banned)


def close_window(writing: Writing, change: CloseWindow) -> None:
    """R-DIS-4."""
    game = _game_in(writing, change.game, GameState.RECENT)
    if change.state not in (GameState.FINAL, GameState.ARBITRATION):
        raise WrongState(f"a window cannot end in {change.state}")
    _move(writing, game.id, change.state)
    _step(writing, game.id, None, _END_OF_WINDOW[change.state], {})


def end_arbitration(writing: Writing, change: EndArbitration) -> None:
    """R-BAN-2: the last dispute is gone, so the window is closed after all."""
    game = _game_in(writing, change.game, GameState.ARBITRATION)
    _move(writing, game.id, GameState.FINAL)
    _step(writing, game.id, None, "window_closed", {})


def reject_disputes(writing: Writing, change: RejectDisputes) -> None:
    """R-ARB-2: the disputes and the decision stay with the game."""
    game = _game_in(writing, change.game, GameState.ARBITRATION)
    _move(writing, game.id, GameState.FINAL)
    sql.insert(
        writing.db,
        tables.Decision,
        game_id=game.id,
        manager=change.manager,
        verdict="rejected",
        reason=change.reason,
        decided_at=writing.at,
    )
    _step(writing, game.id, change.manager, "rejected", {})


def accept_disputes(writing: Writing, change: AcceptDisputes) -> None:
    """R-ARB-3, R-ARB-5: the result is taken back, and the words of the disputes with it."""
    game = _game_in(writing, change.game, GameState.ARBITRATION)
    if change.state not in (GameState.RUNNING, GameState.CANCELLED):
        raise WrongState(f"an accepted case cannot become {change.state}")
    taken_back = ledger.reverse(
        writing.db, writing.club_id, game.result_entry, writing.at, writing.effect_key
    )
    sql.run(writing.db, "DELETE FROM dispute WHERE game_id = ?", (game.id,))
    sql.run(writing.db, "UPDATE participant SET place = NULL WHERE game_id = ?", (game.id,))
    text = (
        "UPDATE game SET state = ?, result_at = NULL, window_ends_at = NULL, result_entry = NULL WHERE id = ?"
    )
    sql.run(writing.db, text, (change.state, game.id))
    _step(writing, game.id, change.manager, "accepted", {"entry": taken_back})


_END_OF_WINDOW = {GameState.FINAL: "window_closed", GameState.ARBITRATION: "arbitration"}


@dataclass(frozen=True)
class _StoredGame:
    """`result_entry` is the number of the entry that stands; 0 where none does."""

    id: int
    buyin_cents: int
    result_entry: int


def _game_in(writing: Writing, number: int, *states: GameState) -> _StoredGame:
    """Return a game that is in one of these states. Raises UnknownName, WrongState."""
    text = "SELECT id, state, buyin_cents, result_entry FROM game WHERE club_id = ? AND number = ?"
    found = sql.row(writing.db, text, (writing.club_id, number))
    if found is None:
        raise UnknownName(f"no game {number}")
    game_id, state, buyin_cents, result_entry = found
    if state not in states:
        raise WrongState(f"game {number} is {state}, not {' or '.join(states)}")
    return _StoredGame(game_id, buyin_cents, result_entry or 0)


def _move(writing: Writing, game_id: int, state: GameState) -> None:
    sql.run(writing.db, "UPDATE game SET state = ? WHERE id = ?", (state, game_id))


def _seat(writing: Writing, game_id: int, handles: Sequence[str]) -> list[str]:
    """Write the participants in the order given, and return their handles as registered."""
    people_by_handle = people.find_all(writing.db, writing.club_id, handles)
    seated = [people_by_handle[handle] for handle in handles]
    text = sql.insert_text(tables.Participant, "game_id", "member_id", "position")
    rows = [(game_id, person.id, position) for position, person in enumerate(seated, 1)]
    sql.run_many(writing.db, text, rows)
    return [person.handle for person in seated]


def _players(writing: Writing, game_id: int) -> list[str]:
    text = (
        "SELECT m.handle FROM participant p JOIN member m ON m.id = p.member_id"
        " WHERE p.game_id = ? ORDER BY p.position"
    )
    return [handle for (handle,) in sql.rows(writing.db, text, (game_id,))]


def _place(writing: Writing, game_id: int, places: Mapping[int, int]) -> None:
    """Write member id to paid place. Raises UnknownName for one who takes no part."""
    text = "UPDATE participant SET place = ? WHERE game_id = ? AND member_id = ?"
    rows = [(place, game_id, member) for member, place in places.items()]
    if sql.run_many(writing.db, text, rows) != len(places):
        raise UnknownName("a paid place is given to somebody who takes no part")


def _banned(handle: str | None) -> dict[str, Any]:
    return {} if handle is None else {"because_banned": handle}


def _step(writing: Writing, game_id: int, actor: str | None, kind: str, details: Mapping[str, Any]) -> None:
    sql.insert(
        writing.db,
        tables.GameStep,
        game_id=game_id,
        at=writing.at,
        actor=actor,
        kind=kind,
        details_json=audit.canonical(details),
    )
