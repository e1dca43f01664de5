"""A relay that plays its part honestly, but for the lines at which a test has it do otherwise."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Act = bytes | Callable[["Call"], None]
"""What is said, or done, in place of the honest reply; what is done may hang up."""

GREETING, TAKEN = "(greeting)", "(taken)"


class HungUp(Exception):
    """The conversation is over."""


@dataclass
class Call:
    """One connection, seen from the relay."""

    relay: ScriptedRelay
    socket: socket.socket
    unread: bytes = b""

    def say(self, words: bytes) -> None:
        self.socket.sendall(words)

    def hear(self) -> bytes:
        while b"\r\n" not in self.unread:
            piece = self.socket.recv(65536)
            if not piece:
                raise HungUp
            self.unread += piece
        line, _, self.unread = self.unread.partition(b"\r\n")
        return line

    def hang_up(self) -> None:
        raise HungUp

    def wait(self) -> None:
        """Say nothing more, until the other end hangs up or the test is over."""
        while self.socket.recv(65536):
            pass
        raise HungUp


@dataclass
class ScriptedRelay:
    """`script`: by what a command begins with, what happens at it; a list: one thing after the other.

    `heard`: all commands. `taken`: sender, recipient and bytes of the mails that were taken.
    """

    script: Mapping[str, Act | list[Act]] = field(default_factory=dict)
    offers: tuple[str, ...] = ()
    certificate: ssl.SSLContext | None = None
    implicit: bool = False
    heard: list[str] = field(default_factory=list)
    taken: list[tuple[str, str, bytes]] = field(default_factory=list)
    connections: int = 0
    port: int = 0

    def serve(self, connection: socket.socket) -> None:
        if self.implicit and self.certificate is not None:
            connection = self.certificate.wrap_socket(connection, server_side=True)
        call = Call(self, connection)
        try:
            with suppress(HungUp, OSError):
                self.converse(call)
        finally:
            call.socket.close()

    def converse(self, call: Call) -> None:
        self.act(call, GREETING, b"220 relay.example ESMTP\r\n")
        sender = recipient = ""
        while True:
            line = call.hear().decode("utf-8", "replace")
            self.heard.append(line)
            verb = line[:4].upper()
            if verb == "EHLO":
                offers = "".join(f"250-{offer}\r\n" for offer in self.offers)
                self.act(call, line, f"250-relay.example\r\n{offers}250 HELP\r\n".encode())
            elif verb == "STAR":
                if self.act(call, line, b"220 go ahead\r\n").startswith(b"220"):
                    assert self.certificate is not None
                    call.socket = self.certificate.wrap_socket(call.socket, server_side=True)
            elif verb == "MAIL":
                sender = line if self.act(call, line, b"250 OK\r\n").startswith(b"250") else ""
                recipient = ""
            elif verb == "RCPT":
                honest = b"250 OK\r\n" if sender else b"503 no sender\r\n"
                recipient = line if self.act(call, line, honest).startswith(b"250") else ""
            elif verb == "DATA":
                # As RFC 2920 allows: it waits for bytes although it refused the recipient.
                honest = b"354 go ahead\r\n" if sender else b"503 no sender\r\n"
                if self.act(call, line, honest).startswith(b"354"):
                    self.take(call, sender, recipient)
            else:
                self.act(call, line, b"221 bye\r\n" if verb == "QUIT" else b"250 OK\r\n")
                if verb == "QUIT":
                    return

    def take(self, call: Call, sender: str, recipient: str) -> None:
        lines = []
        while (line := call.hear()) != b".":
            lines.append(line + b"\r\n")
        raw = b"".join(line[1:] if line[:1] == b"." else line for line in lines)
        honest = b"250 taken\r\n" if recipient else b"554 no recipient\r\n"
        if self.act(call, TAKEN, honest).startswith(b"250"):
            self.taken.append((_address(sender), _address(recipient), raw))

    def act(self, call: Call, at: str, honest: bytes) -> bytes:
        """Do what the script says, else what is honest; return what was said."""
        found = next((act for start, act in self.script.items() if at.startswith(start)), honest)
        if isinstance(found, list):
            found = found.pop(0) if found else honest
        if not isinstance(found, bytes):
            found(call)
            return b""
        call.say(found)
        return found


def _address(line: str) -> str:
    return line.partition("<")[2].partition(">")[0]


@contextmanager
def playing(relay: ScriptedRelay) -> Iterator[ScriptedRelay]:
    """Have it listen on a free port; one thread serves its calls, one after the other."""
    open_calls: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        relay.port = listener.getsockname()[1]

        def work() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    connection.settimeout(30)
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    relay.connections += 1
                    open_calls.append(connection)
                    relay.serve(connection)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            yield relay
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for connection in open_calls:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            thread.join(30)
