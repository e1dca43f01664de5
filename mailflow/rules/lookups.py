"""Finding what a member named: a member by handle, a game by number, or the refusal that says no."""

from __future__ import annotations

from mailflow.model import Club, Refusal, Request
from mailflow.suggestions import nearest
from store.records import Game, Member


def member_named(handle: str, club: Club, rule: str) -> Member | Refusal:
    """Return the member with an open account; the refusal suggests the nearest handles."""
    member = club.member(handle)
    if member is not None:
        return member
    near = nearest(handle, [m.handle for m in club.account_holders])
    return Refusal(rule, "member_unknown", {"handle": handle, "nearest": near})


def game_of(request: Request, club: Club, rule: str) -> Game | Refusal:
    """Return the game that the request names, or that its thread tells."""
    number = request.game_number
    if number is None:
        return Refusal(rule, "game_not_named", {"verb": request.verb})
    game = club.books.game(number)
    return Refusal(rule, "game_unknown", {"game": number}) if game is None else game
