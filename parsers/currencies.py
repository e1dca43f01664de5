"""How people name a currency beside an amount. A club counts in one; the others' names are refused there."""

from __future__ import annotations

NAMES: dict[str, tuple[str, ...]] = {
    "EUR": ("€", "EUR", "EURO", "EUROS"),
    "CHF": ("CHF", "FR", "SFR", "FRANC", "FRANCS", "FRANKEN", "FRANCO", "FRANCHI"),
    "GBP": ("£", "GBP", "POUND", "POUNDS"),
    "USD": ("$", "USD", "DOLLAR", "DOLLARS"),
}
"""Signs and words, upper case without accents, of currencies that have more than their code (ISO 4217)."""
PARTS = ("CENT", "CENTS", "CENTIME", "CENTIMES", "RAPPEN", "%")
"""What beside a number makes it no amount of ours."""
ALL = frozenset((*(name for names in NAMES.values() for name in names), *PARTS))


def names_of(currency: str) -> frozenset[str]:
    """The names of a currency, upper case without accents or full stop; of an unlisted one its code."""
    return frozenset(NAMES.get(currency, (currency,)))
