"""Settings: read once at start from club.toml into frozen dataclasses; every mistake is one clear line.

Each table that says how the club is served has a module of its own in `sections/`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel.numbers import is_currency

from mailflow import words
from mailflow.errors import RulebookError, SettingsError
from mailflow.rulebook import Rulebook, shipped
from mailflow.sections import border, database, digest, dkim, imap, listen, relay, trust
from mailflow.sections.border import Border
from mailflow.sections.digest import Digest
from mailflow.sections.dkim import Dkim
from mailflow.sections.imap import Imap
from mailflow.sections.listen import Listen
from mailflow.sections.relay import Relay
from mailflow.sections.trust import Caution
from mailflow.sections.values import only_known, table_of, text_of
from parsers.addresses import canonical
from store.database import Server

FILE_NAME = "club.toml"
LOCAL_MAX = 32
SECTIONS = ("smtp", "imap", "relay", "dkim", "border", "database", "trust", "digest")
"""The tables that say how a club is served."""
LANGUAGES = words.languages()
"""Languages that the mails are written in."""

_ATOMS = re.compile(r"[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*")
_LABELS = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+")


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
    dkim: Dkim = field(default_factory=Dkim)
    imap: Imap = field(default_factory=Imap)
    border: Border = field(default_factory=Border)
    server: Server | None = None
    caution: Caution = field(default_factory=Caution)
    digest: Digest = field(default_factory=Digest)

    @property
    def database(self) -> Path:
        """The file that the books are kept in, where no server keeps them."""
        return self.folder / "mailflow.db"

    @property
    def books(self) -> Path | Server:
        """Where the books are kept."""
        return self.server or self.database

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
        raise SettingsError(
            f"there is no {path}: make one with 'mailflow init {folder}', "
            "or name the club's folder with --dir"
        ) from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} cannot be read: it is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    try:
        return _settings(folder, values)
    except (SettingsError, RulebookError) as error:
        raise SettingsError(f"{path}: {error}") from error


def _settings(folder: Path, values: Mapping[str, Any]) -> Settings:
    only_known(values, {"club", "rulebook", *SECTIONS}, "the file")
    club = table_of(values, "club")
    only_known(club, {"name", "address", "timezone", "currency", "language", "forum", "rulebook"}, "[club]")
    address = text_of(club, "address", "[club]", required=True)
    return Settings(
        folder=folder,
        name=text_of(club, "name", "[club]", required=True),
        address=checked_address(address),
        timezone=checked_timezone(text_of(club, "timezone", "[club]", "Europe/Paris")),
        currency=checked_currency(text_of(club, "currency", "[club]", "EUR")),
        language=_language(text_of(club, "language", "[club]", "fr")),
        forum=text_of(club, "forum", "[club]", ""),
        rulebook=shipped(text_of(club, "rulebook", "[club]", "friends")).amended(
            table_of(values, "rulebook")
        ),
        listen=listen.read(table_of(values, "smtp"), folder),
        relay=relay.read(table_of(values, "relay"), folder),
        dkim=dkim.read(table_of(values, "dkim"), folder, checked_address(address)),
        imap=imap.read(table_of(values, "imap"), folder),
        border=border.read(table_of(values, "border"), folder),
        server=database.read(values, folder),
        caution=trust.read(table_of(values, "trust"), folder),
        digest=digest.read(table_of(values, "digest"), folder),
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
