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
from babel.numbers import format_currency, get_decimal_symbol

from parsers.characters import folded

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
WIDTH = 74
"""Columns of running text; a quoting client has room for its marks."""
MINUS = "\u2212"


@lru_cache(maxsize=65536)
def money(cents: int, currency: str, language: str) -> str:
    """Write an amount with two decimals and the currency's sign: `1 234,50 €`, `CHF 1'234.50`."""
    written = format_currency(
        Decimal(cents) / 100, currency, locale=_locale(language, _AT_HOME.get(currency))
    )
    return _CODE_BEFORE.sub("\u00a0", written)


def decimal_sign(language: str) -> str:
    """Return what stands before the cents: `,` or `.`."""
    return get_decimal_symbol(_locale(language))


def signed(cents: int, currency: str, language: str) -> str:
    """Write a change of an account, always with its sign: `+12,00 €`, `−2,00 €`."""
    sign = "+" if cents > 0 else MINUS if cents < 0 else ""
    return sign + money(abs(cents), currency, language)


def typed(cents: int, currency: str, language: str) -> str:
    """Write an amount as it is typed in a command, so that it is read back: `15`, `15,50`, `1234.50`."""
    whole, rest = divmod(cents, 100)
    point = get_decimal_symbol(_locale(language, _AT_HOME.get(currency)))
    return f"{whole}{point}{rest:02d}" if rest else str(whole)


@lru_cache(maxsize=4096)
def moment(at: datetime, zone: ZoneInfo, language: str) -> str:
    """Write an instant with its weekday in club time: `mardi 3 novembre 2026 à 20:05`."""
    time = format_time(at, "short", tzinfo=zone, locale=_locale(language))
    return particulars(language)["moment"].format(day=day(at, zone, language), time=time)


@lru_cache(maxsize=4096)
def day(at: datetime, zone: ZoneInfo, language: str) -> str:
    """Write the day of an instant: `mardi 3 novembre 2026`, `dimanche 1er mars 2026`."""
    written = format_date(at.astimezone(zone).date(), "full", locale=_locale(language))
    first = particulars(language).get("first_of_month")
    return written if first is None else written.replace(" 1 ", f" {first} ", 1)


@lru_cache(maxsize=16)
def particulars(language: str) -> Mapping[str, str]:
    """Return what `language.toml` of a language's templates says of how it writes, if anything.

    `locale`: whose ways Babel follows, where not the language's at large; `moment`: how day and time are
    joined; `short_day`: a day in figures, as Babel's pattern; `first_of_month`: what stands for « 1 ».
    """
    path = TEMPLATES / language / "language.toml"
    found = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {"locale": language, "moment": "{day}, {time}", "short_day": "dd/MM/y", **found}


@lru_cache(maxsize=4096)
def short_day(at: datetime, zone: ZoneInfo, language: str) -> str:
    """Write the day of an instant in figures, for tables: `03/11/2026`."""
    pattern = particulars(language)["short_day"]
    return format_datetime(at, pattern, tzinfo=zone, locale=_locale(language))


@lru_cache(maxsize=4096)
def day_and_month(at: datetime, zone: ZoneInfo, language: str) -> str:
    """Write the day of an instant in figures, without its year, in signs of ASCII: `03/11`."""
    return format_datetime(at, "dd.MM." if language == "de" else "dd/MM", tzinfo=zone, locale=language)


def plain_amount(cents: int, language: str) -> str:
    """Write an amount without the currency's sign, in signs of ASCII: `1234,50`, `-2,00`."""
    sign = _locale(language).number_symbols["latn"]["decimal"]
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}{sign}{abs(cents) % 100:02}"


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


_AT_HOME = {"CHF": "CH"}
"""Where a currency is written in one way, whatever the language: that country's."""
_CODE_BEFORE = re.compile(r"(?<=[A-Z])(?=[0-9])")
"""Babel sets no space between a currency's letters and the figure (CLDR, currencySpacing)."""


@lru_cache(maxsize=16)
def _locale(language: str, territory: str | None = None) -> Locale:
    """Whose ways a language is written in; Babel would read its name anew for each amount."""
    return Locale.parse(particulars(language)["locale"] if territory is None else f"{language}_{territory}")


def languages(folder: Path = TEMPLATES) -> tuple[str, ...]:
    """Return the languages that mails are written in, each a folder, in the order of their names."""
    return tuple(sorted(path.name for path in folder.iterdir() if (path / "shared.md").is_file()))
