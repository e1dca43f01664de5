"""What is filled into a template is words, and never markup (T-26, T-27).

Every `{{ … }}` of every template passes through `literal`, which Jinja calls by itself: its signs are put
into disguise, each as one character of Unicode's private area, so that tables and line breaks made later
come out right. Only the text of the templates and what a macro or a filter gives as `Markup` is markup.
`source` ends the disguise: it puts a backslash before the signs that would mean something where they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup

_SIGNS = "\\`*_#+-=~|:<>[].)& "
_ALWAYS = "\\|[]#"
"""Signs that may mean something anywhere in a block; the others only where a line begins."""
_DISGUISES = 0xE000
_DISGUISE = {ord(sign): chr(_DISGUISES + ord(sign)) for sign in _SIGNS}
_DISGUISE |= dict.fromkeys((*range(32), 127, 133, 8232, 8233), "\ue020")
_DISGUISE |= {_DISGUISES + code: "\N{REPLACEMENT CHARACTER}" for code in range(256)}
_BARE = tuple((chr(_DISGUISES + ord(sign)), sign) for sign in _SIGNS)
_ESCAPED = tuple((disguise, "\\" + sign if sign in _ALWAYS else sign) for disguise, sign in _BARE)
_TOUCHED = re.compile(f"[{re.escape(''.join(map(chr, _DISGUISE)))}]")
_DISGUISED = re.compile("[\ue000-\ue0ff]")
_LINE_START = re.compile(r"^((?:[^\S\n]|[\ue020>]|[-*+|] |\d+[.)] )*)(\d*)([\ue000-\ue0ff])", re.MULTILINE)
_BLANKS = re.compile(r"[^\S ]|\ue020")


def literal(value: object) -> Markup:
    """Return a value as words in disguise, on one line; what is markup already stays as it is."""
    if isinstance(value, Markup):
        return value
    text = str(value)
    return Markup(text if _TOUCHED.search(text) is None else text.translate(_DISGUISE))


def quoted(text: str) -> Markup:
    """Return what a member wrote as a quote, line by line: the filter of the same name."""
    return Markup("\n".join(f"> {literal(line.strip())}".rstrip() for line in text.strip().split("\n")))


def form(lines: str | Iterable[str]) -> Markup:
    """Return lines to be shown as they stand, one below the other: the filter of the same name.

    Blanks at a line's beginning are its own indentation, and stay.
    """
    shown = (lines,) if isinstance(lines, str) else lines
    return Markup("\n".join(f"    {_indented(line)}" for line in shown))


def _indented(line: str) -> str:
    bare = line.lstrip(" ")
    return " " * (len(line) - len(bare)) + literal(bare)


def source(filled: str) -> str:
    """Return filled markup as it is kept: the signs that a value brought along mean nothing in it."""
    if _DISGUISED.search(filled) is None:
        return filled
    return _exchanged(_LINE_START.sub(_escaped_start, filled), _ESCAPED)


def _escaped_start(found: re.Match[str]) -> str:
    """What a value brings to the beginning of a line begins no block; its blanks there are dropped."""
    before, digits, sign = _BLANKS.sub("", found[1]), found[2], chr(ord(found[3]) - _DISGUISES)
    if sign == " ":
        return f"{before}{digits} "
    return f"{before}{digits}\\{sign}"


def kept(text: str) -> Markup:
    """Return the kept markup of a mail of ours, to be shown within another, which has its own title."""
    return Markup(_TITLE.sub("### ", text.strip("\n")))


_TITLE = re.compile(r"^# ", re.MULTILINE)


def words(filled: str) -> str:
    """Return filled markup without disguise nor backslash: for a place that knows no markup, the subject."""
    return _exchanged(filled, _BARE)


def _exchanged(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    """Twenty replacements of one character are several times as fast as one `translate` of a mail."""
    for old, new in pairs:
        text = text.replace(old, new)
    return text


_BACKSLASH = re.compile(r"\\([!-/:-@\[-`{-~])")


def unescaped(text: str) -> str:
    """Return the words that a piece of kept markup stands for."""
    return _BACKSLASH.sub(r"\1", text) if "\\" in text else text
