"""Whose letter is it, and how fresh is his proof? Pure.

Identity is the single sender address of the letter, compared canonically (TRUST § 1): names,
Reply-To and Sender headers count for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mailflow.model import Club, Proof
from parsers.letter import Letter
from store.records import Member, MemberStatus


class Trust(Enum):
    """Where the proof of a mailbox comes from."""

    CONFIRM = "confirm"
    """Whatever acts is confirmed by mail first: `mailflow run`."""
    EVERYBODY = "everybody"
    """Every sender counts as just proved: `demo` and `replay`."""


@dataclass(frozen=True)
class Writer:
    """Who wrote. `member` is None for a stranger."""

    member: Member | None
    proof: Proof


def identify(letter: Letter, club: Club, trust: Trust) -> Writer:
    """Return the member whose registered address the letter comes from, with his proof."""
    proof = Proof.FRESH if trust is Trust.EVERYBODY else Proof.COLD
    for member in club.members.values():
        if member.address == letter.sender and member.status is not MemberStatus.LEFT:
            return Writer(member, proof)
    return Writer(None, Proof.COLD)
