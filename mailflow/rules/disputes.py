"""R-DIS: who may dispute a result, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mailflow.model import Check, Club, Refusal
from store.records import Dispute, Game, GameState, Member


@dataclass(frozen=True)
class Objection:
    """A dispute filed, changed or withdrawn. `received_at`: when our mailbox had the mail (R-DIS-5)."""

    game: Game
    author: Member
    received_at: datetime

    @property
    def standing(self) -> Dispute | None:
        return next((d for d in self.game.disputes if d.member == self.author.handle), None)


def disputer_took_part(objection: Objection, _: Club) -> Refusal | None:
    """R-DIS-1: a participant of the game."""
    if objection.author.handle in objection.game.participants:
        return None
    return Refusal("R-DIS-1", "not_a_participant", {"game": objection.game.number})


def disputer_is_not_the_creator(objection: Objection, _: Club) -> Refusal | None:
    """R-DIS-1: not the creator, whose result it is."""
    if objection.author.handle != objection.game.creator:
        return None
    return Refusal("R-DIS-1", "creator_cannot_dispute", {"game": objection.game.number})


def window_is_open(objection: Objection, _: Club) -> Refusal | None:
    """R-DIS-1, R-DIS-5: while the game is recent, by the time our mailbox received the mail."""
    game = objection.game
    if game.state is not GameState.RECENT or game.window_ends_at is None:
        return Refusal("R-DIS-1", "game_not_recent", {"game": game.number, "state": game.state.value})
    if objection.received_at >= game.window_ends_at:
        figures = {"game": game.number, "window_ends_at": game.window_ends_at}
        return Refusal("R-DIS-1", "window_is_over", figures)
    return None


def there_is_a_dispute(objection: Objection, _: Club) -> Refusal | None:
    """R-DIS-2: only his own standing dispute can be withdrawn."""
    if objection.standing is not None:
        return None
    return Refusal("R-DIS-2", "no_dispute_to_withdraw", {"game": objection.game.number})


DISPUTE_CHECKS: tuple[Check[Objection], ...] = (
    disputer_took_part,
    disputer_is_not_the_creator,
    window_is_open,
)
WITHDRAW_CHECKS: tuple[Check[Objection], ...] = (window_is_open, there_is_a_dispute)
