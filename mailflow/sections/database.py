"""[database]: where the books are kept, if not in a file beside club.toml."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mailflow.errors import SettingsError
from mailflow.sections.values import only_known, secret_file_of, text_of
from store.database import Server


def read(values: Mapping[str, Any], folder: Path) -> Server | None:
    """Read the table; None where the books are kept in a file. Raises SettingsError."""
    only_known(values, {"url", "password_file"}, "[database]")
    url = text_of(values, "url", "[database]")
    password_file = secret_file_of(values, "password_file", "[database]", folder)
    return server_of(url, password_file, "[database] url") if url else None


def server_of(url: str, password_file: Path | None, where: str) -> Server:
    """Return the server that a URL names; `where` names the setting. Raises SettingsError."""
    form = f"{where} must be of the form postgresql://user@host:5432/name"
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise SettingsError(f"{form}: {error}") from error
    if parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/"):
        raise SettingsError(form)
    if parts.password is not None or "password" in parse_qs(parts.query):
        raise SettingsError(f"{where} must hold no password: put it into a file and name that: password_file")
    return Server(url, password_file)
