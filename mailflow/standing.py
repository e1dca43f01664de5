"""What a mail's token says of it: whose it is, whether it lives, what it is good for. Pure.

Identity comes from the sender's address alone (`identify`); a token proves control of the mailbox that it was
sent to, and only together with that address (TRUST § 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from mailflow.identify import Trust, Writer
from mailflow.model import Club, Proof
from mailflow.offers import can_be_taken
from parsers.addresses import base_of
from parsers.letter import Letter
from store.records import Token

LOST_DAYS = 40
"""T-37: for so long after a restore, a token that nobody knows may be one that the backup lacks."""


class Fate(Enum):
    """What became of the token that a mail carries."""

    NONE = "none"
    """It carries none, or carriers that disagree."""
    UNKNOWN = "unknown"
    """Nobody was ever sent it: guessed (T-7)."""
    ANOTHERS = "anothers"
    """It is somebody else's (T-8)."""
    STRAY = "stray"
    """A session of his own, from another of his addresses than the one that opened it."""
    DEAD = "dead"
    """His own, and used, ended, late, or about what can no longer be acted on."""
    LIVE = "live"


@dataclass(frozen=True)
class Standing:
    """`token` is None where the fate is NONE or UNKNOWN."""

    fate: Fate
    token: Token | None = None

    @property
    def live(self) -> bool:
        return self.fate is Fate.LIVE

    def mine(self, purpose: str) -> Token | None:
        """The writer's own token for this purpose, dead or alive."""
        own = self.fate in (Fate.LIVE, Fate.DEAD, Fate.STRAY)
        return self.token if own and self.token is not None and self.token.purpose == purpose else None

    def live_for(self, purpose: str) -> Token | None:
        return self.mine(purpose) if self.live else None


NOTHING = Standing(Fate.NONE)


def standing(
    carried: str | None, token: Token | None, writer: Writer, letter: Letter, club: Club, at: datetime
) -> Standing:
    """Judge the token found for the digest `carried`; `at`: when our mailbox received the mail."""
    if carried is None:
        return NOTHING
    if token is None:
        return Standing(Fate.DEAD if _restored_of_late(club, at) else Fate.UNKNOWN)
    if not _is_his(token, writer, letter):
        return Standing(Fate.ANOTHERS, token)
    if token.purpose == "session" and token.address != letter.sender:
        return Standing(Fate.STRAY, token)
    alive = token.lives(at) and (token.purpose != "answer" or can_be_taken(token, club))
    return Standing(Fate.LIVE if alive else Fate.DEAD, token)


def _is_his(token: Token, writer: Writer, letter: Letter) -> bool:
    """A member's token is his at each of his addresses; one that was sent to an address is that address's."""
    if token.member is None:
        return token.address == letter.sender
    return writer.member is not None and token.member == writer.member.handle


def _restored_of_late(club: Club, at: datetime) -> bool:
    """The epoch of a restored club is the second at which it was restored; a new club's is 0."""
    return timedelta(0) <= at - datetime.fromtimestamp(club.epoch, at.tzinfo) < timedelta(days=LOST_DAYS)


def proof_of(found: Standing, trust: Trust, doubt: bool) -> Proof:
    """How fresh the writer's proof is. `doubt`: the mail could be read in another way, so we ask first."""
    if doubt:
        return Proof.COLD
    if trust is Trust.EVERYBODY:
        return Proof.GRANTED
    if found.live_for("session") is not None:
        return Proof.FRESH
    return Proof.BOUND if found.live_for("answer") is not None else Proof.COLD


def exposed(letter: Letter, club: Club) -> bool:
    """T-9: somebody else can read To or Cc of this mail, and what its answers will quote."""
    return any(base_of(address) != club.address for address in letter.addressed)
