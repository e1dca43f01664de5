"""[digest]: what the weekly digest shows of the others, and whether a picture goes with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mailflow.errors import SettingsError
from mailflow.sections.values import only_known, text_of

SHOWN = ("everyone", "own")


@dataclass(frozen=True)
class Digest:
    """[digest]."""

    everyone: bool = True
    """Whether each is shown everybody's balance, or his own alone."""
    picture: bool = True
    """Whether the balances are drawn over time."""


def read(values: Mapping[str, Any], folder: Path) -> Digest:
    """Read the table. Raises SettingsError."""
    only_known(values, {"balances", "picture"}, "[digest]")
    shown = text_of(values, "balances", "[digest]", SHOWN[0])
    if shown not in SHOWN:
        raise SettingsError(f"[digest] balances {shown!r} is not among {', '.join(SHOWN)}")
    picture = values.get("picture", True)
    if not isinstance(picture, bool):
        raise SettingsError("[digest] picture must be true or false")
    return Digest(shown == "everyone", picture)
