"""What awaits the managers: a part of their weekly digest, whose words are `digest.manager.md`.

Everything is asked of the books at the moment of writing, so that nothing is shown that is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from mailflow.handlers.papers import offers_about
from mailflow.model import Club
from mailflow.rules.accounts import INVITE_CHECKS, Newcomer, keywords
from mailflow.rules.delivery import keep_bouncing
from mailflow.rules.inactivity import imbalance_cents
from mailflow.rules.papers import unhandled
from store.records import Application, GameState, Injunction, InjunctionState, Member, MemberStatus, Offer

WEEK = timedelta(days=7)
LOW_MAX = 20
"""So many accounts near the limit are shown, the lowest first."""


def awaiting_managers(club: Club) -> Mapping[str, Mapping[str, Any]]:
    """For each manager: his cases, papers and orders, and what he should know of mails and accounts.

    R-DIS-4, R-ACC-3, R-REG-2, R-INA-3, R-INA-5, R-BAN-4, R-SOL-1, P-6, P-8, T-2.
    """
    common = {**_to_do(club), **_to_know(club)}
    return {m.handle: _his(m, common, club) for m in club.managers}


def offers_to(manager: str, awaiting: Mapping[str, Any]) -> tuple[Offer, ...]:
    """What of it a manager settles by his answer alone; the rest is shown to him first (TRUST § 2).

    A case, as by the answer to the mail that told of it; an application, as by OUI to its card; what lies on
    his own desk. Who is banned, reinstated or to pay is never decided without a look at what that does.
    """
    games = [
        Offer(verb, {"game": one.number}, one.window_ends_at)
        for one in awaiting["games"]
        for verb in ("ACCEPTE", "REJETTE")
    ]
    applied = [
        offer
        for one in awaiting["applications"]
        for offer in (
            Offer("INVITE", {"member": one["handle"], "address": one["address"]}),
            Offer("CLASSE", {"application": one["number"]}),
        )
    ]
    complained = [Offer("CLASSE", {"complaint": one.number}) for one in awaiting["complaints"]]
    mails = [offer for one in awaiting["unhandled"] for offer in offers_about(one.number)]
    return (*games, *applied, *complained, *mails)


def _his(manager: Member, common: Mapping[str, Any], club: Club) -> dict[str, Any]:
    """R-ARB-1: he decides no case that another manager is to decide."""
    cases = [g for g in club.books.open_games() if g.state is GameState.ARBITRATION]
    games = [g for g in cases if manager in club.judges(g)]
    his = {**common, "games": games, "cases": [g.number for g in games]}
    return {**his, "anything": any(his[name] for name in (*TO_DO, "cases"))}


TO_DO = ("applications", "complaints", "proposals", "overdue", "settled", "debts", "unhandled")


def _to_do(club: Club) -> dict[str, Any]:
    injunctions = club.books.injunctions()
    banned = [m for m in club.account_holders if m.status is MemberStatus.BANNED]
    due = club.rulebook.initial_credit_cents
    return {
        "applications": [_application(one, club) for one in club.books.open_applications()],
        "complaints": [one for one in club.books.complaints() if not one.closed],
        "proposals": [i.member for i in injunctions if _still_to_settle(i, club)],
        "overdue": [i.member for i in injunctions if i.due_at is not None and i.due_at <= club.now],
        "settled": [m.handle for m in banned if m.balance_cents >= due],
        "debts": [
            {"handle": m.handle, "missing_cents": due - m.balance_cents}
            for m in banned
            if m.balance_cents < due
        ],
        "unhandled": unhandled(club),
    }


def _to_know(club: Club) -> dict[str, Any]:
    """What happened since the last digest, and which accounts can soon play no more (R-REM-2)."""
    since = club.books.previous_due("digest.weekly") or club.now - WEEK
    limit = club.rulebook.reminder_weekly_below_cents
    low = [m for m in club.active if m.available_cents < limit]
    return {
        "bouncing": list(keep_bouncing(club)),
        "quarantined": club.books.quarantined_since(since),
        "refused": club.books.forged_since(since),
        "low": [
            {"handle": m.handle, "available_cents": m.available_cents}
            for m in sorted(low, key=lambda m: m.available_cents)
        ][:LOW_MAX],
    }


def _application(one: Application, club: Club) -> dict[str, Any]:
    newcomer = Newcomer(one.handle, one.address, keywords(club.grammar))
    wrong = any(check(newcomer, club) is not None for check in INVITE_CHECKS)
    return {"number": one.number, "handle": one.handle, "address": one.address, "wrong": wrong}


def _still_to_settle(injunction: Injunction, club: Club) -> bool:
    """R-INA-3: a proposal is kept in view until it is launched or the balance is even."""
    member = club.member(injunction.member)
    proposed = injunction.state is InjunctionState.PROPOSED
    return proposed and member is not None and imbalance_cents(member, club) != 0
