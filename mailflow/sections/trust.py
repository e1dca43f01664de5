"""[trust]: how long proofs last, and how much the club lets itself be made to write (TRUST § 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from mailflow.errors import SettingsError
from mailflow.sections.values import only_known


@dataclass(frozen=True)
class Caution:
    """[trust]. What only the manager may do has its own hours to be confirmed in, in the rulebook."""

    confirm_hours: int = 24
    """How long an OUI may take."""
    session_minutes: int = 60
    """How long a session lasts after the last mail that the club received in it (R-SEC-1)."""
    session_hours_max: int = 8
    """When a session ends however busy it is."""
    open_confirmations_max: int = 3
    """T-16: questions that may wait for one member at a time, asked by mails without proof."""
    answers_per_hour_max: int = 6
    """T-16, T-30: answers to one address, to mails without proof or without a command in them."""
    answers_per_day_max: int = 40
    declines_max: int = 2
    """T-16: so many NON within `declines_hours`, and mails without proof get no more confirmations."""
    declines_hours: int = 12
    misses_per_hour_max: int = 10
    """T-7: guessed tokens from one address, after which it is not heard for an hour."""
    double_tap_minutes: int = 10
    """T-20: the same command again within so many minutes is asked before it is done."""
    resume_days: int = 30
    """How long the answer to the last NON can be used to be asked again (T-16)."""
    stranger_mail_hours: int = 24
    """T-31: at most one mail of ours answers the same stranger in so many hours."""
    stranger_mails_per_day_max: int = 20
    """T-31: mails of ours in a day that answer strangers' ADHESION, to whatever addresses."""
    invitation_days: int = 30
    """How long an invitation is good; after that it is sent anew."""
    application_days: int = 30
    """How long a manager may answer an application by replying to it."""
    applications_per_day_max: int = 10
    """T-31: cards that managers get in a day, whoever writes them."""
    identity_answer_hours: int = 24
    """How long the new address, or the other person, may take to say OUI (TRUST § 2)."""
    identity_effect_hours: int = 72
    """How long a confirmed change of identity can be stopped before it takes effect (TRUST § 2)."""
    identity_changes_max: int = 3
    """T-16: changes of identity that one member may have under way at once."""


def read(values: Mapping[str, Any], folder: Path) -> Caution:
    """Read the table. Raises SettingsError."""
    only_known(values, {field.name for field in fields(Caution)}, "[trust]")
    return Caution(**{name: _number(name, value) for name, value in values.items()})


def _number(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST:
        raise SettingsError(f"[trust] {name} must be a whole number from 1 to {MOST}")
    return value


MOST = 10_000
