"""R-DIS: CONTESTE, RETIRE, and the end of the window."""

from __future__ import annotations

from typing import Any

from mailflow.announcements import dispute_notice, facts_of
from mailflow.model import Club, Notice, Outcome, Refusal, Request, broken, refused
from mailflow.rules.disputes import DISPUTE_CHECKS, WITHDRAW_CHECKS, Objection
from mailflow.rules.lookups import game_of
from store.records import CloseWindow, FileDispute, Game, GameState, WithdrawDispute


def file(request: Request, club: Club) -> Outcome:
    """R-DIS-1 to R-DIS-3: a new dispute, or a new reason for the one that stands."""
    game = game_of(request, club, "R-DIS-1")
    if isinstance(game, Refusal):
        return refused(game)
    objection = Objection(game, request.author, request.received_at)
    refusals = broken(DISPUTE_CHECKS, objection, club)
    if refusals:
        return refused(*refusals)
    reason = request.get("reason", "")
    kind = "dispute.filed" if objection.standing is None else "dispute.changed"
    notice = dispute_notice(kind, game, request.author.handle, reason, club)
    done = FileDispute(game.number, request.author.handle, reason, request.received_at)
    answer = {**notice.facts, "changed": objection.standing is not None}
    return Outcome(changes=(done,), notices=(notice,), answer=answer, game=game.number)


def withdraw(request: Request, club: Club) -> Outcome:
    """R-DIS-2, R-DIS-3: the disputer takes his dispute back."""
    game = game_of(request, club, "R-DIS-1")
    if isinstance(game, Refusal):
        return refused(game)
    objection = Objection(game, request.author, request.received_at)
    refusals = broken(WITHDRAW_CHECKS, objection, club)
    if refusals or objection.standing is None:
        return refused(*refusals)
    notice = dispute_notice("dispute.withdrawn", game, request.author.handle, objection.standing.reason, club)
    done = WithdrawDispute(game.number, request.author.handle)
    return Outcome(changes=(done,), notices=(notice,), answer=notice.facts, game=game.number)


def close_window(game: Game, club: Club) -> Outcome:
    """R-DIS-4: at the end of the window: final, or a case for the manager, who gets it by mail."""
    if not game.disputes:
        return Outcome(changes=(CloseWindow(game.number, GameState.FINAL),), game=game.number)
    judges = tuple(m.handle for m in club.judges(game))
    facts: dict[str, Any] = {
        "game": facts_of(game, club),
        "places": [game.places[p] for p in sorted(game.places)],
        "disputes": game.disputes,
        "result_at": game.result_at,
        "window_ends_at": game.window_ends_at,
    }
    creator = club.member(game.creator)
    facts["creator_banned"] = creator is None or not creator.active
    own = {judge: {"own_case": judge in game.participants} for judge in judges}
    notice = Notice("arbitration.opened", judges, game.number, facts, own)
    change = CloseWindow(game.number, GameState.ARBITRATION)
    return Outcome(changes=(change,), notices=(notice,), game=game.number)
