"""A member's set of commands: carried out, or shown to him first, or refused; and his OUI or NON.

A set is all or nothing (TRUST § 4). Whether it is shown or done, it goes through the same `perform`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from mailflow.answers import Answers, Envelope
from mailflow.letters import Words
from mailflow.model import Club, Proof
from mailflow.performing import Order, Performance, perform
from mailflow.petitions import with_token
from mailflow.register import Handled, Line, Post, Register
from parsers.commands import Command
from store import outbox, tokens
from store.database import savepoint
from store.records import InboxState, Token, TokenState, fold_handle

CONFIRM_HOURS = 24
"""TRUST § 3: how long an OUI may take; what only the manager may do has its own figure in the rulebook."""


@dataclass(frozen=True)
class Sets:
    """`register` writes, `answers` words. Every method works within the caller's transaction."""

    register: Register
    answers: Answers

    def from_mail(self, post: Post, club: Club) -> Handled:
        """Take up the commands that a mail holds."""
        commands = [_kept(c) for c in post.reading.commands]
        order = Order(
            commands,
            post.member.handle,
            post.mail.received_at,
            self._thread_game(post),
            post.cause,
            post.member.address,
        )
        if any(c.simulate for c in post.reading.commands):
            return self._simulate(post, order, club)
        return self._carry_out(post, order, club, shown=None)

    def answer_to_us(self, post: Post, command: Command, club: Club) -> Handled:
        """Take up OUI, NON, JETON or FIN, which stand for themselves in a mail."""
        token = self.register.token(post.reading.token)
        if token is not None and token.member not in (None, post.member.handle):
            return self._anothers(post, token, club)
        meant = self._token_meant(post) if command.verb in ("OUI", "NON") else None
        if not post.member.active and (meant is None or meant.state is not TokenState.OPEN):
            order = Order([_kept(command)], post.member.handle, post.mail.received_at, None, post.cause)
            return self._carry_out(post, order, club, shown=None)  # R-BAN-3 says no
        if command.verb == "OUI":
            return self._yes(post, club)
        if command.verb == "NON":
            return self._no(post, club)
        if command.verb == "FIN" and (post.proof is Proof.FRESH or token is not None):
            ended = tokens.revoke_all(self.register.db, self.register.club.id, post.member.handle)
            sent = self.answers.section("FIN", {"ended": ended}, post.envelope, club)
            return self.register.answered(post, [sent], "ended", [Line("ok")])
        return self._send_again(post, club)

    def _anothers(self, post: Post, token: Token, club: Club) -> Handled:
        """T-8: somebody answers what another was asked: nothing is done, its owner is told, he is not."""
        owner = club.members[fold_handle(token.member or "")]
        envelope = Envelope(post.cause, owner, None)
        facts = {"masked": post.member.handle[:1] + "…"}
        self.register.queue([self.answers.plain("misused", facts, envelope, club)], post.now)
        lines = [Line("refused")]
        return self.register.end(post.mail, InboxState.IGNORED, "another's token", post.now, lines, post)

    # ------------------------------------------------------------ carrying out

    def _carry_out(self, post: Post, order: Order, club: Club, shown: str | None) -> Handled:
        """`shown`: the effects that the author said OUI to, None where he was shown nothing yet."""
        with savepoint(self.register.db) as point:
            performance = self._perform(order, club)
            if not performance.refused and _proved(performance, post.proof, shown):
                return self._done(post, performance)
            point.rollback()
        if performance.refused:
            return self._refused(post, order, performance)
        return self._ask(post, order, performance, None if shown is None else "changed")

    def _perform(self, order: Order, club: Club) -> Performance:
        return perform(self.register.db, self.register.club, order, club)

    def _previewed(self, order: Order, club: Club) -> Performance:
        """See what a set would come to, and leave nothing of it."""
        with savepoint(self.register.db) as point:
            performance = self._perform(order, club)
            point.rollback()
        return performance

    def _done(self, post: Post, performance: Performance) -> Handled:
        sent = self.answers.done(performance, post.envelope)
        for position, step in enumerate(performance.steps):
            cause = f"{post.cause}:{position}"
            sent += self.answers.notices(step.outcome.notices, performance.after, cause, post.envelope)
        self.register.queue([with_token(self.register, mail, post.now) for mail in sent], post.now)
        acted = any(step.outcome.changes or step.outcome.notices for step in performance.steps)
        state = InboxState.EXECUTED if acted else InboxState.ANSWERED
        lines = _lines(performance, len(performance.steps))
        return self.register.end(post.mail, state, "", post.now, lines, post)

    def _refused(self, post: Post, order: Order, performance: Performance) -> Handled:
        texts = [c.get("text", "") for c in order.commands]
        sent = self.answers.refused(performance, post.envelope, texts)
        lines = _lines(performance, len(order.commands))
        return self.register.answered(post, [sent], "refused", lines)

    def _simulate(self, post: Post, order: Order, club: Club) -> Handled:
        performance = self._previewed(order, club)
        sent = self.answers.simulation(performance, post.envelope)
        return self.register.answered(post, [sent], "simulation", _lines(performance, len(order.commands)))

    # ------------------------------------------------------------ asking

    def _ask(self, post: Post, order: Order, performance: Performance, again: str | None) -> Handled:
        """Keep the whole set as it was shown, and ask for OUI in one mail (TRUST § 3)."""
        hours = performance.after.rulebook.decision_confirm_hours if performance.manages else CONFIRM_HOURS
        until = post.now + timedelta(hours=hours)
        payload = {
            "commands": list(order.commands),
            "received_at": order.received_at.isoformat(),
            "thread_game": order.thread_game,
            "shown": performance.effects,
        }
        owner, address = post.member.handle, post.member.address
        token = self.register.issue("confirm", owner, address, post.cause, payload, post.now, until)
        sent = self.answers.confirmation(performance, post.envelope, until, again, token)
        self.register.queue([sent], post.now)
        lines = [Line("confirm")] * len(order.commands)
        return self.register.end(post.mail, InboxState.PENDING, "confirm", post.now, lines, post)

    def _ask_again(self, post: Post, order: Order, club: Club, again: str | None) -> Handled:
        """Show a set as it would be now, and ask anew; or say which rule has come in between."""
        performance = self._previewed(order, club)
        if performance.refused:
            return self._refused(post, order, performance)
        return self._ask(post, order, performance, again)

    def _yes(self, post: Post, club: Club) -> Handled:
        """TRUST § 3: carry out exactly the set that was shown, checked anew, and nothing else.

        Whether it came in time is told by when our mailbox received it.
        """
        token = self._token_meant(post)
        if token is None or token.state is not TokenState.OPEN:
            state = "nothing" if token is None else token.state.value
            sent = self.answers.section("OUI", {"state": state}, post.envelope, club)
            return self.register.answered(post, [sent], f"yes to {state}", [Line("refused")])
        order = _order(token, post.cause)
        if not tokens.redeem(self.register.db, token.id, post.mail.received_at):
            tokens.close(self.register.db, token.id, TokenState.SUPERSEDED)
            return self._ask_again(post, order, club, "late")
        return self._carry_out(post, order, club, shown=token.payload["shown"])

    def _no(self, post: Post, club: Club) -> Handled:
        token = self._token_meant(post)
        declined = token is not None and tokens.close(self.register.db, token.id, TokenState.DECLINED)
        sent = self.answers.section("NON", {"declined": int(declined)}, post.envelope, club)
        return self.register.answered(post, [sent], "declined", [Line("ok" if declined else "refused")])

    def _send_again(self, post: Post, club: Club) -> Handled:
        """JETON, or a FIN that proves nothing: the confirmation that waits is sent once more as it was.

        It changes nothing, so that a forged sender can neither end a confirmation nor renew it.
        """
        waiting = self._waiting(post)
        asked = None if waiting is None else outbox.by_token(self.register.db, waiting.id)
        if asked is None:
            sent = self.answers.section("JETON", {"waiting": 0}, post.envelope, club)
            return self.register.answered(post, [sent], "nothing waits", [Line("ok")])
        again = post.envelope.mail("confirm", Words(asked.subject, asked.text), asked.game, asked.token)
        again = replace(again, address=asked.address)  # the question is that address's to answer
        return self.register.answered(post, [again], "sent again", [Line("confirm")])

    def open_question(self, post: Post) -> int | None:
        """The open confirmation of the writer's whose token his mail carries, if there is one."""
        token = self._token_meant(post) if post.reading.token is not None else None
        return token.id if token is not None and token.state is TokenState.OPEN else None

    def _token_meant(self, post: Post) -> Token | None:
        """The token that the mail carries, if it is the writer's; for a fresh writer, his newest one."""
        if post.reading.token is not None:
            token = self.register.token(post.reading.token)
            mine = token is not None and token.purpose == "confirm" and token.member == post.member.handle
            return token if mine else None
        return self._waiting(post) if post.proof is Proof.FRESH else None

    def _waiting(self, post: Post) -> Token | None:
        waiting = tokens.open_of(self.register.db, self.register.club.id, post.member.handle, "confirm")
        return next(iter(waiting), None)

    # ------------------------------------------------------------ what a mail means

    def _thread_game(self, post: Post) -> int | None:
        """The game of the mail of ours, to this member, that his letter answers."""
        for message_id in (post.letter.in_reply_to, *reversed(post.letter.references)):
            if message_id is None:
                continue
            ours = outbox.by_message_id(self.register.db, self.register.club.id, message_id)
            if ours is not None and fold_handle(ours.recipient) == fold_handle(post.member.handle):
                return ours.game
        return None


def _proved(performance: Performance, proof: Proof, shown: str | None) -> bool:
    """Whether a set may be carried out now (R-SEC-1, R-SOL-4)."""
    if shown is not None:
        return shown == performance.effects
    return not performance.asks and (proof is Proof.FRESH or not performance.acts)


def _kept(command: Command) -> dict[str, Any]:
    return {"verb": command.verb, "arguments": dict(command.arguments), "text": command.text}


def _order(token: Token, cause: str) -> Order:
    """The set that a token stands for, as it was kept; carried out by the mail named by `cause`."""
    payload = token.payload
    received_at = datetime.fromisoformat(payload["received_at"])
    return Order(
        payload["commands"], token.member or "", received_at, payload["thread_game"], cause, token.address
    )


def _lines(performance: Performance, commands: int) -> list[Line]:
    """One line per command: all ok, or the refused one with its rule and the others refused with it."""
    if not performance.refused:
        return [Line("ok")] * commands
    rules = [step.outcome.refusals[0].rule if step.outcome.refused else None for step in performance.steps]
    return [Line("refused", rules[i] if i < len(rules) else None) for i in range(commands)]
