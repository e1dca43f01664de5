"""The SMTP entry: keep the raw bytes with the time they came, commit, and only then say 250.

Only the club's addresses are taken, plus parts included; nothing is relayed (T-34). A fault of ours is
answered 451, so that the sending server tries again, and no word of the fault goes out (P-7, T-35).
"""

from __future__ import annotations

import logging
from asyncio import AbstractServer
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from socket import AF_INET, AF_INET6, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from mailflow.errors import SettingsError, described

log = logging.getLogger("mailflow.smtp")

SIZE_BYTES_MAX = 35_000_000
"""What is taken at all; what is read is bounded far lower by the parser (T-23)."""
RECIPIENTS_MAX = 10

Keep = Callable[[bytes, datetime], int]
"""Keeps a mail for good and returns its id; raises when it could not."""


@dataclass
class Entry:
    """What aiosmtpd calls. `keep` must have committed when it returns."""

    address: str
    keep: Keep
    clock: Callable[[], datetime]

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not is_ours(address, self.address):
            return "550 5.1.1 no such mailbox here"
        if len(envelope.rcpt_tos) >= RECIPIENTS_MAX:
            return "452 4.5.3 too many recipients"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content
        if not isinstance(content, bytes):
            return "451 4.3.0 please try again later"
        try:
            mail_id = self.keep(stamped(content, envelope.mail_from or "", envelope.rcpt_tos), self.clock())
        except Exception as error:
            log.error("a mail could not be kept: %s", described(error))
            return "451 4.3.0 please try again later"
        return f"250 2.0.0 kept as {mail_id}"

    async def handle_exception(self, error: Exception) -> str:
        log.error("SMTP entry: %s", type(error).__name__)
        return "451 4.3.0 please try again later"


def is_ours(address: str, club: str) -> bool:
    """Tell whether an address is the club's, with or without a plus part."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}" == club


def stamped(content: bytes, mail_from: str, rcpt_tos: list[str]) -> bytes:
    """Put the envelope on top of a mail, as whoever delivers it last does (RFC 5321 4.4).

    Return-Path tells bounces apart; Delivered-To keeps a plus part that the To header lacks.
    """
    lines = [f"Return-Path: <{_clean(mail_from)}>", *(f"Delivered-To: {_clean(r)}" for r in rcpt_tos)]
    return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "replace") + content


def _clean(address: str) -> str:
    return "".join(c for c in address if c.isprintable() and c not in "<>")


class _AnyPort(Controller):
    """A controller that may be given port 0: it then greets itself on the port that it got."""

    def _trigger_server(self) -> None:
        if not self.port and self.server is not None:
            self.port = bound_port(self.server)
        super()._trigger_server()  # type: ignore[no-untyped-call]  # aiosmtpd has no types


def bound_port(server: AbstractServer) -> int:
    """Return the port that a listening server has."""
    sockets: tuple[socket, ...] = getattr(server, "sockets", ())
    port: int = sockets[0].getsockname()[1]
    return port


def _check_free(host: str, port: int) -> None:
    """Raise OSError at once where the port cannot be had: the controller would take its time."""
    family = AF_INET6 if ":" in host else AF_INET
    with socket(family, SOCK_STREAM) as probe:
        probe.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        probe.bind((host, port))


class SmtpDoor:
    """The entry, listening in a thread of its own between `start` and `stop`."""

    def __init__(self, entry: Entry, host: str, port: int) -> None:
        self._controller = _AnyPort(
            entry,
            hostname=host,
            port=port,
            server_hostname="mailflow",
            ident="mailflow",
            data_size_limit=SIZE_BYTES_MAX,
            enable_SMTPUTF8=True,
        )
        self._address = (host, port)
        # aiosmtpd's own log holds addresses with their tokens, and whole mails (T-28).
        logging.getLogger("mail.log").disabled = True

    def start(self) -> None:
        """Listen. Raises SettingsError when the port cannot be had."""
        host, port = self._address
        try:
            _check_free(host, port)
            self._controller.start()
        except OSError as error:
            raise SettingsError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error

    @property
    def port(self) -> int:
        """The port in use: of interest where port 0 asked for any free one."""
        if self._controller.server is None:
            raise RuntimeError("the SMTP entry is not listening")
        return bound_port(self._controller.server)

    def stop(self) -> None:
        self._controller.stop()
