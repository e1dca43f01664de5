"""The weekly digest: each member's own position, what is open for him, the club's balances, the check.

And BILAN, by which a member stops it and takes it up again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from mailflow.calendar import end_of_days
from mailflow.handlers.awaiting import awaiting_managers, offers_to
from mailflow.handlers.courses import courses_of, drawn_for
from mailflow.handlers.lists import Line, line
from mailflow.handlers.reminding import DIGEST, Matters, matters, written_to
from mailflow.model import Club, Notice, Outcome, Refusal, Request, refused
from mailflow.rules.bankers import BANKERS_MAX, bankers
from store.records import Forged, Game, GameState, InjunctionState, Member, SetDigest

WEEK = timedelta(days=7)
GAMES_MAX = 30
"""Above so many games of a week each member is shown his own."""
TABLE_MAX = 100
"""Above so many members the digest leaves out the table of everybody's balances."""
OPEN_MAX = 20
"""Of the games that are open for a member so many are shown."""

WANTED = {
    "OUI": True, "YES": True, "JA": True, "SI": True, "ON": True,
    "NON": False, "NO": False, "NEIN": False, "OFF": False, "STOP": False,
}  # fmt: skip
"""What may be said to BILAN, in upper case without accents."""


def wanted(request: Request, club: Club) -> Outcome:
    """BILAN: whether the author gets the digest."""
    word = request.get("wanted", "")
    if word not in WANTED:
        return refused(Refusal("", "digest_unclear", {"words": word}))
    answer = {"wanted": WANTED[word], "before": request.author.digest}
    return Outcome(changes=(SetDigest(request.author.handle, WANTED[word]),), answer=answer)


def weekly(club: Club) -> Outcome:
    """One digest to every active member who wants it; managers also see what awaits them.

    His reminders of the day stand in it. Whoever has had another such mail today gets none.
    """
    elsewhere = written_to(club)
    wanting = [m for m in club.active if m.digest]
    readers = [m for m in wanting if m.handle not in elsewhere]
    played = club.books.last_participations()
    said = {m.handle: matters(m, played[m.handle], weekly=True, club=club) for m in readers}
    changes = club.books.balance_changes(club.now - WEEK)
    awaiting = awaiting_managers(club)
    own = _own(readers, said, changes, awaiting, club)
    offers = {handle: offers_to(handle, his) for handle, his in awaiting.items()}
    notices = [Notice(DIGEST, tuple(own), None, _common(changes, club), own, offers=offers)]
    notices += [
        Notice(DIGEST, (m.handle,), within=elsewhere[m.handle]) for m in wanting if m.handle in elsewhere
    ]
    notices += [notice for m in readers for notice in said[m.handle].within(DIGEST, m)]
    return Outcome(changes=tuple(c for one in said.values() for c in one.noted), notices=tuple(notices))


def _common(changes: Mapping[str, int], club: Club) -> dict[str, Any]:
    """What everybody is shown."""
    holders = club.account_holders
    return {
        "balances": [
            {"handle": m.handle, "balance_cents": m.balance_cents, "change_cents": changes.get(m.handle, 0)}
            for m in sorted(holders, key=lambda m: -m.balance_cents)
        ]
        if club.digest.everyone and len(holders) <= TABLE_MAX
        else [],
        "bankers": [{"handle": m.handle, "capacity_cents": c // 100 * 100} for m, c in bankers(club)][
            :BANKERS_MAX
        ],
        "since": club.now - WEEK,
        "journal_sum": club.books.journal_sum(),
        "chain_head": club.books.chain_head(),
    }


def _own(
    readers: list[Member],
    said: Mapping[str, Matters],
    changes: Mapping[str, int],
    awaiting: Mapping[str, Mapping[str, Any]],
    club: Club,
) -> dict[str, dict[str, Any]]:
    """What each reader alone is shown."""
    results = [line(g, "", club) for g in club.books.results_between(club.now - WEEK, club.now)]
    games = club.books.open_games()
    opened = _open_games(games, club)
    windows = _windows_ending(games, club)
    orders, courses = _orders(club), courses_of(club)
    forged = _refused_as_forged(club)
    return {
        m.handle: {
            "results": _seen_by(m.handle, results),
            "windows": _seen_by(m.handle, windows),
            "change_cents": changes.get(m.handle, 0),
            "forged": forged.get(m.handle),
            "awaiting": awaiting.get(m.handle),
            "open": opened[m.handle],
            "orders": [one for one in orders if m.handle in (one["giver"], one["beneficiary"])],
            "course": drawn_for(m.handle, courses),
            **said[m.handle].facts,
        }
        for m in readers
    }


def _refused_as_forged(club: Club) -> dict[str | None, Forged]:
    """T-2: since the digest before this one was due.

    By then every mail received before had been handled, however late the digest itself came to be run.
    """
    since = club.books.previous_due(DIGEST) or club.now - WEEK
    return {forged.member: forged for forged in club.books.forged_since(since)}


def _seen_by(reader: str, games: list[Line]) -> list[Line]:
    """Everybody's games while they are few, in a large club the reader's own."""
    return games if len(games) <= GAMES_MAX else [g for g in games if reader in g.participants]


def _windows_ending(games: tuple[Game, ...], club: Club) -> list[Line]:
    """Results that can be disputed during the coming week only."""
    horizon = end_of_days(club.now, WEEK.days, club.timezone)
    return [
        line(g, "", club)
        for g in games
        if g.state is GameState.RECENT and g.window_ends_at is not None and g.window_ends_at <= horizon
    ]


OPEN = ("record", "playing", "dispute", "disputed")
"""What may be open for a member: a result that he is to give, or another; one that he may dispute; one that
he has disputed, or that the manager is to decide on."""


def _open_games(games: tuple[Game, ...], club: Club) -> dict[str, dict[str, list[Line]]]:
    """Each player's games that are not closed, by what is open about them."""
    found: dict[str, dict[str, list[Line]]] = defaultdict(lambda: {name: [] for name in OPEN})
    for game in games:
        shown = line(game, "", club)
        for handle in game.participants:
            what = _standing(handle, game)
            lines = found[handle].get(what, [])
            if len(lines) < OPEN_MAX:
                lines.append(shown)
    return found


def _standing(reader: str, game: Game) -> str:
    if game.state is GameState.RUNNING:
        return "record" if reader == game.creator else "playing"
    if game.state is GameState.ARBITRATION or any(d.member == reader for d in game.disputes):
        return "disputed"
    return "settled" if reader == game.creator else "dispute"


def _orders(club: Club) -> list[dict[str, Any]]:
    """R-INA-4: what is still to be paid, by whom, to whom, and by when."""
    return [
        {
            "giver": one.giver,
            "beneficiary": one.beneficiary,
            "cents": one.outstanding_cents,
            "due_at": i.due_at,
        }
        for i in club.books.injunctions()
        if i.state is InjunctionState.LAUNCHED and isinstance(i.due_at, datetime)
        for one in i.lines
        if one.outstanding_cents > 0
    ]
