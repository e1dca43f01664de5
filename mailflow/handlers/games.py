"""R-GAME: PARTIE, MODIFIE, ANNULE, and what members may look up about games."""

from __future__ import annotations

from datetime import date, time
from typing import Any

from mailflow.announcements import cancelled_notice, changed_notice, facts_of, game_facts, result_notice
from mailflow.calendar import bounded, end_of_days, instant
from mailflow.handlers.lists import line
from mailflow.model import Club, Notice, Outcome, Refusal, Request, broken, refused
from mailflow.rules.games import (
    CANCEL_CHECKS,
    CHANGE_CHECKS,
    CREATE_CHECKS,
    Cancellation,
    GameChange,
    NewGame,
    registered,
)
from mailflow.rules.lookups import game_of
from mailflow.rules.payouts import RANKING_CHECKS, Ranking, gains_cents, ranked
from store.records import CancelGame, ChangeGame, CreateGame, RecordResult

HISTORY_MAX = 100


def create(request: Request, club: Club) -> Outcome:
    """R-GAME-2 to R-GAME-4, R-GAME-8, R-GAME-9: a new game, with its result if that came along."""
    buyin_cents = request.get("buyin_cents", club.rulebook.buyin_default_cents)
    new = NewGame(request.author, buyin_cents, tuple(request.get("players", ())))
    refusals = broken(CREATE_CHECKS, new, club)
    places = request.get("places")
    participants = tuple(registered(h, club) for h in new.participants)
    ranking = Ranking(places or {}, participants, club.rulebook)
    if (
        places is not None
        and club.rulebook.participants_min <= len(participants) <= club.rulebook.participants_max
    ):
        refusals += broken(RANKING_CHECKS, ranking, club)
    if refusals:
        return refused(*refusals)
    number = club.books.next_game_number()
    game = game_facts(number, request.author.handle, buyin_cents, participants, club.rulebook)
    created = CreateGame(number, request.author.handle, buyin_cents, participants, club.rulebook_version)
    if places is not None:
        return _born_with_result(created, game, ranking, club)
    told = tuple(p for p in participants if p != request.author.handle)
    notice = Notice("game.created", told, number, {"game": game})
    return Outcome(changes=(created,), notices=(notice,), answer={"game": game}, game=number)


def _born_with_result(created: CreateGame, game: dict[str, Any], ranking: Ranking, club: Club) -> Outcome:
    """R-GAME-9: the game is born recent; only its result is told."""
    places = ranked(ranking)
    gains = gains_cents(created.buyin_cents, len(created.participants), places, club.rulebook)
    ends_at = end_of_days(club.now, club.rulebook.dispute_window_days, club.timezone)
    result = RecordResult(created.number, created.creator, places, gains, ends_at)
    notice = result_notice(game, places, gains, ends_at)
    return Outcome(changes=(created, result), notices=(notice,), game=created.number)


def change(request: Request, club: Club) -> Outcome:
    """R-GAME-5, R-GAME-6, R-GAME-8: the creator changes players or buy-in of his running game."""
    game = game_of(request, club, "R-GAME-5")
    if isinstance(game, Refusal):
        return refused(game)
    players = request.get("players")
    change = GameChange(
        game,
        request.author,
        request.get("buyin_cents"),
        tuple(request.get("add", ())),
        tuple(request.get("remove", ())),
        None if players is None else tuple(players),
        club.rulebook_of(game),
    )
    refusals = broken(CHANGE_CHECKS, change, club)
    if refusals:
        return refused(*refusals)
    participants = change.participants(club)
    after = game_facts(game.number, game.creator, change.new_buyin_cents, participants, change.rulebook)
    told = [p for p in dict.fromkeys((*game.participants, *participants)) if p != request.author.handle]
    notice = changed_notice(game, after, told, request.author.handle, None)
    done = ChangeGame(game.number, change.new_buyin_cents, participants, request.author.handle)
    return Outcome(changes=(done,), notices=(notice,), answer=notice.facts, game=game.number)


def cancel(request: Request, club: Club) -> Outcome:
    """R-GAME-7: the creator cancels his running game; nothing is posted."""
    game = game_of(request, club, "R-GAME-7")
    if isinstance(game, Refusal):
        return refused(game)
    refusals = broken(CANCEL_CHECKS, Cancellation(game, request.author), club)
    if refusals:
        return refused(*refusals)
    notice = cancelled_notice(game, request.author.handle, request.author.handle, club)
    done = CancelGame(game.number, request.author.handle)
    return Outcome(changes=(done,), notices=(notice,), answer=notice.facts, game=game.number)


# ---------------------------------------------------------------- looking up


def current(request: Request, club: Club) -> Outcome:
    """PARTIES: the club's games that are not over."""
    games = [line(g, request.author.handle, club) for g in club.books.open_games()]
    return Outcome(answer={"games": games})


def history(request: Request, club: Club) -> Outcome:
    """HISTORIQUE: the author's own games, newest first; with a number, that game step by step."""
    if request.get("game") is not None:
        return why(request, club)
    day = request.get("since")
    since = None if day is None else instant(bounded(date.fromisoformat(day)), time(0), club.timezone)
    games = club.books.history(request.author.handle, since, HISTORY_MAX)
    lines = [line(g, request.author.handle, club) for g in games]
    return Outcome(answer={"games": lines, "since": since, "most": HISTORY_MAX})


def why(request: Request, club: Club) -> Outcome:
    """POURQUOI: every step of a game, its postings and what is next, for who takes part in it.

    R-ARB-2: a rejection is shown with its disputes. Of the postings each sees his own.
    """
    if request.get("mail") is not None:
        return _why_mail(request, club)
    game = game_of(request, club, "R-RES-5")
    if isinstance(game, Refusal):
        return refused(game)
    reader = request.author
    steps = club.books.steps(game.number)
    was_there = any(reader.handle in step.details.get("participants", ()) for step in steps)
    if reader.handle not in game.participants and not was_there and not reader.manages:
        return refused(Refusal("R-RES-5", "not_your_game", {"game": game.number}))
    account = f"member:{reader.handle}"
    postings = [
        {"at": e.at, "kind": e.kind, "amount_cents": cents}
        for e in club.books.entries(game.number)
        for code, cents in e.postings
        if code == account
    ]
    facts = {
        "game": facts_of(game, club),
        "state": game.state.value,
        "line": line(game, reader.handle, club),
        "steps": steps,
        "postings": postings,
        "disputes": game.disputes,
        "decision": club.books.decision(game.number),
        "judges": [m.handle for m in club.judges(game)],
    }
    return Outcome(answer=facts, game=game.number)


def _why_mail(request: Request, club: Club) -> Outcome:
    """R-SEC-2: how a mail was read, for who wrote it and for the managers."""
    number = request.get("mail")
    reading = club.books.reading(number)
    if reading is None:
        return refused(Refusal("R-SEC-2", "mail_unknown", {"mail": number}))
    if reading.member != request.author.handle and not request.author.manages:
        return refused(Refusal("R-SEC-2", "not_your_mail", {"mail": number}))
    return Outcome(answer={"mail": reading})
