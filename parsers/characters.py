"""Characters: one way to write a space, an accent, an apostrophe, and none to hide a letter.

`clean` runs once over every text that comes out of a mail; `folded` makes words comparable.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_HYPHENS = "\u2010\u2011"
_SPACES = "\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_LINE_ENDS = "\x0b\x0c\x85\u2028\u2029"
# Format characters and other invisible letters (hazards C24, E15). Direction overrides are not among
# them: the line that holds one has to be refused, not repaired (C26).
_INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180e\u200b\u200c\u200e\u200f\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
_OVERRIDES = "\u202a-\u202e\u2066-\u2069"

_UNUSUAL = re.compile(f"[{_SPACES}{_LINE_ENDS}{_INVISIBLE}{_HYPHENS}\ud800-\udfff\u200d\ufe00-\ufe0f]")
_SPACE = re.compile(f"[{_SPACES}]")
_LINE_END = re.compile(f"[{_LINE_ENDS}]")
_HIDDEN = re.compile(f"[{_INVISIBLE}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# A joiner or variation selector is kept only where it belongs to a picture (an emoji).
_STRAY_JOINER = re.compile("(?<![\u2190-\U0010ffff])[\u200d\ufe00-\ufe0f]+")
_OVERRIDE = re.compile(f"[{_OVERRIDES}]")
_APOSTROPHES = "‘’‛ʼ′´`"
_APOSTROPHE = re.compile(f"[{_APOSTROPHES}]")

_ACCENTS = re.compile("[\u0300-\u034e\u0350-\u036f]")
_COMMON = re.compile("[\x00-\x7f«»‘’“”„–—•·…€°]*")

# Letters of other scripts that look like a Latin one; enough to notice an imitation, never to repair it.
_LOOKALIKES = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "ABEKMHOPCTYXIJSABEZHIKMNOPTYX",
)


def clean(text: str) -> str:
    """Make the text NFC with plain spaces and hyphens, LF line ends and no hidden characters (hazards A01,
    C23-C28).

    Direction overrides and all visible letters stay as they are; lone surrogates become U+FFFD.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _UNUSUAL.search(text):
        text = _SPACE.sub(" ", text)
        text = _LINE_END.sub("\n", text)
        text = text.replace("\u2010", "-").replace("\u2011", "-")
        text = _HIDDEN.sub("", text)
        text = _SURROGATE.sub("\ufffd", text)
        text = _STRAY_JOINER.sub("", text)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


class _Folding(dict[int, str]):
    """What becomes of a letter; those that texts are full of are remembered."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        # str.upper would make I and S of the dotless i and the long s, and thereby a keyword of another word.
        capital = letter if letter in "\u0131\u017f" else letter.upper()
        if unicodedata.combining(letter):
            capital = ""
        if code < _REMEMBERED_MAX:
            self[code] = capital
        return capital


_REMEMBERED_MAX = 0x3000
_FOLDING = _Folding(dict.fromkeys(map(ord, _APOSTROPHES), "'"))
_WORD_CHARACTERS_MAX = 64


def folded(text: str) -> str:
    """Give the text in capitals, without accents, with plain apostrophes; other scripts stay (C25).

    Line by line it is the same as at once.
    """
    return _folded_word(text) if len(text) <= _WORD_CHARACTERS_MAX else _folded(text)


def _folded(text: str) -> str:
    if text.isascii():
        return text.upper().replace("`", "'")
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    if _COMMON.fullmatch(bare):
        return _APOSTROPHE.sub("'", bare.upper())
    return bare.translate(_FOLDING)


_folded_word = lru_cache(maxsize=4096)(_folded)


def likeness(word: str) -> str:
    """Give the folded word with letters that merely look Latin replaced (C25): for hints only."""
    return folded(word).translate(_LOOKALIKES)


def has_override(text: str) -> bool:
    """Whether the text holds a character that reverses the direction of writing (C26, T-26)."""
    return not text.isascii() and _OVERRIDE.search(text) is not None


def without_overrides(text: str) -> str:
    """Give the text as it would read without its direction overrides."""
    return _OVERRIDE.sub("", text)


def one_line(text: str) -> str:
    """Join all white space, line ends included, to single spaces (E12: no header injection)."""
    return " ".join(text.split())
