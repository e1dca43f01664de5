"""R-ACC: who may open an account, and who may leave."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mailflow.model import Check, Club, Refusal
from parsers.grammar import Grammar
from store.records import InjunctionState, Member, MemberStatus, fold_handle

HANDLE_MIN, HANDLE_MAX = 2, 24


@dataclass(frozen=True)
class Newcomer:
    """Somebody who is to be invited. `keywords`: the words of the grammar."""

    handle: str
    address: str
    keywords: frozenset[str]


def handle_is_well_formed(newcomer: Newcomer, _: Club) -> Refusal | None:
    """RULES, "pseudo": letters, digits, `_ . -`, 2 to 24 characters, no keyword of the grammar.

    Without its accents it is plain ASCII but for a few letters that nobody takes for others, so that no
    two handles look alike (T-19); it begins and ends with a letter or a digit, so that no full stop of a
    sentence is part of it.
    """
    key = fold_handle(newcomer.handle)
    fine = HANDLE_MIN <= len(key) <= HANDLE_MAX and _SHAPE.fullmatch(key) is not None
    if fine and key.upper() not in newcomer.keywords:
        return None
    figures = {"handle": newcomer.handle, "min": HANDLE_MIN, "max": HANDLE_MAX}
    return Refusal("R-ACC-3", "handle_unusable", figures)


_SHAPE = re.compile(r"[a-z0-9æœøłđðþ](?:[a-z0-9æœøłđðþ_.-]*[a-z0-9æœøłđðþ])?")


def keywords(grammar: Grammar) -> frozenset[str]:
    """Return the words that no handle may be: verbs in all their forms, and the names of arguments."""
    names = (name for verb in grammar.verbs for one in verb.arguments for name in one.names)
    return frozenset((*grammar.by_word, *(fold_handle(name).upper() for name in names)))


def handle_is_free(newcomer: Newcomer, club: Club) -> Refusal | None:
    """RULES, "pseudo": unique without regard to case or accents, also against those who left.

    Who left may come back under his own, from his own address: history goes with the handle.
    """
    bearer = club.members.get(fold_handle(newcomer.handle))
    if bearer is None:
        return None
    owner = club.books.handle_at(newcomer.address.casefold())
    if bearer.status is MemberStatus.LEFT and owner == bearer.handle:
        return None
    return Refusal("R-ACC-3", "handle_taken", {"handle": newcomer.handle})


def address_is_free(newcomer: Newcomer, club: Club) -> Refusal | None:
    """TRUST § 1: an address belongs to one member, also to one who left; ours belongs to nobody."""
    if is_the_clubs(newcomer.address, club):
        return Refusal("R-ACC-3", "address_is_the_clubs", {"address": newcomer.address})
    owner = club.books.handle_at(newcomer.address.casefold())
    if owner is None or fold_handle(owner) == fold_handle(newcomer.handle):
        return None
    return Refusal("R-ACC-3", "address_taken", {"address": newcomer.address})


def is_the_clubs(address: str, club: Club) -> bool:
    """Whether mail to the address comes to the club itself, with or without a token behind a plus."""
    local, _, domain = address.casefold().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}" == club.address


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


def a_manager_remains(member: Member, club: Club) -> Refusal | None:
    """R-ARB-1, R-BAN-1: a club without a manager could never have one again."""
    if not member.manages or len(club.managers) > 1:
        return None
    return Refusal("R-ACC-6", "last_manager", {})


LEAVE_CHECKS: tuple[Check[Member], ...] = (
    balance_is_the_credit,
    no_game_is_open,
    no_injunction_is_open,
    a_manager_remains,
)
