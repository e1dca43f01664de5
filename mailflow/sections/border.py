"""[border]: the servers that mail from outside passes, and what becomes of an address on the way.

`mailflow doctor --mail` finds the values out with a mail to itself; `--record` keeps them in `border.toml`,
which is read like this table. What stands in `club.toml` goes before it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mailflow.errors import SettingsError
from mailflow.sections.values import flag_of, only_known, table_of, texts_of
from parsers import authentication
from parsers.authentication_results import authserv_id_of

LEARNT_FILE = "border.toml"

_HOST = re.compile(r"\*?[a-z0-9_.:-]{3,255}|[a-z0-9_.:-]{3,255}\*")


@dataclass(frozen=True)
class Border(authentication.Border):
    """[border]. `plus`: whether the part behind a plus in our address survives the way to us."""

    plus: bool = True


def read(values: Mapping[str, Any], folder: Path) -> Border:
    """Read the table over what was learnt before. Raises SettingsError."""
    found = {**learnt_in(folder), **_checked(values, "[border]")}
    return Border(
        frozenset(found.get("authserv_ids", ())), tuple(found.get("hosts", ())), found.get("plus", True)
    )


def learnt_in(folder: Path) -> Mapping[str, Any]:
    """Return the entries that were learnt before, nothing if none were. Raises SettingsError."""
    path = folder / LEARNT_FILE
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    only_known(values, {"border"}, str(path))
    return _checked(table_of(values, "border"), str(path))


def is_host(name: str) -> bool:
    """Whether a name, or a pattern, may stand under hosts: a star alone would make all servers ours."""
    return _HOST.fullmatch(name.lower()) is not None


def _checked(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the entries that are there, each in the form in which it is compared."""
    only_known(values, {"authserv_ids", "hosts", "plus"}, where)
    found: dict[str, Any] = {}
    if "authserv_ids" in values:
        found["authserv_ids"] = [_authserv_id(n, where) for n in texts_of(values, "authserv_ids", where)]
    if "hosts" in values:
        found["hosts"] = [_host(name, where) for name in texts_of(values, "hosts", where)]
    if "plus" in values:
        found["plus"] = flag_of(values, "plus", where, True)
    return found


def _authserv_id(name: str, where: str) -> str:
    found = authserv_id_of(name)
    if found is None or ";" in name:
        raise SettingsError(f"{where} authserv_ids: {name!r} is not a bare name such as mx.example.org")
    return found


def _host(name: str, where: str) -> str:
    if not is_host(name):
        raise SettingsError(
            f"{where} hosts: {name!r} is not a name such as mx.example.org, *.example.org or 2001:db8:*"
        )
    return name.lower()
