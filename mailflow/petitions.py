"""What is asked of somebody by a mail with a token of its own, apart from his commands; and his answer to it.

A card about an application, a change of identity to agree to or to stop, the wish to be forgotten: each mail
bears a token that is good for that one thing, and is answered by OUI or NON alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from mailflow.model import Club, Proof
from mailflow.register import Handled, Line, Post, Register
from parsers.commands import Reading
from parsers.letter import Letter
from store import orders
from store.records import InboxMail, InboxState, Member, NewMail, Token


@dataclass(frozen=True)
class Petition:
    """An answer to one of those mails. `member`: None where no member wrote; `yes`: OUI, else NON or FIN."""

    mail: InboxMail
    letter: Letter
    reading: Reading
    member: Member | None
    token: Token
    yes: bool
    club: Club

    @property
    def now(self) -> datetime:
        return self.club.now

    @property
    def cause(self) -> str:
        return self.mail.cause

    @property
    def number(self) -> int:
        """What the token is about: the number of an application or of a change."""
        return int(self.token.payload["number"])

    @property
    def post(self) -> Post | None:
        if self.member is None:
            return None
        return Post(self.mail, self.letter, self.reading, self.member, Proof.COLD, self.now)

    def ended(self, register: Register, state: InboxState, reason: str, line: Line) -> Handled:
        """End the mail, with its row in the audit chain."""
        return register.end(self.mail, state, reason, self.now, [line], self.post)


def petition_of(
    mail: InboxMail, letter: Letter, reading: Reading, member: Member | None, token: Token | None, club: Club
) -> Petition | None:
    """Return the answer that a letter is, if it says OUI, NON or FIN and nothing else, with such a token."""
    said = [c.verb for c in reading.commands if not c.simulate]
    if said not in (["OUI"], ["NON"], ["FIN"]) or reading.problems or reading.doubt:
        return None
    if token is None or token.purpose not in PURPOSES:
        return None
    return Petition(mail, letter, reading, member, token, said == ["OUI"], club)


PURPOSES = frozenset({"application", "identity", "stop", "forget"})


# ---------------------------------------------------------------- the tokens


def with_token(register: Register, mail: NewMail, now: datetime) -> NewMail:
    """Return a mail with the token that its kind is answered by, if it has one."""
    issue = _TOKENS.get(mail.kind)
    return mail if issue is None else replace(mail, token=issue(register, mail, now))


def issued(
    register: Register,
    purpose: str,
    mail: NewMail,
    now: datetime,
    life: timedelta,
    payload: Mapping[str, Any],
    member: str | None = None,
) -> int:
    """Issue the token of a mail. Its nonce is drawn from what makes the mail unique, and names nobody."""
    identity = "\0".join((mail.cause, mail.kind, mail.recipient, mail.about))
    nonce = hashlib.sha256(identity.encode()).hexdigest()[:40]
    return register.issue(purpose, member, mail.address, nonce, payload, now, now + life)


def _invitation(register: Register, mail: NewMail, now: datetime) -> int:
    """R-ACC-1, R-ACC-3: it is accepted from where it went, and with the rulebook that it shows."""
    shown = orders.rulebook(register.db, register.club.id).number
    return issued(
        register, "invite", mail, now, timedelta(days=register.caution.invitation_days), {"version": shown}
    )


def _application(register: Register, mail: NewMail, now: datetime) -> int:
    """R-ACC-3: each manager answers the card that he was sent."""
    payload = {"number": int(mail.about)}
    return issued(
        register,
        "application",
        mail,
        now,
        timedelta(days=register.caution.application_days),
        payload,
        mail.recipient,
    )


def _identity(register: Register, mail: NewMail, now: datetime) -> int:
    """The second OUI comes from where it was asked: an address, or a person's."""
    payload = {"number": int(mail.about), "to": mail.recipient}
    return issued(
        register, "identity", mail, now, timedelta(hours=register.caution.identity_answer_hours), payload
    )


def _stop(register: Register, mail: NewMail, now: datetime) -> int:
    """Who is told of a change may stop it; the token outlives the wait, its use does not."""
    payload = {"number": int(mail.about.partition(".")[0])}
    return issued(
        register, "stop", mail, now, timedelta(hours=register.caution.identity_effect_hours), payload
    )


_TOKENS: Mapping[str, Callable[[Register, NewMail, datetime], int]] = {
    "member.invited": _invitation,
    "application.received": _application,
    "identity.asked": _identity,
    "identity.pending": _stop,
}
