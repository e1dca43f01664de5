"""Send: take the rows of the outbox that are due, hand each on, mark it.

What is sent and not yet marked when the process dies is sent again, the same bytes under the same
Message-ID (P-4). One bad address never delays the others (P-6).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mailflow.doors.transport import NotTaken, Transport
from mailflow.errors import described
from store import delivery
from store.database import Database, unit_of_work
from store.errors import StoreUnavailable
from store.records import Fault, OutboxMail

log = logging.getLogger("mailflow.sender")

BATCH = 20
"""Mails claimed at once and marked in one transaction: so many, at most, a killed process sends twice."""
HELD_FOR = timedelta(minutes=20)
"""How long a sender that died keeps others from its mails."""
MAIL_TAKES = timedelta(minutes=11)
"""At most, with a relay that exhausts all patience: what is held for less is claimed anew first."""
RETRY_AFTER = tuple(timedelta(minutes=m) for m in (1, 5, 15, 60, 180, 360))
"""P-6: how long to wait after the first, second … failure; after that, always the last."""
GIVE_UP_AFTER = timedelta(days=5)
REST = tuple(timedelta(minutes=m) for m in (1, 2, 5, 15))
"""How long nobody calls a relay that takes no mail at all, after the first time, the second …"""
LOSSES_MAX = 3
"""Conversations that break off one after the other are the relay's trouble, not the mails'."""

Compose = Callable[[OutboxMail], bytes]


@dataclass
class Sender:
    """Sends one club's mails. `holder` names it: no two senders at work may bear the same name.

    What could not be marked, because the database was away, is kept in mind and marked before anything
    else is sent: a full disk must not send a mail again and again.
    """

    db: Database
    club_id: int
    compose: Compose
    transport: Transport
    clock: Callable[[], datetime]
    holder: str
    _results: list[tuple[OutboxMail, NotTaken | None, datetime]] = field(default_factory=list)
    _stopped: bool = False
    _holds: bool = False
    _rest_until: datetime | None = None
    _closed: int = 0

    def run(self) -> int:
        """Send all that is due and return how many mails were handed on."""
        if self._rest_until is not None and self.clock() < self._rest_until:
            return 0
        sent = 0
        try:
            while self._is_work() and (mails := self._next_batch()):
                before = len(self._results)
                goes_on = self._send(mails)
                sent += sum(failure is None for _, failure, _ in self._results[before:])
                if not goes_on:
                    break
        finally:
            self.transport.close()
            if self._results or self._holds:
                self._mark_and_let_go()
        return sent

    def stop(self) -> None:
        """Have `run` return after the mail in hand. May be called from any thread."""
        self._stopped = True

    def _is_work(self) -> bool:
        """Look before writing: mostly there is nothing to send."""
        return bool(self._results) or delivery.is_due(self.db, self.club_id, self.holder, self.clock())

    def _next_batch(self) -> tuple[OutboxMail, ...]:
        """Mark the batch before and claim the next, in one transaction."""
        now = self.clock()
        with unit_of_work(self.db):
            self._mark()
            mails = delivery.claim(self.db, self.club_id, self.holder, now, now + HELD_FOR, BATCH)
        self._results.clear()
        self._holds = bool(mails)
        return mails

    def _send(self, mails: tuple[OutboxMail, ...]) -> bool:
        """Send a batch; False where no further mail would be taken now."""
        held_until, losses = self.clock() + HELD_FOR, 0
        for mail in mails:
            if self._stopped:
                return False
            if self.clock() + MAIL_TAKES > held_until:
                break
            failure = _handed_on(mail, self.compose, self.transport)
            if failure is not None:
                log.warning("mail %d not taken: %s", mail.id, failure)
            self._results.append((mail, failure, self.clock()))
            losses = losses + 1 if failure is not None and failure.lost else 0
            if losses >= LOSSES_MAX or (failure is not None and failure.closed):
                self._rest()
                return False
            self._closed = 0
        return True

    def _rest(self) -> None:
        self._rest_until = self.clock() + REST[min(self._closed, len(REST) - 1)]
        self._closed += 1

    def _mark_and_let_go(self) -> None:
        """Leave nothing open; what cannot be written now is marked before anything else is sent."""
        try:
            with unit_of_work(self.db):
                self._mark()
                delivery.let_go(self.db, self.club_id, self.holder)
        except StoreUnavailable as error:
            log.error("%d mails could not be marked yet: %s", len(self._results), error)
            return
        self._results.clear()
        self._holds = False

    def _mark(self) -> None:
        taken = [(mail.id, at) for mail, failure, at in self._results if failure is None]
        if taken:
            delivery.mark_all_sent(self.db, taken)
        for mail, failure, at in self._results:
            if failure is not None:
                self._mark_failure(mail, failure, at)

    def _mark_failure(self, mail: OutboxMail, failure: NotTaken, at: datetime) -> None:
        if failure.for_good or at - (mail.tried_since or mail.created_at) >= GIVE_UP_AFTER:
            fault = Fault.HARD if failure.for_good and not isinstance(failure, _NotMade) else Fault.SOFT
            delivery.mark_failed(self.db, mail.id, self.holder, at, str(failure), fault)
        elif failure.closed:
            delivery.put_off(self.db, mail.id, self.holder, at + REST[0], str(failure))
        else:
            wait = RETRY_AFTER[min(mail.attempts, len(RETRY_AFTER) - 1)]
            delivery.mark_retry(self.db, mail.id, self.holder, at + wait, str(failure))


def deliver(
    db: Database, club_id: int, compose: Compose, transport: Transport, now: datetime, holder: str = "sender"
) -> int:
    """Send all that is due at an instant, once, and return how many mails were handed on."""
    return Sender(db, club_id, compose, transport, lambda: now, holder).run()


def _handed_on(mail: OutboxMail, compose: Compose, transport: Transport) -> NotTaken | None:
    """Send one mail; return why it was not taken, if it was not."""
    try:
        transport.send(mail, compose(mail))
    except NotTaken as error:
        return error
    except StoreUnavailable:
        raise  # not this mail's fault: it stays queued
    except Exception as error:
        # A mail that cannot be made or addressed is its own trouble, never that of the others (P-6).
        return _NotMade(f"cannot be sent: {described(error)}", for_good=True)
    return None


class _NotMade(NotTaken):
    """A mail that we could not make: nothing is said of its address."""
