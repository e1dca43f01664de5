"""Text between signs -> lines: where a line begins on the page that a person sees.

A page is one string in which the signs stand where the tags stood. They are control characters, which no
well-formed markup can hold, so that no text can pass for one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from parsers.characters import clean

BLOCK, SPACED, BREAK = "\x01", "\x02", "\x03"
"""Where a block begins or ends, and a new line with it; the same with an empty line above; a `br`."""

_RUN = re.compile(f"[{BLOCK}{SPACED}{BREAK}][ \t{BLOCK}{SPACED}{BREAK}]*")
_NO_BLANKS = str.maketrans("", "", " \t")
_BLANKS = re.compile(" {2,}")
_COMMON_RUN_CHARACTERS_MAX = 40


def lines_of(page: str) -> str:
    """The page's text in clean lines, each with single blanks and none at its ends.

    Line ends of the text itself are blanks; the page has `&`, `<` and `>` escaped, as in XML.
    """
    text = _RUN.sub(_ends, page.replace("\n", " "))
    if "&" in text:
        text = text.replace("&#13;", " ").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    text = _BLANKS.sub(" ", clean(text))
    return text.replace("\n ", "\n").replace(" \n", "\n").strip("\n ")


def _ends(run: re.Match[str]) -> str:
    """The line ends that a run of signs makes; long runs are too rare to be kept."""
    signs = run[0]
    return _line_ends(signs) if len(signs) < _COMMON_RUN_CHARACTERS_MAX else _line_ends.__wrapped__(signs)


@lru_cache(maxsize=1024)
def _line_ends(signs: str) -> str:
    """A block ends the line, if it is not ended; each `br` ends one, be it empty.

    Spaced blocks leave an empty line, one between two things that are seen, and a `br` is one of those.
    """
    signs = signs.translate(_NO_BLANKS)
    gaps = sum(SPACED in between for between in signs.split(BREAK))
    return "\n" * (signs.count(BREAK) + gaps + (signs[0] != BREAK))
