"""R-REG-1: what the manager may change in the rulebook by mail, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mailflow.errors import RulebookError
from mailflow.model import Refusal
from mailflow.rulebook import Rulebook
from mailflow.suggestions import nearest
from store.records import fold_handle


@dataclass(frozen=True)
class Parameter:
    """One parameter as people name it. `read` gives None for a value that cannot be used."""

    name: str
    word: str
    read: Callable[[str], Any]


def cents(text: str) -> int | None:
    """Read an amount, at most two decimals; None for anything else (threat T-18)."""
    whole, point, decimals = text.removesuffix("€").strip().replace(",", ".").partition(".")
    digits = whole.isascii() and whole.isdigit() and len(whole) <= 7
    if not digits or (point and not (decimals.isascii() and decimals.isdigit() and len(decimals) <= 2)):
        return None
    return int(whole) * 100 + int(decimals.ljust(2, "0"))


def count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 4 else None


def cents_list(text: str) -> tuple[int, ...] | None:
    """Read `1/2/3/5/10`; None when one of them cannot be read."""
    amounts = tuple(a for part in text.split("/") if (a := cents(part)) is not None)
    return amounts if len(amounts) == text.count("/") + 1 else None


PARAMETERS: tuple[Parameter, ...] = (
    Parameter("initial_credit_cents", "credit", cents),
    Parameter("reserve_threshold_cents", "seuil", cents),
    Parameter("dispute_window_days", "delai", count),
    Parameter("buyins_cents", "mises", cents_list),
    Parameter("buyin_default_cents", "mise", cents),
    Parameter("participants_min", "joueurs-min", count),
    Parameter("participants_max", "joueurs-max", count),
    Parameter("reminder_daily_below_cents", "rappel-quotidien", cents),
    Parameter("reminder_weekly_below_cents", "rappel-hebdomadaire", cents),
    Parameter("nudge_after_months", "relance-mois", count),
    Parameter("proposal_after_months", "inactivite-mois", count),
    Parameter("injunction_due_days", "injonction-jours", count),
    Parameter("decision_confirm_hours", "confirmation-heures", count),
)


def amended(book: Rulebook, settings: Mapping[str, str]) -> Rulebook | Refusal:
    """R-REG-1: the rulebook with the settings as the manager wrote them, or why that cannot be."""
    by_word = {p.word: p for p in PARAMETERS}
    values: dict[str, Any] = {}
    for written, text in settings.items():
        parameter = by_word.get(fold_handle(written))
        if parameter is None:
            near = nearest(written, by_word)
            return Refusal(
                "R-REG-1", "parameter_unknown", {"name": written, "nearest": near, "known": list(by_word)}
            )
        value = parameter.read(text)
        if value is None:
            return Refusal("R-REG-1", "parameter_value_unusable", {"name": written, "value": text})
        values[parameter.name] = value
    try:
        return book.amended(values)
    except RulebookError as error:
        word = next((p.word for p in PARAMETERS if p.name == error.name), error.name)
        return Refusal("R-REG-1", "rulebook_unusable", {"name": word, "code": error.code})


def differences(before: Rulebook, after: Rulebook) -> list[dict[str, Any]]:
    """R-REG-1: what changed, from what to what, in the words of PARAMETERS."""
    return [
        {"word": p.word, "name": p.name, "before": getattr(before, p.name), "after": getattr(after, p.name)}
        for p in PARAMETERS
        if getattr(before, p.name) != getattr(after, p.name)
    ]
