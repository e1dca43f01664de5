"""`mailflow work`: one of several processes, on one host or many, that share the work of many clubs.

Each looks for clubs with something to do, takes a club's desk for as long as that takes, and goes on to the
next. Mail comes in elsewhere (`mailflow run`, a mailbox); the clubs lie in databases that all can reach.
"""

from __future__ import annotations

import hashlib
import logging
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from mailflow.app import Office
from mailflow.doors.clock import Beat
from mailflow.doors.looks import known_until
from mailflow.doors.sender import Sender
from mailflow.errors import SettingsError
from mailflow.sending import sender_of
from mailflow.service import Clock, only_one
from mailflow.shifts import Shifts
from store import pending
from store.errors import StoreUnavailable

log = logging.getLogger("mailflow.workers")

ROUND = 10
"""Beats, of a second each, between two looks at every club for what falls due by the clock."""


@dataclass
class Worker:
    """One process's share. `offices` in the order in which this process looks at them."""

    offices: Sequence[Office]
    shifts: Shifts
    clock: Clock
    stopwatch: Callable[[], float]
    holder: str
    beats: int = 0
    senders: dict[int, Sender] = field(default_factory=dict)
    since: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.since = self.clock()

    def beat(self) -> None:
        """Work at the clubs with mail; every few beats also at those where something falls due."""
        try:
            for office in self._with_due() if self.beats % ROUND == 0 else self._with_mail():
                self.visit(office)
        except StoreUnavailable as error:
            log.error("a database cannot be reached or written now, trying again: %s", error)
        self.beats += 1

    def visit(self, office: Office) -> bool:
        """Do all that is to be done at a club now; False where another process is at it."""
        try:
            with self.shifts.at_desk(office) as ours:
                if ours:
                    office.desk.work(self.clock(), known_until=self._known_until(office))
                    self._sender(office).run()
                return ours
        except StoreUnavailable as error:
            log.error("%s: to be tried again: %s", office.club.address, error)
            return False

    def _known_until(self, office: Office) -> datetime:
        """R-DIS-5: what is due waits until the club's mailbox, if it has one, was looked through since."""
        return known_until(office.db, office.club.id, office.settings.imap, self.since, self.clock())

    def _sender(self, office: Office) -> Sender:
        """Each club has one throughout: it knows what is not marked yet, and when to leave a relay alone."""
        key = id(office)
        if key not in self.senders:
            self.senders[key] = sender_of(office, office.desk.db, self.stopwatch, self.clock, self.holder)
        return self.senders[key]

    def _with_mail(self) -> Iterator[Office]:
        """Give each club that has mail at that moment, once: others are at work on them as well."""
        tried: set[int] = set()
        while True:
            office = next((o for o in self._waiting() if id(o) not in tried), None)
            if office is None:
                return
            tried.add(id(office))
            yield office

    def _waiting(self) -> Iterator[Office]:
        now, seen = self.clock(), dict[object, frozenset[int]]()
        for office in self.offices:
            books = office.settings.books
            if books not in seen:
                seen[books] = pending.clubs_with_mail(office.db, now)
            if office.club.id in seen[books]:
                yield office

    def _with_due(self) -> Iterator[Office]:
        yield from self._with_mail()
        for office in self.offices:
            if office.desk.agenda.next_due(self.clock()).at <= self.clock():
                yield office


def work(
    offices: Iterable[Office],
    holder: str,
    clock: Clock,
    stopwatch: Callable[[], float],
    started: Callable[[int], None],
) -> None:
    """Work until SIGTERM or Ctrl-C; `started` is told how many clubs there are. Raises SettingsError."""
    mine = in_own_order(offices, holder)
    _check_mailboxes(mine)
    with _files_locked(mine), Shifts(holder, clock) as shifts:
        worker = Worker(mine, shifts, clock, stopwatch, holder)
        beat = Beat(worker.beat, every_seconds=1)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: beat.stop())
        started(len(mine))
        beat.run()


def in_own_order(offices: Iterable[Office], holder: str) -> list[Office]:
    """Each process looks at the clubs in an order of its own, so that they do not all want the same first."""
    return sorted(offices, key=lambda o: hashlib.sha256(f"{holder}\0{o.club.address}".encode()).digest())


def _check_mailboxes(offices: Iterable[Office]) -> None:
    """R-DIS-5: only who reads a mailbox knows up to when all mail has come, and so what may fall due."""
    for office in offices:
        if office.settings.imap.host:
            raise SettingsError(f"{office.club.address} reads a mailbox: serve it by 'mailflow run' alone")


@contextmanager
def _files_locked(offices: Iterable[Office]) -> Iterator[None]:
    """Hold the lock of each folder whose books lie in a file: those have one process."""
    with ExitStack() as stack:
        for office in offices:
            if office.settings.server is None:
                stack.enter_context(only_one(office.settings.lock_file))
        yield
