"""How values are written for people: amounts, days, lists. The filters of the templates.

Amounts and dates are written by Babel as the reader's language does it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_datetime, format_time
from babel.lists import format_list
from babel.numbers import format_currency

from parsers.characters import folded

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
WIDTH = 74
"""Columns of running text; a quoting client has room for its marks."""
MINUS = "\u2212"


@lru_cache(maxsize=65536)
def money(cents: int, currency: str, language: str) -> str:
    """Write an amount with two decimals and the currency's sign: `1 234,50 €`."""
    return format_currency(Decimal(cents) / 100, currency, locale=_locale(language))


def signed(cents: int, currency: str, language: str) -> str:
    """Write a change of an account, always with its sign: `+12,00 €`, `−2,00 €`."""
    sign = "+" if cents > 0 else MINUS if cents < 0 else ""
    return sign + money(abs(cents), currency, language)


@lru_cache(maxsize=4096)
def moment(at: datetime, zone: ZoneInfo, language: str) -> str:
    """Write an instant with its weekday in club time: `mardi 3 novembre 2026 à 20:05`."""
    time = format_time(at, "short", tzinfo=zone, locale=language)
    return particulars(language)["moment"].format(day=day(at, zone, language), time=time)


@lru_cache(maxsize=4096)
def day(at: datetime, zone: ZoneInfo, language: str) -> str:
    """Write the day of an instant: `mardi 3 novembre 2026`, `dimanche 1er mars 2026`."""
    written = format_date(at.astimezone(zone).date(), "full", locale=language)
    first = particulars(language).get("first_of_month")
    return written if first is None else written.replace(" 1 ", f" {first} ", 1)


@lru_cache(maxsize=16)
def particulars(language: str) -> Mapping[str, str]:
    """Return what `language.toml` of a language's templates says of how it writes, if anything."""
    path = TEMPLATES / language / "language.toml"
    found = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {"moment": "{day}, {time}", **found}


@lru_cache(maxsize=4096)
def short_day(at: datetime, zone: ZoneInfo, language: str) -> str:
    """Write the day of an instant in figures, for tables: `03/11/2026`."""
    return format_datetime(at, "dd/MM/y", tzinfo=zone, locale=language)


def wrapped(text: str, width: int) -> list[str]:
    """Break words into lines of at most `width` columns; only a longer word sticks out.

    A no-break space stays within its word, so that an amount is never torn from its sign.
    """
    if len(text) <= width:
        return [text]
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + len(word) >= width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def one_line(text: str, characters_max: int) -> str:
    """Keep a text on one line and without control characters (T-26, hazards E12, B12)."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(plain.split())[:characters_max]


def bound(text: str, keywords: frozenset[str]) -> str:
    """Bind each of these words, and each figure, to the word before it by a no-break space.

    No line, however a program wraps it, then begins with a word that a command begins with: a mail of ours
    that is pasted without any mark asks for nothing (TRUST § 4). The keywords are folded. A figure stays
    with what it counts or names, as books are set: « partie 12 », « janvier 2026 ».
    """
    return _WORD.sub(lambda found: ("\u00a0" if _is_bound(found[1], keywords) else " ") + found[1], text)


def _is_bound(word: str, keywords: frozenset[str]) -> bool:
    return word.isdecimal() or _folded(word) in keywords


_WORD = re.compile(r" (\d+|[^\W\d_]+)")
_folded = lru_cache(maxsize=16384)(folded)


def names(handles: Iterable[str], language: str) -> str:
    """Write a list of handles: `anna, bela et carl`."""
    return format_list(list(handles), locale=_locale(language))


_locale = lru_cache(maxsize=16)(Locale.parse)
"""Babel would read the language's name anew for each amount."""
