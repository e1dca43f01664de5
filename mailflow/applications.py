"""Applications to join (R-ACC-3): a stranger's ADHESION, and the manager's OUI or NON to its card.

T-31: the stranger gets one acknowledgement, at most one mail a day and address, which tells him nothing about
anybody else; then nothing until a manager has said OUI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from mailflow.answers import Answers, Envelope
from mailflow.handlers import joining
from mailflow.letters import Reader, refusal_phrase
from mailflow.model import Club, Notice, Outcome
from mailflow.performing import write
from mailflow.petitions import Petition, with_token
from mailflow.register import Handled, Line, Register
from parsers.letter import Letter
from store import outbox, tokens
from store.records import Application, ApplicationState, InboxMail, InboxState, NewMail

TO_STRANGERS = ("application.noted", "application.unusable", "invited.again", "forget.asked")
"""Kinds of mails that answer somebody who is no member."""


def may_be_answered(register: Register, address: str, club: Club) -> bool:
    """T-31: whether a day has passed since a stranger last got an answer."""
    last = outbox.latest_to(register.db, register.club.id, TO_STRANGERS, address)
    return last is None or club.now - last >= timedelta(hours=club.caution.stranger_mail_hours)


@dataclass(frozen=True)
class Applications:
    """`register` writes, `answers` words. Works within the caller's transaction."""

    register: Register
    answers: Answers

    def apply(self, mail: InboxMail, letter: Letter, handle: str | None, club: Club) -> Handled:
        """Take up a stranger's ADHESION. `handle` is None where what he wrote is none."""
        address = letter.sender or ""
        if not joining.cards_are_few(club):
            return self._ended(mail, InboxState.IGNORED, "too many applications", club, "refused")
        if self._is_open_already(address, handle, club):
            return self._ended(mail, InboxState.IGNORED, "applied already", club, "refused")
        outcome = joining.apply_to_join(handle or "", address, club)
        if outcome.refused:
            self._answer(mail, letter, "application.unusable", {"handle": handle or ""}, club)
            return self._ended(mail, InboxState.ANSWERED, "unusable handle", club, "refused")
        self._answer(mail, letter, "application.noted", {"handle": handle}, club)
        self._carry_out(outcome, mail.cause, club)
        return self._ended(mail, InboxState.EXECUTED, "applied", club, "ok")

    def decide(self, petition: Petition) -> Handled | None:
        """A manager's answer to his card. None where it is not he who answers."""
        member, club = petition.member, petition.club
        if member is None or member.handle != petition.token.member or not member.manages:
            return None
        application = club.books.application(petition.number)
        if application is None or application.state is not ApplicationState.OPEN:
            return self._told(petition, "over", application)
        owner, at = petition.token.member, petition.mail.received_at
        if not tokens.redeem(self.register.db, petition.token.id, owner, at):
            return self._card_again(petition, application)
        if not petition.yes:
            self._carry_out(joining.decline(application, member.handle), petition.cause, club)
            return self._told(petition, "declined", application)
        outcome = joining.approve(application, member.handle, club)
        if outcome.refused:
            return self._told(petition, "refused", application, outcome)
        self._carry_out(outcome, petition.cause, club)
        return self._told(petition, "approved", application)

    def _is_open_already(self, address: str, handle: str | None, club: Club) -> bool:
        """Whether the same was asked before and waits for its answer: one card is enough."""
        before = club.books.application_from(address)
        waits = before is not None and before.state is ApplicationState.OPEN
        return waits and before is not None and before.handle == handle

    def _card_again(self, petition: Petition, application: Application) -> Handled:
        """Never a dead end: an answer that came too late, or after FIN, gets the card anew."""
        club, manager = petition.club, petition.token.member or ""
        outcome = joining.card(application, (manager,), club)
        self._queue(outcome.notices, petition.cause, club)
        return petition.ended(self.register, InboxState.ANSWERED, "late", Line("confirm"))

    def _told(
        self,
        petition: Petition,
        what: str,
        application: Application | None,
        outcome: Outcome | None = None,
    ) -> Handled:
        """Answer the manager: what became of the application."""
        assert petition.member is not None
        reader = Reader.of(petition.member)
        refusals = () if outcome is None else outcome.refusals
        facts = {
            "what": what,
            "application": application,
            "refusals": [refusal_phrase(self.answers.letters, r, reader, petition.club) for r in refusals],
        }
        envelope = Envelope(petition.cause, petition.member, petition.letter.message_id)
        sent = self.answers.plain("application.decided", facts, envelope, petition.club)
        self.register.queue([sent], petition.now)
        acted = what in ("approved", "declined")
        state = InboxState.EXECUTED if acted else InboxState.ANSWERED
        line = Line("ok") if acted else Line("refused", refusals[0].rule if refusals else None)
        return petition.ended(self.register, state, what, line)

    def _answer(
        self, mail: InboxMail, letter: Letter, kind: str, facts: Mapping[str, Any], club: Club
    ) -> None:
        """Write to a stranger, unless he was written to within a day, or too many were.

        T-31: through the club nobody has mail sent to all the world. What he asks is taken up all the same.
        """
        address = letter.sender or ""
        if not may_be_answered(self.register, address, club) or self._many_were_answered(club):
            return
        reader = Reader.newcomer("", club.language)
        words = self.answers.letters.write(kind, reader, club, facts)
        cause = mail.cause
        sent = NewMail(
            cause, kind, "", address, "", words.subject, words.text,
            in_reply_to=letter.message_id, language=words.language,
        )  # fmt: skip
        self.register.queue([sent], club.now)

    def _many_were_answered(self, club: Club) -> bool:
        since, kinds = club.now - timedelta(days=1), ("application.noted", "application.unusable")
        sent = outbox.queued_since(self.register.db, self.register.club.id, kinds, since)
        return sent >= club.caution.stranger_mails_per_day_max

    def _carry_out(self, outcome: Outcome, cause: str, club: Club) -> None:
        write(self.register.db, self.register.club, outcome, club.now, f"{cause}:0")
        self._queue(outcome.notices, cause, self.register.picture(club.now))

    def _queue(self, notices: tuple[Notice, ...], cause: str, club: Club) -> None:
        mails = self.answers.notices(notices, club, cause)
        self.register.queue([with_token(self.register, m, club.now) for m in mails], club.now)

    def _ended(self, mail: InboxMail, state: InboxState, reason: str, club: Club, line: str) -> Handled:
        return self.register.end(mail, state, reason, club.now, [Line(line)])
