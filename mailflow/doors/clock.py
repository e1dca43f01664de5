"""Wake the desk: at a steady beat, and at once when a mail has come. `schedule` lives here only.

The beat does not decide what is due: that is a pure function of the time and of the record of what
ran (jobs.py), so a beat that comes late, or twice, does no harm.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import schedule

BEAT_SECONDS = 10
STOP_SECONDS = 1.0
"""How soon a stop is noticed."""


class Beat:
    """Calls `work` every few seconds, and as soon as `wake` is called, until `stop` is."""

    def __init__(self, work: Callable[[], None], every_seconds: int = BEAT_SECONDS) -> None:
        self._work = work
        self._every_seconds = every_seconds
        self._woken = threading.Event()
        self._stopped = False
        self._scheduler = schedule.Scheduler()

    def wake(self) -> None:
        """Have the desk look now. May be called from any thread."""
        self._woken.set()

    def stop(self) -> None:
        """Let `run` return within a second, after the work in hand. May be called from a signal handler.

        It only sets a flag: a handler that touched the event could find its lock held by the very wait
        that it interrupted.
        """
        self._stopped = True

    def run(self) -> None:
        """Work until stopped; what raises is the caller's to see."""
        self._begin()
        self._woken.set()
        while not self._stopped:
            if self._woken.wait(timeout=self._wait_seconds()) and not self._stopped:
                self._woken.clear()
                self._work()
            self._scheduler.run_pending()

    def _begin(self) -> None:
        self._scheduler.clear()
        self._scheduler.every(self._every_seconds).seconds.do(self._woken.set)

    def _wait_seconds(self) -> float:
        """Until the next beat, but never long: the wall clock that `schedule` reads may be set back."""
        idle = self._scheduler.idle_seconds or 0.0
        if idle > self._every_seconds:
            self._begin()
        return min(max(0.0, idle), STOP_SECONDS)
