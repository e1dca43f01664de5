"""The desk of the season: mails go in, what the club writes goes into each member's mailbox."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from random import Random

from mailflow import intake
from mailflow.compose import compose
from mailflow.desk import Desk
from mailflow.founding import Founder, found
from mailflow.identify import Trust
from mailflow.proofs import Keyring
from mailflow.register import Handled
from mailflow.rulebook import shipped
from mailflow.settings import Charter
from store import outbox
from store.database import Database, open_database, unit_of_work
from store.records import ClubRow, OutboxMail

from .people import Person, mail, reply

CLUB = "club@example.org"
START = datetime(2026, 1, 5, 19, 0, tzinfo=UTC)
"""A Monday evening, eight o'clock in Paris."""


@dataclass
class Season:
    """`extra`: by member and evening, the replies that he had to send besides his own commands.

    Counted is each OUI that he sends to have a command of his done; not counted are the commands themselves,
    those written anew after a slip, and a NON to what somebody forged, which nobody has to send. `active`:
    the members and evenings with a command; `acting`: those with one that changes something.
    """

    members: list[Person]
    dice: Random
    db: Database
    club: ClubRow
    desk: Desk
    now: datetime = START
    extra: Counter[tuple[str, int]] = field(default_factory=Counter)
    active: set[tuple[str, int]] = field(default_factory=set)
    acting: set[tuple[str, int]] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    evening: int = 0
    _mails: int = 0
    _told: int = 0
    _boxes: dict[str, list[OutboxMail]] = field(default_factory=dict)

    # ------------------------------------------------------------ time and mail

    def later(self, minutes: float) -> None:
        """Let time pass; what falls due is run when it is due."""
        until = self.now + timedelta(minutes=minutes)
        while (due := self.desk.agenda.next_due(self.now)).at <= until:
            self.now = due.at
            self.desk.agenda.run(due, due.at)
        self.now = until
        self._collect()

    def receive(self, raw: bytes) -> Handled | None:
        """Hand a mail in; the desk works at once."""
        self.now += timedelta(seconds=self.dice.randint(2, 40))
        with unit_of_work(self.db):
            number = intake.keep(self.db, self.club.id, "season", raw, self.now)
        handled = [h for h in self.desk.work(self.now) if h.mail_id == number]
        self._collect()
        return handled[0] if handled else None

    def _collect(self) -> None:
        for sent in outbox.listing(self.db, self.club.id, self._told):
            self._told = sent.id
            self._boxes.setdefault(sent.recipient, []).append(sent)
            self.counts["mails of the club"] += 1
            self._on_holiday(sent)

    def _on_holiday(self, sent: OutboxMail) -> None:
        """A vacation notice comes back now and then, quoting what it answers, « Oui » first."""
        person = next((p for p in self.members if p.handle == sent.recipient), None)
        if person is not None and self.dice.random() < person.away:
            notice = reply(person, self.read(sent), "OUI, je suis absent", self.number())
            notice["Auto-Submitted"] = "auto-replied"
            with unit_of_work(self.db):
                intake.keep(self.db, self.club.id, "season", notice.as_bytes(), self.now)
            self.counts["vacation notices"] += 1

    def number(self) -> int:
        self._mails += 1
        return self._mails

    def read(self, sent: OutboxMail) -> EmailMessage:
        raw = compose(sent, self.club, self.desk.register.token_of(sent))
        parsed = message_from_bytes(raw, policy=default)
        assert isinstance(parsed, EmailMessage)
        return parsed

    def last(self, person: Person, *kinds: str) -> OutboxMail | None:
        """The newest mail in his mailbox, of some kinds or of any."""
        box = self._boxes.get(person.handle, [])
        return next((m for m in reversed(box) if not kinds or m.kind in kinds), None)

    # ------------------------------------------------------------ what members do

    def command(self, person: Person, text: str, answering: OutboxMail | None = None) -> bool:
        """He wants something done, and does what the club asks for until it is; whether it was done."""
        self.active.add((person.handle, self.evening))
        if text != "COMPTE":
            self.acting.add((person.handle, self.evening))
        self.counts["commands"] += 1
        if self.dice.random() < person.typo:
            self._write(person, text.replace("=", " = = ", 1), answering)
            self.counts["slips"] += 1
        handled = self._write(person, text, answering)
        if self.dice.random() < person.double_tap:
            self.counts["double taps"] += 1
            self._write(person, text, answering)
        return self._until_done(person, handled)

    def _write(self, person: Person, text: str, answering: OutboxMail | None) -> Handled | None:
        cc = "ami@elsewhere.example" if self.dice.random() < person.to_all else ""
        last = answering or self.last(person)
        if last is None or (answering is None and self.dice.random() < person.plain):
            return self.receive(mail(person.address, CLUB, text, self.number(), cc=cc).as_bytes())
        return self.receive(reply(person, self.read(last), text, self.number(), cc).as_bytes())

    def _until_done(self, person: Person, handled: Handled | None) -> bool:
        """Answer what is asked: OUI to the newest confirmation, as long as there is one."""
        for _ in range(3):
            if handled is None or handled.state != "pending":
                return handled is not None and handled.state == "executed"
            if self.dice.random() < person.forgets:
                self.counts["confirmations left unanswered"] += 1
                return False
            self.now += timedelta(minutes=self.dice.choice((1, 2, 3, 5, 15)))
            asked = self.last(person, "confirm")
            assert asked is not None
            self.extra[person.handle, self.evening] += 1
            handled = self.receive(reply(person, self.read(asked), "OUI", self.number()).as_bytes())
        return False


def open_season(members: list[Person], dice: Random) -> Season:
    """Found the club; everybody has 200 €."""
    db = open_database(None)
    charter = Charter("Le club", CLUB, "Europe/Paris", "EUR", "fr", "", shipped("friends"))
    founders = [Founder(p.handle, p.address, manager=n == 0) for n, p in enumerate(members)]
    club = found(db, charter, founders, START - timedelta(days=1))
    desk = Desk(db, club, Keyring(b"the key of a season is no secret"), Trust.CONFIRM)
    desk.agenda.start(START - timedelta(days=1))
    return Season(members, dice, db, club, desk)
