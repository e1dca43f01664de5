"""Before a mail is looked into: what its token says, whether it is a copy, and whether its sender is heard.

Every refusal here is silent: whoever guesses, bombs or loops learns nothing (T-7, T-8, T-16, T-30).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from mailflow.answers import Answers, Envelope
from mailflow.catalogue import BY_NAME, Need
from mailflow.identify import Writer
from mailflow.letters import Reader
from mailflow.limits import ANSWER, DECLINED, MISS, SUSPENDED, TOLD, Conduct, member_subject
from mailflow.model import Club
from mailflow.register import Handled, Line, Post, Register
from mailflow.sessions import Sessions
from mailflow.standing import Fate, Standing, standing
from parsers.commands import Reading
from parsers.letter import Letter
from store import tallies, tokens
from store.records import InboxMail, InboxState, Token, fold_handle

TOLD_MAX = 3
"""How often the owner of one token is told that somebody else presents it."""


@dataclass(frozen=True)
class Gate:
    """Works within the caller's transaction."""

    register: Register
    answers: Answers
    sessions: Sessions

    def standing(self, mail: InboxMail, letter: Letter, writer: Writer, club: Club) -> Standing:
        """Find the token that the mail carries and judge it; one look-up."""
        token = self.register.carried(mail)
        return standing(mail.carried, token, writer, letter, club, mail.received_at)

    def conduct(self, mail: InboxMail, letter: Letter, writer: Writer, found: Standing) -> Conduct | None:
        """What is tallied about the sender.

        A stranger is not answered anyway, so he is looked up only where he presents a token.
        """
        if letter.sender is None or (writer.member is None and found.fate is Fate.NONE):
            return None
        return self.register.conduct(letter.sender, writer.member, mail.received_at)

    def turned_away(
        self,
        mail: InboxMail,
        letter: Letter,
        reading: Reading,
        writer: Writer,
        found: Standing,
        club: Club,
    ) -> Handled | None:
        """End a mail that presents a token it should not have; None where it goes on."""
        if found.fate is Fate.UNKNOWN:
            if letter.sender is not None:
                self.register.tally(letter.sender, (MISS,), mail.received_at)
            return self.silent(mail, reading, "unknown token", club.now)
        if found.token is None or found.fate not in (Fate.ANOTHERS, Fate.STRAY):
            return None
        misuses = tokens.note_misuse(self.register.db, found.token.id)
        if found.token.purpose == "session":
            self.sessions.burn(found.token)
        if found.fate is Fate.STRAY:
            return None
        secret = found.token.purpose in ("confirm", "session")
        if secret and misuses <= TOLD_MAX:
            self._tell_owner(mail, letter, writer, found.token, club)
        if _answers_us(reading) if writer.member is not None else secret:
            return self.silent(mail, reading, "another's token", club.now)
        return None

    def muted(self, found: Standing, conduct: Conduct | None) -> bool:
        """T-7: whether the sender guessed so often that he is not heard, unless he proves himself."""
        return conduct is not None and conduct.muted and not found.live

    def unheard(
        self,
        mail: InboxMail,
        letter: Letter,
        reading: Reading,
        writer: Writer,
        found: Standing,
        conduct: Conduct | None,
        club: Club,
    ) -> Handled:
        """T-7: end a mail that is not heard. If it may be the member's own, he is told how he is, once a day.

        Guesses stay without any answer; but who forges them in his name must not shut him out.
        """
        member, own = writer.member, bool(reading.commands) and found.fate is Fate.NONE
        if member is not None and member.active and own and conduct is not None and not conduct.was_told:
            token = self.sessions.resume(mail.cause, member, club.now)
            envelope = Envelope(mail.cause, member, letter.message_id, token)
            facts = {"muted": True, "until": conduct.heard_again_at}
            self.register.queue([self.answers.plain("unheard", facts, envelope, club)], club.now)
            self.register.tally(member_subject(member.handle), (TOLD,), mail.received_at)
        return self.silent(mail, reading, "muted", club.now)

    def silent(self, mail: InboxMail, reading: Reading, reason: str, now: datetime) -> Handled:
        """End a mail whose sender learns nothing."""
        lines = [Line("refused")] * max(1, len(reading.commands))
        return self.register.end(mail, InboxState.IGNORED, reason, now, lines)

    def _tell_owner(self, mail: InboxMail, letter: Letter, writer: Writer, token: Token, club: Club) -> None:
        """T-8: somebody answers what another was asked: nothing is done, its owner is told, he is not."""
        owner = club.members.get(fold_handle(token.member or ""))
        if owner is None or club.member(owner.handle) is None:
            return
        member = writer.member
        masked = f"{member.handle[:1]}…" if member is not None else f"{(letter.sender or '')[:1]}…@…"
        facts = {"masked": masked, "member": member is not None, "purpose": token.purpose}
        envelope = Envelope(mail.cause, owner, None)
        self.register.queue([self.answers.plain("misused", facts, envelope, club)], club.now)

    # ------------------------------------------------------------ a member's mail

    def heard(self, post: Post) -> str | None:
        """T-16, T-30: why a member's mail gets no answer, if it gets none."""
        if post.conduct is None or not _limited(post):
            return None
        spent = post.conduct.answered_enough
        return None if spent is None else f"enough answers this {spent}"

    def last_word(self, post: Post, club: Club) -> Post:
        """T-16: the last answer for now says so, and brings a reply address at which he is heard.

        Otherwise whoever writes in a member's name could use up his answers, and so silence him.
        """
        conduct = post.conduct
        if conduct is None or not conduct.is_at_last_answer or conduct.suspended or not post.member.active:
            return post
        if post.standing.live:
            return post
        facts = {"muted": False, "until": conduct.answered_again_at}
        words = self.answers.letters.write("unheard", Reader.of(post.member), club, facts)
        return replace(
            post, reply=self.sessions.resume(post.cause, post.member, post.now), note=f"\n{words.text}"
        )

    def note(self, post: Post, handled: Handled) -> None:
        """Count the answer that a limited mail got; and lift a suspension for who writes himself."""
        if post.conduct is None:
            return
        if _limited(post) and handled.state is not InboxState.IGNORED:
            self.register.tally(post.member.address, (ANSWER,), post.received_at)
        if post.standing.live and post.conduct.has_declined and not _declines(post.reading):
            subject = member_subject(post.member.handle)
            tallies.drop(self.register.db, self.register.club.id, (subject,), (DECLINED, SUSPENDED))


def _answers_us(reading: Reading) -> bool:
    return any(BY_NAME[c.verb].need is Need.ANSWER for c in reading.commands)


def _declines(reading: Reading) -> bool:
    return any(c.verb == "NON" for c in reading.commands)


def _limited(post: Post) -> bool:
    """Whether a robot could have sent it: it proves nothing, or says nothing."""
    understood = post.reading.commands and not post.reading.problems
    return not (post.standing.live and understood)
