"""The mailbox door: a thread that reads an IMAP folder, tells the desk, and moves what the desk has handled.

It looks when the server says that there is news (IDLE), when it is asked to, and every so often anyway. When
the mailbox is away it tries again, at longer and longer intervals; everything else goes on meanwhile (P-7).
Of several processes at one mailbox one works: the holder of the lease (P-5).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from mailflow.doors.imap_session import TICK_SECONDS, MailboxAway, Session, open_session
from mailflow.doors.mailbox import Mailbox
from mailflow.doors.turns import NotOurTurn, Turn
from mailflow.doors.waker import Waker
from mailflow.errors import described
from mailflow.sections.imap import Imap
from store.database import Database
from store.errors import LeaseLost, StoreError, StoreUnavailable

log = logging.getLogger("mailflow.imap")

IDLE_SECONDS = 540
"""Nine minutes: providers and routers drop what is silent for ten; RFC 2177 allows twenty-nine."""
RETRY_SECONDS = (0.5, 1, 2, 5, 10, 30, 60, 120, 300)
"""How long to wait after the first, second … failure in a row; after that, always the last."""
OTHER_SECONDS = 10
"""How often to look whether another process has given the mailbox up."""
STUCK_SECONDS = 300
"""The watchdog: a conversation that does not go on for so long is cut."""
STOP_SECONDS = 3.0
SILENT_MAX = 2
"""IDLE that did not tell of mail so often is given up for this connection."""


class MailboxDoor:
    """Reads a mailbox in a thread of its own between `start` and `stop`.

    `then` is called, in that thread, when mails were kept and when a look that was asked for is over.
    `shared`: other processes are at the desk as well, and are told of each look by way of the database.
    """

    def __init__(
        self,
        db: Database,
        club_id: int,
        settings: Imap,
        holder: str,
        clock: Callable[[], datetime],
        stopwatch: Callable[[], float],
        then: Callable[[], object],
        shared: bool = False,
    ) -> None:
        self._db = db
        self._club_id = club_id
        self._settings = settings
        self._clock = clock
        self._stopwatch = stopwatch
        self._then = then
        self._turn = Turn(db, club_id, f"imap:{settings.account}/{settings.folder}", holder, clock)
        self._mailbox = Mailbox(db, club_id, settings, clock, self._turn.check, self._kept, shared)
        self._stopping = threading.Event()
        self._waker = Waker()
        self._asked = False
        self._session: Session | None = None
        self._alive_at = stopwatch()
        self._failures = 0
        self._told = ""
        self._thread = threading.Thread(target=self._run, name="imap", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Have the mailbox looked through, and handled mails moved, now. From any thread."""
        self._waker.set()

    def known_until(self, now: datetime) -> datetime:
        """Return the instant up to which all mail that the mailbox received has been taken."""
        return self._mailbox.known_until(now)

    def look(self) -> None:
        """Have the mailbox looked through now and `then` called, whatever is found."""
        self._asked = True
        self._waker.set()

    def watch(self) -> None:
        """Cut a conversation that does not go on. To be called now and then, from another thread."""
        session = self._session
        if session is not None and self._stopwatch() - self._alive_at > STUCK_SECONDS:
            log.warning("the mailbox has not answered for %d s: connection cut", STUCK_SECONDS)
            self._alive_at = self._stopwatch()
            session.cut()

    def stop(self) -> None:
        """End within a few seconds, whatever the server does."""
        self._stopping.set()
        self._waker.set()
        for _ in range(2):
            if self._thread.ident is not None:
                self._thread.join(STOP_SECONDS)
            if not self._thread.is_alive():
                self._waker.close()
                return
            if self._session is not None:
                self._session.cut()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._stopping.wait(self._attempt())
        finally:
            with suppress(StoreError):  # it runs out by itself
                self._turn.give_back()
            self._db.close()

    def _attempt(self) -> float:
        """Serve as long as it goes well; return how long to wait before the next attempt."""
        try:
            self._turn.take()
            self._converse()
            return 0
        except (NotOurTurn, LeaseLost):
            self._tell("other", "another process reads the mailbox: waiting")
            return OTHER_SECONDS
        except MailboxAway as error:
            self._tell(f"away {error.doing}", f"the mailbox is away: {error}")
        except StoreUnavailable as error:
            self._tell("store", f"the database cannot be written now, mail stays in the mailbox: {error}")
        except Exception as error:
            self._tell(f"fault {type(error).__name__}", f"reading the mailbox failed: {described(error)}")
        wait = RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS) - 1)]
        self._failures += 1
        return wait

    def _converse(self) -> None:
        self._alive_at = self._stopwatch()
        session = self._session = open_session(self._settings)
        try:
            self._serve(session)
        finally:
            self._session = None
            session.close()

    def _serve(self, session: Session) -> None:
        self._mailbox.enter(session)
        watching = Watching(self._settings, session.can_idle)
        while not self._stopping.is_set():
            self._waker.clear()
            taken = self._look(session)
            if watching.was_silent and taken:
                watching.missed()
            self._mailbox.settle(session)
            if not self._stopping.is_set():
                self._rest(session, watching)

    def _look(self, session: Session) -> int:
        """Look the mailbox through, and say so to who asked; return how many mails were taken."""
        asked, self._asked = self._asked, False
        taken = self._mailbox.look(session, self._is_stopping)
        if not self._stopping.is_set():
            self._failures = 0
            self._tell("here", f"reading {self._settings.folder} of {self._settings.account}")
        if asked or taken:
            self._then()
        return taken

    def _rest(self, session: Session, watching: Watching) -> None:
        """Wait for news, for work, or for the time to look anyway."""
        if session.grown:
            return
        if watching.by_idle:
            news = session.wait(watching.seconds, self._waker, self._tick, self._stopwatch)
            watching.ended(news, self._waker.is_set())
            return
        end = self._stopwatch() + watching.seconds
        while (left := end - self._stopwatch()) > 0 and not self._waker.wait(min(TICK_SECONDS, left)):
            self._tick()

    def _tick(self) -> None:
        """Show that we live, and hold the lease."""
        self._alive_at = self._stopwatch()
        self._turn.renew()

    def _is_stopping(self) -> bool:
        self._tick()
        return self._stopping.is_set()

    def _kept(self) -> None:
        self._then()

    def _tell(self, state: str, line: str) -> None:
        """Log a line where the state is another than before: an outage of a night is two lines."""
        if state != self._told:
            log.log(logging.INFO if state == "here" else logging.WARNING, "%s", line)
            self._told = state


class Watching:
    """How one connection waits for news: IDLE as long as it proves to be of use, else by looking often.

    Until a first word has come by IDLE it is kept short, and where it kept silent about mail it is given up:
    there are servers, and boxes on the way, that let it be and tell nothing (mjs/imapclient#349).
    """

    def __init__(self, settings: Imap, can_idle: bool) -> None:
        self.by_idle = settings.idle and can_idle
        self.was_silent = False
        self._poll_seconds = settings.poll_seconds
        self._proven = False
        self._missed = 0

    @property
    def seconds(self) -> float:
        """How long to wait at most before looking anyway."""
        return IDLE_SECONDS if self.by_idle and self._proven else self._poll_seconds

    def ended(self, news: bool, woken: bool) -> None:
        """An IDLE is over."""
        self.was_silent = not news and not woken
        if news:
            self._proven, self._missed = True, 0

    def missed(self) -> None:
        """There was mail, and IDLE had not told."""
        self._proven, self.was_silent = False, False
        self._missed += 1
        if self._missed >= SILENT_MAX:
            self.by_idle = False
            log.warning("the server does not tell of new mail: looking every %d s", self._poll_seconds)
