"""Notices that more than one chapter sends: of results, changes, cancellations, withdrawals.

CONTRACTS, "Who gets what", is what decides their recipients.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from mailflow.model import Club, Notice
from mailflow.rulebook import Rulebook
from store.records import Game


def game_facts(
    number: int, creator: str, buyin_cents: int, participants: Iterable[str], rulebook: Rulebook
) -> dict[str, Any]:
    """Return what every notice about a game shows of it; `paid`: how many places are paid."""
    players = list(participants)
    return {
        "number": number,
        "creator": creator,
        "buyin_cents": buyin_cents,
        "participants": players,
        "pot_cents": buyin_cents * len(players),
        "paid": len(rulebook.shares_percent(len(players))),
    }


def facts_of(game: Game, club: Club) -> dict[str, Any]:
    rulebook = club.rulebook_of(game)
    return game_facts(game.number, game.creator, game.buyin_cents, game.participants, rulebook)


def result_notice(
    game: Mapping[str, Any],
    places: Mapping[int, str],
    gains_cents: Mapping[str, int],
    window_ends_at: datetime,
) -> Notice:
    """R-RES-5: to every participant: the result, the effect on his own account, the window."""
    ranking = [{"place": p, "handle": h, "gain_cents": gains_cents[h]} for p, h in sorted(places.items())]
    own = {
        handle: {
            "gain_cents": gains_cents.get(handle, 0),
            "effect_cents": gains_cents.get(handle, 0) - game["buyin_cents"],
            "may_dispute": handle != game["creator"],
        }
        for handle in game["participants"]
    }
    facts = {"game": game, "ranking": ranking, "window_ends_at": window_ends_at}
    return Notice("game.result", tuple(game["participants"]), game["number"], facts, own)


def cancelled_notice(game: Game, by: str, besides: str, club: Club, banned: str | None = None) -> Notice:
    """R-GAME-8, R-BAN-1: to the participants but `besides`; `banned` says whose ban did it."""
    to = tuple(p for p in game.participants if p != besides)
    return Notice(
        "game.cancelled", to, game.number, {"game": facts_of(game, club), "by": by, "banned": banned}
    )


def changed_notice(
    before: Game, after: Mapping[str, Any], to: Iterable[str], by: str, banned: str | None
) -> Notice:
    """R-GAME-8, R-BAN-1: what was changed, from what to what."""
    facts = {
        "game": after,
        "by": by,
        "banned": banned,
        "buyin_before_cents": before.buyin_cents,
        "added": [p for p in after["participants"] if p not in before.participants],
        "removed": [p for p in before.participants if p not in after["participants"]],
    }
    own = {handle: {"plays": handle in after["participants"]} for handle in to}
    return Notice("game.changed", tuple(to), before.number, facts, own)


def dispute_notice(kind: str, game: Game, disputer: str, reason: str, club: Club) -> Notice:
    """R-DIS-3: to all the other participants, with the reason as written."""
    to = tuple(p for p in game.participants if p != disputer)
    facts = {
        "game": facts_of(game, club),
        "disputer": disputer,
        "reason": reason,
        "banned": False,
        "others": [d.member for d in game.disputes if d.member != disputer],
        "window_ends_at": game.window_ends_at,
        "in_arbitration": game.window_ends_at is not None and club.now >= game.window_ends_at,
    }
    return Notice(kind, to, game.number, facts)
