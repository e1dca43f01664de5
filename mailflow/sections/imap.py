"""[imap]: a mailbox that mail for the club is read from, and how we prove who we are there."""

from __future__ import annotations

import ipaddress
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mailflow.errors import SettingsError
from mailflow.sections.values import (
    file_of,
    flag_of,
    number_of,
    only_known,
    port_of,
    secret_file_of,
    text_of,
)

TLS = ("imaps", "starttls", "none")
PROOFS = (
    "password_file", "password_variable", "password_keyring", "token_file", "token_command", "oauth_file",
)  # fmt: skip
POLL_SECONDS_MIN = 5


@dataclass(frozen=True)
class Folders:
    """Where mails go once they are handled. Empty: they stay where they are."""

    done: str = "mailflow-done"
    ignored: str = "mailflow-ignored"
    quarantine: str = "mailflow-quarantine"


@dataclass(frozen=True)
class Imap:
    """[imap]. No host: no mailbox is read.

    Of the ways to prove who we are, one is given: a password, in a file, in an environment variable or in the
    keyring (under this service, for the user), or an OAuth 2 token, in a file, printed by a command or had
    for the refresh token in a file (`mailflow/doors/oauth.py`). Each is read anew for each connection.
    """

    host: str = ""
    port: int = 993
    tls: str = "imaps"
    ca_file: Path | None = None
    """Certificates to trust instead of the system's own."""
    user: str = ""
    password_file: Path | None = None
    password_variable: str = ""
    token_file: Path | None = None
    token_command: tuple[str, ...] = ()
    password_keyring: str = ""
    oauth_file: Path | None = None
    folder: str = "INBOX"
    folders: Folders = field(default_factory=Folders)
    sent: str = ""
    """Where copies of what went out are laid; empty: nowhere."""
    poll_seconds: int = 60
    """How often to look where the server does not tell by itself."""
    idle: bool = True

    @property
    def account(self) -> str:
        """The account's name on record: another host or user is another account."""
        return f"{self.user}@{self.host}:{self.port}"


def read(values: Mapping[str, Any], folder: Path) -> Imap:
    """Read the table. Raises SettingsError."""
    known = {"host", "port", "tls", "ca_file", "user", *PROOFS, "folder", *vars(Folders())}
    only_known(values, known | {"sent", "poll_seconds", "idle"}, "[imap]")
    host = text_of(values, "host", "[imap]")
    if not host:
        return Imap()
    tls = _tls(text_of(values, "tls", "[imap]", "imaps"), host)
    _one_proof(values)
    inbox = text_of(values, "folder", "[imap]", "INBOX", required=True)
    return Imap(
        host=host,
        port=port_of(values, "[imap]", 993 if tls == "imaps" else 143),
        tls=tls,
        ca_file=file_of(values, "ca_file", "[imap]", folder),
        user=text_of(values, "user", "[imap]", required=True),
        password_file=secret_file_of(values, "password_file", "[imap]", folder),
        password_variable=text_of(values, "password_variable", "[imap]"),
        token_file=secret_file_of(values, "token_file", "[imap]", folder),
        token_command=_command(text_of(values, "token_command", "[imap]")),
        password_keyring=text_of(values, "password_keyring", "[imap]"),
        oauth_file=secret_file_of(values, "oauth_file", "[imap]", folder),
        folder=inbox,
        folders=_folders(values, inbox),
        sent=text_of(values, "sent", "[imap]"),
        poll_seconds=number_of(values, "poll_seconds", "[imap]", 60, POLL_SECONDS_MIN),
        idle=flag_of(values, "idle", "[imap]", True),
    )


def _tls(tls: str, host: str) -> str:
    """A password in clear text never crosses a network."""
    if tls not in TLS:
        raise SettingsError(f"[imap] tls {tls!r} is not among {', '.join(TLS)}")
    if tls == "none" and not _is_loopback(host):
        raise SettingsError(f'[imap] tls = "none" is for a server on this machine alone, not for {host}')
    return tls


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _one_proof(values: Mapping[str, Any]) -> None:
    given = [name for name in PROOFS if values.get(name)]
    if len(given) != 1:
        found = "none is" if not given else f"{' and '.join(given)} are"
        raise SettingsError(f"[imap] needs one of {', '.join(PROOFS)}: {found} given")


def _command(line: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line))
    except ValueError as error:
        raise SettingsError(f"[imap] token_command cannot be read: {error}") from error


def _folders(values: Mapping[str, Any], inbox: str) -> Folders:
    usual = Folders()
    folders = Folders(*(text_of(values, name, "[imap]", default) for name, default in vars(usual).items()))
    for name, folder in vars(folders).items():
        if folder == inbox or folder.upper() == inbox.upper() == "INBOX":
            raise SettingsError(f"[imap] {name} must be another folder than the one that is read")
    return folders
