"""Copies of what went out, in a folder of the club's own mailbox: for whoever wants to see it there.

A copy bears an x for each letter of a token: it is to be read, and proves nothing (T-15). It is a courtesy.
One that cannot be laid down is told in the log and never keeps a mail from going out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from mailflow.doors.imap_session import MailboxAway, Refused, Session
from mailflow.doors.transport import Transport
from parsers.masking import masked, tokens_in
from store.records import OutboxMail

log = logging.getLogger("mailflow.sender")


class SentCopies:
    """Hands mails on by another transport; at the end of a run it lays down a copy of each that was taken."""

    def __init__(self, transport: Transport, folder: str, open_session: Callable[[], Session]) -> None:
        self._transport = transport
        self._folder = folder
        self._open = open_session
        self._taken: list[tuple[OutboxMail, bytes]] = []

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        self._transport.send(mail, raw)
        self._taken.append((mail, raw))

    def close(self) -> None:
        self._transport.close()
        taken, self._taken = self._taken, []
        if not taken:
            return
        try:
            session = self._open()
            try:
                folder = session.make_folder(self._folder)
                for mail, raw in taken:
                    session.append(folder, masked(raw, frozenset(tokens_in(raw))), mail.created_at)
            finally:
                session.close()
        except (MailboxAway, Refused) as error:
            log.warning("%d copies could not be laid into %s: %s", len(taken), self._folder, error)
