"""[smtp]: where mail for the club is taken in, and how much of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mailflow.errors import SettingsError
from mailflow.sections.values import file_of, number_of, only_known, port_of, text_of

PROTOCOLS = ("smtp", "lmtp")


@dataclass(frozen=True)
class Limits:
    """What one client, and all of them together, may ask of us (T-34)."""

    size_bytes_max: int = 35_000_000
    """What is taken at all; what is read is bounded far lower by the parser (T-23)."""
    recipients_max: int = 10
    """Per mail: all are the club's own address, with one plus part or another."""
    connections_max: int = 100
    connections_per_client_max: int = 50
    """From one address; behind a mail server all come from one."""
    mails_per_connection_max: int = 200
    errors_max: int = 20
    """Commands that were refused, before the conversation is ended."""
    timeout_seconds: int = 300
    """For a command; a mail's bytes may take twice that in all. RFC 5321 4.5.3.2.7 asks for five minutes."""
    memory_bytes_max: int = 250_000_000
    """What all mails that are just coming in may take together."""


@dataclass(frozen=True)
class Listen:
    """[smtp]. `protocol`: lmtp where a mail server on this machine hands the mail over.

    `tls_certificate`, `tls_key`: PEM files; with them STARTTLS is offered.
    """

    host: str = "127.0.0.1"
    port: int = 2525
    """0: any free one."""
    protocol: str = "smtp"
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    limits: Limits = field(default_factory=Limits)


_LIMITS: dict[str, int] = dict(vars(Limits()))


def read(values: Mapping[str, Any], folder: Path) -> Listen:
    """Read the table. Raises SettingsError."""
    only_known(values, {"host", "port", "protocol", "tls_certificate", "tls_key", *_LIMITS}, "[smtp]")
    protocol = text_of(values, "protocol", "[smtp]", "smtp")
    if protocol not in PROTOCOLS:
        raise SettingsError(f"[smtp] protocol {protocol!r} is not among {', '.join(PROTOCOLS)}")
    certificate, key = (file_of(values, name, "[smtp]", folder) for name in ("tls_certificate", "tls_key"))
    if (certificate is None) != (key is None):
        raise SettingsError("[smtp] tls_certificate and tls_key belong together: name both, or neither")
    return Listen(
        text_of(values, "host", "[smtp]", "127.0.0.1"),
        port_of(values, "[smtp]", 2525, least=0),
        protocol,
        certificate,
        key,
        Limits(**{name: number_of(values, name, "[smtp]", usual) for name, usual in _LIMITS.items()}),
    )
