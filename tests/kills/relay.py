"""The server that outgoing mail is given to: a process of its own that writes each mail into a file."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP

SEPARATOR = b"\0"


class _Handler:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._numbers = itertools.count(1)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        name = f"{next(self._numbers):06d}"
        draft = self._root / f".{name}"
        draft.write_bytes(envelope.rcpt_tos[0].encode() + SEPARATOR + envelope.content)
        draft.replace(self._root / name)
        return "250 2.0.0 taken"


@contextmanager
def relay(root: Path) -> Iterator[int]:
    """Run a relay that writes into the folder `root`; give its port."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _run(root, writing)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        port = int(pipe.readline())
    try:
        yield port
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _run(root: Path, writing: int) -> None:
    async def serve() -> None:
        loop = asyncio.get_running_loop()
        handler = _Handler(root)
        server = await loop.create_server(lambda: SMTP(handler, enable_SMTPUTF8=True), "127.0.0.1", 0)
        os.write(writing, f"{server.sockets[0].getsockname()[1]}\n".encode())
        os.close(writing)
        await server.serve_forever()

    try:
        asyncio.run(serve())
    finally:
        os._exit(1)


def taken(folder: Path) -> list[tuple[str, bytes]]:
    """Return (recipient, bytes) of all mails in a folder, in the order in which they came."""
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    parts = [path.read_bytes().split(SEPARATOR, 1) for path in files]
    return [(recipient.decode(), raw) for recipient, raw in parts]


def parsed(raw: bytes) -> EmailMessage:
    mail = message_from_bytes(raw, policy=default)
    assert isinstance(mail, EmailMessage)
    return mail
