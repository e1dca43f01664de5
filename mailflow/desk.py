"""The desk: one mail, or one due job, is one database transaction, replies included.

`handle` leads a mail from its bytes to the queued answers: read, identify, understand, carry out, write,
answer. `work` takes waiting mails and due jobs in the order in which they happened.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from mailflow.agenda import Agenda, Due
from mailflow.answers import Answers
from mailflow.asking import Asking
from mailflow.bounces import Bounces
from mailflow.catalogue import BY_NAME, Need, grammar_of
from mailflow.errors import described
from mailflow.gate import Gate
from mailflow.identify import Trust, identify
from mailflow.identity_changes import IdentityChanges
from mailflow.intake import veiled
from mailflow.letters import Letters
from mailflow.model import Club
from mailflow.newcomers import Newcomers
from mailflow.petitions import Petition, petition_of
from mailflow.proofs import Keyring
from mailflow.register import Handled, Line, Post, Register
from mailflow.replies import Replies
from mailflow.sections.digest import Digest
from mailflow.sections.trust import Caution
from mailflow.sessions import Sessions
from mailflow.sets import Sets
from mailflow.standing import Standing, proof_of
from parsers.authentication import Border, verdict_of
from parsers.commands import Reading, read_commands
from parsers.explanation import explain
from parsers.kinds import LetterKind
from parsers.letter import Letter, read_letter
from store import inbox, readings
from store.database import Database, unit_of_work
from store.errors import StoreUnavailable
from store.records import FORGED, ClubRow, InboxMail, InboxState, Member

log = logging.getLogger("mailflow.desk")

ATTEMPTS_MAX = 3
"""P-8: a mail whose handling failed so often, or that was in hand at so many ends, is set aside."""

NOT_FOR_MEMBERS = frozenset({"ADHERE", "ADHESION"})

NOBODY_WROTE = frozenset({LetterKind.AUTOMATIC, LetterKind.BOUNCE, LetterKind.OWN})


@dataclass
class Desk:
    """One club's desk. `trust`: where the proof of a mailbox comes from; `border`: whose word counts about
    senders; `caution`: how far we go; `shown`: what the weekly digest shows.
    """

    db: Database
    club: ClubRow
    keyring: Keyring
    trust: Trust
    border: Border = field(default_factory=Border)
    caution: Caution = field(default_factory=Caution)
    shown: Digest = field(default_factory=Digest)
    answers: Answers = field(init=False)
    register: Register = field(init=False)
    gate: Gate = field(init=False)
    sessions: Sessions = field(init=False)
    sets: Sets = field(init=False)
    replies: Replies = field(init=False)
    newcomers: Newcomers = field(init=False)
    bounces: Bounces = field(init=False)
    agenda: Agenda = field(init=False)
    _by_purpose: Mapping[str, Callable[[Petition], Handled | None]] = field(init=False)
    _failures: Counter[int] = field(init=False, default_factory=Counter)
    _picked_up: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.answers = Answers(Letters(self.club.currency, ZoneInfo(self.club.timezone)))
        self.register = Register(self.db, self.club, self.keyring, self.caution, self.shown)
        self.sessions = Sessions(self.register)
        self.gate = Gate(self.register, self.answers, self.sessions)
        asking = Asking(self.register, self.answers)
        self.sets = Sets(self.register, self.answers, asking)
        self.replies = Replies(self.register, self.answers, asking, self.sets, self.sessions)
        self.newcomers = Newcomers(self.register, self.answers, self.trust)
        self.bounces = Bounces(self.register)
        self.agenda = Agenda(self.register, self.answers)
        changes = IdentityChanges(self.register, self.answers)
        self._by_purpose = {
            "application": self.newcomers.applications.decide,
            "identity": changes.asked,
            "stop": changes.told,
            "forget": self.newcomers.forgetting.answered,
        }

    def work(
        self, now: datetime, mails_max: int | None = None, known_until: datetime | None = None
    ) -> list[Handled]:
        """Handle all waiting mails and run all that is due, in the order in which they happened.

        R-DIS-5: a mail that our mailbox received before a window ended is handled before the window is
        closed, however late the machine wakes up. What is due goes before a mail of the same instant.
        `mails_max`: return after so many mails. `known_until`: what is due later than that waits, because
        mail of before may still lie in a mailbox.
        """
        due_until = now if known_until is None else min(now, known_until)
        if not self._picked_up:
            self._pick_up(now)
        handled: list[Handled] = []
        put_off: set[str] = set()
        while mails_max is None or len(handled) < mails_max:
            mail, due = inbox.waiting(self.db, self.club.id), self.agenda.next_due(now, put_off)
            if due.at <= due_until and (mail is None or due.at <= mail.received_at):
                if not self._run(due, now):
                    put_off.add(due.name)
            elif mail is not None:
                result = self.handle(mail, now)
                if result is not None:
                    handled.append(result)
            else:
                break
        return handled

    def waits_since(self, now: datetime) -> datetime | None:
        """Return since when something is due that was not run yet; None where nothing is."""
        due = self.agenda.next_due(now, set())
        return due.at if due.at <= now else None

    def count_a_start(self) -> None:
        """Count the next call of `work` as a start: another process was at this desk, and died there."""
        self._picked_up = False

    def _run(self, due: Due, now: datetime) -> bool:
        """Run what is due; False when it failed: the others go on, and it is tried at the next call."""
        try:
            self.agenda.run(due, now)
        except StoreUnavailable:
            raise
        except Exception as error:
            log.error("%s could not be run: %s", due.name, described(error))
            return False
        return True

    def handle(self, mail: InboxMail, now: datetime) -> Handled | None:
        """Take a mail to one of its ends (P-1). None when it failed and is to be tried again."""
        try:
            letter = veiled(self.db, read_letter(mail.raw, frozenset({self.club.address})))
            reading = read_commands(letter, grammar_of(self.club.currency))
            with unit_of_work(self.db):
                return self._settle(mail, letter, reading, now)
        except StoreUnavailable:
            raise  # not this mail's fault: it waits until the database is back (P-7)
        except Exception as error:
            self._failures[mail.id] += 1
            log.error("mail %d attempt %d: %s", mail.id, self._failures[mail.id], described(error))
            return None if self._failures[mail.id] < ATTEMPTS_MAX else self._set_aside(mail, now)

    def _set_aside(self, mail: InboxMail, now: datetime) -> Handled:
        with unit_of_work(self.db):
            return self.register.end(mail, InboxState.QUARANTINED, "failed", now)

    def _pick_up(self, now: datetime) -> None:
        """Count a start against the mail that was in hand when the process last ended (P-8).

        Mails are taken strictly in order, so only the oldest can have been in hand. One that was there
        at so many starts has killed us each time: it is set aside before it is read again. Counting here,
        and not at each mail, saves every mail a transaction of its own.
        """
        self._picked_up = True
        mail = inbox.waiting(self.db, self.club.id)
        if mail is None:
            return
        if mail.attempts >= ATTEMPTS_MAX:
            self._set_aside(mail, now)
        else:
            with unit_of_work(self.db):
                inbox.begin(self.db, mail.id)

    def _settle(self, mail: InboxMail, letter: Letter, reading: Reading, now: datetime) -> Handled:
        if letter.kind is LetterKind.BOUNCE:
            self._keep_reading(mail, letter, reading, None)
            return self.bounces.handle(mail, letter, now)
        if letter.kind in NOBODY_WROTE:
            return self._ignored(mail, letter, reading, None, letter.kind.value, now)
        if verdict_of(mail.raw, letter.sender, self.border).failed:
            return self._forged(mail, letter, reading, now)
        club = self.register.picture(now)
        writer = identify(letter, club)
        found = self.gate.standing(mail, letter, writer, club)
        if not inbox.note_fingerprint(self.db, self.club.id, mail.id, letter.fingerprint, found.live):
            return self._ignored(mail, letter, reading, None, "duplicate", now)
        self._keep_reading(mail, letter, reading, writer.member)
        limited = self.trust is not Trust.EVERYBODY
        conduct = self.gate.conduct(mail, letter, writer, found) if limited else None
        if self.gate.muted(found, conduct):
            return self.gate.unheard(mail, letter, reading, writer, found, conduct, club)
        answered = self._petition(mail, letter, reading, writer.member, found, club)
        if answered is not None:
            return answered
        away = self.gate.turned_away(mail, letter, reading, writer, found, club)
        if away is not None:
            return away
        if writer.member is None:
            return self.newcomers.handle(mail, letter, reading, club)
        proof = proof_of(found, self.trust, reading.doubt)
        return self._heard(Post(mail, letter, reading, writer.member, proof, now, found, conduct), club)

    def _ignored(
        self,
        mail: InboxMail,
        letter: Letter,
        reading: Reading,
        member: Member | None,
        reason: str,
        now: datetime,
    ) -> Handled:
        self._keep_reading(mail, letter, reading, member)
        return self.register.end(mail, InboxState.IGNORED, reason, now)

    def _heard(self, post: Post, club: Club) -> Handled:
        """A member's mail: if it is due an answer at all, the token that it came with goes on."""
        reason = self.gate.heard(post)
        if reason is not None:
            return self.register.ignored(post, reason)
        reply = self.sessions.go_on(post, club) or self.sessions.lives_on(post, club)
        handled = self._member(self.gate.last_word(replace(post, reply=reply), club), club)
        self.gate.note(post, handled)
        return handled

    def _forged(self, mail: InboxMail, letter: Letter, reading: Reading, now: datetime) -> Handled:
        """T-2: our border found that somebody else sent it. Nothing is done and nobody is answered.

        It leaves no fingerprint: the same mail may yet come to us another way, unspoilt. The member whose
        address it bears sees it in his next digest.
        """
        writer = identify(letter, self.register.picture(now))
        self._keep_reading(mail, letter, reading, writer.member)
        return self.register.end(mail, InboxState.IGNORED, FORGED, now, [Line("refused")])

    def _petition(
        self,
        mail: InboxMail,
        letter: Letter,
        reading: Reading,
        member: Member | None,
        found: Standing,
        club: Club,
    ) -> Handled | None:
        """An OUI or NON with the token of an application or a change of identity; None for all else."""
        petition = petition_of(mail, letter, reading, member, found.token, club)
        return None if petition is None else self._by_purpose[petition.token.purpose](petition)

    def _keep_reading(self, mail: InboxMail, letter: Letter, reading: Reading, member: Member | None) -> None:
        """Keep how the mail was read, so that its writer and the manager can ask why (POURQUOI mail 35)."""
        record = explain(letter, reading).as_record()
        readings.keep(self.db, self.club.id, mail.id, None if member is None else member.handle, record)

    def _member(self, post: Post, club: Club) -> Handled:
        """A member's own letter: commands, an answer to what we asked, or what we cannot read."""
        letter, reading = post.letter, post.reading
        if letter.kind is LetterKind.MALFORMED:
            return self._unreadable(post, club)
        if reading.problems and reading.mail_class == "malformed":
            understood = [c.text for c in reading.commands]
            sent = self.answers.malformed(reading.problems, understood, post.envelope, club)
            lines = [Line("refused")] * (len(reading.problems) + len(reading.commands))
            return self.register.answered(post, [sent], "malformed", lines)
        if not reading.commands or reading.problems:
            return self._no_command(post, club)
        to_us = [c for c in reading.commands if BY_NAME[c.verb].need is Need.ANSWER]
        if not to_us:
            return self.sets.from_mail(post, club)
        simulated = any(c.simulate for c in reading.commands)
        if len(reading.commands) > 1 or simulated or to_us[0].verb in NOT_FOR_MEMBERS:
            sent = self.answers.unknown(to_us[0].text, post.envelope, club)
            lines = [Line("refused")] * len(reading.commands)
            return self.register.answered(post, [sent], "answer among commands", lines)
        return self.replies.take_up(post, to_us[0], club)

    def _unreadable(self, post: Post, club: Club) -> Handled:
        """T-23: set aside; a known sender is told once."""
        reason = post.letter.reason or ""
        self.register.queue(
            [self.answers.plain("unreadable", {"reason": reason}, post.envelope, club)], post.now
        )
        lines = [Line("unknown")]
        return self.register.end(post.mail, InboxState.QUARANTINED, reason, post.now, lines, post)

    def _no_command(self, post: Post, club: Club) -> Handled:
        if post.reading.mail_class == "empty":
            sent = self.answers.plain("empty", {}, post.envelope, club)
        else:
            hint = next((p for p in post.reading.problems if p.words), None)
            words, rest = (_first_words(post.letter), "") if hint is None else (hint.words, hint.rest)
            asked = self.replies.open_question(post)
            sent = self.answers.unknown(words, post.envelope, club, asked, rest)
        return self.register.answered(post, [sent], post.reading.mail_class, [Line("unknown")])


def _first_words(letter: Letter) -> str:
    """The first words of a letter, for the answer that does not understand them."""
    first = next((line.strip() for line in letter.text.splitlines() if line.strip()), letter.subject)
    return first[:80]
