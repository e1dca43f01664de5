"""What is known of mail providers: `providers.toml`, read for `mailflow init`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Server:
    """Where to connect, and how. No host: there is none."""

    host: str = ""
    port: int = 0
    tls: str = "none"


NOWHERE = Server()


@dataclass(frozen=True)
class Provider:
    """One provider. `login`: "none", "password", "app" or "oauth"; `hint`: what to bring."""

    key: str
    title: str
    imap: Server
    smtp: Server
    login: str
    bounce_address: bool
    hint: str
    token_url: str = ""
    scope: str = ""


def providers() -> dict[str, Provider]:
    """Return all by key, in the order of the file."""
    read = tomllib.loads(files("mailflow").joinpath("providers.toml").read_text("utf-8"))
    return {key: _provider(key, values) for key, values in read.items()}


def _provider(key: str, values: Mapping[str, Any]) -> Provider:
    given = {**values, "imap": Server(**values.get("imap", {})), "smtp": Server(**values.get("smtp", {}))}
    return Provider(key, **given)
