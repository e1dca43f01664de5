"""What the reply address of a mail is good for: its offers, kept with its token (TRUST § 3). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mailflow.model import Club
from store.records import Answerable, ApplicationState, GameState, Offer, Token


def payload_of(answerable: Answerable) -> dict[str, Any]:
    """Return what is kept with the token of a mail that offers something."""
    return {"game": answerable.game, "offers": [_kept(one) for one in answerable.offers]}


def offers_of(token: Token) -> tuple[Offer, ...]:
    """Read what a mail offers. The oldest tokens keep verbs for one game, and no list."""
    payload = token.payload
    if "offers" in payload:
        return tuple(map(_read, payload["offers"]))
    window = datetime.fromisoformat(payload["window_ends_at"])
    return tuple(Offer(verb, {"game": payload["game"]}, window) for verb in payload["verbs"])


def can_be_taken(token: Token, club: Club) -> bool:
    """Whether something that the mail offers can still be done."""
    return any(_stands(one, club) for one in offers_of(token))


def is_offered(verb: str, arguments: Mapping[str, Any], token: Token, club: Club) -> bool:
    """Whether a command is one that the answered mail offers, about what it offers it."""
    return any(
        one.verb == verb and _is_meant(one, arguments) and _stands(one, club) for one in offers_of(token)
    )


def _is_meant(one: Offer, said: Mapping[str, Any]) -> bool:
    return all(said.get(name) == value for name, value in one.arguments.items())


def _stands(one: Offer, club: Club) -> bool:
    """Whether the result, the case or the application is still the one that the mail was about.

    Whether other papers still wait is for their own rules to say.
    """
    if one.verb == "INVITE":
        applied = club.books.application_from(one.arguments["address"])
        return applied is not None and applied.state is ApplicationState.OPEN
    if one.window_ends_at is None:
        return True
    game = club.books.game(one.arguments["game"])
    if game is None or game.window_ends_at != one.window_ends_at:
        return False
    return game.state in (GameState.RECENT, GameState.ARBITRATION)


def _kept(one: Offer) -> dict[str, Any]:
    window = None if one.window_ends_at is None else one.window_ends_at.isoformat()
    return {"verb": one.verb, "arguments": dict(one.arguments), "window_ends_at": window}


def _read(kept: Mapping[str, Any]) -> Offer:
    window = kept["window_ends_at"]
    return Offer(kept["verb"], kept["arguments"], None if window is None else datetime.fromisoformat(window))
