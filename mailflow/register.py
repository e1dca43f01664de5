"""What every transaction of the desk writes besides its effects: mails to send, proofs, its end.

Each mail ends in exactly one state with a reason (P-1), and each transaction leaves one row in the audit
chain (P-3, P-10). No word that a member wrote goes into the audit, nor his name: it could not be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from mailflow.answers import Envelope
from mailflow.limits import KEPT, SUSPENDED, Conduct, member_subject
from mailflow.model import Club, Proof
from mailflow.offers import payload_of
from mailflow.picture import picture
from mailflow.proofs import Keyring, digest
from mailflow.sections.digest import Digest
from mailflow.sections.trust import Caution
from mailflow.standing import NOTHING, Standing
from parsers.commands import Reading
from parsers.letter import Letter
from store import audit, inbox, outbox, people, tallies, tokens
from store.database import Database
from store.records import (
    ClubRow,
    InboxMail,
    InboxState,
    Member,
    NewMail,
    NewToken,
    OutboxMail,
    Tallied,
    Token,
)


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
    """A member's mail on the desk, read. `now`: when it is handled, not when it came.

    `standing`: what its token says. `conduct`: what is tallied about its sender; None where nobody is
    limited. `reply`: the token that every answer to it carries; `note`: what every answer says below.
    """

    mail: InboxMail
    letter: Letter
    reading: Reading
    member: Member
    proof: Proof
    now: datetime
    standing: Standing = NOTHING
    conduct: Conduct | None = None
    reply: int | None = None
    note: str = ""

    @property
    def cause(self) -> str:
        return self.mail.cause

    @property
    def received_at(self) -> datetime:
        return self.mail.received_at

    @property
    def envelope(self) -> Envelope:
        return Envelope(self.cause, self.member, self.letter.message_id, self.reply, self.note)


@dataclass(frozen=True)
class Register:
    """Writes into one club's books, always within the caller's transaction.

    `shown`: what the weekly digest shows.
    """

    db: Database
    club: ClubRow
    keyring: Keyring
    caution: Caution = field(default_factory=Caution)
    shown: Digest = field(default_factory=Digest)

    def picture(self, now: datetime) -> Club:
        """Take a picture of the club as its books stand now."""
        return picture(self.db, self.club, now, self.caution, self.shown)

    # ------------------------------------------------------------ mails

    def queue(self, mails: Sequence[NewMail], now: datetime) -> None:
        """Put mails into the outbox, each with the reply address that it is due."""
        if mails:
            outbox.queue(self.db, self.club.id, self._addressed(mails, now), now)

    def _addressed(self, mails: Sequence[NewMail], now: datetime) -> list[NewMail]:
        """Give a token to each mail that has none: its own where it can be answered, or his live session."""
        new = {n: token for n, mail in enumerate(mails) if (token := self._own_token(mail, now)) is not None}
        ids = dict(zip(new, tokens.issue_all(self.db, self.club.id, list(new.values())), strict=True))
        bare = [mail for n, mail in enumerate(mails) if mail.token is None and n not in ids]
        session = tokens.sessions(self.db, self.club.id, {m.recipient for m in bare if m.recipient}, now)
        return [
            mail if mail.token is not None else replace(mail, token=ids.get(n) or session.get(_seat(mail)))
            for n, mail in enumerate(mails)
        ]

    def _own_token(self, mail: NewMail, now: datetime) -> NewToken | None:
        """TRUST § 3: the reply address of a notification."""
        nonce = f"{mail.cause}:{mail.kind}:{mail.recipient}:{mail.about}"
        can = mail.answerable
        if mail.token is not None or can is None:
            return None
        return self._new("answer", mail.recipient, mail.address, nonce, payload_of(can), now, can.until)

    def answered(self, post: Post, mails: Sequence[NewMail], reason: str, lines: Iterable[Line]) -> Handled:
        """End a mail that changed nothing with its answer."""
        self.queue(mails, post.now)
        return self.end(post.mail, InboxState.ANSWERED, reason, post.now, lines, post)

    def ignored(self, post: Post, reason: str) -> Handled:
        """End a member's mail in silence."""
        lines = [Line("refused")] * max(1, len(post.reading.commands))
        return self.end(post.mail, InboxState.IGNORED, reason, post.now, lines, post)

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
            "member": None if post is None else people.number(self.db, self.club.id, post.member.handle),
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

    # ------------------------------------------------------------ proofs

    def issue(
        self,
        purpose: str,
        member: str | None,
        address: str,
        cause: str,
        payload: Mapping[str, Any],
        now: datetime,
        until: datetime,
        ends_at: datetime | None = None,
    ) -> int:
        """Issue a token and return its id. `cause` is its nonce: one token per purpose and cause."""
        new = self._new(purpose, member, address, cause, payload, now, until, ends_at)
        return tokens.issue(self.db, self.club.id, new)

    def _new(
        self,
        purpose: str,
        member: str | None,
        address: str,
        nonce: str,
        payload: Mapping[str, Any],
        now: datetime,
        until: datetime,
        ends_at: datetime | None = None,
    ) -> NewToken:
        epoch = self.club.epoch
        kept = digest(self.keyring.token(purpose, nonce, epoch))
        return NewToken(purpose, member, address, nonce, kept, payload, now, until, ends_at, epoch)

    def carried(self, mail: InboxMail) -> Token | None:
        """Find the token that a mail carries, whatever its state and whosever it is."""
        return None if mail.carried is None else tokens.by_digest(self.db, self.club.id, mail.carried)

    def token_of(self, mail: OutboxMail) -> str | None:
        """Return the text of the token that a queued mail carries, derived anew (TRUST § 3)."""
        token = None if mail.token is None else tokens.by_id(self.db, mail.token)
        return None if token is None else self.keyring.token(token.purpose, token.nonce, token.epoch)

    # ------------------------------------------------------------ limits

    def conduct(self, sender: str, member: Member | None, at: datetime) -> Conduct:
        """Look up what is tallied about a sender."""
        subjects = list(_subjects(sender, member))
        found = Conduct(tallies.of(self.db, self.club.id, subjects), at, self.caution)
        if found.stale:
            tallies.drop_before(self.db, self.club.id, subjects, at - KEPT, (SUSPENDED,))
        return found

    def sweep(self, now: datetime) -> None:
        """Forget what has no weight any more, whoever did it; strangers seldom come back."""
        tallies.sweep(self.db, self.club.id, now - KEPT, (SUSPENDED,))

    def tally(self, subject: str, kinds: Iterable[str], at: datetime) -> None:
        """Count what an address, or a member, did."""
        tallies.add(self.db, self.club.id, [Tallied(subject, kind, at) for kind in kinds])


def _seat(mail: NewMail) -> tuple[str, str]:
    return mail.recipient, mail.address


def _subjects(sender: str, member: Member | None) -> Iterator[str]:
    yield sender
    if member is not None:
        yield member_subject(member.handle)
