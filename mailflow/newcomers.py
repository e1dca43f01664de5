"""Mail from somebody who is no member: silence (T-31), but for those whom the manager invited (R-ACC-3)."""

from __future__ import annotations

from dataclasses import dataclass

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
from store import tokens
from store.records import InboxMail, InboxState, Invitation


@dataclass(frozen=True)
class Newcomers:
    """`register` writes, `answers` words. Works within the caller's transaction."""

    register: Register
    answers: Answers
    trust: Trust

    def handle(self, mail: InboxMail, letter: Letter, reading: Reading, club: Club) -> Handled:
        """Open the account of an invited person who accepts; leave any other stranger unanswered."""
        invitation = None if letter.sender is None else club.books.invitation_for_address(letter.sender)
        if invitation is None or [c.verb for c in reading.commands] != ["ADHERE"]:
            malformed = letter.kind is LetterKind.MALFORMED
            state = InboxState.QUARANTINED if malformed else InboxState.IGNORED
            return self.register.end(mail, state, letter.reason or "stranger", club.now, [Line("unknown")])
        if not self._proved(reading, invitation, club):
            return self._ignored(mail, "invitation not proved", club)
        outcome = accounts.join(invitation, club)
        if outcome.refused:
            return self._ignored(mail, outcome.refusals[0].code, club)
        write(self.register.db, self.register.club, outcome, club.now, f"mail:{mail.id}:0")
        after = picture(self.register.db, self.register.club, club.now)
        self.register.queue(self.answers.notices(outcome.notices, after, f"mail:{mail.id}:0"), club.now)
        return self.register.end(mail, InboxState.EXECUTED, "joined", club.now, [Line("ok")])

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
