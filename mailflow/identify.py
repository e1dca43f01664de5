"""Whose letter is it? Pure.

Identity is the single sender address of the letter, compared canonically (TRUST § 1): names,
Reply-To and Sender headers count for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from mailflow.model import Club
from parsers.letter import Letter
from store.records import Member


class Trust(Enum):
    """Where the proof of a mailbox comes from."""

    CONFIRM = "confirm"
    """Whatever acts is confirmed by mail first: `mailflow run`."""
    EVERYBODY = "everybody"
    """Every sender counts as just proved: `demo` and `replay`."""


@dataclass(frozen=True)
class Writer:
    """Who wrote. `member` is None for a stranger; his `address` is the one that he wrote from."""

    member: Member | None


def identify(letter: Letter, club: Club) -> Writer:
    """Return the member one of whose registered addresses the letter comes from.

    He is answered at that address, whichever is his primary one.
    """
    handle = None if letter.sender is None else club.books.handle_at(letter.sender)
    member = None if handle is None else club.member(handle)
    if member is None or letter.sender is None:
        return Writer(None)
    return Writer(replace(member, address=letter.sender))
