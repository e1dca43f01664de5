"""The desk: one mail, or one due job, is one database transaction, replies included.

`handle` leads a mail from its bytes to the queued answers; `run_due` does the same for what falls due by
the clock; `work` does both in the order in which they happened.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from parsers.commands import Command, Reading, read_commands
from peewee import Database

from mailflow.answers import Answers, Envelope
from mailflow.catalogue import BY_NAME, Need
from mailflow.handlers import accounts, disputes
from mailflow.identify import Trust, identify
from mailflow.jobs import JOBS, Job
from mailflow.letters import Letters
from mailflow.model import Club, Outcome, Proof
from mailflow.performing import Order, Performance, perform, write
from mailflow.picture import picture
from mailflow.proofs import Keyring, digest
from mailflow.verbs import GRAMMAR
from parsers.kinds import LetterKind
from parsers.letter import Letter, read_letter
from store import audit, inbox, outbox, runs, snapshot, tokens
from store.database import savepoint, unit_of_work
from store.errors import StoreUnavailable
from store.records import (
    ClubRow,
    Game,
    InboxMail,
    InboxState,
    Member,
    NewMail,
    OutboxMail,
    Token,
    TokenState,
    fold_handle,
)

log = logging.getLogger("mailflow.desk")

ATTEMPTS_MAX = 3
"""P-8: a mail whose handling failed so often is set aside."""
CONFIRM_HOURS = 24
"""TRUST § 3: how long an OUI may take; what only the manager may do has its own figure in the rulebook."""
INVITATION_DAYS = 30
INVITATION_AGAIN = timedelta(days=1)
"""TRUST § 1: at most one mail a day to somebody who is no member."""


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
class Due:
    """Something that falls due: a job of the table, or the end of a game's window."""

    at: datetime
    job: Job | None = None
    game: Game | None = None


@dataclass(frozen=True)
class Post:
    """A mail on the desk, read, with its writer."""

    mail: InboxMail
    letter: Letter
    reading: Reading
    member: Member
    proof: Proof
    now: datetime

    @property
    def cause(self) -> str:
        return f"mail:{self.mail.id}"

    @property
    def envelope(self) -> Envelope:
        return Envelope(self.cause, self.member, self.letter.message_id)


@dataclass
class Desk:
    """Everything that a club's mails and jobs need. `trust`: where the proof of a mailbox comes from."""

    db: Database
    club: ClubRow
    keyring: Keyring
    trust: Trust
    answers: Answers = field(init=False)
    own_addresses: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.answers = Answers(Letters(self.club.currency, ZoneInfo(self.club.timezone)))
        self.own_addresses = frozenset({self.club.address})

    # ------------------------------------------------------------ in the order of time

    def work(self, now: datetime) -> list[Handled]:
        """Handle all waiting mails and run all that is due, in the order in which they happened.

        R-DIS-5: a mail that our mailbox received before a window ended is handled before the window is
        closed, however late the machine wakes up. A job goes before a mail of the same instant.
        """
        handled = []
        while True:
            mail, due = inbox.waiting(self.db, self.club.id), self.next_due(now)
            if due is not None and due.at <= now and (mail is None or due.at <= mail.received_at):
                self.run_due(due, now)
            elif mail is not None and mail.received_at <= now:
                result = self.handle(mail, now)
                if result is not None:
                    handled.append(result)
            else:
                return handled

    # ------------------------------------------------------------ one mail

    def handle(self, mail: InboxMail, now: datetime) -> Handled | None:
        """Take a mail to one of its ends (P-1). None when it failed and is to be tried again."""
        with unit_of_work(self.db):
            inbox.begin(self.db, mail.id)  # counted before anything is read (P-8)
        try:
            letter = read_letter(mail.raw, self.own_addresses)
            reading = read_commands(letter, GRAMMAR)
            with unit_of_work(self.db):
                return self._settle(mail, letter, reading, now)
        except StoreUnavailable:
            raise  # not this mail's fault: it waits until the database is back (P-7)
        except Exception:
            log.exception("mail %d could not be handled (attempt %d)", mail.id, mail.attempts + 1)
            if mail.attempts + 1 < ATTEMPTS_MAX:
                return None
            with unit_of_work(self.db):
                return self._end(mail, InboxState.QUARANTINED, "failed", now=now)

    def _settle(self, mail: InboxMail, letter: Letter, reading: Reading, now: datetime) -> Handled:
        if letter.kind in _NOBODY_WROTE:
            return self._end(mail, InboxState.IGNORED, letter.kind.value, now=now)
        if not inbox.note_fingerprint(self.db, self.club.id, mail.id, letter.fingerprint):
            return self._end(mail, InboxState.IGNORED, "duplicate", now=now)
        club = picture(self.db, self.club, now)
        writer = identify(letter, club, self.trust)
        if writer.member is None:
            return self._stranger(mail, letter, reading, club)
        proof = Proof.COLD if reading.doubt else writer.proof
        post = Post(mail, letter, reading, writer.member, proof, now)
        if letter.kind is LetterKind.MALFORMED:
            facts = {"reason": letter.reason or ""}
            sent = self.answers.plain("unreadable", facts, post.envelope, club)
            self._queue([sent], now)
            return self._end(mail, InboxState.QUARANTINED, letter.reason or "", [Line("unknown")], post, now)
        return self._person(post, club)

    def _person(self, post: Post, club: Club) -> Handled:
        """A member's own letter: commands, an answer to what we asked, or words we cannot read."""
        reading, envelope = post.reading, post.envelope
        if reading.problems:
            understood = [c.text for c in reading.commands]
            sent = self.answers.malformed(reading.problems, understood, envelope, club)
            lines = [Line("refused")] * max(1, len(reading.problems) + len(reading.commands))
            return self._answered(post, [sent], "malformed", lines)
        if not reading.commands:
            kind = "empty" if reading.mail_class == "empty" else "unknown"
            facts_mail = (
                self.answers.plain("empty", {}, envelope, club)
                if kind == "empty"
                else self.answers.unknown(_first_words(post.letter), envelope, club)
            )
            return self._answered(post, [facts_mail], kind, [Line("unknown")])
        answers = [c for c in reading.commands if BY_NAME[c.verb].need is Need.ANSWER]
        if answers:
            return self._answer_to_us(post, answers[0], club)
        return self._commands(post)

    # ------------------------------------------------------------ commands

    def _commands(self, post: Post) -> Handled:
        """Carry the set out, or show what it would do and ask for OUI, or say which rule says no."""
        order = Order(
            [_kept(c) for c in post.reading.commands],
            post.member.handle,
            post.mail.received_at,
            self._thread_game(post.letter, post.member),
            post.cause,
        )
        return self._carry_out(post, order, simulate=any(c.simulate for c in post.reading.commands))

    def _carry_out(
        self,
        post: Post,
        order: Order,
        simulate: bool = False,
        shown: list[Any] | None = None,
    ) -> Handled:
        """`shown`: what the author said OUI to; None where he was shown nothing yet."""
        with savepoint(self.db) as point:
            performance = perform(self.db, self.club, order, post.now)
            if simulate or performance.refused or not self._proved(performance, post.proof, shown):
                point.rollback()
            else:
                return self._done(post, performance)
        if simulate:
            sent = self.answers.simulation(performance, post.envelope)
            return self._answered(post, [sent], "simulation", _lines(performance, len(order.commands)))
        if performance.refused:
            texts = [c.get("text", "") for c in order.commands]
            sent = self.answers.refused(performance, post.envelope, texts)
            return self._answered(post, [sent], "refused", _lines(performance, len(order.commands)))
        again = None if shown is None else "changed"
        return self._ask(post, order, performance, again)

    def _proved(self, performance: Performance, proof: Proof, shown: list[Any] | None) -> bool:
        """Whether the set may be carried out now (R-SEC-1, R-SOL-4)."""
        if shown is not None:
            return shown == performance.shown
        return not performance.asks and (proof is Proof.FRESH or not performance.acts)

    def _done(self, post: Post, performance: Performance) -> Handled:
        sent = self.answers.done(performance, post.envelope)
        for position, step in enumerate(performance.steps):
            cause = f"{post.cause}:{position}"
            sent += self.answers.notices(step.outcome.notices, performance.after, cause, post.envelope)
        self._issue_invitations(sent, post.now)
        self._queue(sent, post.now)
        acted = any(step.outcome.changes or step.outcome.notices for step in performance.steps)
        state = InboxState.EXECUTED if acted else InboxState.ANSWERED
        return self._end(post.mail, state, "", _lines(performance, len(performance.steps)), post, post.now)

    # ------------------------------------------------------------ OUI, NON, JETON, FIN

    def _ask(self, post: Post, order: Order, performance: Performance, again: str | None) -> Handled:
        """Keep the whole set as it was shown, and ask for OUI in one mail."""
        hours = performance.after.rulebook.decision_confirm_hours if performance.manages else CONFIRM_HOURS
        until = post.now + timedelta(hours=hours)
        payload = {
            "commands": list(order.commands),
            "received_at": order.received_at.isoformat(),
            "thread_game": order.thread_game,
            "shown": performance.shown,
        }
        token = self._issue(
            "confirm", post.member.handle, post.member.address, post.cause, payload, post.now, until
        )
        sent = self.answers.confirmation(performance, post.envelope, until, again, token)
        self._queue([sent], post.now)
        lines = [Line("confirm")] * len(order.commands)
        return self._end(post.mail, InboxState.PENDING, "confirm", lines, post, post.now)

    def _answer_to_us(self, post: Post, command: Command, club: Club) -> Handled:
        if len(post.reading.commands) > 1 or command.verb == "ADHERE":
            sent = self.answers.unknown(command.text, post.envelope, club)
            return self._answered(
                post, [sent], "answer mixed", [Line("refused")] * len(post.reading.commands)
            )
        if not post.member.active:
            order = Order([_kept(command)], post.member.handle, post.mail.received_at, None, post.cause)
            return self._carry_out(post, order)
        if command.verb == "OUI":
            return self._yes(post, club)
        if command.verb == "NON":
            return self._no(post, club)
        if command.verb == "FIN":
            ended = tokens.revoke_all(self.db, self.club.id, post.member.handle)
            sent = self.answers.section("FIN", {"ended": ended}, post.envelope, club)
            return self._answered(post, [sent], "ended", [Line("ok")])
        return self._show_again(post, club)

    def _yes(self, post: Post, club: Club) -> Handled:
        """TRUST § 3: carry out exactly the set that was shown, checked anew, and nothing else."""
        token = self._token_meant(post)
        if token is None or token.state is not TokenState.OPEN:
            state = "nothing" if token is None else token.state.value
            sent = self.answers.section("OUI", {"state": state}, post.envelope, club)
            return self._answered(post, [sent], f"yes to {state}", [Line("refused")])
        order = _order(token, post.cause)
        if not tokens.redeem(self.db, token.id, post.now):
            tokens.close(self.db, token.id, TokenState.SUPERSEDED)
            return self._again(post, order, "late")
        return self._carry_out(post, order, shown=list(token.payload["shown"]))

    def _again(self, post: Post, order: Order, again: str | None) -> Handled:
        """Show the set as it would be now, and ask anew; or say which rule has come in between."""
        with savepoint(self.db) as point:
            performance = perform(self.db, self.club, order, post.now)
            point.rollback()
        if performance.refused:
            texts = [c.get("text", "") for c in order.commands]
            sent = self.answers.refused(performance, post.envelope, texts)
            return self._answered(post, [sent], "refused", _lines(performance, len(order.commands)))
        return self._ask(post, order, performance, again)

    def _no(self, post: Post, club: Club) -> Handled:
        token = self._token_meant(post)
        declined = token is not None and tokens.close(self.db, token.id, TokenState.DECLINED)
        sent = self.answers.section("NON", {"declined": int(declined)}, post.envelope, club)
        return self._answered(post, [sent], "declined", [Line("ok" if declined else "refused")])

    def _show_again(self, post: Post, club: Club) -> Handled:
        """JETON: the newest set that waits is shown again, with a fresh token."""
        waiting = tokens.open_of(self.db, self.club.id, post.member.handle, "confirm")
        if not waiting:
            sent = self.answers.section("JETON", {"waiting": 0}, post.envelope, club)
            return self._answered(post, [sent], "nothing waits", [Line("ok")])
        tokens.close(self.db, waiting[0].id, TokenState.SUPERSEDED)
        return self._again(post, _order(waiting[0], post.cause), None)

    def _token_meant(self, post: Post) -> Token | None:
        """The token that the mail carries, if it is the writer's; for a fresh writer, his newest one."""
        if post.reading.token is not None:
            token = tokens.by_digest(self.db, self.club.id, digest(post.reading.token))
            mine = token is not None and token.purpose == "confirm" and token.member == post.member.handle
            return token if mine else None
        if post.proof is not Proof.FRESH:
            return None
        return next(iter(tokens.open_of(self.db, self.club.id, post.member.handle, "confirm")), None)

    def token_of(self, mail: OutboxMail) -> str | None:
        """Return the text of the token that a queued mail carries, derived anew (TRUST § 3)."""
        token = None if mail.token is None else tokens.by_id(self.db, mail.token)
        return None if token is None else self.keyring.token(token.purpose, token.nonce)

    # ------------------------------------------------------------ strangers and invitations

    def _stranger(self, mail: InboxMail, letter: Letter, reading: Reading, club: Club) -> Handled:
        """T-31: no answer to a stranger, but to one whom the manager invited (R-ACC-3)."""
        invitation = None if letter.sender is None else club.books.invitation_for_address(letter.sender)
        joins = [c.verb for c in reading.commands] == ["ADHERE"]
        if invitation is None or not joins:
            state = InboxState.QUARANTINED if letter.kind is LetterKind.MALFORMED else InboxState.IGNORED
            return self._end(mail, state, letter.reason or "stranger", [Line("unknown")], now=club.now)
        if not self._invitation_proved(reading, letter.sender or "", club.now):
            return self._end(
                mail, InboxState.IGNORED, "invitation not proved", [Line("refused")], now=club.now
            )
        outcome = accounts.join(invitation, club)
        if outcome.refused:
            return self._end(
                mail, InboxState.IGNORED, outcome.refusals[0].code, [Line("refused")], now=club.now
            )
        write(self.db, self.club, outcome, club.now, f"mail:{mail.id}:0")
        after = picture(self.db, self.club, club.now)
        self._queue(self.answers.notices(outcome.notices, after, f"mail:{mail.id}"), club.now)
        return self._end(mail, InboxState.EXECUTED, "joined", [Line("ok")], now=club.now)

    def _invitation_proved(self, reading: Reading, sender: str, now: datetime) -> bool:
        """The answer came to the reply address of the invitation, which only the invited was sent."""
        if self.trust is Trust.EVERYBODY:
            return True
        token = (
            None if reading.token is None else tokens.by_digest(self.db, self.club.id, digest(reading.token))
        )
        if token is None or token.purpose != "invite" or token.address != sender:
            return False
        return tokens.redeem(self.db, token.id, now)

    def _issue_invitations(self, mails: list[NewMail], now: datetime) -> None:
        """Give each invitation its token, by which the answer is known."""
        for place, mail in enumerate(mails):
            if mail.kind == "member.invited":
                until = now + timedelta(days=INVITATION_DAYS)
                token = self._issue("invite", None, mail.address, mail.cause, {}, now, until)
                mails[place] = NewMail(**{**vars(mail), "token": token})

    # ------------------------------------------------------------ jobs

    def next_due(self, now: datetime) -> Due | None:
        """Return what falls due first, among all that is due at `now` or will be next.

        P-9: of the times a job was missed only the last one counts; windows close one by one, each as of
        its own due time.
        """
        zone = ZoneInfo(self.club.timezone)
        dues = [self._job_due(job, now, zone) for job in JOBS]
        books = snapshot.Books(self.db, self.club.id)
        window_at = books.next_window_at()
        if window_at is not None:
            dues.insert(0, Due(window_at, game=books.windows_due(window_at)[0]))
        return min(dues, key=lambda due: due.at, default=None)

    def _job_due(self, job: Job, now: datetime, zone: ZoneInfo) -> Due:
        last = runs.last_due(self.db, self.club.id, job.name)
        if last is None:
            raise ValueError(f"job {job.name} was never started: see start_jobs")
        missed = job.last_until(now, zone)
        return Due(missed if missed > last else job.next_after(last, zone), job=job)

    def start_jobs(self, at: datetime) -> None:
        """Note, when a club begins, that nothing was due before."""
        zone = ZoneInfo(self.club.timezone)
        with unit_of_work(self.db):
            for job in JOBS:
                runs.note(self.db, self.club.id, job.name, job.last_until(at, zone), at)

    def run_due(self, due: Due, now: datetime) -> None:
        """Run one job, or close one window, in one transaction; never twice for one due time."""
        with unit_of_work(self.db):
            if due.game is not None:
                name, as_of = f"window:{due.game.number}", due.at
            elif due.job is not None:
                name, as_of = due.job.name, now
            if not runs.note(self.db, self.club.id, name, due.at, now):
                return
            club = picture(self.db, self.club, as_of)
            outcome = self._due_outcome(due, club)
            cause = f"job:{name}:{due.at.astimezone(UTC).isoformat()}"
            write(self.db, self.club, outcome, as_of, cause)
            after = picture(self.db, self.club, as_of) if outcome.changes else club
            self._queue(self.answers.notices(outcome.notices, after, cause), now)
            audit.record(self.db, self.club.id, as_of, cause, "job", {"mails": len(outcome.notices)})

    def _due_outcome(self, due: Due, club: Club) -> Outcome:
        if due.job is not None:
            return due.job.handler(club)
        game = None if due.game is None else club.books.game(due.game.number)
        return Outcome() if game is None else disputes.close_window(game, club)

    # ------------------------------------------------------------ what both write

    def _queue(self, mails: Sequence[NewMail], now: datetime) -> None:
        if mails:
            outbox.queue(self.db, self.club.id, mails, now)

    def _issue(
        self,
        purpose: str,
        member: str | None,
        address: str,
        nonce: str,
        payload: dict[str, Any],
        now: datetime,
        until: datetime,
    ) -> int:
        kept = digest(self.keyring.token(purpose, nonce))
        return tokens.issue(self.db, self.club.id, purpose, member, address, nonce, kept, payload, now, until)

    def _answered(self, post: Post, mails: list[NewMail], reason: str, lines: Iterable[Line]) -> Handled:
        self._queue(mails, post.now)
        return self._end(post.mail, InboxState.ANSWERED, reason, lines, post, post.now)

    def _end(
        self,
        mail: InboxMail,
        state: InboxState,
        reason: str,
        lines: Iterable[Line] = (),
        post: Post | None = None,
        now: datetime | None = None,
    ) -> Handled:
        """Write what became of the mail, and its audit row, in the same transaction (P-3)."""
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
        at = mail.received_at if now is None else now
        audit.record(self.db, self.club.id, at, f"mail:{mail.id}", "mail", audited)
        return Handled(mail.id, state, reason, told)

    def _thread_game(self, letter: Letter, member: Member) -> int | None:
        """The game of the mail of ours, to this member, that the letter answers."""
        for message_id in (letter.in_reply_to, *reversed(letter.references)):
            ours = None if message_id is None else outbox.by_message_id(self.db, self.club.id, message_id)
            if ours is not None and fold_handle(ours.recipient) == fold_handle(member.handle):
                return ours.game
        return None


_NOBODY_WROTE = frozenset({LetterKind.AUTOMATIC, LetterKind.BOUNCE, LetterKind.OWN})


def _kept(command: Command) -> dict[str, Any]:
    return {"verb": command.verb, "arguments": dict(command.arguments), "text": command.text}


def _order(token: Token, cause: str) -> Order:
    """The set that a token stands for, as it was kept."""
    payload = token.payload
    received_at = datetime.fromisoformat(payload["received_at"])
    return Order(payload["commands"], token.member or "", received_at, payload["thread_game"], cause)


def _lines(performance: Performance, commands: int) -> list[Line]:
    """One line per command: all ok, or the refused one with its rule and the others refused with it."""
    if not performance.refused:
        return [Line("ok")] * commands
    rules = [step.outcome.refusals[0].rule if step.outcome.refused else None for step in performance.steps]
    return [Line("refused", rules[i] if i < len(rules) else None) for i in range(commands)]


def _first_words(letter: Letter) -> str:
    """The first words written, for "I do not know …"; never quoted history."""
    first = next((line.strip() for line in letter.text.splitlines() if line.strip()), letter.subject)
    return first[:80]
