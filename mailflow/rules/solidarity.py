"""R-SOL: joint solidarity, the levy that spreads an unpaid debt over the club."""

from __future__ import annotations

from mailflow.model import Check, Club, Refusal
from store.records import Member, MemberStatus


def debtor_is_banned(debtor: Member, _: Club) -> Refusal | None:
    """R-SOL-1: against a banned member."""
    if debtor.status is MemberStatus.BANNED:
        return None
    return Refusal("R-SOL-1", "debtor_not_banned", {"handle": debtor.handle})


def debtor_is_in_debt(debtor: Member, club: Club) -> Refusal | None:
    """R-SOL-1: whose balance is below the initial credit."""
    if debt_cents(debtor, club) > 0:
        return None
    return Refusal("R-SOL-1", "no_debt", {"handle": debtor.handle})


def somebody_can_contribute(_: Member, club: Club) -> Refusal | None:
    """R-SOL-2: there is an active member to contribute."""
    return None if club.active else Refusal("R-SOL-2", "no_contributors", {})


SOLIDARITY_CHECKS: tuple[Check[Member], ...] = (debtor_is_banned, debtor_is_in_debt, somebody_can_contribute)


def debt_cents(debtor: Member, club: Club) -> int:
    """R-SOL-2: what the debtor lacks to the initial credit."""
    return club.rulebook.initial_credit_cents - debtor.balance_cents


def contributions_cents(debtor: Member, club: Club) -> dict[str, int]:
    """R-SOL-2: each active member's contribution, highest balances first; they sum to the debt.

    Everybody pays the debt divided by the number of contributors, rounded down; the cents left over
    are paid one each by those with the highest balances, equal balances by handle. R-SOL-3: no
    threshold applies, and a contributor may fall below zero.
    """
    contributors = sorted(club.active, key=lambda m: -m.balance_cents)
    share, left_over = divmod(debt_cents(debtor, club), len(contributors))
    return {m.handle: share + (place < left_over) for place, m in enumerate(contributors)}
