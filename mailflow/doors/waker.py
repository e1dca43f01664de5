"""An event that can be waited for together with a socket: set from any thread, seen at once."""

from __future__ import annotations

import select
import socket
from contextlib import suppress


class Waker:
    """Like `threading.Event`, and with a `fileno` that is readable while it is set."""

    def __init__(self) -> None:
        self._inner, self._outer = socket.socketpair()
        self._inner.setblocking(False)
        self._outer.setblocking(False)

    def fileno(self) -> int:
        return self._inner.fileno()

    def set(self) -> None:
        with suppress(BlockingIOError):  # full: it is set already, and often
            self._outer.send(b"!")

    def clear(self) -> None:
        with suppress(BlockingIOError):
            while self._inner.recv(4096):
                pass

    def is_set(self) -> bool:
        return bool(readable(0, self))

    def wait(self, seconds: float) -> bool:
        """Return whether it is set, as soon as it is, at the latest after so long."""
        return bool(readable(seconds, self))

    def close(self) -> None:
        self._inner.close()
        self._outer.close()


def readable(seconds: float, *things: Waker | socket.socket) -> set[int]:
    """Wait until one of these can be read, at most so long; return the file numbers of those that can."""
    poll = select.poll()
    for thing in things:
        poll.register(thing.fileno(), select.POLLIN)
    return {number for number, _ in poll.poll(max(0, round(seconds * 1000)))}
