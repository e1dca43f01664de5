"""A member's set of commands: carried out, or shown to him first, or refused.

A set is all or nothing (TRUST § 4). Whether it is shown or done, it goes through the same `perform`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mailflow.answers import Answers, Why
from mailflow.asking import Asking
from mailflow.catalogue import BY_NAME, Need
from mailflow.limits import did, member_subject
from mailflow.model import Club, Proof
from mailflow.offers import is_offered
from mailflow.performing import CommandSet, Order, Performance, perform
from mailflow.petitions import with_token
from mailflow.register import Handled, Line, Post, Register
from parsers.commands import Command
from store import outbox
from store.database import savepoint
from store.records import InboxState, fold_handle


@dataclass(frozen=True)
class Sets:
    """`register` writes, `answers` words. Every method works within the caller's transaction."""

    register: Register
    answers: Answers
    asking: Asking

    def from_mail(self, post: Post, club: Club) -> Handled:
        """Take up the commands that a mail holds."""
        order = self.order_of(post)
        if any(c.simulate for c in post.reading.commands):
            return self._simulate(post, order, club)
        tapped_at, offered = self._tapped_at(post, order), _all_offered(order, post, club)
        with savepoint(self.register.db) as point:
            performance = perform(self.register.db, self.register.club, order, club)
            if not performance.refused and tapped_at is None and _proved(performance, post, offered):
                return self.done(post, order, performance)
            point.rollback()
        if performance.refused:
            return self.refused(post, order, performance)
        handled = self.asking.ask(post, order, performance, club, Why(tapped_at=tapped_at))
        if handled.state is InboxState.PENDING:
            self._note(post, order)
        return handled

    def order_of(self, post: Post) -> Order:
        """The order that a mail gives."""
        commands = [_kept(c) for c in post.reading.commands]
        fingerprint = "" if post.standing.live else post.letter.fingerprint
        one = CommandSet(
            commands, post.received_at, self._thread_game(post), fingerprint, post.member.address
        )
        return Order((one,), post.member.handle, post.cause)

    def done(self, post: Post, order: Order, performance: Performance) -> Handled:
        """End a mail whose order was carried out, with its answer and the notices."""
        sent = self.answers.done(performance, post.envelope)
        for position, step in enumerate(performance.steps):
            cause = f"{post.cause}:{position}"
            sent += self.answers.notices(step.outcome.notices, performance.after, cause, post.envelope)
        self.register.queue([with_token(self.register, mail, post.now) for mail in sent], post.now)
        for step in performance.steps:
            if step.outcome.wish is not None:
                self.asking.ask_instead(step.outcome.wish, post.cause, performance.after)
        acted = any(step.outcome.changes or step.outcome.notices for step in performance.steps)
        if acted:
            self._note(post, order)
        state = InboxState.EXECUTED if acted else InboxState.ANSWERED
        lines = lines_of(performance, len(performance.steps))
        return self.register.end(post.mail, state, "", post.now, lines, post)

    def refused(self, post: Post, order: Order, performance: Performance) -> Handled:
        """End a mail whose order a rule refuses."""
        commands = order.commands
        texts = [c.get("text", "") for c in commands]
        sent = self.answers.refused(performance, post.envelope, texts)
        return self.register.answered(post, [sent], "refused", lines_of(performance, len(commands)))

    def _simulate(self, post: Post, order: Order, club: Club) -> Handled:
        performance = self.asking.previewed(order, club)
        sent = self.answers.simulation(performance, post.envelope)
        return self.register.answered(post, [sent], "simulation", lines_of(performance, len(order.commands)))

    def _tapped_at(self, post: Post, order: Order) -> datetime | None:
        """T-20: when the same was asked or done, if that is only minutes ago."""
        conduct = post.conduct
        return None if conduct is None else conduct.tapped(_acting(order), post.letter.fingerprint)

    def _note(self, post: Post, order: Order) -> None:
        """T-20: remember what was asked or done, so that the same again within minutes is noticed."""
        if post.conduct is not None:
            kinds = [did(command, post.letter.fingerprint) for command in _acting(order)]
            self.register.tally(member_subject(post.member.handle), kinds, post.received_at)

    def _thread_game(self, post: Post) -> int | None:
        """The game of the mail of ours, to this member, that his letter answers."""
        bound = post.standing.live_for("answer")
        if bound is not None and bound.payload["game"] is not None:
            return int(bound.payload["game"])
        for message_id in (post.letter.in_reply_to, *reversed(post.letter.references)):
            if message_id is None:
                continue
            ours = outbox.by_message_id(self.register.db, self.register.club.id, message_id)
            if ours is not None and fold_handle(ours.recipient) == fold_handle(post.member.handle):
                return ours.game
        return None


def _proved(performance: Performance, post: Post, offered: bool) -> bool:
    """Whether an order may be carried out now, without another OUI (TRUST § 2, R-SEC-1, R-SOL-4).

    `offered`: the answered mail of ours offers all of it.
    """
    if performance.asks:
        return False
    if not performance.acts or post.proof is Proof.GRANTED:
        return True
    if post.proof is Proof.FRESH:
        return not performance.manages
    return post.proof is Proof.BOUND and offered


def _all_offered(order: Order, post: Post, club: Club) -> bool:
    """Whether what acts in an order is offered by the mail of ours that it answers, as things are before."""
    bound = post.standing.live_for("answer")
    return bound is not None and all(
        is_offered(command["verb"], {"game": one.thread_game, **command["arguments"]}, bound, club)
        for one in order.sets
        for command in one.commands
        if BY_NAME[command["verb"]].need in (Need.ACT, Need.MANAGE)
    )


def _acting(order: Order) -> list[Mapping[str, Any]]:
    return [c for c in order.commands if BY_NAME[c["verb"]].need in (Need.ACT, Need.MANAGE)]


def _kept(command: Command) -> dict[str, Any]:
    return {"verb": command.verb, "arguments": dict(command.arguments), "text": command.text}


def lines_of(performance: Performance, commands: int) -> list[Line]:
    """One line per command: all ok, or the refused one with its rule and the others refused with it."""
    if not performance.refused:
        return [Line("ok")] * commands
    rules = [step.outcome.refusals[0].rule if step.outcome.refused else None for step in performance.steps]
    return [Line("refused", rules[i] if i < len(rules) else None) for i in range(commands)]
