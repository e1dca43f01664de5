"""The other way in: mailboxes at a real Dovecot, a new one for each play."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email.parser import BytesHeaderParser
from pathlib import Path

from imapclient import IMAPClient

from tests.servers.dovecot import PASSWORD, Dovecot, dovecot

DOORS = {"smtp": None, "imap": "", "imap-copy": "IMAP4rev1 LITERAL+ UIDPLUS"}
"""Ways in, and of the mailboxes what the server says that it can do; the last hides MOVE."""

FOLDERS = ("INBOX", "mailflow-done", "mailflow-ignored", "mailflow-quarantine")

NO_MAILBOX = '[imap]\nhost = ""\n'
MAILBOX = """\
[imap]
host = "127.0.0.1"
port = {port}
tls = "none"
user = "{user}"
password_file = "imap.password"
idle = false
poll_seconds = 3600
"""


@dataclass
class Box:
    """One mailbox. `copies`: a mail may end in a folder twice, as it is copied before it is removed."""

    server: Dovecot
    user: str
    copies: bool

    def is_read_by(self, folder: Path) -> None:
        """Have the club of a folder read it."""
        settings = folder / "club.toml"
        text = settings.read_text("utf-8")
        assert NO_MAILBOX in text
        mine = MAILBOX.format(port=self.server.imap_port, user=self.user)
        settings.write_text(text.replace(NO_MAILBOX, mine), "utf-8")
        password = folder / "imap.password"
        password.touch(0o600)
        password.write_text(PASSWORD)

    def receive(self, raw: bytes, at: datetime) -> None:
        """Put a mail into it, received at an instant; from then on it is the club's to keep."""
        with self._client() as client:
            client.append("INBOX", raw, msg_time=at)

    def contents(self) -> dict[str, list[str]]:
        """The Message-IDs in each folder."""
        with self._client() as client:
            found = {name: _message_ids(client, name) for name in FOLDERS if client.folder_exists(name)}
        counted = {name: sorted(Counter(ids).elements()) for name, ids in found.items() if ids}
        return {name: sorted(set(ids)) for name, ids in counted.items()} if self.copies else counted

    @contextmanager
    def _client(self) -> Iterator[IMAPClient]:
        with IMAPClient("127.0.0.1", self.server.imap_port, ssl=False, timeout=20) as client:
            client.login(self.user, PASSWORD)
            yield client


@dataclass
class Boxes:
    """Where new mailboxes come from."""

    server: Dovecot
    copies: bool
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def new(self) -> Box:
        return Box(self.server, f"club{next(self._numbers)}@example.org", self.copies)


@contextmanager
def boxes(door: str) -> Iterator[Boxes | None]:
    """Start the server that a way in needs, if it needs one."""
    capability = DOORS[door]
    if capability is None:
        yield None
        return
    with dovecot(capability) as server:
        yield Boxes(server, copies=bool(capability))


def _message_ids(client: IMAPClient, folder: str) -> list[str]:
    client.select_folder(folder, readonly=True)
    key = b"BODY[HEADER.FIELDS (MESSAGE-ID)]"
    found = client.fetch(client.search("ALL"), ["BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]"])
    return [str(BytesHeaderParser().parsebytes(said[key])["Message-ID"]) for said in found.values()]
