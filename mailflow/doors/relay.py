"""Give mails to the configured SMTP server; one connection serves a whole run.

The relay may be slow, broken or hostile: every step is bounded, and what a failure means for this mail and
for the others is said in the NotTaken that is raised (P-6).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from mailflow.doors.relay_session import Patience, RelaySession
from mailflow.doors.smtp_wire import Broken, Reply, Stopwatch
from mailflow.doors.transport import NotTaken
from mailflow.sections.relay import Relay
from store.records import OutboxMail

SenderOf = Callable[[OutboxMail], str]
"""The return path of a mail."""

LOG_IN_FIRST = (530, 535, 538)
"""RFC 4954 6, RFC 3207 4: it is about us, whatever was asked."""

_UNFIT = re.compile(r"[\s<>\x00-\x1f\x7f]")


class RelayTransport:
    """`hello`: the name that we greet with. `sender_of` gives each mail's return path."""

    def __init__(
        self,
        relay: Relay,
        hello: str,
        sender_of: SenderOf,
        stopwatch: Stopwatch,
        patience: Patience | None = None,
    ) -> None:
        self._relay = relay
        self._hello = hello
        self._sender_of = sender_of
        self._stopwatch = stopwatch
        self._patience = patience or Patience()
        self._session: RelaySession | None = None
        self._in_transaction = False

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        self.hand_on(self._sender_of(mail), mail.address, raw)

    def greet(self) -> frozenset[str]:
        """Connect as for a mail, leave again, and return what the server offers. Raises NotTaken."""
        offered = frozenset((self._session or self._connect()).offers)
        self.close()
        return offered

    def certified_until(self) -> datetime | None:
        """Connect as for a mail, leave again; the end of the server's certificate. Raises NotTaken."""
        until = (self._session or self._connect()).certified_until
        self.close()
        return until

    def hand_on(self, sender: str, recipient: str, raw: bytes) -> None:
        """Give bytes to the server, for one recipient. Raises NotTaken."""
        session = self._session or self._connect()
        content = _with_line_ends(raw)
        commands = _commands(_sendable(sender), _sendable(recipient), content, session.offers)
        try:
            reply = self._transaction(session, commands, content)
        except Broken as error:
            self._drop()
            raise NotTaken(str(error), lost=True) from error
        except BaseException as error:
            if not isinstance(error, NotTaken):
                self._drop()  # the conversation is half begun: the next mail needs a new one
            raise
        self._in_transaction = False
        if reply.code >= 400:
            raise self._refusal(reply)

    def close(self) -> None:
        """Say good-bye, where there is something to say."""
        if self._session is not None and not self._in_transaction:
            self._session.say_good_bye()
        self._drop()

    def _connect(self) -> RelaySession:
        self._in_transaction = False
        self._session = RelaySession(self._relay, self._hello, self._stopwatch, self._patience)
        return self._session

    def _drop(self) -> None:
        if self._session is not None:
            self._session.drop()
            self._session = None

    def _transaction(self, session: RelaySession, commands: list[str], content: bytes) -> Reply:
        """Hand a mail over and return what the server says to it. Raises NotTaken, Broken."""
        if self._in_transaction:  # the last one was broken off by a refusal
            commands = ["RSET", *commands]
        self._in_transaction = True
        replies = self._said(session, commands)
        for command, reply in zip(commands, replies, strict=False):
            if reply.code >= 400:
                raise self._refusal(reply, command)
        if [reply.code // 100 for reply in replies] != [2] * (len(commands) - 1) + [3]:
            raise Broken("the server's answer is not SMTP")
        session.put(_dotted(content), self._patience.data)
        return session.hear(self._patience.taken)

    def _said(self, session: RelaySession, commands: list[str]) -> list[Reply]:
        """Say the commands and hear the replies, up to the first refusal.

        With PIPELINING all commands go at once (RFC 2920); each reply is still heard, and a server that
        wants the mail although it refused the recipient gets an empty one.
        """
        wait = self._patience.reply
        if "PIPELINING" not in session.offers:
            replies: list[Reply] = []
            while len(replies) < len(commands) and (not replies or replies[-1].code < 400):
                replies.append(session.say(commands[len(replies)]))
            return replies
        session.put("".join(f"{command}\r\n" for command in commands).encode(), wait)
        replies = [session.hear(wait) for _ in commands]
        if replies[-1].code == 354 and any(reply.code >= 400 for reply in replies):
            session.put(b".\r\n", wait)
            session.hear(wait)
        return replies

    def _refusal(self, reply: Reply, command: str = "") -> NotTaken:
        """Say what a refusal means: for this mail, or for all."""
        # Of MAIL FROM only the size is this mail's own: the sender is always us.
        us = command.startswith("MAIL") and reply.code >= 500 and reply.code != 552
        if us or reply.code in LOG_IN_FIRST or command == "RSET":
            self._drop()
            return NotTaken(reply.reason, closed=True)
        if reply.code == 421:
            self._drop()
            return NotTaken(reply.reason, lost=True)
        return NotTaken(reply.reason, for_good=reply.code >= 500)


def _commands(sender: str, recipient: str, content: bytes, offers: dict[str, str]) -> list[str]:
    """Return what is said before a mail's bytes. Raises NotTaken where the server cannot take such a mail."""
    options = f" SIZE={len(content)}" if "SIZE" in offers else ""
    if not content.isascii() and "8BITMIME" in offers:
        options += " BODY=8BITMIME"
    if not (sender + recipient).isascii():
        if "SMTPUTF8" not in offers:
            raise NotTaken("the server takes no address with such letters (RFC 6531)", for_good=True)
        options += " SMTPUTF8"
    return [f"MAIL FROM:<{sender}>{options}", f"RCPT TO:<{recipient}>", "DATA"]


def _with_line_ends(raw: bytes) -> bytes:
    """End every line with CRLF, whatever it ended with (RFC 5321 2.3.8)."""
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\r\n")


def _dotted(content: bytes) -> bytes:
    """Return what follows DATA: dots at the start of lines doubled, and the last one (RFC 5321 4.5.2)."""
    doubled = content.replace(b"\r\n.", b"\r\n..")
    if doubled.startswith(b"."):
        doubled = b"." + doubled
    return doubled + (b".\r\n" if doubled.endswith(b"\r\n") else b"\r\n.\r\n")


def _sendable(address: str) -> str:
    """Return an address as it may stand in a command; raises NotTaken where it would be more than that."""
    local, _, domain = address.rpartition("@")
    if not local or not domain or _UNFIT.search(address):
        raise NotTaken("the address cannot stand in a mail's envelope", for_good=True)
    if domain.isascii():
        return address
    try:
        return f"{local}@{domain.encode('idna').decode('ascii')}"
    except UnicodeError as error:
        raise NotTaken("the address has no such domain", for_good=True) from error
