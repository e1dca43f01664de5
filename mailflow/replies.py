"""What a member answers to what we asked: OUI, NON, JETON, FIN, each alone in its mail (TRUST § 3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mailflow import literal
from mailflow.answers import Answers, Why
from mailflow.asking import Asking
from mailflow.limits import DECLINED, SUSPENDED, member_subject
from mailflow.model import Club, Proof, Wish
from mailflow.pending import pending
from mailflow.performing import Order, Performance, perform
from mailflow.register import Handled, Line, Post, Register
from mailflow.sessions import Sessions
from mailflow.sets import Sets
from parsers.commands import Command
from store import inbox, outbox, people, tokens
from store.database import savepoint
from store.records import Token, TokenState


@dataclass(frozen=True)
class Replies:
    """`register` writes, `answers` words. Every method works within the caller's transaction."""

    register: Register
    answers: Answers
    asking: Asking
    sets: Sets
    sessions: Sessions

    def take_up(self, post: Post, command: Command, club: Club) -> Handled:
        """Take up the one answer that a mail holds."""
        token = self._meant(post) if command.verb in ("OUI", "NON") else None
        if not post.member.active and (token is None or token.state is not TokenState.OPEN):
            order = self.sets.order_of(post)
            return self.sets.refused(post, order, self.asking.previewed(order, club))  # R-BAN-3 says no
        if command.verb == "OUI":
            return self._yes(post, token, club)
        if command.verb == "NON":
            return self._no(post, token, club)
        if command.verb == "FIN" and (post.proof in (Proof.FRESH, Proof.GRANTED) or post.standing.live):
            ended = tokens.revoke(
                self.register.db, self.register.club.id, post.member.handle, ("session", "confirm")
            )
            post = replace(post, reply=None)
            sent = self.answers.section("FIN", {"ended": ended}, post.envelope, club)
            return self.register.answered(post, [sent], "ended", [Line("ok")])
        return self.asking.again(post, club)

    def open_question(self, post: Post) -> int | None:
        """The open confirmation of the writer's whose token his mail carries, if there is one."""
        token = post.standing.live_for("confirm")
        return None if token is None else token.id

    def _meant(self, post: Post) -> Token | None:
        """The confirmation that the mail answers, dead or alive; in a scenario also the newest that waits."""
        token = post.standing.mine("confirm")
        if token is not None or post.proof is not Proof.GRANTED or post.mail.carried is not None:
            return token
        waiting = tokens.open_of(self.register.db, self.register.club.id, post.member.handle, "confirm")
        return next(iter(waiting), None)

    # ------------------------------------------------------------ OUI

    def _yes(self, post: Post, token: Token | None, club: Club) -> Handled:
        """TRUST § 3: carry out exactly what was shown, checked anew, and nothing else.

        Whether it came in time is told by when our mailbox received it.
        """
        if token is None and post.proof is Proof.FRESH and self.asking.waiting(post):
            return self.asking.again(post, club)
        if token is None or token.state is not TokenState.OPEN or not token.current:
            return self._over(post, token, club)
        kept = pending(token)
        copies = inbox.proved_copies(
            self.register.db, self.register.club.id, [one.fingerprint for one in kept.sets]
        )
        left = tuple(one for one in kept.sets if one.fingerprint not in copies)
        order = Order(left, token.member or "", post.cause)
        if not left:
            tokens.close(self.register.db, token.id, TokenState.USED)
            return self._over(post, token, club)
        if not token.lives(post.received_at):
            return self._ask_again(post, token, order, club, "late")
        with savepoint(self.register.db) as point:
            # Used up before it takes effect, for leaving the club ends all that is open.
            redeemed = self._redeemed(post, token)
            performance = perform(self.register.db, self.register.club, order, club)
            if redeemed and not performance.refused and performance.effects == kept.shown:
                self._note_asker(post, kept.wish)
                return self._done(post, order, performance)
            point.rollback()
        return self._ask_again(post, token, order, club, "changed")

    def _note_asker(self, post: Post, wish: Wish | None) -> None:
        """P-10: where it was a manager who put it so, the audit chain says who, by his account's number."""
        if wish is not None:
            by = people.number(self.register.db, self.register.club.id, wish.by)
            self.register.audit(post.cause, "wish", {"by": by, "mail": wish.mail}, post.now)

    def _redeemed(self, post: Post, token: Token) -> bool:
        return tokens.redeem(self.register.db, token.id, token.member, post.received_at, post.cause)

    def _done(self, post: Post, order: Order, performance: Performance) -> Handled:
        """What was shown is done; the OUI opens a session, and what it brings carries its address."""
        stays = performance.after.member(post.member.handle) is not None
        return self.sets.done(
            replace(post, reply=self.sessions.open(post) if stays else None), order, performance
        )

    def _ask_again(self, post: Post, token: Token, order: Order, club: Club, again: str) -> Handled:
        """Show an order as it would be now, and ask anew; or say which rule has come in between.

        Where one of several requests is refused, the others are asked anew without it. What was asked apart
        stays apart: a double tap that is confirmed late must not join the first one under one OUI (T-20).
        """
        tokens.close(self.register.db, token.id, TokenState.SUPERSEDED)
        first = performance = self.asking.previewed(order, club)
        left, dropped = order, []
        while performance.refused:
            dropped.append(performance.steps[-1])
            gone = performance.steps[-1].number
            left = replace(left, sets=(*left.sets[:gone], *left.sets[gone + 1 :]))
            if not left.sets:
                return self.sets.refused(post, order, first)
            performance = self.asking.previewed(left, club)
        kept = pending(token)
        why = Why(again, apart=kept.apart, dropped=tuple(dropped), wish=kept.wish)
        return self.asking.ask(post, left, performance, club, why)

    def _over(self, post: Post, token: Token | None, club: Club) -> Handled:
        """T-10: an OUI too many is told the state; one already obeyed gets the same answer once more."""
        state = token.state.value if token is not None and token.current else "nothing"
        first = None if token is None else outbox.first_answer(self.register.db, token.id)
        facts = {"state": state, "said": "" if first is None else literal.kept(first.text)}
        sent = self.answers.section("OUI", facts, post.envelope, club)
        if first is not None:
            sent = replace(sent, token=first.token, game=first.game)
        return self.register.answered(post, [sent], f"yes to {state}", [Line("refused")])

    # ------------------------------------------------------------ NON

    def _no(self, post: Post, token: Token | None, club: Club) -> Handled:
        declined = token is not None and tokens.close(self.register.db, token.id, TokenState.DECLINED)
        suspended = declined and self._counted(post)
        if suspended:
            post = replace(post, reply=self.sessions.resume(post.cause, post.member, post.now))
        facts = {"declined": declined, "suspended": suspended}
        sent = self.answers.section("NON", facts, post.envelope, club)
        return self.register.answered(post, [sent], "declined", [Line("ok" if declined else "refused")])

    def _counted(self, post: Post) -> bool:
        """T-16: count a NON; True where it is the one after which mails without proof are asked no more."""
        if post.conduct is None or post.conduct.suspended:
            return False
        enough = post.conduct.declines_once_more_too_often
        kinds = (DECLINED, SUSPENDED) if enough else (DECLINED,)
        self.register.tally(member_subject(post.member.handle), kinds, post.received_at)
        return enough
