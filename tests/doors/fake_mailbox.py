"""A mailbox in memory that behaves as badly as mailboxes do: what it does wrong is drawn from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from mailflow.doors.imap_session import Fetched, MailboxAway, Refused

FAULTS = ("cut", "cut after", "refuse", "leave out", "twice", "anew", "back", "removed")
"""A connection cut before or after the server did it; a no; UIDs missing in an answer, or listed twice; all
mails under a new UIDVALIDITY; moved mails put back; a mail gone while it is asked for."""


@dataclass
class FakeMailbox:
    """`Folder` of the door, with the mails of the folder that is read and of the others."""

    random: Random | None = None
    chance: float = 0.0
    uidvalidity: int = 1
    content: dict[int, tuple[bytes, datetime | None]] = field(default_factory=dict)
    others: dict[str, list[tuple[bytes, datetime | None]]] = field(default_factory=dict)
    poison: dict[bytes, type[Exception]] = field(default_factory=dict)
    """Mails that cannot be fetched: a part of their bytes, and how that fails."""
    asked: list[tuple[str, int]] = field(default_factory=list)
    happened: set[str] = field(default_factory=set)
    _next: int = 1

    def put(self, raw: bytes, at: datetime | None) -> int:
        self.content[self._next] = (raw, at)
        self._next += 1
        return self._next - 1

    def uids(self) -> list[int]:
        self._fault("cut")
        if self.uidvalidity < 3 and self._fault("anew"):
            self._renew()
        if self._fault("back"):
            self._put_back()
        listed = list(self.content)
        if self._fault("leave out"):
            listed = listed[::2]
        return listed + listed[:3] if self._fault("twice") else listed

    def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        self._fault("cut")
        return {uid: len(self.content[uid][0]) for uid in uids if uid in self.content}

    def _mails_of(self, uids: Sequence[int], whole: bool) -> dict[int, Fetched]:
        self.asked.append(("mails" if whole else "heads", len(uids)))
        self._fault("cut", "refuse")
        there = [uid for uid in uids if uid in self.content]
        for uid in there:
            for part, error in self.poison.items():
                if part in self.content[uid][0]:
                    raise error("fetch", "of no use") if error is MailboxAway else error("of no use")
        if there and self._fault("leave out"):
            there.pop()
        found = {}
        for uid in there:
            raw, at = self.content[uid]
            found[uid] = Fetched(raw if whole else raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n", at)
        self._fault("cut after")
        return found

    def mails(self, uids: Sequence[int]) -> dict[int, Fetched]:
        return self._mails_of(uids, whole=True)

    def heads(self, uids: Sequence[int]) -> dict[int, Fetched]:
        return self._mails_of(uids, whole=False)

    def move(self, uids: Sequence[int], folder: str) -> None:
        self._fault("cut", "refuse")
        if self._fault("removed"):
            self.content.pop(next(iter(uids)), None)
            raise Refused("some of them no longer exist")
        for uid in uids:
            if uid in self.content:
                self.others.setdefault(folder, []).append(self.content.pop(uid))
        self._fault("cut after")

    def make_folder(self, name: str) -> str:
        self._fault("cut")
        return name

    def _fault(self, *kinds: str) -> bool:
        """Draw whether one of these goes wrong now; those that end something raise."""
        for kind in kinds:
            if self.random is None or kind not in FAULTS or self.random.random() >= self.chance:
                continue
            self.happened.add(kind)
            if kind in ("cut", "cut after"):
                raise MailboxAway("somewhere", "cut")
            if kind == "refuse":
                raise Refused("not now")
            return True
        return False

    def _renew(self) -> None:
        """As after a restore: the same mails under other UIDs, in another order."""
        assert self.random is not None
        kept = list(self.content.values())
        self.random.shuffle(kept)
        self.uidvalidity += 1
        self.content, self._next = {}, 1
        for raw, at in kept:
            self.put(raw, at)
        raise MailboxAway("search", "the folder was made anew")

    def _put_back(self) -> None:
        for mails in self.others.values():
            if mails:
                self.put(*mails.pop())
