"""A folder's mails: new ones are taken in batches, handled ones moved to where they belong.

Taken is what our own record says was taken, never what a flag says (G08). Bytes and reception time of a
batch are committed together; only then may anything be moved (P-1). A mail is moved when the desk has
brought it to an end, so what lies in the folder is what is still to be done.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from mailflow import intake
from mailflow.doors.imap_session import Fetched, Refused
from mailflow.doors.looks import GRACE, known_until, waited_for
from mailflow.sections.imap import Folders, Imap
from parsers.letter import CUT_HEADER
from parsers.limits import SIZE_BYTES_MAX
from store import mailboxes
from store.database import Database, unit_of_work
from store.records import InboxState

log = logging.getLogger("mailflow.imap")

SIZES = 1000
"""Mails whose sizes are asked for at once."""
BATCH = 100
BATCH_BYTES = 4_000_000
"""Mails, and bytes, fetched and committed at once: what bounds our memory."""
MOVES = 200
DEATHS_MAX = 3
"""G06: a mail whose fetching has ended so many connections is let lie for a while."""
PUT_OFF = timedelta(minutes=30)


class Folder(Protocol):
    """What is asked of a session (`imap_session.Session`)."""

    uidvalidity: int

    def uids(self) -> list[int]: ...
    def sizes(self, uids: Sequence[int]) -> dict[int, int]: ...
    def mails(self, uids: Sequence[int]) -> dict[int, Fetched]: ...
    def heads(self, uids: Sequence[int]) -> dict[int, Fetched]: ...
    def move(self, uids: Sequence[int], folder: str) -> None: ...
    def make_folder(self, name: str) -> str: ...


class Mailbox:
    """One folder's mails, over all the sessions that are opened to it.

    `guard` is called in each transaction and raises where another process has taken over (P-5);
    `taken` is called after each batch that was committed. `shared`: other processes are at the desk as well,
    and are told of each look by way of the database.
    """

    def __init__(
        self,
        db: Database,
        club_id: int,
        settings: Imap,
        clock: Callable[[], datetime],
        guard: Callable[[], None],
        taken: Callable[[], None],
        shared: bool = False,
    ) -> None:
        self._db = db
        self._club_id = club_id
        self._settings = settings
        self._clock = clock
        self._guard = guard
        self._taken = taken
        self._shared = shared
        self._hoping_since = clock()
        self._looked_at: datetime | None = None
        self._id = 0
        self._wanted = _places(settings.folders)
        self._names: dict[str, str] = {}
        self._no_moves_until: datetime | None = None
        self._in_hand: Sequence[int] = ()
        self._suspects: set[int] = set()
        self._deaths: Counter[int] = Counter()
        self._put_off: dict[int, datetime] = {}
        self._lying_since: dict[int, datetime] = {}

    def enter(self, session: Folder) -> None:
        """Begin with a new session: find the folder on record."""
        self._suspect()
        with unit_of_work(self._db):
            self._guard()
            known = mailboxes.mailbox(
                self._db,
                self._club_id,
                self._settings.account,
                self._settings.folder,
                session.uidvalidity,
            )
        if known != self._id:
            self._id = known
            self._suspects, self._deaths, self._put_off, self._lying_since = set(), Counter(), {}, {}
        self._names, self._no_moves_until = {}, None

    def look(self, session: Folder, stopped: Callable[[], bool] = lambda: False) -> int:
        """Take all that is new; what is due up to the beginning of a whole look may be run after it.

        A mail that the server did not give may be older than what is due: as long as one lies, no look is
        whole (R-DIS-5).
        """
        began = self._clock()
        taken = self.take(session, stopped)
        if not stopped() and self.knows_all(began):
            self._looked_at = began
            if self._shared:
                self._note_look(began)
        return taken

    def known_until(self, now: datetime) -> datetime:
        """Return the instant up to which all mail that the mailbox received has been taken."""
        if self._shared:
            return known_until(self._db, self._club_id, self._settings, self._hoping_since, now)
        return waited_for(self._looked_at, self._hoping_since, now)

    def take(self, session: Folder, stopped: Callable[[], bool] = lambda: False) -> int:
        """Take all that is new, and in between move what is handled; return how many mails were taken."""
        count = 0
        new = [uid for uid in mailboxes.not_taken(self._db, self._id, session.uids()) if self._is_due(uid)]
        for some in _chunks(new, SIZES):
            sizes = session.sizes(some)
            for batch in batches(sizes, self._suspects):
                if stopped():
                    return count
                count += self._take_batch(session, batch, cut=sizes[batch[0]] > SIZE_BYTES_MAX)
                self.settle(session, MOVES)
        return count

    def knows_all(self, at: datetime) -> bool:
        """Whether a look of that instant found all mail: none was let lie that may yet come."""
        return all(at - since > GRACE for since in self._lying_since.values())

    def _note_look(self, at: datetime) -> None:
        """Tell the other processes up to when all mail is known."""
        with unit_of_work(self._db):
            self._guard()
            mailboxes.mark_looked(self._db, self._id, at)

    def _take_batch(self, session: Folder, batch: Sequence[int], cut: bool) -> int:
        """Fetch and keep; mails that the server cannot give are tried one by one, and let lie then (G06)."""
        self._in_hand = batch
        try:
            fetched = session.heads(batch) if cut else session.mails(batch)
        except Refused as error:
            self._in_hand = ()
            if len(batch) > 1:
                return sum(self._take_batch(session, [uid], cut) for uid in batch)
            self._let_lie(batch[0], str(error))
            return 0
        self._in_hand = ()
        self._suspects.difference_update(batch)
        for uid in batch:
            self._lying_since.pop(uid, None)
        if fetched:
            self._keep(fetched, cut)
            self._taken()
        return len(fetched)

    def _keep(self, fetched: Mapping[int, Fetched], cut: bool) -> None:
        with unit_of_work(self._db):
            self._guard()
            for uid, mail in sorted(fetched.items()):
                raw = shortened(mail.raw) if cut else mail.raw
                at = mail.received_at or self._clock()
                intake.keep_from_mailbox(self._db, self._club_id, self._id, uid, raw, at)

    def settle(self, session: Folder, most: int | None = None) -> int:
        """Move what is handled to the folders of the settings; return how many mails that was.

        A server that refuses keeps them where they are: nothing but tidiness depends on it.
        """
        count = 0
        while self._may_move() and (found := mailboxes.to_settle(self._db, self._id, MOVES)):
            try:
                self._move(session, found)
            except Refused as error:
                log.error("handled mails stay in %s: %s", self._settings.folder, error)
                self._no_moves_until = self._clock() + PUT_OFF
                break
            with unit_of_work(self._db):
                mailboxes.mark_settled(self._db, self._id, [uid for uid, _ in found])
            count += len(found)
            if most is not None and count >= most:
                break
        return count

    def _move(self, session: Folder, found: Sequence[tuple[int, InboxState]]) -> None:
        for folder in sorted({self._wanted[state] for _, state in found} - {""}):
            if folder not in self._names:
                self._names[folder] = session.make_folder(folder)
            uids = [uid for uid, state in found if self._wanted[state] == folder]
            try:
                session.move(uids, self._names[folder])
            except Refused:
                there = set(session.uids())  # a server may refuse all where one has been removed (RFC 2180)
                left = [uid for uid in uids if uid in there]
                if left == uids:
                    raise
                if left:
                    session.move(left, self._names[folder])

    def _may_move(self) -> bool:
        if self._no_moves_until is not None and self._no_moves_until <= self._clock():
            self._names, self._no_moves_until = {}, None
        return self._no_moves_until is None

    def _suspect(self) -> None:
        """What was being fetched when the last session ended may have ended it: fetch it one by one."""
        if len(self._in_hand) == 1:
            (uid,) = self._in_hand
            self._deaths[uid] += 1
            if self._deaths[uid] >= DEATHS_MAX:
                self._let_lie(uid, f"{DEATHS_MAX} connections ended while it was fetched")
        self._suspects.update(self._in_hand)
        self._in_hand = ()

    def _let_lie(self, uid: int, reason: str) -> None:
        self._deaths[uid] = 0
        if uid not in self._put_off:
            log.error("mail %d of %s is left in the mailbox: %s", uid, self._settings.folder, reason)
        self._put_off[uid] = self._clock() + PUT_OFF
        self._lying_since.setdefault(uid, self._clock())

    def _is_due(self, uid: int) -> bool:
        put_off = self._put_off.get(uid)
        return put_off is None or put_off <= self._clock()


def _places(folders: Folders) -> Mapping[InboxState, str]:
    """Say for each end of a mail which folder it goes to; none for a mail that is not at its end."""
    return {
        InboxState.EXECUTED: folders.done,
        InboxState.ANSWERED: folders.done,
        InboxState.PENDING: folders.done,
        InboxState.IGNORED: folders.ignored,
        InboxState.QUARANTINED: folders.quarantine,
    }


def batches(sizes: Mapping[int, int], alone: set[int]) -> Iterator[Sequence[int]]:
    """Part mails into batches of bounded number and size, in order. Too large ones are in batches of their
    own, for of them the headers alone are fetched; those of `alone` come one by one, last."""
    batch: list[int] = []
    size = 0
    large = [uid for uid in sorted(sizes) if sizes[uid] > SIZE_BYTES_MAX and uid not in alone]
    for uid in sorted(sizes.keys() - set(large) - alone):
        if batch and (len(batch) >= BATCH or size + sizes[uid] > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(uid)
        size += sizes[uid]
    if batch:
        yield batch
    yield from _chunks(large, BATCH // 4)
    yield from ([uid] for uid in sorted(sizes.keys() & alone))


def shortened(headers: bytes) -> bytes:
    """T-23: what is kept of a mail that is too large to be read: its headers, under a note that says so."""
    note = f"{CUT_HEADER.title()}: too large, only the headers were kept\r\n".encode()
    return note + headers.rstrip(b"\r\n") + b"\r\n\r\n"


def _chunks(uids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(uids), size):
        yield uids[start : start + size]
