"""The words of an HTML page in lines, as a person saw them: blocks begin lines, runs of white space are one
blank.

Only lines matter to a reader of commands, so tables are rows of words, lists have their bullets or numbers,
and no style moves anything: a margin of a million lines is a small attribute.
"""

from __future__ import annotations

from parsers.characters import clean
from parsers.limits import TEXT_CHARACTERS_MAX
from parsers.mime import Unreadable

BLOCKS = frozenset((
    "address", "article", "aside", "body", "caption", "center", "dd", "details", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "frameset", "header", "hr", "html", "legend", "li",
    "main", "menu", "nav", "section", "summary", "table", "tbody", "tfoot", "thead", "tr",
))  # fmt: skip
SPACED = frozenset(("blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "ul"))
"""Blocks with an empty line before and after them."""
_WHITE = " \t\n\r\f"
_SIZE_MAX = 2 * TEXT_CHARACTERS_MAX
"""White space within a line may still fall away; half of a text is never that."""


class Page:
    """Takes the page in document order and gives its lines."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._at_start, self._gap, self._begun = True, False, False
        self._size = 0

    def text(self, text: str, preformatted: bool = False) -> None:
        """Add text; in preformatted text the line ends are the writer's own.

        Raises Unreadable("text_too_long") once it is certain that the whole will be longer than is read.
        """
        if preformatted and "\n" in text:
            first, *others = text.split("\n")
            self.text(first)
            for line in others:
                self.end_line()
                self.text(line)
        elif words := text.strip(_WHITE):
            self._begin()
            self._size += len(words)
            if self._size > _SIZE_MAX:
                raise Unreadable("text_too_long")
            self._out.append(
                text.replace("\n", " ").replace("\r", " ") if "\n" in text or "\r" in text else text
            )
        elif text and not self._at_start:
            self._out.append(" ")

    def end_line(self) -> None:
        """End the line where a `br` stands, be it empty."""
        self._begin()
        self._out.append("\n")
        self._at_start = True

    def block(self, spaced: bool = False) -> None:
        """Where a block begins or ends a new line begins; below an empty one if it is spaced."""
        if not self._at_start:
            self._out.append("\n")
            self._at_start = True
        self._gap |= spaced and self._begun

    def line(self, text: str) -> None:
        """Add a line of its own."""
        self.block()
        self.text(text)
        self.block()

    def lines(self) -> str:
        """Clean lines, each with single blanks and none at its ends."""
        lines = (" ".join(line.split()) for line in clean("".join(self._out)).split("\n"))
        return "\n".join(lines).strip("\n")

    def _begin(self) -> None:
        if self._gap:
            self._out.append("\n")
            self._gap = False
        self._at_start, self._begun = False, True
