"""R-BAN: banning and reinstating."""

from __future__ import annotations

from dataclasses import dataclass

from mailflow.model import Check, Club, Refusal
from store.records import Member, MemberStatus


@dataclass(frozen=True)
class Ban:
    manager: Member
    member: Member


def nobody_bans_himself(ban: Ban, _: Club) -> Refusal | None:
    """R-BAN-1: the manager may ban any member but himself."""
    return Refusal("R-BAN-1", "ban_of_oneself", {}) if ban.manager.handle == ban.member.handle else None


def not_banned_already(ban: Ban, _: Club) -> Refusal | None:
    """R-BAN-1: a banned member cannot be banned again."""
    if ban.member.status is MemberStatus.ACTIVE:
        return None
    return Refusal("R-BAN-1", "banned_already", {"handle": ban.member.handle})


BAN_CHECKS: tuple[Check[Ban], ...] = (nobody_bans_himself, not_banned_already)


def only_the_banned_are_reinstated(member: Member, _: Club) -> Refusal | None:
    """R-BAN-4: reinstatement is for a banned member."""
    if member.status is MemberStatus.BANNED:
        return None
    return Refusal("R-BAN-4", "not_banned", {"handle": member.handle})


def debt_is_settled(member: Member, club: Club) -> Refusal | None:
    """R-BAN-4: only with a balance of at least the initial credit."""
    needed = club.rulebook.initial_credit_cents
    if member.balance_cents >= needed:
        return None
    figures = {
        "handle": member.handle,
        "missing_cents": needed - member.balance_cents,
        "needed_cents": needed,
    }
    return Refusal("R-BAN-4", "debt_not_settled", figures)


REINSTATE_CHECKS: tuple[Check[Member], ...] = (only_the_banned_are_reinstated, debt_is_settled)
