"""R-RES: RESULTAT."""

from __future__ import annotations

from mailflow.announcements import facts_of, result_notice
from mailflow.calendar import end_of_days
from mailflow.model import Club, Outcome, Refusal, Request, broken, refused
from mailflow.rules.lookups import game_of
from mailflow.rules.payouts import RANKING_CHECKS, Ranking, gains_cents, ranked
from mailflow.rules.results import RESULT_CHECKS, NewResult
from store.records import RecordResult


def record(request: Request, club: Club) -> Outcome:
    """R-RES-1 to R-RES-5: the creator records the result; everybody who played is told.

    R-RES-4: with it one entry takes the buy-ins and gives the gains.

    R-REG-1: payouts and window are those of the version under which the game was created.
    """
    game = game_of(request, club, "R-RES-1")
    if isinstance(game, Refusal):
        return refused(game)
    rulebook = club.rulebook_of(game)
    ranking = Ranking(request.get("places", {}), game.participants, rulebook)
    refusals = broken(RESULT_CHECKS, NewResult(game, request.author), club)
    refusals = refusals or broken(RANKING_CHECKS, ranking, club)
    if refusals:
        return refused(*refusals)
    places = ranked(ranking)
    gains = gains_cents(game.buyin_cents, len(game.participants), places, rulebook)
    ends_at = end_of_days(club.now, rulebook.dispute_window_days, club.timezone)
    done = RecordResult(game.number, request.author.handle, places, gains, ends_at)
    notice = result_notice(facts_of(game, club), places, gains, ends_at)
    return Outcome(changes=(done,), notices=(notice,), game=game.number)
