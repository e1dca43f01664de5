"""Words to values: amounts, handles, dates, places. One small strict function each.

Money and identity are never guessed (hazards H01, H02, C29; T-18, T-19): a word either is exactly one value
or none. Digits are the ten ASCII ones; nothing ever passes through a float.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from functools import lru_cache

from parsers.addresses import canonical
from parsers.characters import folded
from parsers.currencies import names_of

AMOUNT_CENTS_MAX = 100_000_000
"""A million euros: whatever is above was not meant."""

_HANDLE = re.compile(r"\w[\w.-]{1,23}\Z")
_ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})\Z")
_LOCAL_DATE = re.compile(r"([0-9]{1,2})[/.]([0-9]{1,2})[/.]([0-9]{4})\Z")
_RANK = re.compile(r"([1-9][0-9]?)(?:ER|ERE|RE|E|EME|IEME|ND|NDE|ST|RD|TH|O|A|°|\.|\))\Z")
_GAME = re.compile(r"(?:N ?[°O]?\.? ?|NO\.? ?|NR\.? ?|NUMERO ?|NUMBER ?|#)?([0-9]{1,9})\Z")
_TRAILING = ".,;:!?\u2026\"'»«”“„)(* "
_LEADING = "\"'«»”“„(* "


def amount_cents(text: str, currency: str = "EUR") -> int | str:
    """Read an amount as cents, or give the code of what is wrong with it.

    `15`, `15,50`, `15.5`, `€15`, `15 €`, `1 234,50 euros`; in francs `Fr. 12.-` and `CHF 1'234.50` too. Not:
    signs, three decimals (`1.500` could be either), two separators, other currencies, exponents, other
    scripts' digits.
    """
    word = folded(" ".join(text.split()).strip(_TRAILING.replace(" ", "")).strip())
    found = _amount(currency).match(word)
    if not found or (found["before"] and found["after"]):
        return "amount_unreadable"
    euros, decimals = re.sub("[ '’]", "", found["whole"]), (found["rest"] or "").strip("-–—").ljust(2, "0")
    if euros.startswith("0") and len(euros) > 1:
        return "amount_unreadable"
    cents = int(euros) * 100 + int(decimals)
    if cents == 0:
        return "amount_zero"
    return cents if cents <= AMOUNT_CENTS_MAX else "amount_too_large"


@lru_cache(maxsize=16)
def _amount(currency: str) -> re.Pattern[str]:
    """The form of an amount; francs part thousands by an apostrophe, and may end in `.-`."""
    names = sorted(names_of(currency), key=len, reverse=True)
    words = "|".join(re.escape(name) for name in names)
    apart, rest = ("[ '’]", "[0-9]{1,2}|[-–—]{1,2}") if currency == "CHF" else (" ", "[0-9]{1,2}")
    stop = r"\.?" if currency == "CHF" else ""
    signs = "".join(re.escape(name) for name in names if not name.isalpha())
    before = rf"(?:(?:{words}){stop} |[{signs}])" if signs else rf"(?:{words}){stop} ?"
    return re.compile(
        rf"(?P<before>{before})?(?P<whole>[0-9]{{1,9}}|[0-9]{{1,3}}(?:{apart}[0-9]{{3}}){{1,2}})"
        rf"(?:[.,](?P<rest>{rest}))?(?P<after> ?(?:{words}){stop})?\Z"
    )


def looks_like_amount(word: str) -> bool:
    """Whether the word can only have been meant as an amount, right or wrong."""
    return bool(word) and (word[0].isdigit() or (word[0] in "€$£+-−–" and any(c.isdigit() for c in word)))


def handle(word: str, keywords: frozenset[str], length_min: int = 2) -> str | None:
    """Read a handle, lower case, accents kept; None if it is none.

    2 to 24 letters, digits, `_ . -`, with at least one letter or digit; all its letters of one script, for a
    name that merely looks like another member's is a trap (C25, T-19); never a keyword (folded) of the
    grammar.
    """
    word = unicodedata.normalize("NFC", word.strip(_LEADING).rstrip(_TRAILING)).lower()
    if not _HANDLE.match(word) and not (length_min == 1 and len(word) == 1 and word.isalnum()):
        return None
    if not all(c in "_.-" or c.isalpha() or (c.isascii() and c.isdigit()) for c in word):
        return None
    scripts = (
        {unicodedata.name(c, "?").split()[0] for c in word if not c.isascii()}
        if not word.isascii()
        else set()
    )
    ascii_letters = any(c.isascii() and c.isalpha() for c in word)
    if len(scripts) > 1 or (scripts and scripts != {"LATIN"} and ascii_letters):
        return None
    return None if folded(word) in keywords else word


def iso_date(word: str) -> str | None:
    """Read `2026-01-31` or `31/01/2026` as ISO 8601; None if it is no day of the calendar."""
    word = word.strip(_TRAILING)
    if found := _ISO_DATE.match(word):
        year, month, day = (int(g) for g in found.groups())
    elif found := _LOCAL_DATE.match(word):
        day, month, year = (int(g) for g in found.groups())
    else:
        return None
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        return None


def rank(word: str) -> int | None:
    """Read an ordinal, `1er`, `2e`, `3ème`, `1.`, as a place; a bare number is none."""
    found = _RANK.match(folded(word))
    return int(found[1]) if found else None


def game_number(word: str) -> int | None:
    """Read a game's number: `12`, `#12`, `n°12`, with closing punctuation; None for 0 and all else."""
    found = _GAME.match(folded(word).rstrip(_TRAILING))
    number = int(found[1]) if found else 0
    return number or None


def address(word: str) -> str | None:
    """Read an e-mail address, canonical, perhaps in angle brackets."""
    return canonical(word.strip("<>()\"' ").rstrip(".,;:!?"))
