"""Mail from somebody who is no member: silence (T-31), unless he joins (R-ACC-3) or wants to be forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mailflow.answers import Answers
from mailflow.applications import Applications, may_be_answered
from mailflow.forgetting import Forgetting
from mailflow.handlers import accounts
from mailflow.identify import Trust
from mailflow.letters import Words
from mailflow.model import Club
from mailflow.performing import write
from mailflow.petitions import with_token
from mailflow.register import Handled, Line, Register
from parsers.commands import Reading
from parsers.kinds import LetterKind
from parsers.letter import Letter
from store import outbox, tokens
from store.records import (
    ApplicationState,
    InboxMail,
    InboxState,
    Invitation,
    NewMail,
    OutboxMail,
    Token,
)


def _opens_with(verb: str, letter: Letter, reading: Reading) -> bool:
    """Whether the letter opens with this command and holds no other.

    « Non merci » above words of ours is never taken for J'ACCEPTE, nor what stands somewhere in an
    advertisement for an application.
    """
    first = next((n for n, line in enumerate(letter.text.split("\n"), 1) if line.strip()), 0)
    lines = [c.line for c in reading.commands if c.verb == verb and not c.simulate]
    lines += [p.line for p in reading.problems if p.verb == verb]
    return len(reading.commands) < 2 and bool(lines) and set(lines) <= {0, first} and _all_of(verb, reading)


def _all_of(verb: str, reading: Reading) -> bool:
    return {c.verb for c in reading.commands} | {p.verb for p in reading.problems} == {verb}


@dataclass(frozen=True)
class Newcomers:
    """`register` writes, `answers` words. Works within the caller's transaction."""

    register: Register
    answers: Answers
    trust: Trust
    applications: Applications = field(init=False)
    forgetting: Forgetting = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "applications", Applications(self.register, self.answers))
        object.__setattr__(self, "forgetting", Forgetting(self.register, self.answers))

    def handle(self, mail: InboxMail, letter: Letter, reading: Reading, club: Club) -> Handled:
        """Open the account of an invited person who accepts; take up who asks to join; else be silent."""
        if letter.kind is not LetterKind.PERSON or letter.sender is None:
            malformed = letter.kind is LetterKind.MALFORMED
            state = InboxState.QUARANTINED if malformed else InboxState.IGNORED
            return self.register.end(mail, state, letter.reason or "stranger", club.now, [Line("unknown")])
        if _opens_with("OUBLIE", letter, reading) and (former := self.forgetting.former(letter, club)):
            return self.forgetting.ask(mail, letter, former, club)
        invitation = club.books.invitation_for_address(letter.sender)
        if invitation is not None:
            return self._invited(mail, letter, reading, invitation, club)
        if _opens_with("ADHESION", letter, reading):
            written = next((str(c.arguments["member"]) for c in reading.commands), None)
            return self.applications.apply(mail, letter, written, club)
        return self.register.end(mail, InboxState.IGNORED, "stranger", club.now, [Line("unknown")])

    def _invited(
        self, mail: InboxMail, letter: Letter, reading: Reading, invitation: Invitation, club: Club
    ) -> Handled:
        joins = _opens_with("ADHERE", letter, reading) and not reading.problems
        token = self._token(mail, invitation) if joins else None
        if not joins or not self._proved(mail, token, club):
            return self._told_how(mail, letter, invitation, token, club)
        outcome = accounts.join(invitation, club, self._how(mail, invitation, club))
        if outcome.refused:
            return self._ignored(mail, outcome.refusals[0].code, club)
        write(self.register.db, self.register.club, outcome, club.now, f"{mail.cause}:0")
        after = self.register.picture(club.now)
        self.register.queue(self.answers.notices(outcome.notices, after, f"{mail.cause}:0"), club.now)
        return self.register.end(mail, InboxState.EXECUTED, "joined", club.now, [Line("ok")])

    def _how(self, mail: InboxMail, invitation: Invitation, club: Club) -> str:
        """R-ACC-1: by which way he came to be invited, and the mail in which he accepted."""
        application = club.books.application_from(invitation.address)
        applied = application is not None and application.state is ApplicationState.APPROVED
        return f"{'application' if applied else 'invitation'}, mail {mail.number}"

    def _token(self, mail: InboxMail, invitation: Invitation) -> Token | None:
        """The token that only the invited person was sent, if the letter came with it."""
        token = self.register.carried(mail)
        mine = token is not None and token.purpose == "invite" and token.address == invitation.address
        return token if mine else None

    def _proved(self, mail: InboxMail, token: Token | None, club: Club) -> bool:
        """R-ACC-1: whether he answers in time, and the rulebook is still the one that he was shown."""
        if self.trust is Trust.EVERYBODY:
            return True
        if token is None or token.payload.get("version", club.rulebook_version) != club.rulebook_version:
            return False
        return tokens.redeem(self.register.db, token.id, None, mail.received_at)

    def _told_how(
        self, mail: InboxMail, letter: Letter, invitation: Invitation, token: Token | None, club: Club
    ) -> Handled:
        """TRUST § 1: at most one answer a day: the invitation itself, which says how to accept it.

        Who shows by its `token` that he had it, and is too late or accepts what is no longer so, gets a new
        one at once: it goes to nobody but him.
        """
        if token is not None or may_be_answered(self.register, invitation.address, club):
            again = self._invitation_again(mail.cause, invitation, club)
            self.register.queue([replace(again, in_reply_to=letter.message_id)], club.now)
        return self._ignored(mail, "invitation not accepted", club)

    def _invitation_again(self, cause: str, invitation: Invitation, club: Club) -> NewMail:
        """The invitation as it was, or, where that is no use any more, as it would be written today."""
        sent = outbox.latest(self.register.db, self.register.club.id, "member.invited", invitation.handle)
        if sent is not None and self._is_of_use(sent, club):
            words, token = Words(sent.subject, sent.text, sent.language), sent.token
        else:
            [fresh] = self.answers.notices((accounts.invitation_notice(invitation),), club, cause)
            words = Words(fresh.subject, fresh.text, fresh.language)
            token = with_token(self.register, fresh, club.now).token
        return NewMail(
            cause, "invited.again", "", invitation.address, "", words.subject, words.text,
            token=token, language=words.language,
        )  # fmt: skip

    def _is_of_use(self, sent: OutboxMail, club: Club) -> bool:
        token = None if sent.token is None else tokens.by_id(self.register.db, sent.token)
        if token is None or not token.lives(club.now):
            return False
        return bool(token.payload.get("version", club.rulebook_version) == club.rulebook_version)

    def _ignored(self, mail: InboxMail, reason: str, club: Club) -> Handled:
        return self.register.end(mail, InboxState.IGNORED, reason, club.now, [Line("refused")])
