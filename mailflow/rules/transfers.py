"""R-TRA-1 to R-TRA-4: transfers between members."""

from __future__ import annotations

from dataclasses import dataclass

from mailflow.model import Check, Club, Refusal
from mailflow.suggestions import nearest
from store.records import Injunction, InjunctionLine, InjunctionState, Member


@dataclass(frozen=True)
class Payment:
    """A transfer as its giver wrote it; `to` is the beneficiary as written."""

    giver: Member
    to: str
    amount_cents: int

    def beneficiary(self, club: Club) -> Member | None:
        return club.member(self.to)


def beneficiary_is_another_member(payment: Payment, club: Club) -> Refusal | None:
    """R-TRA-1: to another member; a banned one may receive."""
    beneficiary = payment.beneficiary(club)
    if beneficiary is None:
        near = nearest(payment.to, [m.handle for m in club.account_holders])
        figures = {"handle": payment.to, "nearest": near, "amount_cents": payment.amount_cents}
        return Refusal("R-TRA-1", "beneficiary_unknown", figures)
    if beneficiary.handle == payment.giver.handle:
        return Refusal("R-TRA-1", "transfer_to_oneself", {})
    return None


def amount_is_enough(payment: Payment, club: Club) -> Refusal | None:
    """R-TRA-1: at least one cent."""
    least = club.rulebook.transfer_min_cents
    if payment.amount_cents >= least:
        return None
    return Refusal(
        "R-TRA-1", "amount_too_small", {"amount_cents": payment.amount_cents, "least_cents": least}
    )


def giver_keeps_reserve(payment: Payment, club: Club) -> Refusal | None:
    """R-TRA-2: after the transfer the giver's available stays at or above the reserve.

    R-INA-4: not asked of an inactive giver for what fulfils his injunction. The refusal carries the
    greatest amount that would pass, in cents.
    """
    owed = fulfils(payment, club)
    if (
        owed is not None
        and owed[0].member == payment.giver.handle
        and payment.amount_cents <= owed[1].outstanding_cents
    ):
        return None
    reserve = club.rulebook.reserve_threshold_cents
    if payment.giver.available_cents - payment.amount_cents >= reserve:
        return None
    figures = {
        "amount_cents": payment.amount_cents,
        "available_cents": payment.giver.available_cents,
        "reserve_cents": reserve,
        "most_cents": most_that_passes(payment, club),
    }
    return Refusal("R-TRA-2", "giver_below_reserve", figures)


def beneficiary_stays_within_credit(payment: Payment, club: Club) -> Refusal | None:
    """R-TRA-3: the beneficiary's new balance is at most the initial credit.

    R-TRA-4: of the other's account only the greatest amount that would pass is told.
    """
    beneficiary = payment.beneficiary(club)
    limit = club.rulebook.initial_credit_cents
    if beneficiary is None or beneficiary.handle == payment.giver.handle:
        return None  # said by R-TRA-1
    if beneficiary.balance_cents + payment.amount_cents <= limit:
        return None
    figures = {
        "amount_cents": payment.amount_cents,
        "handle": beneficiary.handle,
        "limit_cents": limit,
        "most_cents": most_that_passes(payment, club),
    }
    return Refusal("R-TRA-3", "beneficiary_above_credit", figures)


TRANSFER_CHECKS: tuple[Check[Payment], ...] = (
    beneficiary_is_another_member,
    amount_is_enough,
    giver_keeps_reserve,
    beneficiary_stays_within_credit,
)


def most_that_passes(payment: Payment, club: Club) -> int:
    """R-TRA-4: the greatest amount that would pass, zero where none would."""
    beneficiary = payment.beneficiary(club)
    most = payment.giver.available_cents - club.rulebook.reserve_threshold_cents
    owed = fulfils(payment, club)
    if owed is not None and owed[0].member == payment.giver.handle:
        most = max(most, owed[1].outstanding_cents)
    if beneficiary is not None and beneficiary.handle != payment.giver.handle:
        most = min(most, club.rulebook.initial_credit_cents - beneficiary.balance_cents)
    return most if most >= club.rulebook.transfer_min_cents else 0


def fulfils(payment: Payment, club: Club) -> tuple[Injunction, InjunctionLine] | None:
    """R-INA-4: the launched order between the two that this transfer serves, if there is one."""
    beneficiary = payment.beneficiary(club)
    if beneficiary is None:
        return None
    for injunction in club.books.injunctions():
        if injunction.state is not InjunctionState.LAUNCHED:
            continue
        for line in injunction.lines:
            between = (line.giver, line.beneficiary) == (payment.giver.handle, beneficiary.handle)
            if between and line.outstanding_cents > 0:
                return injunction, line
    return None
