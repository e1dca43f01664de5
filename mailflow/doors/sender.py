"""Send: take the rows of the outbox that are due, deliver each, mark it.

What is sent and not yet marked when the process dies is sent again, the same bytes under the same
Message-ID (P-4). One bad address never delays the others (P-6).
"""

from __future__ import annotations

import logging
import os
import smtplib
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from mailflow.errors import MailflowError, described
from mailflow.sections.relay import Relay
from store import outbox
from store.database import Database, unit_of_work
from store.errors import StoreUnavailable
from store.records import OutboxMail

log = logging.getLogger("mailflow.sender")

BATCH = 100
RETRY_AFTER = tuple(timedelta(minutes=m) for m in (1, 5, 15, 60, 180, 360))
"""P-6: how long to wait after the first, second … failure; after that, always the last."""
GIVE_UP_AFTER = timedelta(days=5)
TIMEOUT_SECONDS = 20


class NotTaken(MailflowError):
    """A mail that was not taken.

    `for_good`: trying again is of no use (SMTP 5xx). `closed`: no other mail would be taken now either.
    """

    def __init__(self, reason: str, for_good: bool = False, closed: bool = False) -> None:
        super().__init__(reason)
        self.for_good = for_good
        self.closed = closed


class Transport(Protocol):
    """Hands one mail on. Raises NotTaken."""

    def send(self, mail: OutboxMail, raw: bytes) -> None: ...
    def close(self) -> None: ...


Compose = Callable[[OutboxMail], bytes]


def deliver(db: Database, club_id: int, compose: Compose, transport: Transport, now: datetime) -> int:
    """Send all that is due and return how many mails were handed on."""
    sent = 0
    try:
        while mails := outbox.due(db, club_id, now, BATCH):
            for mail in mails:
                failure = _handed_on(mail, compose, transport)
                _mark(db, mail, failure, now)
                sent += failure is None
                if failure is not None and failure.closed:
                    return sent
    finally:
        transport.close()
    return sent


def _handed_on(mail: OutboxMail, compose: Compose, transport: Transport) -> NotTaken | None:
    """Send one mail; return why it was not taken, if it was not."""
    try:
        transport.send(mail, compose(mail))
    except NotTaken as error:
        return error
    except StoreUnavailable:
        raise  # not this mail's fault: it stays queued
    except Exception as error:
        # A mail that cannot be made or addressed is its own trouble, never that of the others (P-6).
        return NotTaken(f"cannot be sent: {described(error)}", for_good=True)
    return None


def _mark(db: Database, mail: OutboxMail, failure: NotTaken | None, now: datetime) -> None:
    if failure is not None:
        log.warning("mail %d not taken: %s", mail.id, failure)
    with unit_of_work(db):
        if failure is None:
            outbox.mark_sent(db, mail.id, now)
        elif failure.for_good or now - mail.created_at >= GIVE_UP_AFTER:
            outbox.mark_failed(db, mail.id, str(failure))
        else:
            wait = RETRY_AFTER[min(mail.attempts, len(RETRY_AFTER) - 1)]
            outbox.mark_retry(db, mail.id, now + wait, str(failure))


class MaildirTransport:
    """Puts each mail into a Maildir folder: a first try needs no account anywhere.

    The file's name comes from the mail, so that sending it again writes the same file.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        try:
            for name in ("tmp", "new", "cur"):
                (self._folder / name).mkdir(parents=True, exist_ok=True)
            name = f"{int(mail.created_at.timestamp())}.{mail.id:08d}.mailflow"
            draft = self._folder / "tmp" / name
            with draft.open("wb") as file:
                file.write(raw.replace(b"\r\n", b"\n"))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._folder / "new" / name)
        except OSError as error:
            raise NotTaken(f"{self._folder}: {error.strerror}", closed=True) from error

    def close(self) -> None:
        """Nothing is kept open."""


class RelayTransport:
    """Gives each mail to the configured SMTP server; one connection serves a whole run."""

    def __init__(self, relay: Relay, sender: str) -> None:
        self._relay = relay
        self._sender = sender
        self._server: smtplib.SMTP | None = None

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        self.hand_on(mail.address, raw)

    def greet(self) -> frozenset[str]:
        """Connect as for a mail, leave again, and return what the server offers. Raises NotTaken."""
        with self._world():
            server = self._server = self._server or self._connect()
            server.ehlo_or_helo_if_needed()
            offered = frozenset(server.esmtp_features)
        self.close()
        return offered

    def hand_on(self, address: str, raw: bytes) -> None:
        """Give a mail to the server. Raises NotTaken."""
        with self._world():
            server = self._server = self._server or self._connect()
            server.sendmail(self._sender, [address], raw)

    @contextmanager
    def _world(self) -> Iterator[None]:
        """Turn what the server says no with, and what fails on the way, into NotTaken."""
        try:
            yield
        except smtplib.SMTPRecipientsRefused as error:
            code, reason = next(iter(error.recipients.values()))
            raise NotTaken(_reason(code, reason), for_good=code >= 500) from error
        except smtplib.SMTPDataError as error:
            self.close()
            raise NotTaken(_reason(error.smtp_code, error.smtp_error), error.smtp_code >= 500) from error
        except smtplib.SMTPResponseException as error:
            self.close()  # not about this mail: the server does not let us in, and may yet be mended
            raise NotTaken(_reason(error.smtp_code, error.smtp_error), closed=True) from error
        except (OSError, smtplib.SMTPException) as error:
            self.close()
            raise NotTaken(f"{type(error).__name__}: {error}", closed=True) from error
        except Exception:
            self.close()  # the conversation may be half begun: the next mail needs a new one
            raise

    def _connect(self) -> smtplib.SMTP:
        server = smtplib.SMTP(self._relay.host, self._relay.port, timeout=TIMEOUT_SECONDS)
        try:
            if self._relay.starttls:
                server.starttls(context=ssl.create_default_context())
            if self._relay.user:
                server.login(self._relay.user, self._password())
        except BaseException:
            server.close()
            raise
        return server

    def _password(self) -> str:
        if self._relay.password_file is None:
            return ""
        return self._relay.password_file.read_text("utf-8").strip()

    def close(self) -> None:
        if self._server is not None:
            try:
                self._server.quit()
            except (OSError, smtplib.SMTPException):
                self._server.close()
            self._server = None


def _reason(code: int, text: bytes | str) -> str:
    shown = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    printable = "".join(c if c.isprintable() else " " for c in shown)  # no escape sequence in logs (T-28)
    return f"{code} {' '.join(printable.split())}"[:200]
