"""R-ARB: ACCEPTE and REJETTE."""

from __future__ import annotations

from mailflow.announcements import facts_of
from mailflow.model import Club, Notice, Outcome, Refusal, Request, broken, refused
from mailflow.rules.arbitration import RULING_CHECKS, Ruling
from mailflow.rules.lookups import game_of
from mailflow.rules.payouts import gains_cents
from store.records import AcceptDisputes, Change, Game, GameState, RejectDisputes


def accept(request: Request, club: Club) -> Outcome:
    """R-ARB-3, R-ARB-5: the result is taken back by a reversing entry (R-ACC-5).

    The game runs again, or is cancelled where its creator is banned.
    """
    game = _case(request, club)
    if isinstance(game, Outcome):
        return game
    creator = club.member(game.creator)
    state = GameState.RUNNING if creator is not None and creator.active else GameState.CANCELLED
    return _decide(request, club, game, AcceptDisputes(game.number, request.author.handle, state), state)


def reject(request: Request, club: Club) -> Outcome:
    """R-ARB-2: the result stands for good; disputes and decision are kept with the game."""
    game = _case(request, club)
    if isinstance(game, Outcome):
        return game
    done = RejectDisputes(game.number, request.author.handle, request.get("reason", ""))
    return _decide(request, club, game, done, GameState.FINAL)


def _case(request: Request, club: Club) -> Game | Outcome:
    game = game_of(request, club, "R-ARB-1")
    if isinstance(game, Refusal):
        return refused(game)
    refusals = broken(RULING_CHECKS, Ruling(game, request.author), club)
    return refused(*refusals) if refusals else game


def _decide(request: Request, club: Club, game: Game, done: Change, state: GameState) -> Outcome:
    """R-ARB-4: all participants are told, with the disputes' text."""
    facts = {
        "game": facts_of(game, club),
        "accepted": state is not GameState.FINAL,
        "state": state.value,
        "manager": request.author.handle,
        "reason": request.get("reason", ""),
        "disputes": game.disputes,
        "places": [game.places[p] for p in sorted(game.places)],
        "own_case": request.author.handle in game.participants,
    }
    gains = gains_cents(game.buyin_cents, len(game.participants), dict(game.places), club.rulebook_of(game))
    own = {
        p: {"creator": p == game.creator, "returned_cents": game.buyin_cents - gains.get(p, 0)}
        for p in game.participants
    }
    notice = Notice("arbitration.decided", game.participants, game.number, facts, own)
    answer = None if request.author.handle in game.participants else facts
    return Outcome(changes=(done,), notices=(notice,), answer=answer, game=game.number)
