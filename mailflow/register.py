"""What every transaction of the desk writes besides its effects: mails to send, proofs, its end.

Each mail ends in exactly one state with a reason (P-1), and each transaction leaves one row in the audit
chain (P-3, P-10). No word that a member wrote goes into the audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mailflow.answers import Envelope
from mailflow.model import Proof
from mailflow.proofs import Keyring, digest
from parsers.commands import Reading
from parsers.letter import Letter
from store import audit, inbox, outbox, tokens
from store.database import Database
from store.records import ClubRow, InboxMail, InboxState, Member, NewMail, OutboxMail, Token


@dataclass(frozen=True)
class Line:
    """What one command of a mail came to: ok, refused, confirm or unknown; the rule that said no."""

    outcome: str
    rule: str | None = None


@dataclass(frozen=True)
class Handled:
    """What became of a mail; `lines`: one for each of its commands."""

    mail_id: int
    state: InboxState
    reason: str
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Post:
    """A member's mail on the desk, read. `now`: when it is handled, not when it came."""

    mail: InboxMail
    letter: Letter
    reading: Reading
    member: Member
    proof: Proof
    now: datetime

    @property
    def cause(self) -> str:
        return self.mail.cause

    @property
    def envelope(self) -> Envelope:
        return Envelope(self.cause, self.member, self.letter.message_id)


@dataclass(frozen=True)
class Register:
    """Writes into one club's books, always within the caller's transaction."""

    db: Database
    club: ClubRow
    keyring: Keyring

    def queue(self, mails: Sequence[NewMail], now: datetime) -> None:
        """Put mails into the outbox."""
        if mails:
            outbox.queue(self.db, self.club.id, mails, now)

    def answered(self, post: Post, mails: Sequence[NewMail], reason: str, lines: Iterable[Line]) -> Handled:
        """End a mail that changed nothing with its answer."""
        self.queue(mails, post.now)
        return self.end(post.mail, InboxState.ANSWERED, reason, post.now, lines, post)

    def end(
        self,
        mail: InboxMail,
        state: InboxState,
        reason: str,
        now: datetime,
        lines: Iterable[Line] = (),
        post: Post | None = None,
    ) -> Handled:
        """Write what became of a mail, and its audit row. `post` is None where no member wrote."""
        inbox.finish(self.db, mail.id, state, reason)
        told = tuple(lines)
        audited = {
            "member": None if post is None else post.member.handle,
            "state": state.value,
            "reason": reason,
            "verbs": [] if post is None else [c.verb for c in post.reading.commands],
            "outcomes": [line.outcome for line in told],
            "rules": [line.rule for line in told],
        }
        self.audit(mail.cause, "mail", audited, now)
        return Handled(mail.id, state, reason, told)

    def audit(self, cause: str, kind: str, values: Mapping[str, Any], at: datetime) -> None:
        """Add a row to the audit chain."""
        audit.record(self.db, self.club.id, at, cause, kind, values)

    def issue(
        self,
        purpose: str,
        member: str | None,
        address: str,
        cause: str,
        payload: Mapping[str, Any],
        now: datetime,
        until: datetime,
    ) -> int:
        """Issue a token and return its id. `cause` is its nonce: one token per purpose and cause."""
        kept = digest(self.keyring.token(purpose, cause))
        return tokens.issue(self.db, self.club.id, purpose, member, address, cause, kept, payload, now, until)

    def token(self, text: str | None) -> Token | None:
        """Find a token by its text, whatever its state and whosever it is."""
        return None if text is None else tokens.by_digest(self.db, self.club.id, digest(text))

    def token_of(self, mail: OutboxMail) -> str | None:
        """Return the text of the token that a queued mail carries, derived anew (TRUST § 3)."""
        token = None if mail.token is None else tokens.by_id(self.db, mail.token)
        return None if token is None else self.keyring.token(token.purpose, token.nonce)
