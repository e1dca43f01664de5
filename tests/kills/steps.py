"""Count the steps that a process makes, and die by SIGKILL at one of them.

A step is just before a statement that writes (COMMIT included), a reply of the SMTP entry, a word to the
relay or one from it, and in the middle of what is said to the relay; just before and after a command to the
mailbox, and in the middle of a mail that it gives. Dying just after something is dying
just before the next step.
"""

from __future__ import annotations

import imaplib
import os
import signal
import threading
import time
from typing import Any

import aiosmtpd.smtp

from mailflow.doors import smtp_wire
from store import sql

COMMAND_BYTES_MAX = 600
"""What is longer is a mail, and one may die in the middle of it."""


MAILBOX = "mailbox:"
"""How the names of steps at the mailbox begin."""


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Steps:
    """`fatal`: the number of the step at which to die, 0 for none; `late_seconds`: so long after it began."""

    def __init__(self, fatal: int = 0, late_seconds: float = 0.0) -> None:
        self.names: list[str] = []
        self._fatal = fatal
        self._late = late_seconds
        self._lock = threading.Lock()

    def __call__(self, name: str) -> None:
        with self._lock:
            self.names.append(name)
            if len(self.names) != self._fatal:
                return
            if not self._late:
                die()
        threading.Thread(target=self._die_late, daemon=True).start()

    def _die_late(self) -> None:
        time.sleep(self._late)
        die()

    def watch(self) -> None:
        """Count from now on, in this process."""
        self._watch_statements()
        self._watch_relay()
        self._watch_entry()
        self._watch_mailbox()

    def _watch_statements(self) -> None:
        real, real_many = sql.run, sql.run_many

        def run(db: Any, text: str, *args: Any) -> Any:
            if not text.lstrip().startswith("SELECT"):
                self(text.split(" VALUES")[0].split(" WHERE")[0].split(" SET")[0][:40])
            return real(db, text, *args)

        def run_many(db: Any, text: str, *args: Any) -> int:
            self(text.split(" (")[0][:40])
            return real_many(db, text, *args)

        sql.run, sql.run_many = run, run_many  # type: ignore[assignment]

    def _watch_relay(self) -> None:
        wire = smtp_wire.Wire
        real_send, real_reply = wire.send, wire.reply

        def send(this: Any, data: bytes, seconds: float) -> None:
            self("to relay")
            half = len(data) // 2 if len(data) > COMMAND_BYTES_MAX else 0
            if half:
                real_send(this, data[:half], seconds)
                self("to relay, half")
            real_send(this, data[half:], seconds)

        def reply(this: Any, seconds: float) -> Any:
            self("from relay")
            return real_reply(this, seconds)

        wire.send, wire.reply = send, reply  # type: ignore[method-assign]

    def _watch_entry(self) -> None:
        smtp = aiosmtpd.smtp.SMTP
        real = smtp.push

        async def push(this: Any, status: Any) -> None:
            self("entry says")
            await real(this, status)

        smtp.push = push  # type: ignore[method-assign]

    def _watch_mailbox(self) -> None:
        imap = imaplib.IMAP4
        real_send, real_read = imap.send, imap.read

        def send(this: Any, data: bytes) -> None:
            words = [word.decode() for word in data.split()[1:3]]
            said = " ".join(words if words[:1] == ["UID"] else words[:1])
            said = said or "the rest"
            self(f"{MAILBOX} {said}")
            real_send(this, data)
            self(f"{MAILBOX} {said}, said")

        def read(this: Any, size: int) -> bytes:
            self(f"{MAILBOX} gives")
            first = real_read(this, size // 2)
            self(f"{MAILBOX} gives, half")
            return bytes(first + real_read(this, size - size // 2))

        imap.send, imap.read = send, read  # type: ignore[method-assign,assignment]
