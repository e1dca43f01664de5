"""R-ACC: who may open an account, and who may leave."""

from __future__ import annotations

from dataclasses import dataclass

from mailflow.model import Check, Club, Refusal
from store.records import Member, fold_handle

HANDLE_MIN, HANDLE_MAX = 2, 24


@dataclass(frozen=True)
class Newcomer:
    """Somebody who is to be invited. `keywords`: the words of the grammar."""

    handle: str
    address: str
    keywords: frozenset[str]


def handle_is_well_formed(newcomer: Newcomer, _: Club) -> Refusal | None:
    """RULES, "pseudo": letters, digits, `_ . -`, 2 to 24 characters, no keyword of the grammar."""
    handle = newcomer.handle
    fine = all(c.isalnum() or c in "_.-" for c in handle) and HANDLE_MIN <= len(handle) <= HANDLE_MAX
    if fine and fold_handle(handle).upper() not in newcomer.keywords:
        return None
    return Refusal("R-ACC-3", "handle_unusable", {"handle": handle, "min": HANDLE_MIN, "max": HANDLE_MAX})


def handle_is_free(newcomer: Newcomer, club: Club) -> Refusal | None:
    """RULES, "pseudo": unique without regard to case or accents, also against those who left."""
    if fold_handle(newcomer.handle) not in club.members:
        return None
    return Refusal("R-ACC-3", "handle_taken", {"handle": newcomer.handle})


def address_is_free(newcomer: Newcomer, club: Club) -> Refusal | None:
    """TRUST § 1: an address belongs to one member."""
    if all(m.address.casefold() != newcomer.address.casefold() for m in club.members.values()):
        return None
    return Refusal("R-ACC-3", "address_taken", {"address": newcomer.address})


INVITE_CHECKS: tuple[Check[Newcomer], ...] = (handle_is_well_formed, handle_is_free, address_is_free)


def balance_is_the_credit(member: Member, club: Club) -> Refusal | None:
    """R-ACC-6: a member leaves with exactly the initial credit."""
    wanted = club.rulebook.initial_credit_cents
    if member.balance_cents == wanted:
        return None
    return Refusal(
        "R-ACC-6", "balance_not_even", {"balance_cents": member.balance_cents, "wanted_cents": wanted}
    )


def no_game_is_open(member: Member, club: Club) -> Refusal | None:
    """R-ACC-6: no running game and no open dispute.

    A game whose result can still be disputed counts too: its entry might yet be reversed.
    """
    games = club.books.open_games_of(member.handle)
    if not games:
        return None
    return Refusal("R-ACC-6", "games_still_open", {"games": [g.number for g in games]})


def no_injunction_is_open(member: Member, club: Club) -> Refusal | None:
    """R-ACC-6: no open injunction, neither his own nor one that names him."""
    for injunction in club.books.injunctions():
        parties = {h for one in injunction.lines for h in (one.giver, one.beneficiary)}
        if member.handle == injunction.member or member.handle in parties:
            return Refusal("R-ACC-6", "injunction_still_open", {"handle": injunction.member})
    return None


LEAVE_CHECKS: tuple[Check[Member], ...] = (balance_is_the_credit, no_game_is_open, no_injunction_is_open)
