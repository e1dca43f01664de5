"""Ask for OUI: keep sets of commands under one token, and say in one mail what would happen.

A confirmation lists all of class act that waits for the member, so that one OUI is enough; the older one
is superseded. What manages, what was asked twice, and what cannot be done together with the rest waits
apart, under a question of its own (TRUST § 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from mailflow.answers import Answers, Asked, Envelope, Why
from mailflow.letters import Words
from mailflow.model import Club, Wish
from mailflow.pending import Pending, payload_of, pending
from mailflow.performing import CommandSet, Order, Performance, order_of_wish, perform
from mailflow.register import Handled, Line, Post, Register
from store import outbox, tokens
from store.database import savepoint
from store.records import InboxState, Token, TokenState, fold_handle


@dataclass(frozen=True)
class Asking:
    """`register` writes, `answers` words. Works within the caller's transaction."""

    register: Register
    answers: Answers

    def previewed(self, order: Order, club: Club) -> Performance:
        """See what an order would come to, and leave nothing of it."""
        with savepoint(self.register.db) as point:
            performance = perform(self.register.db, self.register.club, order, club)
            point.rollback()
        return performance

    def waiting(self, post: Post) -> list[tuple[Token, Pending]]:
        """The questions that wait for the writer and can still be answered, the newest first."""
        found = tokens.open_of(self.register.db, self.register.club.id, post.member.handle, "confirm")
        return [(token, pending(token)) for token in found if token.lives(post.received_at)]

    def ask(
        self,
        post: Post,
        order: Order,
        performance: Performance,
        club: Club,
        why: Why,
    ) -> Handled:
        """Ask for OUI to an order that passes. `performance`: what it would come to by itself."""
        cold = post.conduct is not None and not post.standing.live
        if cold and post.conduct is not None and post.conduct.suspended:
            return self.register.ignored(post, "suspended")
        waiting = self.waiting(post)
        apart = performance.apart or why.apart or why.tapped_at is not None
        if not apart:
            waiting, order, performance, apart = self._joined(post, waiting, order, performance, club)
        if cold and len(waiting) >= self.register.caution.open_confirmations_max:
            sent = self.answers.plain("crowded", {"waiting": len(waiting)}, post.envelope, performance.after)
            return self.register.answered(post, [sent], "too many questions", _refused(post))
        asked = Asked(self._until(post, performance), _times(order), why, len(waiting))
        self._send(post, order.sets, performance, apart, asked)
        lines = [Line("confirm")] * max(1, len(order.sets[-1].commands))
        return self.register.end(post.mail, InboxState.PENDING, "confirm", post.now, lines, post)

    def _joined(
        self,
        post: Post,
        waiting: list[tuple[Token, Pending]],
        order: Order,
        performance: Performance,
        club: Club,
    ) -> tuple[list[tuple[Token, Pending]], Order, Performance, bool]:
        """Join an order with what waits already; what still waits beside it; whether it must wait apart."""
        mergeable = [(token, kept) for token, kept in waiting if not kept.apart]
        if not mergeable:
            return waiting, order, performance, False
        older = tuple(one for _, kept in reversed(mergeable) for one in kept.sets)
        together = Order((*older, *order.sets), order.author, order.cause)
        whole = self.previewed(together, club)
        if whole.refused:
            return waiting, order, performance, True
        for token, _ in mergeable:
            tokens.close(self.register.db, token.id, TokenState.SUPERSEDED)
        return [one for one in waiting if one not in mergeable], together, whole, False

    def _until(self, post: Post, performance: Performance) -> datetime:
        hours = self.register.caution.confirm_hours
        if performance.manages:
            hours = performance.after.rulebook.decision_confirm_hours
        return post.now + timedelta(hours=hours)

    def _send(
        self, post: Post, sets: Sequence[CommandSet], performance: Performance, apart: bool, asked: Asked
    ) -> None:
        payload = payload_of(sets, performance, apart, asked.why.wish)
        member = post.member
        token = self.register.issue(
            "confirm", member.handle, member.address, post.cause, payload, post.now, asked.until
        )
        mail = self.answers.confirmation(asked, performance, post.envelope, token)
        self.register.queue([mail], post.now)

    def ask_instead(self, wish: Wish, cause: str, club: Club) -> None:
        """R-SEC-1, T-22: ask a member whether he meant what a manager makes of his mail; nothing is done yet.

        It stands apart from what else waits for him: it is not his own wish.
        """
        member = club.members[fold_handle(wish.member)]
        order = order_of_wish(wish, club, cause)
        performance = self.previewed(order, club)
        until = club.now + timedelta(hours=self.register.caution.confirm_hours)
        payload = payload_of(order.sets, performance, True, wish)
        nonce = f"{cause}:{wish.mail}"
        token = self.register.issue("confirm", member.handle, member.address, nonce, payload, club.now, until)
        asked = Asked(until, _times(order), Why(wish=wish))
        mail = self.answers.confirmation(asked, performance, Envelope(cause, member, None), token)
        self.register.queue([replace(mail, about=str(wish.mail))], club.now)

    def again(self, post: Post, club: Club) -> Handled:
        """JETON, and what proves nothing: the question that waits is sent once more as it was.

        It changes nothing, so that a forged sender can neither end a confirmation nor renew it.
        """
        if post.conduct is not None and post.conduct.suspended and not post.standing.live:
            return self.register.ignored(post, "suspended")
        waiting = self.waiting(post)
        asked = outbox.by_token(self.register.db, waiting[0][0].id) if waiting else None
        if asked is None:
            sent = self.answers.section("JETON", {"waiting": 0}, post.envelope, club)
            return self.register.answered(post, [sent], "nothing waits", [Line("ok")])
        words = Words(asked.subject, asked.text, asked.language)
        mail = post.envelope.mail("confirm", words, asked.game, asked.token)
        mail = replace(mail, address=asked.address)  # the question is that address's to answer
        return self.register.answered(post, [mail], "sent again", [Line("confirm")])


def _times(order: Order) -> tuple[datetime, ...]:
    return tuple(one.received_at for one in order.sets)


def _refused(post: Post) -> list[Line]:
    return [Line("refused")] * len(post.reading.commands)
