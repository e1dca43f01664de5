"""[relay]: the server that outgoing mail is given to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mailflow.sections.values import flag_of, only_known, port_of, secret_file_of, text_of


@dataclass(frozen=True)
class Relay:
    """[relay]: the server that outgoing mail is given to. No host: mail goes to the outbox folder."""

    host: str = ""
    port: int = 25
    starttls: bool = False
    user: str = ""
    password_file: Path | None = None


def read(values: Mapping[str, Any], folder: Path) -> Relay:
    """Read the table. Raises SettingsError."""
    only_known(values, {"host", "port", "starttls", "user", "password_file"}, "[relay]")
    return Relay(
        text_of(values, "host", "[relay]"),
        port_of(values, "[relay]", 25),
        flag_of(values, "starttls", "[relay]"),
        text_of(values, "user", "[relay]"),
        secret_file_of(values, "password_file", "[relay]", folder),
    )
