"""Lines to and from an SMTP server, each bounded in time and size, whatever the server does.

A time limit counts for a whole reply or a whole mail: a server that dribbles a byte now and then gains
nothing. smtplib bounds each piece alone, and a reply of endless lines not at all.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from mailflow.doors.peers import end_of_peer
from mailflow.reasons import reason_of

LINE_BYTES_MAX = 4096
LINES_MAX = 128
PIECE_BYTES = 65536

Stopwatch = Callable[[], float]
"""Seconds on a clock that only goes forward."""

_REPLY = re.compile(rb"([2-5][0-9]{2})(?:([ -])(.*))?")


class Broken(Exception):
    """The conversation cannot go on: hung up, too slow, or no SMTP."""


@dataclass(frozen=True)
class Reply:
    """What the server said. `lines`: its words without codes, as they came."""

    code: int
    lines: tuple[str, ...]

    @property
    def reason(self) -> str:
        """The reply on one line, for people."""
        return reason_of(f"{self.code} {' '.join(self.lines)}")


class Wire:
    """A connected socket. Every method raises Broken when the other end is away, slow or talks nonsense."""

    def __init__(self, connection: socket.socket, stopwatch: Stopwatch) -> None:
        self._socket = connection
        self._stopwatch = stopwatch
        self._unread = b""

    def send(self, data: bytes, seconds: float) -> None:
        """Send all of it within the time."""
        until = self._stopwatch() + seconds
        rest = memoryview(data)
        try:
            while rest:
                self._socket.settimeout(self._left(until))
                rest = rest[self._socket.send(rest[:PIECE_BYTES]) :]
        except OSError as error:
            raise Broken(_words(error)) from error

    def reply(self, seconds: float) -> Reply:
        """Read one reply, of one line or several, within the time."""
        until = self._stopwatch() + seconds
        lines: list[str] = []
        code = None
        while len(lines) < LINES_MAX:
            line = self._line(until)
            found = _REPLY.fullmatch(line)
            if found is None or (code is not None and found[1] != code):
                raise Broken("the server's answer is not SMTP")
            code = found[1]
            lines.append((found[3] or b"").decode("utf-8", "replace"))
            if found[2] != b"-":
                return Reply(int(code), tuple(lines))
        raise Broken("the server's answer does not end")

    def start_tls(self, context: ssl.SSLContext, host: str, seconds: float) -> None:
        """Go over to TLS. What lies behind the reply to STARTTLS came from somebody else."""
        if self._unread:
            raise Broken("the server said more than it should before TLS")
        self._socket.settimeout(seconds)
        try:
            self._socket = context.wrap_socket(self._socket, server_hostname=host)
        except (OSError, ValueError) as error:
            raise Broken(_words(error)) from error

    @property
    def certified_until(self) -> datetime | None:
        """The end of the server's certificate; None in clear text."""
        return end_of_peer(self._socket)

    def close(self) -> None:
        self._socket.close()

    def _line(self, until: float) -> bytes:
        while b"\n" not in self._unread:
            if len(self._unread) > LINE_BYTES_MAX:
                raise Broken("the server's answer is too long a line")
            try:
                self._socket.settimeout(self._left(until))
                piece = self._socket.recv(PIECE_BYTES)
            except OSError as error:
                raise Broken(_words(error)) from error
            if not piece:
                raise Broken("the server hung up")
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line.rstrip(b"\r")

    def _left(self, until: float) -> float:
        left = until - self._stopwatch()
        if left <= 0:
            raise TimeoutError("timed out")
        return left


def _words(error: Exception) -> str:
    """Name what went wrong, for the operator."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the server's certificate: {error.verify_message}"
    return f"{type(error).__name__}: {getattr(error, 'strerror', None) or error}"
