"""The post between people and the club, with all that can go wrong on the way.

In: a provider's server hands a mail to our entry until it is told 250, sometimes twice, sometimes late; our
border stamps what it finds. Out: a relay that takes mails, puts them off, refuses them, or breaks off without
saying whether it took one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime

from mailflow.doors.transport import NotTaken
from mailflow.simulation.judge import Judge, Violation
from mailflow.simulation.town import DAY, HOUR, MINUTE, Letter, Town
from mailflow.simulation.wires import Wires
from mailflow.simulation.writing import Received, received
from store.records import OutboxMail

BORDER = "mx.example.org"
SECOND = timedelta(seconds=1)


@dataclass
class PostOffice:
    """`offer` hands a mail to our entry and says whether it was told 250; `deliver` reaches a person."""

    town: Town
    offer: Callable[[Letter, bytes], bool]
    deliver: Callable[[Received], None]

    def take(self, letter: Letter) -> None:
        """A member's provider takes a mail; it will arrive."""
        town, name = self.town, letter.name
        chance = town.dice(f"{name}>way")
        delay = timedelta(seconds=chance.choice((1, 3, 20, 70)))
        if town.faults and chance.random() < 0.03:
            delay = chance.choice((20 * MINUTE, 5 * HOUR, 26 * HOUR))
        stamped = self.stamped(letter, town.now + delay)
        town.later(town.now + delay, f"{name}>", lambda: self._arrive(letter, stamped, 0))
        if town.faults and chance.random() < 0.06:
            again = delay + chance.choice((timedelta(0), SECOND, 3 * MINUTE, 11 * MINUTE, 9 * HOUR, 8 * DAY))
            copy = self.stamped(letter, town.now + again)
            town.later(town.now + again, f"{name}+copy", lambda: self._arrive(letter, copy, 0))

    def stamped(self, letter: Letter, at: datetime) -> bytes:
        """What our border adds on top."""
        domain = letter.draft.sender.rpartition("@")[2]
        found = {"pass": f"dmarc=pass header.from={domain}", "fail": f"dmarc=fail header.from={domain}"}
        method = found.get(letter.verdict, "none")
        trace = f"from mail.{domain} by {BORDER} with ESMTPS; {format_datetime(at)}"
        head = f"Authentication-Results: {BORDER}; {method}\r\nReceived: {trace}\r\n"
        return head.encode() + letter.raw

    def _arrive(self, letter: Letter, raw: bytes, tries: int) -> None:
        if self.offer(letter, raw) or tries > 60:
            return
        wait = (2 * MINUTE, 10 * MINUTE, HOUR)[min(tries, 2)]
        self.town.later(self.town.now + wait, f"{letter.name}>", lambda: self._arrive(letter, raw, tries + 1))


@dataclass
class Relay:
    """The transport of a sender: fate in place of a network.

    `among`: what to do in the middle of handing a mail on, once (a second sender at work, a death).
    """

    town: Town
    judge: Judge
    deliver: Callable[[Received], None]
    among: Callable[[], None] | None = None
    unsure: set[str] = field(default_factory=set)
    tries: dict[str, int] = field(default_factory=dict)

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        """Take a mail, or not."""
        if self.among is not None:
            among, self.among = self.among, None
            among()
        count = self.tries[mail.message_id] = self.tries.get(mail.message_id, 0) + 1
        chance = self.town.dice(f"{mail.message_id}>{count}")
        luck = chance.random() if self.town.faults else 1.0
        if mail.message_id in self.judge.refused:
            raise Violation(f"a mail that was refused for good was tried again: {mail.kind} (P-6)")
        if luck < 0.02:
            raise NotTaken("451 4.7.1 greylisted, come back later")
        if luck < 0.024:
            raise NotTaken("421 4.3.2 shutting down", closed=True)
        if luck < 0.028:
            raise NotTaken("the server went away before the end", lost=True)
        if luck < 0.030 and mail.kind not in ("confirm", "arbitration.opened"):
            self.judge.refused.add(mail.message_id)
            raise NotTaken("550 5.1.1 no such user", for_good=True)
        self._taken(mail, raw)
        if luck < 0.034:
            self.unsure.add(mail.message_id)
            raise NotTaken("the server went away after the end", lost=True)

    def close(self) -> None:
        """Nothing is open."""

    def _taken(self, mail: OutboxMail, raw: bytes) -> None:
        town = self.town
        try:
            got = received(raw, mail.kind, mail.game, town.now)
        except Exception as error:
            raise Violation(f"a mail of kind {mail.kind} cannot be read: {error!r}") from error
        again = mail.message_id in self.unsure
        self.judge.sent(mail, raw, got.token, again)
        town.diary.note(town.now, f"    to {mail.recipient or mail.address}: {mail.kind} {got.subject[:70]}")
        if again:
            return
        chance = town.dice(f"{mail.message_id}>in")
        delay = timedelta(seconds=chance.choice((2, 15, 60)))
        if town.faults and chance.random() < 0.02:
            delay = chance.choice((HOUR, 5 * HOUR))
        town.later(town.now + delay, "", lambda: self.deliver(got))

    def died(self, unmarked: frozenset[str]) -> None:
        """The sender died: what it handed on and had not marked may come again."""
        self.unsure |= unmarked & self.judge.handed_on
        self.judge.refused -= unmarked


@dataclass
class DyingRelay:
    """A relay during which the process dies: before or after a mail was taken."""

    relay: Relay
    wires: Wires
    after: bool

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        if self.after:
            self.relay.send(mail, raw)
        raise self.wires.die("while a mail was handed on")

    def close(self) -> None:
        self.relay.close()
