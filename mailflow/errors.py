"""The exceptions, on one page. What a member did wrong is never one of them: that is a value."""

from __future__ import annotations

import traceback
from pathlib import Path


class MailflowError(Exception):
    """The world failed, or a setting is wrong: one clear line for the operator."""


class SettingsError(MailflowError):
    """A configuration file or an option that cannot be used."""


class ScenarioError(MailflowError):
    """A scenario file for `replay` that cannot be read."""


class RulebookError(MailflowError):
    """A rulebook whose values cannot be used: `code` says how, `name` which value."""

    def __init__(self, code: str, name: str) -> None:
        super().__init__(f"rulebook: {code.replace('_', ' ')}: {name}")
        self.code = code
        self.name = name


def described(error: BaseException) -> str:
    """Say where an error arose and of which kind, for the log: never its text, which may hold a
    member's words or a secret (T-28)."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    return f"{type(error).__name__} at {places}"
