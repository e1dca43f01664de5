"""[database]: where the books are kept, if not in a file beside club.toml.

`database = "postgresql://…"` above all tables says the same as a table with this `url` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mailflow.errors import SettingsError
from mailflow.sections.values import only_known, secret_file_of, table_of, text_of
from store.database import Server


def read(file: Mapping[str, Any], folder: Path) -> Server | None:
    """Read the table, or the line, of club.toml; None where the books lie beside it. Raises SettingsError."""
    if isinstance(line := file.get("database"), str):
        return server_of(line, None, "database") if line else None
    values = table_of(file, "database")
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
