"""R-INA: members who do not play, and who is to settle what with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from mailflow.calendar import local_day, months_between
from mailflow.model import Check, Club, Refusal
from mailflow.rules.bankers import capacity_cents
from mailflow.suggestions import nearest
from store.records import InjunctionLine, Member, fold_handle


def imbalance_cents(member: Member, club: Club) -> int:
    """R-INA-3: the surplus (positive) or deficit (negative) against the initial credit."""
    return member.balance_cents - club.rulebook.initial_credit_cents


@dataclass(frozen=True)
class Nudge:
    """R-INA-2. `months` without a game since `since`; `due`: for which of them he is asked."""

    since: datetime
    months: int
    due: int


def nudge_due(member: Member, last_played_at: datetime, club: Club) -> Nudge | None:
    """R-INA-2: whether a member is to be asked, today, to bring his balance to the initial credit."""
    book = club.rulebook
    months = months_between(local_day(last_played_at, club.timezone), local_day(club.now, club.timezone))
    due = months - (months - book.nudge_after_months) % book.nudge_every_months
    if due < book.nudge_after_months or not imbalance_cents(member, club):
        return None
    asked = club.books.nudged_months(member.handle, last_played_at)
    return Nudge(last_played_at, months, due) if asked < due else None


def room_cents(counterpart: Member, inactive: Member, club: Club) -> int:
    """R-INA-3: how much can be placed with a counterpart.

    For a surplus, what he lacks to the initial credit; for a deficit, his capacity as a banker.
    """
    if imbalance_cents(inactive, club) > 0:
        return max(-imbalance_cents(counterpart, club), 0)
    return max(capacity_cents(counterpart, club), 0)


def settlement(inactive: Member, club: Club) -> tuple[tuple[InjunctionLine, ...], int]:
    """R-INA-3: who is to settle what, and the cents that cannot be placed.

    A surplus goes to the lowest balances first, a deficit is met by the highest first; equal balances
    by handle.
    """
    imbalance = imbalance_cents(inactive, club)
    others = [m for m in club.active if m.handle != inactive.handle]
    others.sort(key=lambda m: m.balance_cents if imbalance > 0 else -m.balance_cents)
    lines, left = [], abs(imbalance)
    for counterpart in others:
        amount = min(left, room_cents(counterpart, inactive, club))
        if amount > 0:
            lines.append(line(inactive, counterpart, amount, club))
            left -= amount
    return tuple(lines), left


def line(inactive: Member, counterpart: Member, amount_cents: int, club: Club) -> InjunctionLine:
    """R-INA-3: with a surplus the inactive gives in the books; with a deficit he receives."""
    if imbalance_cents(inactive, club) > 0:
        return InjunctionLine(inactive.handle, counterpart.handle, amount_cents)
    return InjunctionLine(counterpart.handle, inactive.handle, amount_cents)


@dataclass(frozen=True)
class Order:
    """An injunction as the manager wrote it; `amounts_cents` by handle, empty for "as proposed"."""

    member: Member
    amounts_cents: Mapping[str, int]


def there_is_something_to_settle(order: Order, club: Club) -> Refusal | None:
    """R-INA-3: only while the balance differs from the initial credit."""
    if imbalance_cents(order.member, club) != 0:
        return None
    return Refusal("R-INA-3", "nothing_to_settle", {"handle": order.member.handle})


def counterparts_are_named_once(order: Order, _: Club) -> Refusal | None:
    """R-INA-4: one amount for each counterpart, however his handle is written."""
    keys = [fold_handle(h) for h in order.amounts_cents]
    twice = sorted({k for k in keys if keys.count(k) > 1})
    return Refusal("R-INA-4", "order_names_twice", {"handles": twice}) if twice else None


def counterparts_are_active(order: Order, club: Club) -> Refusal | None:
    """R-INA-3: the counterparts are other, active members. The refusal names all who are not."""
    wrong = []
    for handle in order.amounts_cents:
        member = club.member(handle)
        if member is None or not member.active or member.handle == order.member.handle:
            near = nearest(handle, [m.handle for m in club.active if m.handle != order.member.handle])
            wrong.append({"handle": handle, "nearest": near})
    return Refusal("R-INA-3", "counterparts_not_active", {"wrong": wrong}) if wrong else None


def amounts_can_be_placed(order: Order, club: Club) -> Refusal | None:
    """R-INA-4: no counterpart gets more than can be placed with him, and none gets nothing."""
    wrong = []
    for handle, amount in order.amounts_cents.items():
        counterpart = club.member(handle)
        if counterpart is None:
            continue
        most = room_cents(counterpart, order.member, club)
        if not 0 < amount <= most:
            wrong.append({"handle": counterpart.handle, "amount_cents": amount, "most_cents": most})
    return Refusal("R-INA-4", "amounts_cannot_be_placed", {"wrong": wrong}) if wrong else None


def total_is_within_imbalance(order: Order, club: Club) -> Refusal | None:
    """R-INA-4: the member ends at the initial credit at most, he is not taken past it."""
    total, most = sum(order.amounts_cents.values()), abs(imbalance_cents(order.member, club))
    if total <= most:
        return None
    return Refusal("R-INA-4", "order_exceeds_imbalance", {"total_cents": total, "most_cents": most})


ORDER_CHECKS: tuple[Check[Order], ...] = (
    there_is_something_to_settle,
    counterparts_are_named_once,
    counterparts_are_active,
    amounts_can_be_placed,
    total_is_within_imbalance,
)
