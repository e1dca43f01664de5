"""Instants as the database holds them: whole microseconds since 1970 in UTC.

Integers sort and compare as the instants do, are exact, and mean the same to every database. They are
converted here and nowhere else.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

EARLIEST = -(2**62)
"""Before every instant: the lower end of a period that has none."""

LATEST = 2**62
"""After every instant: the upper end of a period that has none."""


def to_micros(instant: datetime) -> int:
    """Return the integer of an aware instant. Raises ValueError for one without a time zone."""
    if instant.tzinfo is None:
        raise ValueError(f"an instant without a time zone: {instant.isoformat()}")
    return (instant - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Return the instant of an integer, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def maybe_from_micros(micros: int | None) -> datetime | None:
    """Return the instant of an integer, or None where there is none."""
    return None if micros is None else from_micros(micros)
