"""One client's conversation with the SMTP entry, in SMTP or LMTP.

It is aiosmtpd's, with our own bounds put around what a client may do (T-34), and our own way through what
decides about mails: DATA and STARTTLS (T-33).
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session

from mailflow.doors.certificate import Certificate
from mailflow.doors.envelope import is_ours, stamped
from mailflow.doors.smtp_data import END, NO_ROOM, MailBytes
from mailflow.doors.smtp_guard import Guard
from mailflow.errors import described
from mailflow.sections.listen import Limits, Listen

log = logging.getLogger("mailflow.smtp")

Keep = Callable[[bytes, datetime], int]
"""Keeps a mail for good and returns its id; raises when it could not."""

LATER = "451 4.3.0 please try again later"
"""A fault of ours: no word of it goes out (P-7, T-35)."""
COMMAND_BYTES_MAX = 512
DRAIN_FACTOR = 2
"""A mail that was refused is read to its end, but not beyond this many times the size announced."""
HANDSHAKE_SECONDS = 30
SESSION_SECONDS_MAX = 3600
"""However busy or slow a client is, its place is free again after an hour."""
FAREWELL_SECONDS = 5
"""What a client that does not even read has time for before the line is cut."""


@dataclass
class Entry:
    """For whom mail is taken, and by whom it is kept. `keep` must have committed when it returns.

    `keep` is called in a thread of its own, one mail at a time, in the order in which mails were complete;
    `ended` once there, when no more will come.
    """

    address: str
    keep: Keep
    clock: Callable[[], datetime]
    ended: Callable[[], object] = lambda: None


@dataclass
class Reception:
    """What the conversations of one entry share."""

    entry: Entry
    how: Listen
    certificate: Certificate | None
    keeping: Executor
    guard: Guard = field(init=False)
    conversations: set[Conversation] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.guard = Guard(self.how.limits)

    @property
    def limits(self) -> Limits:
        return self.how.limits


@dataclass
class _Hooks:
    """What aiosmtpd asks of its handler."""

    reception: Reception

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not is_ours(address, self.reception.entry.address):
            return "550 5.1.1 no such mailbox here"
        if len(envelope.rcpt_tos) >= self.reception.limits.recipients_max:
            return "452 4.5.3 too many recipients"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_exception(self, error: Exception) -> str:
        log.error("SMTP entry: %s", described(error))
        return LATER


class Conversation(SMTP):
    """`reception`: what is shared with the other conversations."""

    def __init__(self, reception: Reception) -> None:
        limits, lmtp = reception.limits, reception.how.protocol == "lmtp"
        super().__init__(
            _Hooks(reception),
            data_size_limit=limits.size_bytes_max,
            enable_SMTPUTF8=True,
            hostname=reception.entry.address.rpartition("@")[2],
            ident=f"{'LMTP' if lmtp else 'ESMTP'} mailflow",
            timeout=limits.timeout_seconds,
            auth_exclude_mechanism=("LOGIN", "PLAIN"),
            command_call_limit=_calls(limits),
        )
        # The class's own is shared by all connections, and grows with each EHLO.
        self.command_size_limits = defaultdict(lambda: COMMAND_BYTES_MAX, MAIL=COMMAND_BYTES_MAX + 36)
        self._reception = reception
        self._lmtp = lmtp
        self._place: str | None = None
        self._errors = 0
        self._held = 0
        self._keeping: asyncio.Future[str] | None = None

    # ---------------------------------------------------------------- coming and going

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, if there is a place for the client."""
        self._place = self._reception.guard.admit(transport.get_extra_info("peername"))
        if self._place is not None:
            self._reception.conversations.add(self)
            self._end = self.loop.call_later(SESSION_SECONDS_MAX, self.end, "421 4.4.2 it is late")
            super().connection_made(transport)
        elif isinstance(transport, asyncio.Transport):
            transport.write(b"421 4.7.0 too many connections, please try again later\r\n")
            transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if self._place is None:
            return
        self._end.cancel()
        self._reception.conversations.discard(self)
        self._reception.guard.leave(self._place)
        self._let_go()
        self._place = None
        super().connection_lost(error)

    def eof_received(self) -> bool | None:
        return False if self._place is None else super().eof_received()

    def _timeout_cb(self) -> None:
        self.end("421 4.4.2 timeout")

    def end(self, words: str) -> None:
        """Say good-bye and hang up, soon even on a client that does not read."""
        transport = self.transport
        if not isinstance(transport, asyncio.Transport):
            return
        if not transport.is_closing():
            transport.write(words.encode() + b"\r\n")
            transport.close()
        self.loop.call_later(FAREWELL_SECONDS, transport.abort)

    async def kept(self) -> None:
        """Wait until the mail in hand, if there is one, has been answered."""
        if self._keeping is not None:
            with suppress(Exception):
                await asyncio.shield(self._keeping)
            await asyncio.sleep(0)

    async def push(self, status: Any) -> None:
        """Reply, with the enhanced code that was promised (RFC 2034); after too many refusals hang up."""
        await super().push(_enhanced(status))
        if status[:1] in ("4", "5"):
            self._errors += 1
            if self._errors > self._reception.limits.errors_max:
                self.end("421 4.7.0 too many errors")

    # ---------------------------------------------------------------- commands

    async def smtp_HELO(self, hostname: str) -> None:
        if self._lmtp:
            await self.push("500 5.5.1 this is LMTP: say LHLO")
        else:
            await super().smtp_HELO(hostname)

    async def smtp_EHLO(self, hostname: str) -> None:
        if self._lmtp:
            await self.push("500 5.5.1 this is LMTP: say LHLO")
        else:
            await self._greet("EHLO", hostname)

    async def smtp_LHLO(self, hostname: str) -> None:
        if not self._lmtp:
            await self.push("500 5.5.1 this is SMTP: say EHLO")
        else:
            await self._greet("LHLO", hostname)

    async def _greet(self, verb: str, hostname: str) -> None:
        session = self.session
        if not hostname or session is None:
            await self.push(f"501 5.5.4 Syntax: {verb} hostname")
            return
        self.envelope = self._create_envelope()
        session.extended_smtp = True
        session.host_name = hostname
        offers = [
            self.hostname,
            f"SIZE {self.data_size_limit}",
            "8BITMIME",
            "SMTPUTF8",
            "PIPELINING",
            "ENHANCEDSTATUSCODES",
        ]
        if self._reception.certificate is not None and session.ssl is None:
            offers.append("STARTTLS")
        lines = [f"250-{offer}\r\n" for offer in offers[:-1]] + [f"250 {offers[-1]}"]
        await super().push("".join(lines))

    async def smtp_STARTTLS(self, arg: str | None) -> None:
        """Go over to TLS. What came in plain text behind the command is dropped (RFC 3207 6, T-33).

        aiosmtpd's own way needs the inside of asyncio; this is asyncio's own way since Python 3.11.
        """
        session, certificate = self.session, self._reception.certificate
        if session is None or certificate is None or session.ssl is not None:
            await self.push("503 5.5.1 no TLS here" if certificate is None else "503 5.5.1 it is TLS already")
            return
        if arg:
            await self.push("501 5.5.4 Syntax: STARTTLS")
            return
        await self.push("220 2.0.0 go ahead")
        self._reader._buffer.clear()  # type: ignore[attr-defined]  # from here to the handshake nothing is read
        try:
            await self._writer.start_tls(certificate.context(), ssl_handshake_timeout=HANDSHAKE_SECONDS)
        except OSError as error:
            # Of a connection that was reset in the handshake asyncio tells nobody.
            self._writer.close()
            self.connection_lost(error)
            return
        self.transport = self._writer.transport
        self._reader._transport = self.transport  # type: ignore[attr-defined]
        self.session = self._create_session()
        self.session.peer = session.peer
        self.session.ssl = {"context": certificate}
        self.envelope = self._create_envelope()

    async def smtp_AUTH(self, arg: str) -> None:
        await self.push("502 5.5.1 AUTH not implemented")

    async def smtp_VRFY(self, arg: str) -> None:
        await self.push("502 5.5.1 VRFY not implemented")

    async def smtp_EXPN(self, arg: str) -> None:
        await self.push("502 5.5.1 EXPN not implemented")

    async def smtp_HELP(self, arg: str) -> None:
        await self.push("214 2.0.0 see RFC 5321")

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """Read an address; None where the parser gives up, however it says so (hazards E05, E09)."""
        try:
            address, rest = super()._getaddr(arg)
        except Exception:
            return None, None
        return address, rest

    # ---------------------------------------------------------------- the mail

    async def smtp_DATA(self, arg: str | None) -> None:
        envelope, session = self.envelope, self.session
        if envelope is None or session is None or not session.host_name or not envelope.rcpt_tos:
            await self.push("503 5.5.1 Error: need RCPT command")
            return
        if arg:
            await self.push("501 5.5.4 Syntax: DATA")
            return
        await self.push("354 End data with <CR><LF>.<CR><LF>")
        self._reset_timeout(2 * self._reception.limits.timeout_seconds)
        mail = await self._read_mail()
        if mail is None:
            return
        self._keeping = asyncio.ensure_future(self._keep(mail, envelope))
        try:
            reply = await asyncio.shield(self._keeping)
        finally:
            self._let_go()
            self._keeping = None
        self.envelope = self._create_envelope()
        self._reset_timeout()
        for _ in envelope.rcpt_tos if self._lmtp else [None]:  # RFC 2033 4.2: one reply per recipient
            await self.push(reply)

    async def _read_mail(self) -> MailBytes | None:
        """Read to the final dot; None where the client sends on and on, and has been hung up on."""
        mail = MailBytes(self._reception.limits.size_bytes_max)
        while self.transport is not None:
            try:
                line = await self._reader.readuntil(b"\r\n")
            except asyncio.LimitOverrunError as error:
                await self._rest_of_line(mail, error.consumed)
            else:
                if line == END:
                    return mail
                mail.add(line)
            if mail.refusal is None and not self._hold(mail.received):
                mail.refuse(NO_ROOM)
            if mail.refusal is not None:
                self._let_go()
                if mail.received > DRAIN_FACTOR * mail.size_max:
                    self.end(f"421 4.7.0 {mail.refusal[4:]}")
                    return None
        return None

    async def _rest_of_line(self, mail: MailBytes, consumed: int) -> None:
        """Read an overlong line to its end: a dot on the line after it still ends the mail."""
        while mail.received <= DRAIN_FACTOR * mail.size_max:
            mail.add_piece(await self._reader.read(consumed))
            try:
                mail.add_piece(await self._reader.readuntil(b"\r\n"))
                return
            except asyncio.LimitOverrunError as error:
                consumed = error.consumed

    def _hold(self, size: int) -> bool:
        """Take memory for what has come of a mail."""
        taken = self._reception.guard.take(size - self._held)
        if taken:
            self._held = size
        return taken

    def _let_go(self) -> None:
        self._reception.guard.give_back(self._held)
        self._held = 0

    async def _keep(self, mail: MailBytes, envelope: Envelope) -> str:
        """Have the mail kept, and return the reply. The event loop serves the others meanwhile."""
        if mail.refusal is not None:
            return mail.refusal
        entry = self._reception.entry
        raw = stamped(mail.content(), envelope.mail_from or "", envelope.rcpt_tos)
        try:
            mail_id = await self.loop.run_in_executor(self._reception.keeping, entry.keep, raw, entry.clock())
        except Exception as error:
            log.error("a mail could not be kept: %s", described(error))
            return LATER
        return f"250 2.0.0 kept as {mail_id}"


def _calls(limits: Limits) -> dict[str, int]:
    """How often each command may be given in one conversation."""
    mails = limits.mails_per_connection_max
    return {"*": 20, "MAIL": mails, "DATA": mails, "RSET": mails, "RCPT": mails * limits.recipients_max}


def _enhanced(status: str) -> str:
    """Put an enhanced code in where aiosmtpd's own words lack one."""
    code, _, words = status.partition(" ")
    first = words.partition(" ")[0]
    if code[:1] not in "245" or code == "220" or first.count(".") == 2:
        return status
    return f"{code} {code[0]}.{'5' if code[0] == '5' else '0'}.0 {words}"
