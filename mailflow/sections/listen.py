"""[smtp]: where mail for the club is taken in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mailflow.sections.values import only_known, port_of, text_of


@dataclass(frozen=True)
class Listen:
    """[smtp]: where mail for the club is taken in."""

    host: str = "127.0.0.1"
    port: int = 2525
    """0: any free one."""


def read(values: Mapping[str, Any], folder: Path) -> Listen:
    """Read the table. Raises SettingsError."""
    only_known(values, {"host", "port"}, "[smtp]")
    return Listen(text_of(values, "host", "[smtp]", "127.0.0.1"), port_of(values, "[smtp]", 2525, least=0))
