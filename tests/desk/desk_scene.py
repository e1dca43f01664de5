"""A club at a real desk: mails go in as bytes, what comes of them is read from the store.

The clock moves only when a test moves it. `write` sends a member's mail, `answer` replies to one of ours
as a mail client does, `told` gives the mails that were queued since it was last asked.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from typing import Any

import peewee

from mailflow import intake
from mailflow.compose import compose
from mailflow.desk import Desk
from mailflow.founding import Founder, found
from mailflow.identify import Trust
from mailflow.picture import picture
from mailflow.proofs import Keyring
from mailflow.register import Handled
from mailflow.rulebook import shipped
from mailflow.settings import Charter
from store import clubs, inbox, outbox, sql, tables
from store.database import Server, unit_of_work
from store.records import ClubRow, Game, OutboxMail
from store.verify import verify
from tests.databases import open_database

START = datetime(2026, 1, 6, 9, 30, tzinfo=UTC)
"""A Tuesday, half past ten in Paris: the day's jobs have run."""
CLUB = "club@example.org"
KEY = b"the key of a test is no secret.."
MEMBERS = ("anna", "bela", "carl", "dora")
MAILS = frozenset({"inbox", "inbox_raw", "reading", "outbox", "audit", "tally"})


def text_of(mail: EmailMessage) -> str:
    """The plain text of a mail of ours."""
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


@dataclass
class Scene:
    """anna manages; everybody has 200 €."""

    db: peewee.Database
    club: ClubRow
    desk: Desk
    now: datetime = START
    _mails: int = 0
    _told: int = 0

    # ------------------------------------------------------------ mails in

    def written(self, who: str, text: str, /, subject: str = "", to: str = CLUB, **headers: str) -> bytes:
        """The bytes of a mail as a member's program sends it. `who`: a handle or a From header."""
        self._mails += 1
        mail = EmailMessage(policy=SMTP)
        mail["From"] = who if "@" in who else f"{who}@example.org"
        mail["To"] = to
        if subject:
            mail["Subject"] = subject
        mail["Date"] = self.now
        mail["Message-ID"] = f"<{self._mails}@mail.example>"
        for name, value in headers.items():
            header = name.replace("_", "-")
            del mail[header]
            mail[header] = value
        mail.set_content(text)
        return mail.as_bytes()

    def keep(self, raw: bytes, at: datetime | None = None) -> int:
        """What the entry does with a mail: kept and committed."""
        with unit_of_work(self.db):
            return intake.keep(self.db, self.club.id, "smtp", raw, at or self.now)

    def work(self) -> list[Handled]:
        return self.desk.work(self.now)

    def receive(self, raw: bytes) -> Handled:
        """Keep a mail and have it handled at once; a second passes."""
        self.now += timedelta(seconds=1)
        mail_id = self.keep(raw)
        (handled,) = [h for h in self.work() if h.mail_id == mail_id]
        return handled

    def write(self, who: str, text: str, /, **headers: str) -> Handled:
        return self.receive(self.written(who, text, **headers))

    def reply(self, ours: OutboxMail, text: str, who: str | None = None, **headers: str) -> bytes:
        """The bytes of an answer to a mail of ours: to its Reply-To, its words quoted below."""
        mail = self.composed(ours)
        quoted = "".join(f"> {line}\n" for line in text_of(mail).splitlines())
        body = f"{text}\n\nLe mar. 6 janv. 2026 à 10:31, Le club <{CLUB}> a écrit :\n{quoted}"
        fields = {
            "to": str(mail["Reply-To"] or mail["From"].addresses[0].addr_spec),
            "subject": f"Re: {mail['Subject']}",
            "In_Reply_To": str(mail["Message-ID"]),
            "References": str(mail["Message-ID"]),
        }
        return self.written(who or ours.recipient, body, **{**fields, **headers})

    def answer(self, ours: OutboxMail, text: str, who: str | None = None, **headers: str) -> Handled:
        return self.receive(self.reply(ours, text, who, **headers))

    def do(self, who: str, text: str) -> list[OutboxMail]:
        """Write a mail, say OUI to what is asked, and give the mails that this brought."""
        self.told()
        asked = self.write(who, text)
        if asked.state == "pending":
            self.told()
            asked = self.answer(self.latest("confirm", who), "OUI")
        assert [line.outcome for line in asked.lines] == ["ok"] * len(asked.lines), asked
        return self.told()

    # ------------------------------------------------------------ mails out

    def told(self) -> list[OutboxMail]:
        """The mails queued since the last call."""
        mails = list(outbox.listing(self.db, self.club.id, self._told))
        self._told = mails[-1].id if mails else self._told
        return mails

    def latest(self, kind: str, recipient: str) -> OutboxMail:
        found = outbox.latest(self.db, self.club.id, kind, recipient)
        assert found is not None, f"no {kind} to {recipient}"
        return found

    def bytes_of(self, mail: OutboxMail) -> bytes:
        return compose(mail, self.club, self.token_of(mail))

    def composed(self, mail: OutboxMail) -> EmailMessage:
        parsed = message_from_bytes(self.bytes_of(mail), policy=default)
        assert isinstance(parsed, EmailMessage)
        return parsed

    def token_of(self, mail: OutboxMail) -> str | None:
        return self.desk.register.token_of(mail)

    # ------------------------------------------------------------ the books

    @property
    def balances(self) -> dict[str, int]:
        members = picture(self.db, self.club, self.now).members.values()
        return {m.handle: m.balance_cents for m in members}

    def game(self, number: int = 1) -> Game:
        found = picture(self.db, self.club, self.now).books.game(number)
        assert found is not None
        return found

    def dump(self, but: frozenset[str] = MAILS) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table, those named excepted."""
        names = [t._meta.table_name for t in tables.ALL if t._meta.table_name not in but]
        return {name: sorted(sql.rows(self.db, f"SELECT * FROM {name}"), key=repr) for name in names}

    def states(self) -> dict[str, int]:
        return {state: n for state, n in inbox.counts(self.db, self.club.id).items() if n}

    def audited(self) -> list[tuple[str, str, dict[str, Any]]]:
        rows = sql.rows(self.db, "SELECT cause, kind, payload_json FROM audit ORDER BY number")
        return [(cause, kind, json.loads(payload)) for cause, kind, payload in rows]

    def is_sound(self) -> None:
        assert verify(self.db, self.club.id) == ()


def open_scene(
    path: Path | Server | None = None,
    trust: Trust = Trust.CONFIRM,
    members: tuple[str, ...] = MEMBERS,
    zone: str = "Europe/Paris",
    start: datetime = START,
    language: str = "fr",
    **rulebook: int,
) -> Scene:
    """Found a club in memory, in a file, or in a database on a server."""
    db = open_database(path)
    charter = Charter("Le club", CLUB, zone, "EUR", language, "", shipped("friends").amended(rulebook))
    founders = [Founder(h, f"{h}@example.org", h == "anna", language=language) for h in members]
    club = found(db, charter, founders, start)
    desk = Desk(db, club, Keyring(KEY), trust)
    desk.agenda.start(start)
    return Scene(db, club, desk, start)


def reopen(path: Path, trust: Trust = Trust.CONFIRM) -> Scene:
    """The same club in another process, or after a crash; its clock stands a minute after START."""
    db = open_database(path)
    (club,) = clubs.clubs(db)
    return Scene(db, club, Desk(db, club, Keyring(KEY), trust), START + timedelta(minutes=1))


def kinds(mails: list[OutboxMail]) -> list[tuple[str, str]]:
    """(kind, recipient) of mails, in their order."""
    return [(mail.kind, mail.recipient) for mail in mails]


def plain(text: str) -> str:
    """A text with every kind of space made one, as a reader sees it."""
    return re.sub(r"\s+", " ", text)
