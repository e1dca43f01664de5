"""What is asked of a mailbox: bytes, sizes and times, never what the server makes of a mail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from imapclient import IMAPClient

from mailflow.doors.imap_session import Session
from mailflow.sections.imap import Imap


class Asked:
    """Notes the items of each FETCH, and gives none."""

    def __init__(self) -> None:
        self.items: list[str] = []

    def socket(self) -> None:
        return None

    def select_folder(self, folder: str) -> dict[bytes, int]:
        return {b"UIDVALIDITY": 1, b"UIDNEXT": 3}

    def has_capability(self, name: str) -> bool:
        return True

    def fetch(self, uids: Sequence[int], items: Sequence[str]) -> dict[int, Any]:
        self.items += items
        return {}


def test_no_reading_of_the_servers_own_is_asked_for_and_nothing_is_marked() -> None:
    """G07: ENVELOPE and BODYSTRUCTURE of odd mails make the library raise; BODY[] would set \\Seen."""
    asked = Asked()
    session = Session(cast(IMAPClient, asked), Imap(host="imap.example.org", user="club"))
    session.sizes([1, 2])
    session.mails([1])
    session.heads([2])
    bodies = {item for item in asked.items if item.startswith("BODY")}
    assert len(bodies) == 2
    assert all(item.startswith("BODY.PEEK[") for item in bodies)
    assert set(asked.items) - bodies == {"RFC822.SIZE", "INTERNALDATE"}
