"""A club's numbers: one frozen, validated object read from a TOML file of values.

No number of the rules stands in code. A limit that a kind of club lacks may be left out of its file
(its field is then None and its check silent); today every field of the friends' club is required.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from importlib import resources
from typing import Any

from mailflow.errors import RulebookError


@dataclass(frozen=True)
class Payout:
    """R-RES-2: shares in percent, best place first, for games of up to `participants_max`."""

    participants_max: int
    shares_percent: tuple[int, ...]


@dataclass(frozen=True)
class Rulebook:
    """The parameters of RULES.md. Cents, days, months and hours as each name says."""

    workflow: str
    initial_credit_cents: int
    buyins_cents: tuple[int, ...]
    buyin_default_cents: int
    participants_min: int
    participants_max: int
    dispute_window_days: int
    reminder_daily_below_cents: int
    reminder_weekly_below_cents: int
    transfer_min_cents: int
    reserve_threshold_cents: int
    nudge_after_months: int
    nudge_every_months: int
    proposal_after_months: int
    injunction_due_days: int
    decision_confirm_hours: int
    payouts: tuple[Payout, ...]

    @property
    def eligibility_cents(self) -> int:
        """R-GAME-2, R-GAME-4: what a player must have available, the greatest buy-in."""
        return max(self.buyins_cents)

    def shares_percent(self, participants: int) -> tuple[int, ...]:
        """R-RES-2: the shares for a game of so many participants, best place first."""
        return next(p.shares_percent for p in self.payouts if participants <= p.participants_max)

    def to_json(self) -> str:
        """Write the values canonically: equal rulebooks give equal text."""
        return json.dumps(asdict(self), sort_keys=True)

    def amended(self, values: Mapping[str, Any]) -> Rulebook:
        """Return a copy with some values replaced.

        Raises RulebookError when a name is unknown or the result makes no sense.
        """
        known = {f.name for f in fields(self)} - {"workflow"}
        for name in values:
            if name not in known:
                raise RulebookError("unknown_parameter", name)
        return _checked(replace(self, **{k: _typed(k, v) for k, v in values.items()}))


def shipped(kind: str) -> Rulebook:
    """Read the rulebook that is shipped for this kind of club, for example "friends"."""
    file = resources.files("mailflow.rulebooks") / f"{kind}.toml"
    if not file.is_file():
        raise RulebookError("unknown_kind", kind)
    return from_values(tomllib.loads(file.read_text("utf-8")))


@lru_cache(maxsize=256)
def from_json(text: str) -> Rulebook:
    """Read what `to_json` wrote."""
    return from_values(json.loads(text))


def from_values(values: Mapping[str, Any]) -> Rulebook:
    """Make a rulebook from plain values; raises RulebookError naming what is missing or wrong."""
    for field in fields(Rulebook):
        if field.name not in values:
            raise RulebookError("missing_parameter", field.name)
    known = {f.name for f in fields(Rulebook)}
    for name in values:
        if name not in known:
            raise RulebookError("unknown_parameter", name)
    return _checked(Rulebook(**{k: _typed(k, v) for k, v in values.items()}))


def _typed(name: str, value: Any) -> Any:
    if name == "workflow":
        return str(value)
    if name == "buyins_cents":
        return tuple(_whole(name, v) for v in _listed(name, value))
    if name == "payouts":
        return tuple(_payout(v) for v in _listed(name, value))
    return _whole(name, value)


def _listed(name: str, value: Any) -> list[Any] | tuple[Any, ...]:
    if not isinstance(value, (list, tuple)) or not value:
        raise RulebookError("not_a_list", name)
    return value


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise RulebookError("not_a_whole_number", name)
    return value


def _payout(value: Any) -> Payout:
    if isinstance(value, Payout):
        return value
    try:
        shares = tuple(_whole("payouts", v) for v in value["shares_percent"])
        return Payout(_whole("payouts", value["participants_max"]), shares)
    except (KeyError, TypeError) as error:
        raise RulebookError("payout_unreadable", "payouts") from error


def _checked(book: Rulebook) -> Rulebook:
    """Refuse values under which some rule could not be applied."""
    for field in fields(book):
        value = getattr(book, field.name)
        if isinstance(value, int) and value < (0 if field.name in MAY_BE_ZERO else 1):
            raise RulebookError("too_small", field.name)
    if book.workflow not in WORKFLOWS:
        raise RulebookError("unknown_workflow", "workflow")
    if min(book.buyins_cents) < 1 or len(set(book.buyins_cents)) != len(book.buyins_cents):
        raise RulebookError("buyins_unusable", "buyins_cents")
    if book.buyin_default_cents not in book.buyins_cents:
        raise RulebookError("default_not_a_buyin", "buyin_default_cents")
    if not 2 <= book.participants_min <= book.participants_max:
        raise RulebookError("participants_unusable", "participants_max")
    _check_payouts(book)
    return book


WORKFLOWS = frozenset({"friends"})
"""The ways of running a club that the handlers know; others will bring handlers of their own."""

MAY_BE_ZERO = frozenset(
    {"reserve_threshold_cents", "reminder_daily_below_cents", "reminder_weekly_below_cents"}
)


def _check_payouts(book: Rulebook) -> None:
    """R-RES-3 needs shares that make up the whole pot and never outnumber the players."""
    sizes = [p.participants_max for p in book.payouts]
    if sizes != sorted(set(sizes)) or sizes[-1] < book.participants_max:
        raise RulebookError("payouts_incomplete", "payouts")
    smallest = book.participants_min
    for payout in book.payouts:
        shares = payout.shares_percent
        if sum(shares) != 100 or min(shares) < 1 or len(shares) > smallest:
            raise RulebookError("payouts_unusable", "payouts")
        smallest = payout.participants_max + 1
