"""Games as lists show them: for PARTIES, HISTORIQUE, POURQUOI and the digest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mailflow.model import Club
from mailflow.rules.payouts import gains_cents
from store.records import Game


@dataclass(frozen=True)
class Line:
    """A game as lists show it, from the reader's side. `effect_cents` is None while no result stands.

    `paid`: how many places have a gain.
    """

    number: int
    state: str
    buyin_cents: int
    creator: str
    participants: tuple[str, ...]
    places: tuple[str, ...]
    created_at: datetime
    result_at: datetime | None
    window_ends_at: datetime | None
    disputes: int
    effect_cents: int | None
    paid: int


def line(game: Game, reader: str, club: Club) -> Line:
    """Return a game as lists show it; the effect on the reader's account if he took part."""
    effect = None
    if game.places and reader in game.participants:
        gains = gains_cents(
            game.buyin_cents, len(game.participants), dict(game.places), club.rulebook_of(game)
        )
        effect = gains.get(reader, 0) - game.buyin_cents
    places = tuple(game.places[p] for p in sorted(game.places))
    return Line(
        game.number,
        game.state.value,
        game.buyin_cents,
        game.creator,
        game.participants,
        places,
        game.created_at,
        game.result_at,
        game.window_ends_at,
        len(game.disputes),
        effect,
        len(club.rulebook_of(game).shares_percent(len(game.participants))),
    )
