"""OUBLIEZ-MOI of somebody who has left (T-38): asked back at his own address, and done at his OUI.

One last mail says so; its address is taken out of the books once it has left, and then the file is
rewritten, so that no deleted byte lingers in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from mailflow.answers import Answers
from mailflow.applications import may_be_answered
from mailflow.letters import Reader
from mailflow.model import Club, Outcome
from mailflow.performing import write
from mailflow.petitions import Petition, issued
from mailflow.register import Handled, Line, Register
from parsers.letter import Letter
from store import forgetting, tokens
from store.database import unit_of_work, wipe
from store.records import Erasure, Forget, InboxMail, InboxState, Member, MemberStatus, NewMail


@dataclass(frozen=True)
class Forgetting:
    """`register` writes, `answers` words. Works within the caller's transaction, but for `wipe`."""

    register: Register
    answers: Answers

    def former(self, letter: Letter, club: Club) -> Member | None:
        """Who wrote, if it is somebody who has left, from an address that was his."""
        handle = None if letter.sender is None else club.books.handle_at(letter.sender)
        member = None if handle is None else next(m for m in club.members.values() if m.handle == handle)
        return member if member is not None and member.status is MemberStatus.LEFT else None

    def ask(self, mail: InboxMail, letter: Letter, member: Member, club: Club) -> Handled:
        """Show him what goes and what stays, and ask for OUI; once a day at most (T-31)."""
        if may_be_answered(self.register, letter.sender or "", club):
            self._queue_question(mail, letter, member, club)
            return self._ended(mail, InboxState.PENDING, "confirm", "confirm", club)
        return self._ended(mail, InboxState.IGNORED, "asked already", "refused", club)

    def answered(self, petition: Petition) -> Handled | None:
        """His OUI or NON. None where it came from another address than was asked."""
        club, token = petition.club, petition.token
        member = self.former(petition.letter, club)
        if member is None or petition.letter.sender != token.address or member.handle != token.member:
            return None
        at = petition.mail.received_at
        in_time = tokens.redeem(self.register.db, token.id, member.handle, at, petition.cause)
        if not petition.yes:
            return self._ended(petition.mail, InboxState.EXECUTED, "declined", "ok", club)
        if not in_time:
            self._queue_question(petition.mail, petition.letter, member, club)
            return self._ended(petition.mail, InboxState.PENDING, "late", "confirm", club)
        self._forget(petition, member)
        return self._ended(petition.mail, InboxState.EXECUTED, "forgotten", "ok", club)

    def _forget(self, petition: Petition, member: Member) -> None:
        """The last mail is written before, in his language, and queued after, when nothing else knows him."""
        register, club = self.register, petition.club
        number = forgetting.next_number(register.db, register.club.id)
        last = self._mail(
            petition.mail, forgetting.LAST_MAIL, petition.token.address, member, club, str(number)
        )
        done = Outcome(changes=(Forget(member.handle, petition.mail.id),))
        write(register.db, register.club, done, club.now, f"{petition.cause}:0")
        register.queue([last], club.now)

    def _queue_question(self, mail: InboxMail, letter: Letter, member: Member, club: Club) -> None:
        asked = self._mail(mail, "forget.asked", letter.sender or "", member, club)
        token = issued(
            self.register,
            "forget",
            asked,
            club.now,
            timedelta(hours=club.caution.identity_answer_hours),
            {},
            member.handle,
        )
        self.register.queue([replace(asked, token=token, in_reply_to=letter.message_id)], club.now)

    def _mail(
        self, mail: InboxMail, kind: str, address: str, member: Member, club: Club, about: str = ""
    ) -> NewMail:
        """A mail to somebody who is no member: without a handle, as all mails to strangers."""
        reader = Reader.newcomer("", member.language)
        kept = forgetting.names_in_chain(self.register.db, self.register.club.id, member.handle)
        facts = {
            "handle": member.handle,
            "until": club.now + timedelta(hours=club.caution.identity_answer_hours),
            "chain_keeps": kept,
        }
        words = self.answers.letters.write(kind, reader, club, facts)
        return NewMail(
            mail.cause, kind, "", address, about, words.subject, words.text, language=words.language
        )

    def _ended(self, mail: InboxMail, state: InboxState, reason: str, line: str, club: Club) -> Handled:
        return self.register.end(mail, state, reason, club.now, [Line(line)])


@dataclass(frozen=True)
class Wipe:
    """What falls due once the last mail to somebody who was forgotten has left."""

    at: datetime
    erasure: Erasure

    @property
    def name(self) -> str:
        return f"wipe:{self.erasure.number}"


def next_wipe(register: Register) -> Wipe | None:
    """Return the wipe that is due, if one is."""
    erasure = forgetting.to_wipe(register.db, register.club.id)
    return None if erasure is None else Wipe(erasure.at, erasure)


def carry_out(due: Wipe, register: Register, now: datetime) -> None:
    """Take out the last address, rewrite the file, and only then note that it was done."""
    db, club, number = register.db, register.club.id, due.erasure.number
    with unit_of_work(db):
        forgetting.forget_last_mails(db, club, due.erasure)
    wipe(db)
    with unit_of_work(db):
        forgetting.mark_wiped(db, club, number, now)
        register.audit(f"job:{due.name}", "job", {"notices": 0}, now)
