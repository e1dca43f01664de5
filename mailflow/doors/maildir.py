"""Put mails into a folder: a first try of mailflow needs no account anywhere."""

from __future__ import annotations

import os
from pathlib import Path

from mailflow.doors.transport import NotTaken
from store.records import OutboxMail


class MaildirTransport:
    """Puts each mail into a Maildir folder.

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
