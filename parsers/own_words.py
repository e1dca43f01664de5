"""The member's own words: the text without quotes, history, signature and footers (hazards A and B, T-29).

The text is read once, line by line, from the top. A mark either cuts one line (a quote), a few lines (an
attribution above quoted lines) or all the rest; the first one that cuts the rest wins (A23). So an answer
below or between quoted lines is kept (A20, A21), and history without marks is cut to its end (A18).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from parsers.characters import folded
from parsers.history import (
    attribution_end,
    is_footer,
    is_header_block,
    is_history_marker,
    is_quoted,
    is_reply_marker,
    is_rule_above_labels,
    is_sent_from,
    is_signature_mark,
    may_be_marked,
)

_WRAPPED_QUOTE_CHARACTERS_MIN = 60


class Line(NamedTuple):
    """One own line: its number in the text, from 1, its words, and the same folded; a blank line has none."""

    number: int
    text: str
    key: str


def line_of(number: int, text: str) -> Line:
    """A line that stands by itself."""
    return Line(number, text, folded(text))


@dataclass(frozen=True)
class Cut:
    """Lines `first` to `last` (from 1) that are not the member's own, and why.

    `reason` is one of quote, attribution, history, signature, footer, ours (a mail of ours, `our_mails`);
    `mark` says what told so where that differs: of a history `marker` (« -----Message d'origine----- », a
    line to write above), `labels` (De / Envoyé / À / Objet) or `attribution`.
    """

    first: int
    last: int
    reason: str
    mark: str = ""


@dataclass(frozen=True)
class OwnWords:
    """What is left, and what was cut, in order."""

    lines: tuple[Line, ...]
    cuts: tuple[Cut, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that says anything: rules and dashes do not count (A25, D28)."""
        return not any(c.isalnum() for line in self.lines for c in line.text)

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


def own_words(text: str, stuffed: bool = False) -> OwnWords:
    """Part the clean text into own lines and cuts; linear in its length.

    `stuffed` says that the text was format=flowed, where a blank before `>` makes the line the writer's own.
    """
    lines, keys = text.split("\n"), folded(text).split("\n")
    marked = may_be_marked(lines, keys)
    kept: list[Line] = []
    cuts: list[Cut] = []
    at = 0
    while at < len(lines):
        cut = _cut_at(lines, at, stuffed) if marked[at] else None
        if cut is None:
            kept.append(Line(at + 1, lines[at], keys[at]))
            at += 1
            continue
        if cuts and cuts[-1].reason == cut.reason and cuts[-1].last == at:
            cuts[-1] = replace(cut, first=cuts[-1].first)
        else:
            cuts.append(cut)
        at = cut.last
    return OwnWords(tuple(kept), tuple(cuts))


def _cut_at(lines: list[str], at: int, stuffed: bool) -> Cut | None:
    """What is cut from this line on, if anything."""
    line, first, rest = lines[at], at + 1, len(lines)
    if not line or line.isspace():
        return None
    if is_quoted(line, stuffed) or _is_wrap_of_quote(lines, at, stuffed):
        return Cut(first, first, "quote")
    if is_signature_mark(line):
        return Cut(first, rest, "signature")
    if is_history_marker(line) or is_reply_marker(line):
        return Cut(first, rest, "history", "marker")
    if is_header_block(lines, at):
        return Cut(first, rest, "history", "labels")
    end = attribution_end(lines, at, stuffed)
    if end is not None:
        below = next((x for x in lines[end : end + 6] if x.strip()), "")
        if is_quoted(below, stuffed):
            return Cut(first, end, "attribution")
        return Cut(first, rest, "history", "attribution")
    if is_sent_from(line):
        return Cut(first, rest, "signature")
    if is_rule_above_labels(lines, at):
        return Cut(first, rest, "history", "labels")
    if is_footer(lines, at):
        return Cut(first, rest, "footer")
    return None


def _is_wrap_of_quote(lines: list[str], at: int, stuffed: bool) -> bool:
    """The tail of a quoted line that a program broke in two: unmarked, between two quoted lines."""
    if at == 0 or at + 1 >= len(lines):
        return False
    above, below = lines[at - 1], lines[at + 1]
    return (
        len(above) >= _WRAPPED_QUOTE_CHARACTERS_MIN
        and is_quoted(above, stuffed)
        and is_quoted(below, stuffed)
    )
