"""R-ARB: the manager decides a case."""

from __future__ import annotations

from dataclasses import dataclass

from mailflow.model import Check, Club, Refusal
from store.records import Game, GameState, Member


@dataclass(frozen=True)
class Ruling:
    game: Game
    manager: Member


def game_is_in_arbitration(ruling: Ruling, _: Club) -> Refusal | None:
    """R-ARB-1: only in arbitration; R-ARB-4: a second decision on the same case is refused."""
    if ruling.game.state is GameState.ARBITRATION:
        return None
    figures = {"game": ruling.game.number, "state": ruling.game.state.value}
    return Refusal("R-ARB-1", "game_not_in_arbitration", figures)


def manager_is_impartial(ruling: Ruling, club: Club) -> Refusal | None:
    """R-ARB-1: a manager who took part gives way to one who did not, where there is one."""
    if ruling.manager.handle not in ruling.game.participants:
        return None
    others = club.impartial_managers(ruling.game)
    if not others:
        return None
    figures = {"game": ruling.game.number, "managers": [m.handle for m in others]}
    return Refusal("R-ARB-1", "manager_took_part", figures)


RULING_CHECKS: tuple[Check[Ruling], ...] = (game_is_in_arbitration, manager_is_impartial)
