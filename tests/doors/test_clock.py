"""The beat: works at once when woken, ends when stopped, and never sleeps longer than a beat."""

from __future__ import annotations

import datetime as real_datetime
import threading
from types import SimpleNamespace

import pytest
import schedule

from mailflow.doors import clock
from mailflow.doors.clock import BEAT_SECONDS, Beat

BOUND = 60
"""Seconds after which a test gives up: no measure of anything."""


def running(beat: Beat) -> threading.Thread:
    thread = threading.Thread(target=beat.run, daemon=True)
    thread.start()
    return thread


def test_it_works_at_once_and_ends_when_stopped() -> None:
    worked = threading.Event()
    beat = Beat(worked.set, every_seconds=3600)
    thread = running(beat)
    assert worked.wait(BOUND)
    beat.stop()
    thread.join(BOUND)
    assert not thread.is_alive()


def test_it_works_at_once_when_woken_by_another_thread() -> None:
    """Hours before the next beat."""
    works = threading.Semaphore(0)
    beat = Beat(works.release, every_seconds=3600)
    thread = running(beat)
    for _ in range(3):
        assert works.acquire(timeout=BOUND)
        beat.wake()
    assert works.acquire(timeout=BOUND)
    beat.stop()
    thread.join(BOUND)
    assert not thread.is_alive()


def test_it_works_by_itself_at_each_beat() -> None:
    works = threading.Semaphore(0)
    beat = Beat(works.release, every_seconds=1)
    thread = running(beat)
    assert works.acquire(timeout=BOUND)
    assert works.acquire(timeout=BOUND), "nobody woke it"
    beat.stop()
    thread.join(BOUND)


def test_a_wake_during_work_is_not_lost() -> None:
    """A mail that comes while the desk is at work is handled right after."""
    works: list[int] = []

    def work() -> None:
        works.append(1)
        if len(works) == 1:
            beat.wake()
        else:
            beat.stop()

    beat = Beat(work, every_seconds=3600)
    thread = running(beat)
    thread.join(BOUND)
    assert (works, thread.is_alive()) == ([1, 1], False)


def test_stopped_before_it_runs_it_does_no_work() -> None:
    works: list[int] = []
    beat = Beat(lambda: works.append(1))
    beat.stop()
    beat.run()
    assert works == []


def test_stopping_lets_the_work_in_hand_finish() -> None:
    finished: list[int] = []

    def work() -> None:
        beat.stop()
        finished.append(1)

    beat = Beat(work)
    beat.run()
    assert finished == [1]


def test_what_the_work_raises_is_seen_by_the_caller() -> None:
    def work() -> None:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        Beat(work).run()


def test_a_wall_clock_set_back_delays_no_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    """P-9: in the October night, or when the time server corrects the machine, the hour comes twice."""

    class Earlier(real_datetime.datetime):
        @classmethod
        def now(cls, tz: real_datetime.tzinfo | None = None) -> real_datetime.datetime:
            return real_datetime.datetime.now(tz) - real_datetime.timedelta(hours=1)

    waits: list[float] = []

    class Recording(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(float("inf") if timeout is None else timeout)
            beat.stop()
            return True

    monkeypatch.setattr(clock, "threading", SimpleNamespace(Event=Recording))
    beat = Beat(lambda: None)
    back = SimpleNamespace(**{**vars(real_datetime), "datetime": Earlier})
    monkeypatch.setattr(schedule, "datetime", back)
    beat.run()
    assert waits
    assert max(waits) <= BEAT_SECONDS + 1
