"""[relay]: the server that outgoing mail is given to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mailflow.errors import SettingsError
from mailflow.sections.values import file_of, flag_of, only_known, port_of, secret_file_of, text_of

TLS = ("none", "starttls", "implicit")
PROOFS = ("password_file", "password_variable", "password_keyring", "oauth_file")
LOGINS = ("password", "xoauth2")
HERE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Relay:
    """[relay]: the server that outgoing mail is given to. No host: mail goes to the outbox folder.

    `tls`: "starttls" begins in plain text and goes over, "implicit" is TLS from the first byte (port 465).
    `tls_ca`: whom to trust besides the system's list. `login`: what the password file holds, a password or
    an OAuth 2 access token; `oauth_file` holds a refresh token instead. One such way is
    given. `bounce_address`: whether each mail has a return path of its own.
    """

    host: str = ""
    port: int = 25
    tls: str = "none"
    tls_ca: Path | None = None
    user: str = ""
    password_file: Path | None = None
    login: str = "password"
    bounce_address: bool = True
    password_variable: str = ""
    password_keyring: str = ""
    oauth_file: Path | None = None


def read(values: Mapping[str, Any], folder: Path) -> Relay:
    """Read the table. Raises SettingsError."""
    only_known(values, set(Relay.__dataclass_fields__), "[relay]")
    host = text_of(values, "host", "[relay]")
    relay = Relay(
        host,
        port_of(values, "[relay]", 25),
        _choice(values, "tls", TLS, "none" if host in ("", *HERE) else "starttls"),
        file_of(values, "tls_ca", "[relay]", folder),
        text_of(values, "user", "[relay]"),
        secret_file_of(values, "password_file", "[relay]", folder),
        _choice(values, "login", LOGINS, "password"),
        flag_of(values, "bounce_address", "[relay]", True),
        text_of(values, "password_variable", "[relay]"),
        text_of(values, "password_keyring", "[relay]"),
        secret_file_of(values, "oauth_file", "[relay]", folder),
    )
    given = [name for name in PROOFS if values.get(name)]
    if relay.user and not given:
        raise SettingsError("[relay] password_file is missing: a user is named")
    if len(given) > 1:
        raise SettingsError(f"[relay] needs one of {', '.join(PROOFS)}: {' and '.join(given)} are given")
    if relay.user and relay.tls == "none" and relay.host not in ("", *HERE):
        raise SettingsError('[relay] tls = "none" would send the password in plain text to another machine')
    return relay


def _choice(values: Mapping[str, Any], name: str, known: tuple[str, ...], default: str) -> str:
    value = text_of(values, name, "[relay]", default)
    if value not in known:
        raise SettingsError(f"[relay] {name} {value!r} is not among {', '.join(known)}")
    return value
