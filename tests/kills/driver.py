"""Play a situation with a process that is killed on the way, as members and their mail server live it.

Whoever was told no 250 offers his mail again. Whoever is asked to confirm says OUI, once. Time passes until
nothing is left to do; then what there is must be what there would have been.
"""

from __future__ import annotations

import shutil
import smtplib
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any

from mailflow.picture import picture
from mailflow.settings import load
from store import clubs, inbox, journal, outbox, sql
from store.database import open_database
from store.verify import verify

from .books import Files
from .boxes import Box, Boxes
from .process import Process
from .relay import parsed, taken
from .steps import Steps

CLUB = "club@example.org"
PATIENCE_SECONDS = 20
RESTARTS_MAX = 4


@dataclass
class Play:
    """One play of a situation on a folder of its own. `fatal`, `late_seconds`: see Steps.

    `box`: the mailbox that mail comes to; None where it comes by SMTP.
    """

    folder: Path
    mails: Path
    now: datetime
    fatal: int = 0
    late_seconds: float = 0.0
    box: Box | None = None
    steps: list[str] = field(default_factory=list)
    died: bool = False
    _process: Process | None = None

    def run(self, letter: tuple[str, str, bytes] | None, later: timedelta | None = None) -> None:
        """Offer a letter (sender, recipient, bytes), say OUI to what it brings, and let everything drain."""
        if letter is not None:
            self._deliver(*letter)
            self._drain(letter[0])
            self._confirm(letter[0])
        if later is not None:
            self.now += later
        self._drain()
        self.steps = self._alive().stop()
        self.died = self.died or not self.steps

    def _drain(self, asked: str | None = None) -> None:
        """Let time pass until all is sent, or until a question has come to `asked`."""
        for minutes in (0, 6, 30, 90):
            self.now += timedelta(minutes=minutes)
            self._work()
            if asked is not None and self._question(asked) is not None:
                return

    # ------------------------------------------------------------ the process

    def _alive(self) -> Process:
        """The process; a new one, which nothing kills, where the first has died."""
        for _ in range(RESTARTS_MAX):
            if self._process is not None:
                return self._process
            steps = Steps() if self.died else Steps(self.fatal, self.late_seconds)
            process = Process(self.folder, self.now, steps)
            if process.port is not None:
                self._process = process
            else:
                self._buried(process)
        raise AssertionError("the process dies at every start")

    def _buried(self, process: Process) -> None:
        process.stop()
        self.died, self._process = True, None
        self.now += timedelta(minutes=1)

    def _work(self) -> None:
        process = self._alive()
        if not process.work(self.now):
            self._buried(process)
            self._work()

    # ------------------------------------------------------------ the members

    def _deliver(self, sender: str, to: str, raw: bytes) -> None:
        """Offer a letter until it is taken, as a mail server does; a mailbox takes it at once."""
        if self.box is not None:
            self.box.receive(raw, self.now)
            return
        process = self._alive()
        try:
            with smtplib.SMTP("127.0.0.1", process.port or 0, timeout=PATIENCE_SECONDS) as server:
                server.sendmail(sender, [to], raw)
                return
        except (OSError, smtplib.SMTPServerDisconnected, smtplib.SMTPResponseException):
            if process.work(self.now):
                raise  # it lives, and refused the mail
            self._buried(process)
        self._deliver(sender, to, raw)

    def _confirm(self, sender: str) -> None:
        """Say OUI to the question put to somebody, if there is one."""
        question = self._question(sender)
        if question is not None:
            reply_to = question["Reply-To"].addresses[0].addr_spec
            self._deliver(sender, reply_to, answer(sender, reply_to, question))

    def _question(self, whom: str) -> EmailMessage | None:
        mails = (parsed(raw) for recipient, raw in taken(self.mails) if recipient == whom)
        return next((mail for mail in mails if "confirmer" in str(mail["Subject"])), None)


def answer(sender: str, to: str, question: EmailMessage) -> bytes:
    """The bytes of a member's OUI; the same each time it is offered."""
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"] = sender, to
    mail["Subject"] = "Re: question"
    mail["Message-ID"] = "<oui@member.example>"
    mail["In-Reply-To"] = question["Message-ID"]
    mail.set_content("OUI")
    return mail.as_bytes()


# ---------------------------------------------------------------- what there is in the end


def state_of(folder: Path, mails: Path) -> dict[str, Any]:
    """What must be the same however often the process died. Times, numbers of mails and ids do not count."""
    db = open_database(load(folder).books)
    try:
        (club,) = clubs.clubs(db)
        now = picture(db, club, LATE)
        games = [now.books.game(n) for n in range(1, now.books.next_game_number())]
        sent = outbox.listing(db, club.id)
        states = Counter(inbox.counts(db, club.id))
        return {
            "findings": [str(f) for f in verify(db, club.id)],
            "members": {m.handle: (m.status.value, m.manager, m.balance_cents) for m in now.members.values()},
            "entries": [(e.kind, e.game, e.reverses, e.postings) for e in journal.entries(db, club.id)],
            "games": [(g.number, g.state.value, g.participants, dict(g.places)) for g in games if g],
            "rulebook": now.rulebook_version,
            "injunctions": len(now.books.injunctions()),
            "outbox": sorted((m.kind, m.recipient, m.address, m.state.value) for m in sent),
            "waiting": states["received"],
            "quarantined": states["quarantined"],
            "done": {name: states[name] for name in ("executed", "answered", "pending")},
            "tokens": sorted(sql.rows(db, "SELECT purpose, state FROM token")),
            "wrong mails": _wrong_mails(folder, mails, {m.message_id for m in sent}),
        }
    finally:
        db.close()


LATE = datetime.fromisoformat("2030-01-01T00:00:00+00:00")


def _wrong_mails(folder: Path, mails: Path, expected: set[str]) -> list[str]:
    """P-4: each mail queued since the template came, and each that came twice came the same."""
    came: dict[str, set[bytes]] = {}
    for _, raw in taken(mails):
        came.setdefault(str(parsed(raw)["Message-ID"]), set()).add(raw)
    before = set((folder / "sent-before").read_text().split())
    wrong = [f"{name} came in {len(forms)} forms" for name, forms in came.items() if len(forms) > 1]
    wrong += [f"{name} never came" for name in expected - before - came.keys()]
    wrong += [f"{name} is nobody's" for name in came.keys() - expected]
    return sorted(wrong)


@dataclass(frozen=True)
class Case:
    """What came of one play."""

    steps: list[str]
    died: bool
    state: dict[str, Any]

    def differences(self, calm: dict[str, Any]) -> list[str]:
        return [
            f"{name}: {self.state[name]} instead of {calm[name]}"
            for name in calm
            if self.state[name] != calm[name]
        ]


def played(
    template: Path,
    root: Path,
    mails: Path,
    letter: tuple[str, str, bytes] | None,
    now: datetime,
    later: timedelta | None = None,
    fatal: int = 0,
    late_seconds: float = 0.0,
    boxes: Boxes | None = None,
    books: Files | None = None,
) -> Case:
    """Play a situation on a copy of its template, and clear up."""
    folder = root / "case"
    books = books or Files()
    shutil.copytree(template, folder)
    books.copied(template, folder)
    box = None if boxes is None else boxes.new()
    try:
        if box is not None:
            box.is_read_by(folder)
        play = Play(folder, mails, now, fatal, late_seconds, box)
        play.run(letter, later)
        state = state_of(folder, mails)
        return Case(play.steps, play.died, state if box is None else {**state, "mailbox": box.contents()})
    finally:
        books.removed(folder)
        shutil.rmtree(folder)
        for path in mails.iterdir():
            path.unlink()
