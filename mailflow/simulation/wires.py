"""The wires between the store and its database, where the machine dies and the disk is full.

A fault is armed to strike at the n-th statement from now. It hangs on the handle itself, so whatever opens a
cursor of it is struck, production code unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any

from store.database import Database
from store.errors import StoreUnavailable


class Killed(BaseException):
    """The process is gone: nothing may catch this, and nothing that is not in the database survives."""


class Fault(Enum):
    KILLED = "killed"
    KILLED_AFTER_COMMIT = "killed after commit"
    DISK_FULL = "disk full"


_MENDS = ("ROLLBACK", "RELEASE", "SELECT", "SAVEPOINT", "BEGIN")
"""What a full disk still allows."""


class Wires:
    """Faults of one database. Hang it on before any other handle is made of it.

    Only the program is struck, while it is at work, never who looks on.
    """

    def __init__(self, db: Database) -> None:
        self._real: Callable[[], Any] = db.cursor
        self._fault: Fault | None = None
        self._left = 0
        self._full = False
        self._dead = False
        self._inside = False
        handle: Any = db
        handle.cursor = self._cursor

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """What is run within is the program."""
        self._inside = True
        try:
            yield
        finally:
            self._inside = False

    def arm(self, fault: Fault, after: int) -> None:
        """Have a fault strike after so many statements; with KILLED_AFTER_COMMIT at the first commit then."""
        self._fault, self._left = fault, after

    def die(self, where: str) -> Killed:
        """Return the death to raise: from now on the program writes nothing more, whatever it tries."""
        self._fault, self._dead = None, True
        return Killed(where)

    def revive(self) -> None:
        """A new program is started."""
        self._fault, self._dead = None, False

    def make_room(self) -> None:
        """End a full disk."""
        self._full = False
        self._fault = None

    @property
    def full(self) -> bool:
        return self._full

    def _cursor(self, named_cursor: Any = None) -> Any:
        real = self._real()
        if not self._inside or not (self._fault or self._full or self._dead):
            return real
        return _Probe(real, self)

    def before(self, text: str) -> None:
        """A statement is about to run."""
        if text == "ROLLBACK":  # which the database does by itself when we are gone
            return
        if self._dead:
            raise Killed("dead already")
        if self._full and not text.startswith(_MENDS):
            raise StoreUnavailable("database or disk is full")
        if self._fault is None:
            return
        self._left -= 1
        if self._left >= 0:
            return
        if self._fault is Fault.KILLED:
            raise self.die(text.split(" ", 1)[0])
        if self._fault is Fault.DISK_FULL:
            self._fault, self._full = None, True
            if not text.startswith(_MENDS):
                raise StoreUnavailable("database or disk is full")

    def after(self, text: str) -> None:
        """A statement has run."""
        if self._fault is Fault.KILLED_AFTER_COMMIT and self._left < 0 and text == "COMMIT":
            raise self.die("after COMMIT")


class _Probe:
    """A cursor that asks the wires before each statement."""

    def __init__(self, real: Any, wires: Wires) -> None:
        self._real, self._wires = real, wires

    def execute(self, text: str, params: Sequence[Any] = ()) -> Any:
        self._wires.before(text)
        cursor = self._real.execute(text, params)
        self._wires.after(text)
        return cursor

    def executemany(self, text: str, rows: Sequence[Sequence[Any]]) -> Any:
        self._wires.before(text)
        return self._real.executemany(text, rows)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)
