"""OUI and NON about a change of addresses or of the manager (TRUST § 2, class identity).

The second OUI counts from where it was asked. A NON counts from everybody who was told: the member at any
of his addresses, the new address, the other person, every manager.
"""

from __future__ import annotations

from dataclasses import dataclass

from mailflow.answers import Answers, Envelope
from mailflow.handlers import identity
from mailflow.model import Outcome
from mailflow.performing import write
from mailflow.petitions import Petition, with_token
from mailflow.register import Handled, Line, Register
from store import tokens
from store.records import IdentityChange, IdentityState, InboxState


@dataclass(frozen=True)
class IdentityChanges:
    """`register` writes, `answers` words. Works within the caller's transaction."""

    register: Register
    answers: Answers

    def asked(self, petition: Petition) -> Handled | None:
        """The answer of the new address, or of the other person. None where it came from elsewhere."""
        change = petition.club.books.identity_change(petition.number)
        if change is None or not self._came_from_there(petition, change):
            return None
        if not petition.yes:
            return self._stopped(petition, change)
        in_time = change.state is IdentityState.ASKED and tokens.redeem(
            self.register.db, petition.token.id, petition.token.member, petition.mail.received_at
        )
        if not in_time:
            return self._over(petition, change)
        return self._carried_out(petition, identity.agree(change, petition.club), "agreed")

    def told(self, petition: Petition) -> Handled | None:
        """The answer to a mail that told of a change. None where it came from somebody else.

        A NON needs no live token, only the right one: it changes nothing but that nothing is changed.
        """
        change = petition.club.books.identity_change(petition.number)
        if change is None or not self._may_stop(petition, change):
            return None
        if petition.yes:
            return self._over(petition, change)
        return self._stopped(petition, change)

    def _came_from_there(self, petition: Petition, change: IdentityChange) -> bool:
        if change.kind.is_role:
            return petition.member is not None and petition.member.handle == change.other
        return petition.letter.sender == petition.token.address

    def _may_stop(self, petition: Petition, change: IdentityChange) -> bool:
        if petition.member is None:
            return petition.letter.sender in (
                change.address,
                *petition.club.books.addresses(change.member),
            )
        return identity.may_stop(change, petition.member.handle, petition.club)

    def _stopped(self, petition: Petition, change: IdentityChange) -> Handled:
        if not change.state.is_open:
            return self._over(petition, change)
        by = "" if petition.member is None else petition.member.handle
        return self._carried_out(petition, identity.stop(change, by, petition.club), "stopped")

    def _carried_out(self, petition: Petition, outcome: Outcome, reason: str) -> Handled:
        register, now = self.register, petition.now
        write(register.db, register.club, outcome, now, f"{petition.cause}:0")
        after = register.picture(now)
        mails = self.answers.notices(outcome.notices, after, petition.cause)
        register.queue([with_token(register, mail, now) for mail in mails], now)
        return petition.ended(register, InboxState.EXECUTED, reason, Line("ok"))

    def _over(self, petition: Petition, change: IdentityChange) -> Handled:
        """There is nothing to answer (any more): a member is told how it stands, a stranger is not."""
        if petition.member is None:
            return petition.ended(self.register, InboxState.IGNORED, "nothing to answer", Line("refused"))
        envelope = Envelope(petition.cause, petition.member, petition.letter.message_id)
        facts = {"state": change.state.value, "due_at": change.due_at, "yes": petition.yes}
        sent = self.answers.plain("identity.over", facts, envelope, petition.club)
        self.register.queue([sent], petition.now)
        return petition.ended(self.register, InboxState.ANSWERED, "nothing to answer", Line("refused"))
