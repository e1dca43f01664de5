"""The club's mailbox at a provider, with all that mailboxes do; it outlives the program.

Half of the lives take their mail from one, by the same reading of it as `mailflow run`; in the others mail is
handed to the entry. What goes wrong: connections cut before or after the server did what it was asked, a no
now and then, all mails under a new UIDVALIDITY, handled mails put back by somebody, hours without a server.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from mailflow.doors.imap_session import Fetched, MailboxAway, Refused
from mailflow.doors.mailbox import Mailbox
from mailflow.sections.imap import Imap
from mailflow.simulation.town import Town
from store.database import Database

ACCOUNT = Imap(host="imap.example.org", user="club@example.org")
Mail = tuple[bytes, datetime]


@dataclass
class Box:
    """What the server has: the folder that is read, by UID, and the others. It is a `Folder` of the door."""

    town: Town
    uidvalidity: int = 1
    content: dict[int, Mail] = field(default_factory=dict)
    others: dict[str, list[Mail]] = field(default_factory=dict)
    away_until: datetime | None = None
    _next: int = 1
    _luck: tuple[datetime, int] = (datetime.min.replace(tzinfo=UTC), 0)

    def put(self, raw: bytes, at: datetime) -> None:
        """A mail arrives; the server notes when."""
        self.content[self._next] = (raw, at)
        self._next += 1

    # ---------------------------------------------------------------- what a session asks for

    def open(self) -> None:
        """Let somebody log in. Raises MailboxAway."""
        if self.away_until is not None and self.town.now < self.away_until:
            raise MailboxAway("connect", "nobody there")
        self._maybe_cut("connect")
        if self._strikes(0.004):
            self._renew()

    def uids(self) -> list[int]:
        self._maybe_cut("search")
        if self._strikes(0.004):
            self._put_back()
        return list(self.content)

    def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        self._maybe_cut("sizes")
        return {uid: len(self.content[uid][0]) for uid in uids if uid in self.content}

    def mails(self, uids: Sequence[int]) -> dict[int, Fetched]:
        self._maybe_cut("fetch")
        if self._strikes(0.005):
            raise Refused("not now")
        found = {uid: Fetched(*self.content[uid]) for uid in uids if uid in self.content}
        self._maybe_cut("fetch")
        return found

    def heads(self, uids: Sequence[int]) -> dict[int, Fetched]:
        whole = self.mails(uids)
        return {
            uid: Fetched(one.raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n", one.received_at)
            for uid, one in whole.items()
        }

    def move(self, uids: Sequence[int], folder: str) -> None:
        self._maybe_cut("move")
        if self._strikes(0.005):
            raise Refused("not now")
        for uid in uids:
            if uid in self.content:
                self.others.setdefault(folder, []).append(self.content.pop(uid))
        self._maybe_cut("move")

    def make_folder(self, name: str) -> str:
        return name

    # ---------------------------------------------------------------- fate

    def _maybe_cut(self, doing: str) -> None:
        if self._strikes(0.006):
            raise MailboxAway(doing, "cut")

    def _strikes(self, odds: float) -> bool:
        """Draw by the instant, and by how often it was drawn in it."""
        at, count = self._luck
        self._luck = (self.town.now, count + 1 if at == self.town.now else 0)
        chance = self.town.dice(f"box>{self.town.now.isoformat()}>{self._luck[1]}")
        return self.town.faults and chance.random() < odds

    def _renew(self) -> None:
        """As after a restore: the same mails under other UIDs, the last first."""
        kept = list(self.content.values())[::-1]
        self.uidvalidity += 1
        self.content, self._next = {}, 1
        for raw, at in kept:
            self.put(raw, at)

    def _put_back(self) -> None:
        for mails in self.others.values():
            if mails:
                self.put(*mails.pop())


class Reader:
    """The program's part: reads the box as the mailbox door does, a look at each beat."""

    def __init__(self, db: Database, club_id: int, clock: Callable[[], datetime]) -> None:
        self._mailbox = Mailbox(db, club_id, ACCOUNT, clock, lambda: None, lambda: None)
        self._is_open = False

    def look(self, box: Box) -> bool:
        """Take all that is new and move what is handled; False where not all of that could be done."""
        try:
            if not self._is_open:
                box.open()
                self._mailbox.enter(box)
                self._is_open = True
            self._mailbox.look(box)
            self._mailbox.settle(box)
        except MailboxAway:
            self._is_open = False
            return False
        return True

    def known_until(self, now: datetime) -> datetime:
        """R-DIS-5: what is due later waits."""
        return self._mailbox.known_until(now)
