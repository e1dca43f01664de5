"""R-RES-1: who records a result, and when. The sums are in payouts.py."""

from __future__ import annotations

from dataclasses import dataclass

from mailflow.model import Check, Club, Refusal
from store.records import Game, GameState, Member


@dataclass(frozen=True)
class NewResult:
    game: Game
    author: Member


def only_the_creator_records(result: NewResult, _: Club) -> Refusal | None:
    """R-RES-1: only the creator records the result."""
    if result.game.creator == result.author.handle:
        return None
    return Refusal("R-RES-1", "not_the_creator", {"game": result.game.number, "creator": result.game.creator})


def game_is_still_running(result: NewResult, _: Club) -> Refusal | None:
    """R-RES-1: only while the game is running; R-RES-6: a recorded result stands."""
    if result.game.state is GameState.RUNNING:
        return None
    figures = {"game": result.game.number, "state": result.game.state.value}
    return Refusal("R-RES-1", "game_not_running", figures)


RESULT_CHECKS: tuple[Check[NewResult], ...] = (only_the_creator_records, game_is_still_running)
