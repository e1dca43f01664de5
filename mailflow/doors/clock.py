"""Wake the desk: at a steady beat, and at once when a mail has come. `schedule` lives here only.

The beat does not decide what is due: that is a pure function of the time and of the record of what
ran (jobs.py), so a beat that comes late, or twice, does no harm.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import schedule

BEAT_SECONDS = 10


class Beat:
    """Calls `work` every few seconds, and as soon as `wake` is called, until `stop` is."""

    def __init__(self, work: Callable[[], None], every_seconds: int = BEAT_SECONDS) -> None:
        self._work = work
        self._woken = threading.Event()
        self._stopped = threading.Event()
        self._scheduler = schedule.Scheduler()
        self._scheduler.every(every_seconds).seconds.do(self._woken.set)

    def wake(self) -> None:
        """Have the desk look now. May be called from any thread."""
        self._woken.set()

    def stop(self) -> None:
        """Let `run` return after the work in hand. May be called from a signal handler."""
        self._stopped.set()
        self._woken.set()

    def run(self) -> None:
        """Work until stopped; what raises is the caller's to see."""
        self._woken.set()
        while not self._stopped.is_set():
            if self._woken.wait(timeout=self._wait_seconds()):
                self._woken.clear()
                if self._stopped.is_set():
                    break
                self._work()
            self._scheduler.run_pending()

    def _wait_seconds(self) -> float:
        return max(0.0, self._scheduler.idle_seconds or 0.0)
