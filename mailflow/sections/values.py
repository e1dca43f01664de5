"""Read single values of club.toml; every mistake is one clear line (SettingsError)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mailflow.errors import SettingsError


def table_of(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a table of the file, empty where it is missing."""
    table = values.get(name, {})
    if not isinstance(table, Mapping):
        raise SettingsError(f"[{name}] must be a table")
    return table


def text_of(
    values: Mapping[str, Any], name: str, where: str, default: str = "", required: bool = False
) -> str:
    """Return a text; `where` names its table in messages."""
    value = values.get(name, default)
    if not isinstance(value, str):
        raise SettingsError(f'{where} {name} must be a text in quotes, such as "{default or name}"')
    if required and not value.strip():
        raise SettingsError(f"{where} {name} is missing")
    return value


def texts_of(values: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    """Return a list of texts, empty where it is missing."""
    found = values.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise SettingsError(f'{where} {name} must be a list of texts, such as ["mx.example.org"]')
    return tuple(found)


def port_of(values: Mapping[str, Any], where: str, default: int, least: int = 1) -> int:
    """Return the port of a table."""
    port = values.get("port", default)
    if isinstance(port, bool) or not isinstance(port, int):
        raise SettingsError(f"{where} port must be a number")
    return checked_port(port, where, least)


def checked_port(port: int, where: str, least: int = 1) -> int:
    """Return the port; raises SettingsError for what is none. 0 asks for any free one, where allowed."""
    if not least <= port <= 65535:
        raise SettingsError(f"{where} port must be a number from {least} to 65535")
    return port


def only_known(values: Mapping[str, Any], known: set[str], where: str) -> None:
    """Refuse an entry that nobody reads: a typing error would go unnoticed."""
    for name in values:
        if name not in known:
            raise SettingsError(
                f"{where} has an unknown entry {name!r}; known are: {', '.join(sorted(known))}"
            )


def flag_of(values: Mapping[str, Any], name: str, where: str, default: bool = False) -> bool:
    """Return true or false."""
    value = values.get(name, default)
    if not isinstance(value, bool):
        raise SettingsError(f"{where} {name} must be true or false")
    return value


def number_of(values: Mapping[str, Any], name: str, where: str, default: int, least: int = 1) -> int:
    """Return a whole number, at least `least`."""
    number = values.get(name, default)
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise SettingsError(f"{where} {name} must be a whole number, {least} or more")
    return number


def file_of(values: Mapping[str, Any], name: str, where: str, folder: Path) -> Path | None:
    """Return a file that is named relative to the club's folder; it must be there. None for an empty name."""
    named = text_of(values, name, where)
    if named and not (folder / named).is_file():
        raise SettingsError(f"{where} {name}: there is no file {folder / named}")
    return folder / named if named else None


def secret_file_of(values: Mapping[str, Any], name: str, where: str, folder: Path) -> Path | None:
    """Return the file that a secret lies in, relative to the club's folder; it must be there."""
    return file_of(values, name, where, folder)
