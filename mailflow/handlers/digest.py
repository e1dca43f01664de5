"""The weekly digest: each member's own position, the club's balances, what is open, the check."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from mailflow.calendar import end_of_days
from mailflow.handlers.awaiting import awaiting_managers
from mailflow.handlers.lists import Line, line
from mailflow.model import Club, Notice, Outcome
from mailflow.rules.bankers import BANKERS_MAX, bankers
from store.records import Forged, GameState

WEEK = timedelta(days=7)
GAMES_MAX = 30
"""Above so many games of a week each member is shown his own."""
TABLE_MAX = 100
"""Above so many members the digest leaves out the table of everybody's balances."""


def weekly(club: Club) -> Outcome:
    """One digest to every active member; managers also see what awaits them."""
    changes = club.books.balance_changes(club.now - WEEK)
    holders = club.account_holders
    facts: dict[str, Any] = {
        "balances": [
            {"handle": m.handle, "balance_cents": m.balance_cents, "change_cents": changes.get(m.handle, 0)}
            for m in sorted(holders, key=lambda m: -m.balance_cents)
        ]
        if len(holders) <= TABLE_MAX
        else [],
        "bankers": [{"handle": m.handle, "capacity_cents": c // 100 * 100} for m, c in bankers(club)][
            :BANKERS_MAX
        ],
        "since": club.now - WEEK,
        "journal_sum": club.books.journal_sum(),
        "chain_head": club.books.chain_head(),
    }
    awaiting = awaiting_managers(club)
    results = [line(g, "", club) for g in club.books.results_between(club.now - WEEK, club.now)]
    windows = _windows_ending(club)
    forged = _refused_as_forged(club)
    own = {
        m.handle: {
            "results": _seen_by(m.handle, results),
            "windows": _seen_by(m.handle, windows),
            "change_cents": changes.get(m.handle, 0),
            "forged": forged.get(m.handle),
            "awaiting": awaiting if m.manages else None,
        }
        for m in club.active
    }
    return Outcome(notices=(Notice("digest.weekly", tuple(own), None, facts, own),))


def _refused_as_forged(club: Club) -> dict[str | None, Forged]:
    """T-2: since the digest before this one was due.

    By then every mail received before had been handled, however late the digest itself came to be run.
    """
    since = club.books.previous_due("digest.weekly") or club.now - WEEK
    return {forged.member: forged for forged in club.books.forged_since(since)}


def _seen_by(reader: str, games: list[Line]) -> list[Line]:
    """Everybody's games while they are few, in a large club the reader's own."""
    return games if len(games) <= GAMES_MAX else [g for g in games if reader in g.participants]


def _windows_ending(club: Club) -> list[Line]:
    """Results that can be disputed during the coming week only."""
    horizon = end_of_days(club.now, WEEK.days, club.timezone)
    return [
        line(g, "", club)
        for g in club.books.open_games()
        if g.state is GameState.RECENT and g.window_ends_at is not None and g.window_ends_at <= horizon
    ]
