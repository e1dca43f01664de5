"""R-ACC: who may open an account, and who may leave."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from mailflow.model import Check, Club, Refusal
from store.records import InjunctionState, Member, fold_handle

HANDLE_MIN, HANDLE_MAX = 2, 24


@dataclass(frozen=True)
class Newcomer:
    """Somebody who is to be invited. `keywords`: the words of the grammar."""

    handle: str
    address: str
    keywords: frozenset[str]


def handle_is_well_formed(newcomer: Newcomer, _: Club) -> Refusal | None:
    """RULES, "pseudo": letters, digits, `_ . -`, 2 to 24 characters, no keyword of the grammar.

    Latin letters only, so that no two handles look alike (T-19); the first is a letter or a digit.
    """
    handle = newcomer.handle
    fine = HANDLE_MIN <= len(handle) <= HANDLE_MAX and all(map(_may_stand, handle)) and handle[0] not in "_.-"
    if fine and fold_handle(handle).upper() not in newcomer.keywords:
        return None
    return Refusal("R-ACC-3", "handle_unusable", {"handle": handle, "min": HANDLE_MIN, "max": HANDLE_MAX})


def _may_stand(character: str) -> bool:
    letter = character.isalpha() and unicodedata.name(character, "").startswith("LATIN ")
    return letter or character in "0123456789_.-"


def handle_is_free(newcomer: Newcomer, club: Club) -> Refusal | None:
    """RULES, "pseudo": unique without regard to case or accents. Who left may come back under his."""
    if club.member(newcomer.handle) is None:
        return None
    return Refusal("R-ACC-3", "handle_taken", {"handle": newcomer.handle})


def address_is_free(newcomer: Newcomer, club: Club) -> Refusal | None:
    """TRUST § 1: an address belongs to one member, also to one who left."""
    bearers = [m for m in club.members.values() if m.address.casefold() == newcomer.address.casefold()]
    if all(club.member(m.handle) is None and _same(m, newcomer) for m in bearers):
        return None
    return Refusal("R-ACC-3", "address_taken", {"address": newcomer.address})


def _same(member: Member, newcomer: Newcomer) -> bool:
    return fold_handle(member.handle) == fold_handle(newcomer.handle)


INVITE_CHECKS: tuple[Check[Newcomer], ...] = (handle_is_well_formed, handle_is_free, address_is_free)


def balance_is_the_credit(member: Member, club: Club) -> Refusal | None:
    """R-ACC-6: a member leaves with exactly the credit that his account was opened with.

    Closing reverses the opening; so the account ends at zero also where R-REG-1 changed the credit since.
    """
    wanted = club.books.opening_cents(member.handle)
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
    """R-ACC-6: no open injunction: nothing that he was ordered to settle is outstanding."""
    for injunction in club.books.injunctions():
        lines = injunction.lines if injunction.state is InjunctionState.LAUNCHED else ()
        owing = {h for one in lines if one.outstanding_cents for h in (one.giver, one.beneficiary)}
        if member.handle in owing:
            return Refusal("R-ACC-6", "injunction_still_open", {"handle": injunction.member})
    return None


LEAVE_CHECKS: tuple[Check[Member], ...] = (balance_is_the_credit, no_game_is_open, no_injunction_is_open)
