"""Mail from somebody who is no member: silence (T-31), but for those whom the manager invited (R-ACC-3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from mailflow.answers import Answers
from mailflow.handlers import accounts
from mailflow.identify import Trust
from mailflow.model import Club
from mailflow.performing import write
from mailflow.picture import picture
from mailflow.register import Handled, Line, Register
from parsers.commands import Reading
from parsers.kinds import LetterKind
from parsers.letter import Letter
from store import outbox, tokens
from store.records import InboxMail, InboxState, Invitation, NewMail


def _joins(letter: Letter, reading: Reading) -> bool:
    """Whether the letter opens with J'ACCEPTE: « Non merci » above words of ours is never taken for it."""
    if [(c.verb, c.simulate) for c in reading.commands] != [("ADHERE", False)]:
        return False
    first = next((n for n, line in enumerate(letter.text.split("\n"), 1) if line.strip()), 0)
    return reading.commands[0].line in (0, first)


@dataclass(frozen=True)
class Newcomers:
    """`register` writes, `answers` words. Works within the caller's transaction."""

    register: Register
    answers: Answers
    trust: Trust

    def handle(self, mail: InboxMail, letter: Letter, reading: Reading, club: Club) -> Handled:
        """Open the account of an invited person who accepts; leave any other stranger unanswered."""
        invitation = None if letter.sender is None else club.books.invitation_for_address(letter.sender)
        if invitation is not None and letter.kind is LetterKind.PERSON and not _joins(letter, reading):
            return self._told_how(mail, letter, invitation, club)
        if invitation is None or not _joins(letter, reading):
            malformed = letter.kind is LetterKind.MALFORMED
            state = InboxState.QUARANTINED if malformed else InboxState.IGNORED
            return self.register.end(mail, state, letter.reason or "stranger", club.now, [Line("unknown")])
        if not self._proved(reading, invitation, club):
            return self._told_how(mail, letter, invitation, club)
        outcome = accounts.join(invitation, club)
        if outcome.refused:
            return self._ignored(mail, outcome.refusals[0].code, club)
        write(self.register.db, self.register.club, outcome, club.now, f"{mail.cause}:0")
        after = picture(self.register.db, self.register.club, club.now)
        self.register.queue(self.answers.notices(outcome.notices, after, f"{mail.cause}:0"), club.now)
        return self.register.end(mail, InboxState.EXECUTED, "joined", club.now, [Line("ok")])

    def _told_how(self, mail: InboxMail, letter: Letter, invitation: Invitation, club: Club) -> Handled:
        """TRUST § 1: at most one answer a day: the invitation itself, which says how to accept it."""
        db, club_id = self.register.db, self.register.club.id
        sent = outbox.latest(db, club_id, "member.invited", invitation.handle)
        last = outbox.latest(db, club_id, "invited.again", invitation.handle)
        if sent is not None and (last is None or club.now - last.created_at >= timedelta(days=1)):
            again = NewMail(
                mail.cause,
                "invited.again",
                invitation.handle,
                invitation.address,
                "",
                sent.subject,
                sent.text,
                in_reply_to=letter.message_id,
                token=sent.token,
            )
            self.register.queue([again], club.now)
        return self._ignored(mail, "invitation not accepted", club)

    def _proved(self, reading: Reading, invitation: Invitation, club: Club) -> bool:
        """Whether the answer came to the reply address that only the invited person was sent."""
        if self.trust is Trust.EVERYBODY:
            return True
        token = self.register.token(reading.token)
        if token is None or token.purpose != "invite" or token.address != invitation.address:
            return False
        return tokens.redeem(self.register.db, token.id, club.now)

    def _ignored(self, mail: InboxMail, reason: str, club: Club) -> Handled:
        return self.register.end(mail, InboxState.IGNORED, reason, club.now, [Line("refused")])
