"""What falls due by the clock, each run once: jobs of the table, ends of windows, changes of identity.

A record of what ran is kept with the effects, in one transaction, so that nothing is run twice and what
was missed is seen (P-9).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from mailflow.answers import Answers
from mailflow.forgetting import Wipe, carry_out, next_wipe
from mailflow.handlers import disputes, identity
from mailflow.jobs import JOBS, Job
from mailflow.model import Club, Notice, Outcome
from mailflow.pending import pending
from mailflow.performing import write
from mailflow.register import Register
from store import identity_changes, runs, snapshot, tokens
from store.database import unit_of_work
from store.records import IdentityChange, Token


@dataclass(frozen=True)
class WindowEnd:
    """R-DIS-4: the end of a game's window, which counts as of its own instant, however late it is run."""

    at: datetime
    game: int

    @property
    def name(self) -> str:
        return f"window:{self.game}"

    def as_of(self, now: datetime) -> datetime:
        return self.at

    def outcome(self, club: Club) -> Outcome:
        game = club.books.game(self.game)
        return Outcome() if game is None else disputes.close_window(game, club)


@dataclass(frozen=True)
class JobDue:
    """A job of the table at one of its times. One that was missed looks at the club as it is now."""

    at: datetime
    job: Job

    @property
    def name(self) -> str:
        return self.job.name

    def as_of(self, now: datetime) -> datetime:
        return now

    def outcome(self, club: Club) -> Outcome:
        return self.job.handler(club)


@dataclass(frozen=True)
class IdentityDue:
    """TRUST § 2: a change of identity takes effect, or what was not answered lapses; late is late."""

    at: datetime
    change: IdentityChange

    @property
    def name(self) -> str:
        return f"identity:{self.change.number}"

    def as_of(self, now: datetime) -> datetime:
        return now

    def outcome(self, club: Club) -> Outcome:
        return identity.fall_due(self.change.number, club)


Due = WindowEnd | JobDue | IdentityDue | Wipe

WINDOWS_AT_A_TIME = 5
HOLD = timedelta(hours=24)
"""How long a window may stay open for an OUI."""


def _disputes(token: Token, end: WindowEnd) -> bool:
    """Whether a kept set disputes the game, and was received before its window ended."""
    return any(
        command["verb"] == "CONTESTE"
        and command["arguments"].get("game", one.thread_game) == end.game
        and one.received_at < end.at
        for one in pending(token).sets
        for command in one.commands
    )


@dataclass(frozen=True)
class Agenda:
    """One club's due times. `register` writes, `answers` words."""

    register: Register
    answers: Answers

    @property
    def _zone(self) -> ZoneInfo:
        return ZoneInfo(self.register.club.timezone)

    def start(self, at: datetime) -> None:
        """Note, when a club begins, that nothing was due before. Does nothing for one that has begun."""
        db, club = self.register.db, self.register.club.id
        with unit_of_work(db):
            for job in JOBS:
                if runs.last_due(db, club, job.name) is None:
                    runs.note(db, club, job.name, job.last_until(at, self._zone), at)

    def next_due(self, now: datetime, put_off: Collection[str] = ()) -> Due:
        """Return what falls due first: what is due by `now`, or else what will be next.

        `put_off`: names of what is left aside because it failed just now.

        Of the times at which a job was missed only the last counts: one reminder, not seven. Windows
        close one by one.
        """
        dues: list[Due] = [*self._windows(now, put_off), *self._identities(put_off)]
        wipe = next_wipe(self.register)
        if wipe is not None and wipe.name not in put_off:
            dues.append(wipe)
        ran = runs.last_dues(self.register.db, self.register.club.id, [job.name for job in JOBS])
        for job in JOBS:
            due = self._job_due(job, ran[job.name], now)
            dues.append(JobDue(job.next_after(now, self._zone), job) if job.name in put_off else due)
        return min(dues, key=lambda due: due.at)

    def _windows(self, now: datetime, put_off: Collection[str]) -> Iterator[WindowEnd]:
        """Nearly always the first to end is the one; a long evening may have hundreds open."""
        books, skipped = snapshot.Books(self.register.db, self.register.club.id), 0
        while ends := books.window_ends(WINDOWS_AT_A_TIME, skipped):
            for at, number in ends:
                end = WindowEnd(at, number)
                if end.name not in put_off and not self._awaits_dispute(end, now):
                    yield end
                    return
            skipped += len(ends)

    def _identities(self, put_off: Collection[str]) -> Iterator[IdentityDue]:
        left_aside = [int(name.partition(":")[2]) for name in put_off if name.startswith("identity:")]
        change = identity_changes.next_due(self.register.db, self.register.club.id, left_aside)
        if change is not None:
            yield IdentityDue(change.due_at, change)

    def _awaits_dispute(self, end: WindowEnd, now: datetime) -> bool:
        """R-DIS-5: a dispute that came in time and waits for its OUI keeps the window from closing.

        Never longer than an OUI may take: nobody can hold a result up for good.
        """
        if not end.at <= now < end.at + HOLD:
            return False
        waiting = tokens.waiting(self.register.db, self.register.club.id, "confirm", now)
        return any(_disputes(token, end) for token in waiting)

    def _job_due(self, job: Job, last: datetime | None, now: datetime) -> JobDue:
        missed = job.last_until(now, self._zone)
        return JobDue(missed if last is None or missed > last else job.next_after(last, self._zone), job)

    def run(self, due: Due, now: datetime) -> tuple[Notice, ...]:
        """Run what is due in one transaction: record, effects, mails and audit row.

        Return the notices that are no mails of their own, because they stand in another one of the day.
        """
        if isinstance(due, Wipe):
            carry_out(due, self.register, now)
            return ()
        register, as_of = self.register, due.as_of(now)
        with unit_of_work(register.db):
            if not runs.note(register.db, register.club.id, due.name, due.at, now):
                return ()
            club = register.picture(as_of)
            outcome = due.outcome(club)
            cause = f"job:{due.name}:{due.at.astimezone(UTC).isoformat()}"
            write(register.db, register.club, outcome, as_of, cause)
            after = register.picture(as_of) if outcome.changes else club
            register.queue(self.answers.notices(outcome.notices, after, cause), now)
            register.sweep(now)
            register.audit(cause, "job", {"notices": len(outcome.notices)}, as_of)
        return tuple(notice for notice in outcome.notices if notice.within)
