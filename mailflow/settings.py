"""Settings: read once at start from club.toml into frozen dataclasses; every mistake is one clear line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel.numbers import is_currency

from mailflow.errors import RulebookError, SettingsError
from mailflow.rulebook import Rulebook, shipped
from parsers.addresses import canonical

FILE_NAME = "club.toml"
LOCAL_MAX = 32
LANGUAGES = ("fr",)
"""Languages that the mails are written in."""

_ATOMS = re.compile(r"[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*")
_LABELS = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+")


@dataclass(frozen=True)
class Listen:
    """[smtp]: where mail for the club is taken in."""

    host: str = "127.0.0.1"
    port: int = 2525
    """0: any free one."""


@dataclass(frozen=True)
class Relay:
    """[relay]: the server that outgoing mail is given to. No host: mail goes to the outbox folder."""

    host: str = ""
    port: int = 25
    starttls: bool = False
    user: str = ""
    password_file: Path | None = None


@dataclass(frozen=True)
class Charter:
    """What a club is founded with."""

    name: str
    address: str
    timezone: str
    currency: str
    language: str
    forum: str
    rulebook: Rulebook


@dataclass(frozen=True)
class Settings(Charter):
    """A club's charter and how it is served. `folder`: where club.toml, database, key and outbox lie."""

    folder: Path
    listen: Listen = field(default_factory=Listen)
    relay: Relay = field(default_factory=Relay)

    @property
    def database(self) -> Path:
        return self.folder / "mailflow.db"

    @property
    def key_file(self) -> Path:
        return self.folder / "secret.key"

    @property
    def lock_file(self) -> Path:
        return self.folder / "mailflow.lock"

    @property
    def outbox(self) -> Path:
        return self.folder / "outbox"


def load(folder: Path) -> Settings:
    """Read `club.toml` of a folder. Raises SettingsError naming the file and what is wrong in it."""
    path = folder / FILE_NAME
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise SettingsError(f"there is no {path}: make one with 'mailflow init {folder}'") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    try:
        return _settings(folder, values)
    except (SettingsError, RulebookError) as error:
        raise SettingsError(f"{path}: {error}") from error


def _settings(folder: Path, values: Mapping[str, Any]) -> Settings:
    _only(values, {"club", "rulebook", "smtp", "relay"}, "the file")
    club = _table(values, "club")
    _only(club, {"name", "address", "timezone", "currency", "language", "forum", "rulebook"}, "[club]")
    address = _text(club, "address", "[club]", required=True)
    return Settings(
        folder=folder,
        name=_text(club, "name", "[club]", required=True),
        address=checked_address(address),
        timezone=checked_timezone(_text(club, "timezone", "[club]", "Europe/Paris")),
        currency=checked_currency(_text(club, "currency", "[club]", "EUR")),
        language=_language(_text(club, "language", "[club]", "fr")),
        forum=_text(club, "forum", "[club]", ""),
        rulebook=shipped(_text(club, "rulebook", "[club]", "friends")).amended(_table(values, "rulebook")),
        listen=_listen(_table(values, "smtp")),
        relay=_relay(_table(values, "relay"), folder),
    )


def _listen(values: Mapping[str, Any]) -> Listen:
    _only(values, {"host", "port"}, "[smtp]")
    return Listen(_text(values, "host", "[smtp]", "127.0.0.1"), _port(values, "[smtp]", 2525, least=0))


def _relay(values: Mapping[str, Any], folder: Path) -> Relay:
    _only(values, {"host", "port", "starttls", "user", "password_file"}, "[relay]")
    secret = _text(values, "password_file", "[relay]", "")
    if secret and not (folder / secret).is_file():
        raise SettingsError(f"[relay] password_file: there is no file {folder / secret}")
    starttls = values.get("starttls", False)
    if not isinstance(starttls, bool):
        raise SettingsError("[relay] starttls must be true or false")
    return Relay(
        _text(values, "host", "[relay]", ""),
        _port(values, "[relay]", 25),
        starttls,
        _text(values, "user", "[relay]", ""),
        folder / secret if secret else None,
    )


def checked_address(address: str) -> str:
    """Return an address in the form in which addresses are compared; raises SettingsError otherwise.

    Only a dot-atom local part in ASCII (RFC 5322), so that any server takes it as it is; not longer than
    leaves room for a token behind a plus (RFC 5321: 64 octets).
    """
    found = canonical(address)
    local, _, domain = (found or "@").rpartition("@")
    if found is None or not (_ATOMS.fullmatch(local) and _LABELS.fullmatch(domain)) or len(local) > LOCAL_MAX:
        raise SettingsError(f"{address!r} is not an address of the form name@example.org")
    return found


def checked_timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise SettingsError(f"{name!r} is not a time zone such as Europe/Paris") from error
    return name


def checked_currency(code: str) -> str:
    if not is_currency(code):
        raise SettingsError(f"{code!r} is not a currency code such as EUR or CHF")
    return code


def _language(code: str) -> str:
    if code not in LANGUAGES:
        raise SettingsError(f"[club] language {code!r} is not among {', '.join(LANGUAGES)}")
    return code


def _table(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = values.get(name, {})
    if not isinstance(table, Mapping):
        raise SettingsError(f"[{name}] must be a table")
    return table


def _text(values: Mapping[str, Any], name: str, where: str, default: str = "", required: bool = False) -> str:
    value = values.get(name, default)
    if not isinstance(value, str):
        raise SettingsError(f'{where} {name} must be a text in quotes, such as "{default or name}"')
    if required and not value.strip():
        raise SettingsError(f"{where} {name} is missing")
    return value


def _port(values: Mapping[str, Any], where: str, default: int, least: int = 1) -> int:
    port = values.get("port", default)
    if isinstance(port, bool) or not isinstance(port, int):
        raise SettingsError(f"{where} port must be a number")
    return checked_port(port, where, least)


def checked_port(port: int, where: str, least: int = 1) -> int:
    """Return the port; raises SettingsError for what is none. 0 asks for any free one, where allowed."""
    if not least <= port <= 65535:
        raise SettingsError(f"{where} port must be a number from {least} to 65535")
    return port


def _only(values: Mapping[str, Any], known: set[str], where: str) -> None:
    for name in values:
        if name not in known:
            raise SettingsError(
                f"{where} has an unknown entry {name!r}; known are: {', '.join(sorted(known))}"
            )
