"""Sessions: a secret reply address at which what acts is done at once (TRUST § 3, R-SEC-1).

One is opened by an OUI, and lives on with each mail to its address from the address that opened it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from mailflow.model import Club
from mailflow.register import Post, Register
from mailflow.standing import exposed
from store import tokens
from store.records import Member, Token, TokenState


@dataclass(frozen=True)
class Sessions:
    """Works within the caller's transaction."""

    register: Register

    def open(self, post: Post) -> int:
        """Open a session for the address that a mail came from; return its token's id."""
        ends = post.received_at + timedelta(hours=self.register.caution.session_hours_max)
        return self._issue(post, min(ends, self._slid(post)), ends)

    def go_on(self, post: Post, club: Club) -> int | None:
        """Let the session that a mail came in last on; return the token that its answers carry.

        T-9: where the mail shows the address to somebody else, it still counts, but the address is burnt
        and a new one takes its place, which ends no later than the old one would have.
        """
        token = post.standing.live_for("session")
        if token is None or token.ends_at is None:
            return None
        if not tokens.keep_alive(
            self.register.db, token.id, post.member.handle, post.received_at, self._slid(post)
        ):
            return None
        if not exposed(post.letter, club):
            return token.id
        self.burn(token)
        until = min(token.ends_at, self._slid(post))
        return self._issue(post, until, token.ends_at)

    def lives_on(self, post: Post, club: Club) -> int | None:
        """Return the reply address of a notification that a mail came in by; a new one if it was shown."""
        token = post.standing.live_for("answer")
        if token is None or not exposed(post.letter, club):
            return None if token is None else token.id
        self.burn(token)
        member, at = post.member, post.received_at
        return self.register.issue(
            "answer", member.handle, member.address, post.cause, token.payload, at, token.expires_at
        )

    def resume(self, cause: str, member: Member, at: datetime) -> int:
        """The reply address by which a member has the club hear, or ask, him again: no dead end (T-7, T-16).

        It does nothing by itself; while he has a session, that does as well.
        """
        db, club = self.register.db, self.register.club
        live = tokens.sessions(db, club.id, (member.handle,), at).get((member.handle, member.address))
        if live is not None:
            return live
        until = at + timedelta(days=self.register.caution.resume_days)
        return self.register.issue("resume", member.handle, member.address, cause, {}, at, until)

    def burn(self, token: Token) -> None:
        """End an address that somebody else has seen."""
        tokens.close(self.register.db, token.id, TokenState.SUPERSEDED)

    def _slid(self, post: Post) -> datetime:
        return post.received_at + timedelta(minutes=self.register.caution.session_minutes)

    def _issue(self, post: Post, until: datetime, ends: datetime) -> int:
        member, at = post.member, post.received_at
        return self.register.issue("session", member.handle, member.address, post.cause, {}, at, until, ends)
