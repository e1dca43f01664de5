"""The SMTP entry: keep the raw bytes with the time they came, commit, and only then say 250.

Only the club's addresses are taken, plus parts included; nothing is relayed (T-34). A fault of ours is
answered 451, so that the sending server tries again, and no word of the fault goes out (P-7, T-35).
"""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from mailflow.doors.certificate import Certificate
from mailflow.doors.smtp_session import Conversation, Entry, Keep, Reception
from mailflow.errors import SettingsError, described
from mailflow.sections.listen import Listen

__all__ = ["Entry", "Keep", "SmtpDoor"]

log = logging.getLogger("mailflow.smtp")

BACKLOG = 100
STOP_SECONDS = 15
"""How long a stop waits for mails that are just being kept, so that their senders hear of it."""
LAST_LOOKS = 50


class SmtpDoor:
    """The entry, listening in a thread of its own between `start` and `stop`."""

    def __init__(self, entry: Entry, how: Listen) -> None:
        certificate = (
            Certificate(how.tls_certificate, how.tls_key) if how.tls_certificate and how.tls_key else None
        )
        # One thread keeps the mails, one after the other: a slow disk holds up no conversation.
        self._keeping = ThreadPoolExecutor(1, "smtp-keep")
        self._reception = Reception(entry, how, certificate, self._keeping)
        self._port: Future[int] = Future()
        self._thread = threading.Thread(target=self._run, name="smtp", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = asyncio.Event()
        # aiosmtpd's own log holds addresses with their tokens, and whole mails (T-28).
        logging.getLogger("mail.log").disabled = True

    def start(self) -> None:
        """Listen. Raises SettingsError when the port cannot be had."""
        self._thread.start()
        try:
            self._port.result()
        except OSError as error:
            how = self._reception.how
            raise SettingsError(
                f"cannot listen on {how.host}:{how.port}: {error.strerror or error}"
            ) from error

    @property
    def port(self) -> int:
        """The port in use: of interest where port 0 asked for any free one."""
        if not self._port.done():
            raise RuntimeError("the SMTP entry is not listening")
        return self._port.result()

    def stop(self) -> None:
        """Take nothing more, and return when the mails in hand have been answered. Does nothing twice."""
        if self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopped.set)
            self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            if self._port.done() and self._port.exception() is None:
                self._keeping.submit(self._reception.entry.ended)
            self._keeping.shutdown()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(_note)
        how = self._reception.how
        try:
            server = await self._loop.create_server(
                lambda: Conversation(self._reception), how.host, how.port, backlog=BACKLOG
            )
        except Exception as error:
            self._port.set_exception(error)
            return
        self._port.set_result(server.sockets[0].getsockname()[1])
        await self._stopped.wait()
        server.close()
        await self._say_good_bye()

    async def _say_good_bye(self) -> None:
        """Answer what is in hand, and end all conversations."""
        conversations = list(self._reception.conversations)
        if conversations:
            await asyncio.wait([asyncio.ensure_future(c.kept()) for c in conversations], timeout=STOP_SECONDS)
        for conversation in conversations:
            conversation.end("421 4.3.2 shutting down")
        for _ in range(LAST_LOOKS):
            if not self._reception.conversations:
                return
            await asyncio.sleep(STOP_SECONDS / LAST_LOOKS / 10)


def _note(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what went wrong behind a conversation, without a word of it (T-28)."""
    error = context.get("exception")
    if error is None:
        log.error("SMTP entry: something went wrong in the event loop")
    elif not isinstance(error, ConnectionError):
        log.error("SMTP entry: %s", described(error))
