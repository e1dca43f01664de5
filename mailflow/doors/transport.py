"""What hands a finished mail on, and how it says that a mail was not taken."""

from __future__ import annotations

from typing import Protocol

from mailflow.errors import MailflowError
from store.records import OutboxMail


class NotTaken(MailflowError):
    """A mail that was not taken.

    `for_good`: trying again is of no use (SMTP 5xx). `closed`: no other mail would be taken now either.
    `lost`: the conversation broke off in the middle of this mail; whether it was taken cannot be known.
    """

    def __init__(self, reason: str, for_good: bool = False, closed: bool = False, lost: bool = False) -> None:
        super().__init__(reason)
        self.for_good = for_good
        self.closed = closed
        self.lost = lost


class Transport(Protocol):
    """Hands one mail on. Raises NotTaken."""

    def send(self, mail: OutboxMail, raw: bytes) -> None: ...
    def close(self) -> None: ...
