"""Play a club's life under a virtual clock, through the same desk that serves real mails.

The scenario's form and that of the output are fixed in docs/command-line.md. Senders count as freshly
proved. Between two events all that falls due runs at its due time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from mailflow import intake
from mailflow.desk import Desk
from mailflow.errors import RulebookError, ScenarioError
from mailflow.founding import Founder, found
from mailflow.identify import Trust
from mailflow.model import Notice
from mailflow.notices import KINDS
from mailflow.picture import picture
from mailflow.proofs import Keyring
from mailflow.register import Handled
from mailflow.rulebook import shipped
from mailflow.settings import Charter
from store import outbox
from store.database import Database, open_database, unit_of_work
from store.errors import StoreError
from store.records import OutboxMail, fold_handle

CLUB_ADDRESS = "club@example.org"
KEY = b"a scenario has no secrets"

T = TypeVar("T")


@dataclass(frozen=True)
class Event:
    """A line of a scenario. Without `sender` it only moves the clock."""

    at: datetime
    sender: str | None
    text: str
    reply_to: str | None


@dataclass(frozen=True)
class Scenario:
    charter: Charter
    members: tuple[Founder, ...]
    start: datetime
    events: tuple[Event, ...]


def read_scenario(path: Path) -> Scenario:
    """Read a scenario file. Raises ScenarioError with the line that cannot be used."""
    try:
        written = enumerate(path.read_text("utf-8").splitlines(), start=1)
        lines = [(number, line) for number, line in written if line.strip()]
    except OSError as error:
        raise ScenarioError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{path}: it is not UTF-8 text") from error
    if not lines:
        raise ScenarioError(f"{path}: no lines")
    number, head = lines[0]
    scenario = _line(path, number, lambda: _head(json.loads(head)))
    events = [
        _line(path, number, lambda text=text: _event(json.loads(text), scenario))  # type: ignore[misc]
        for number, text in lines[1:]
    ]
    return Scenario(scenario.charter, scenario.members, scenario.start, tuple(events))


def _line(path: Path, number: int, read: Callable[[], T]) -> T:
    try:
        return read()
    except json.JSONDecodeError as error:
        raise ScenarioError(f"{path}, line {number}: it is not JSON: {error}") from error
    except KeyError as error:
        raise ScenarioError(f"{path}, line {number}: {error} is missing") from error
    except (TypeError, AttributeError) as error:
        raise ScenarioError(f"{path}, line {number}: not of the form that is wanted here: {error}") from error
    except (ValueError, RulebookError) as error:
        raise ScenarioError(f"{path}, line {number}: {error}") from error


def _head(values: Mapping[str, Any]) -> Scenario:
    club = values["club"]
    ZoneInfo(club.get("timezone", "Europe/Paris"))
    charter = Charter(
        name=club.get("name", "Le club"),
        address=CLUB_ADDRESS,
        timezone=club.get("timezone", "Europe/Paris"),
        currency=club.get("currency", "EUR"),
        language="fr",
        forum="",
        rulebook=shipped("friends").amended(club.get("rulebook", {})),
    )
    members = tuple(
        Founder(m["handle"], m["address"].lower(), bool(m.get("manager"))) for m in values["members"]
    )
    if len({fold_handle(m.handle) for m in members}) < len(members):
        raise ValueError("a member is listed twice")
    return Scenario(charter, members, _instant(values["start"]), ())


def _event(values: Mapping[str, Any], scenario: Scenario) -> Event:
    sender = values.get("from")
    if sender is not None and sender not in {m.handle for m in scenario.members}:
        raise ValueError(f"unknown sender {sender!r}")
    text = values.get("text", "")
    if not isinstance(text, str):
        raise TypeError("text must be a string")
    return Event(_instant(values["at"]), sender, text, values.get("reply_to"))


def _instant(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"no offset in {text!r}")
    return at


def replay(scenario: Scenario, db: Database | None = None) -> Iterator[dict[str, Any]]:
    """Play the scenario; give the lines of the output in their order.

    In a fresh store in memory, unless an empty one is given.
    """
    where, own = "the first line", open_database(None) if db is None else None
    db = own or db
    try:
        stage = Stage(scenario, db)
        for number, event in enumerate(scenario.events, start=1):
            where = f"event {number}"
            yield from stage.play(event)
        yield {"final": stage.final()}
    except (StoreError, OverflowError, UnicodeError) as error:
        raise ScenarioError(f"{where}: {type(error).__name__}: {error}") from error
    finally:
        if own is not None:
            own.close()


class Stage:
    """A club under a virtual clock, in a database in memory unless another is given.

    `addresses`: of all who write, by handle; strangers may be added.
    """

    def __init__(
        self, scenario: Scenario, db: Database | None = None, trust: Trust = Trust.EVERYBODY
    ) -> None:
        self.db = open_database(None) if db is None else db
        self.scenario = scenario
        self.zone = ZoneInfo(scenario.charter.timezone)
        self.now = scenario.start
        self.club = found(self.db, scenario.charter, scenario.members, scenario.start)
        self.desk = Desk(self.db, self.club, Keyring(KEY), trust)
        self.desk.agenda.start(scenario.start)
        self.addresses = {m.handle: m.address for m in scenario.members}
        self._seen = 0
        self._events = 0
        self._mails = 0

    def play(self, event: Event) -> Iterator[dict[str, Any]]:
        """Let time pass up to the event, then handle its mail."""
        if event.at < self.now:
            raise ScenarioError(f"time goes back at {event.at.isoformat()}")
        while (due := self.desk.agenda.next_due(self.now)).at <= event.at:
            self.now = due.at
            merged = self.desk.agenda.run(due, due.at)
            yield from self._left()
            yield from self._merged(merged)
        self.now = event.at
        if event.sender is not None:
            yield from self._handle(event)

    def _handle(self, event: Event) -> Iterator[dict[str, Any]]:
        raw = self._mail(event)
        with unit_of_work(self.db):
            intake.keep(self.db, self.club.id, "replay", raw, event.at)
        handled = self.desk.work(event.at)
        yield from self._left()
        yield from self._outcomes(handled)

    def _outcomes(self, handled: Iterable[Handled]) -> Iterator[dict[str, Any]]:
        self._events += 1
        for one in handled:
            for line in one.lines or ():
                yield {"event": self._events, "outcome": line.outcome, "rule": line.rule}

    def _mail(self, event: Event) -> bytes:
        """The event as a member's mail program would send it."""
        self._mails += 1
        message = EmailMessage(policy=SMTP)
        message["From"] = self.addresses[event.sender or ""]
        message["To"] = CLUB_ADDRESS
        message["Date"] = event.at
        message["Message-ID"] = f"<{self._mails}@replay.example>"
        answered = self._answered(event)
        if answered is not None:
            message["In-Reply-To"] = answered.message_id
            if answered.token is not None:
                local, _, domain = CLUB_ADDRESS.partition("@")
                del message["To"]
                message["To"] = f"{local}+{self.desk.register.token_of(answered)}@{domain}"
        message.set_content(event.text)
        return message.as_bytes()

    def _answered(self, event: Event) -> OutboxMail | None:
        if event.reply_to is None or event.sender is None:
            return None
        return outbox.latest(self.db, self.club.id, event.reply_to, event.sender)

    def _left(self) -> Iterator[dict[str, Any]]:
        """The notices queued since the last look, direct answers excepted."""
        for mail in outbox.listing(self.db, self.club.id, after_id=self._seen):
            self._seen = mail.id
            if mail.kind in KINDS:
                line: dict[str, Any] = {
                    "at": self._local(mail.created_at),
                    "mail": mail.kind,
                    "to": [mail.recipient],
                }
                if mail.game is not None:
                    line["game"] = mail.game
                yield line

    def _merged(self, notices: Iterable[Notice]) -> Iterator[dict[str, Any]]:
        """Notices that stand in another mail of the day: he is told, by that one."""
        for notice in notices:
            for handle in notice.to:
                yield {"at": self._local(self.now), "mail": notice.kind, "to": [handle]}

    def _local(self, at: datetime) -> str:
        return at.astimezone(self.zone).isoformat(timespec="seconds")

    def final(self) -> dict[str, Any]:
        """The state at the end: balances, members, games, and the sum of the journal."""
        club = picture(self.db, self.club, self.now)
        members = club.members.values()
        number, games = 1, []
        while (game := club.books.game(number)) is not None:
            games.append(
                {
                    "id": game.number,
                    "state": game.state.value,
                    "buyin_cents": game.buyin_cents,
                    "participants": sorted(game.participants),
                    "places": {str(p): [h] for p, h in sorted(game.places.items())},
                }
            )
            number += 1
        return {
            "balances": {m.handle: m.balance_cents for m in members},
            "available": {m.handle: m.available_cents for m in members},
            "members": {m.handle: m.status.value for m in members},
            "games": games,
            "journal_sum": club.books.journal_sum(),
        }
