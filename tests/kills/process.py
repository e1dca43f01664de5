"""The process that is killed: a way in, desk and sender of a club, driven through a pipe.

It is forked, so that hundreds of them start quickly. Its clock stands where it is told.
"""

from __future__ import annotations

import os
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO

from mailflow.app import Office, name_of, open_office
from mailflow.identify import Trust
from mailflow.sending import sender_of
from mailflow.service import keeper
from mailflow.settings import load
from mailflow.shifts import Shifts
from mailflow.workers import Worker
from store.database import Database

from .entries import WayIn, way_in
from .steps import Steps

DATABASE: list[Database] = []
"""The database of this process, for whoever plants a fault in it."""


@dataclass
class Clock:
    now: datetime

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Process:
    """A club's process as its driver sees it. Whatever is asked of one that died says so: False, or None."""

    folder: Path
    now: datetime
    steps: Steps
    port: int | None = field(init=False)

    def __post_init__(self) -> None:
        ours, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            ours.close()
            _run(self.folder, self.now, self.steps, theirs.makefile("rw"))
        theirs.close()
        self._pipe = ours.makefile("rw")
        ours.close()
        said = self._hear()
        self.port = int(said) if said else None

    def work(self, now: datetime) -> bool:
        """Have the desk and the sender work at an instant."""
        return self._say(now.isoformat()) == "worked"

    def stop(self) -> list[str]:
        """End it cleanly and return the steps that it made; empty for one that died."""
        said = self._say("stop")
        with suppress(OSError):
            self._pipe.close()
        _, status = os.waitpid(self._pid, 0)
        assert os.WIFSIGNALED(status) or status == 0, "the process broke down by itself"
        return said.split("|") if said else []

    def _say(self, line: str) -> str:
        try:
            self._pipe.write(line + "\n")
            self._pipe.flush()
        except OSError:
            return ""
        return self._hear()

    def _hear(self) -> str:
        try:
            return self._pipe.readline().rstrip("\n")
        except OSError:
            return ""


def _run(folder: Path, now: datetime, steps: Steps, pipe: IO[str]) -> None:
    code = 1
    try:
        steps.watch()
        clock = Clock(now)
        with open_office(load(folder), Trust.CONFIRM, now) as office:
            _serve(office, clock, steps, pipe)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _serve(office: Office, clock: Clock, steps: Steps, pipe: IO[str]) -> None:
    """Do as `mailflow run` does, but at the beat of the driver; `mailflow work` at books on a server."""
    DATABASE.append(office.desk.db)
    way = way_in(office, clock, keeper)
    work = _alone(office, way, clock) if office.settings.server is None else _as_worker(office, clock)
    _tell(pipe, str(way.port))
    while (line := pipe.readline().strip()) not in ("", "stop"):
        clock.now = datetime.fromisoformat(line)
        work()
        _tell(pipe, "worked")
    way.stop()
    _tell(pipe, "|".join(steps.names) or "none")


def _alone(office: Office, way: WayIn, clock: Clock) -> Callable[[], object]:
    sender = sender_of(office, office.desk.db, lambda: 0.0, clock, name_of(office.settings))

    def work() -> None:
        way.work(clock.now)
        sender.run()

    return work


def _as_worker(office: Office, clock: Clock) -> Callable[[], object]:
    """One of several: what a process that died held, the next takes over when its lease has run out (P-5)."""
    holder = f"{name_of(office.settings)}:{os.getpid()}"
    worker = Worker([office], Shifts(holder, clock), clock, lambda: 0.0, holder)
    return lambda: worker.visit(office)


def _tell(pipe: IO[str], line: str) -> None:
    with suppress(OSError):
        pipe.write(line + "\n")
        pipe.flush()
