"""What stands in a cell becomes an amount, a day, a list of handles; several countries' ways of writing them.

Never a float, and never a guess: `1.500` could be either and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache

from babel.dates import get_month_names

from parsers.characters import folded

AMOUNT_CENTS_MAX = 10**9
_SPACES = "\u00a0\u202f\u2009 '\u2019"
_AMOUNT = re.compile(r"(?P<sign>[+-]?)(?P<whole>\d{1,3}(?:[ .,]\d{3})+|\d+)(?:[.,](?P<cents>\d{1,2}))?")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]00:00(?::00)?)?")
_FIGURES = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})")
_WORDS = re.compile(r"(\d{1,2})(?:ER|\.)? ([^\W\d_]+)\.? (\d{4})")
_SIGNS = re.compile(r"^(?:€|EUR|CHF|FR\.) ?| ?(?:€|EUR|CHF|FR\.)$")
_PARTED = re.compile(r"\s*(?:[,;/+|]| et | and | und | e )\s*|\s+")
_PLACE = re.compile(r"(\d+)(?:ER|ERE|E|\.|°|\))? ?[=:. ] ?(.+)", re.IGNORECASE)


def cents(text: str) -> int | None:
    """Read an amount, which may be negative; None where it is none, or could be two."""
    plain = text.upper().replace("\u2212", "-").replace("\u2013", "-")
    plain = re.sub(rf"[{_SPACES}]", " ", plain).strip()
    plain = re.sub(r"^([+-]) ", r"\1", _SIGNS.sub("", plain).strip())
    found = _AMOUNT.fullmatch(plain)
    if found is None or not plain.isascii():
        return None
    whole, decimals = found["whole"], found["cents"]
    marks = set(re.sub(r"\d", "", whole))
    if len(marks) > 1 or (marks & {".", ","} and not _clear(plain, whole, marks.pop(), decimals)):
        return None
    value = int(re.sub(r"\D", "", whole)) * 100 + int((decimals or "").ljust(2, "0"))
    if value > AMOUNT_CENTS_MAX:
        return None
    return -value if found["sign"] == "-" else value


def _clear(plain: str, whole: str, mark: str, decimals: str | None) -> bool:
    """A point or comma parts thousands where another sign parts the cents, or where it recurs."""
    if decimals is None:
        return whole.count(mark) > 1
    return plain[-len(decimals) - 1] != mark


def day(text: str) -> date | None:
    """Read a day: `2026-12-31`, `31/12/2026`, `31.12.2026`, `31 déc. 2026`."""
    plain = folded(" ".join(text.split()))
    if found := _ISO.fullmatch(plain):
        year, month, number = (int(part) for part in found.groups())
    elif found := _FIGURES.fullmatch(plain):
        number, month, year = (int(part) for part in found.groups())
    elif (found := _WORDS.fullmatch(plain)) and found[2] in _months():
        number, month, year = int(found[1]), _months()[found[2]], int(found[3])
    else:
        return None
    try:
        return date(year, month, number)
    except ValueError:
        return None


@lru_cache(maxsize=1)
def _months() -> Mapping[str, int]:
    """The names of months in our languages, whole and short, upper case without accents."""
    return {
        folded(name).strip("."): number
        for language in ("fr", "en", "de", "it")
        for width in ("wide", "abbreviated")
        for number, name in get_month_names(width, locale=language).items()
    }


def handles(text: str) -> tuple[str, ...]:
    """Read a list of handles, parted by commas, blanks or the like."""
    return tuple(word.casefold() for word in _PARTED.split(text) if word)


def places(text: str) -> tuple[str, ...] | None:
    """Read the paid places, best first: `bela, carl`, or `1=bela 2=carl` in any order."""
    words = [word for word in re.split(r"\s*[,;/|]\s*|\s+(?=\d+\s*=)", text) if word]
    ranked = [_PLACE.fullmatch(word) for word in words]
    if not any(ranked):
        return handles(text)
    numbered = {int(found[1]): found[2].strip().casefold() for found in ranked if found}
    if len(numbered) != len(words) or sorted(numbered) != list(range(1, len(words) + 1)):
        return None
    return tuple(numbered[place] for place in sorted(numbered))


def yes(text: str) -> bool | None:
    """Read whether something is so; None where neither is said."""
    word = folded(text)
    if word in ("OUI", "YES", "JA", "SI", "X", "1", "VRAI", "TRUE"):
        return True
    return False if word in ("NON", "NO", "NEIN", "0", "FAUX", "FALSE") else None
