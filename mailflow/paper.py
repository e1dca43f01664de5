"""A PDF page by page: headings, figures in boxes, tables over many pages, a foot with the page's number.

Knows how things look and nothing of the club. The same calls give the same bytes: the date is handed in, and
the fonts come with the program (`mailflow/fonts`), cut down to the scripts of Europe. What they have no sign
for is shown as one that says so.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import resources

from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import TTFFont

from mailflow.words import one_line

MARGIN = 18.0
FOOT = 22.0
ROW = 6.2
INK, SOFT, RULE, SHADE = (28, 32, 38), (105, 112, 122), (205, 210, 216), (244, 246, 248)
FAMILY = "club"
CELL_MAX = 160
"""Characters of a cell that are looked at; what does not fit its column is cut."""


@dataclass(frozen=True)
class Column:
    """A column of a table. `share`: of the table's width; `right`: whether figures stand in it."""

    title: str
    share: float
    right: bool = False


class Paper(FPDF):
    """A document on A4. `foot`: what stands below each page on the left; `page`: its number, of `{nb}`."""

    def __init__(self, title: str, language: str, made_at: datetime, foot: str, page: str) -> None:
        super().__init__(format="A4")
        for style, name in (("", "DejaVuSansCondensed.ttf"), ("B", "DejaVuSansCondensed-Bold.ttf")):
            with resources.as_file(resources.files("mailflow.fonts") / name) as path:
                self.add_font(FAMILY, style, path)
        font = self.fonts[FAMILY]
        assert isinstance(font, TTFFont)
        self._signs = frozenset(font.cmap)
        self._foot, self._page_words = self._known(foot), page
        self.set_creation_date(made_at)
        self.set_title(self._known(title))
        self.set_lang(language)
        self.set_producer("mailflow")
        self.set_margins(MARGIN, MARGIN, MARGIN)
        self.set_auto_page_break(True, FOOT)

    def footer(self) -> None:
        """Called by the library at the end of each page."""
        self.set_y(-FOOT + 6)
        self._rule(0.2)
        self._ink(SOFT, 7)
        number = self._page_words.replace("{page}", str(self.page_no()))
        self.cell(self.epw * 0.78, 5, self._foot, new_x=XPos.RIGHT, new_y=YPos.TOP)
        self.cell(self.epw * 0.22, 5, number, align="R")

    # ------------------------------------------------------------ what stands on it

    def heading(self, above: str, title: str, below: Iterable[str]) -> None:
        """Begin a page with a title, a small line above it and lines below."""
        self.add_page()
        self._ink(SOFT, 9)
        self._line(above, 5)
        self._ink(INK, 20, bold=True)
        self._line(title, 10)
        self._ink(SOFT, 9.5)
        for line in below:
            self._line(line, 5)
        self.ln(5)

    def figures(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Show figures side by side, each below what it is."""
        width, top = self.epw / len(pairs), self.get_y()
        self.set_fill_color(*SHADE)
        self.rect(MARGIN, top, self.epw, 17, style="F")
        for number, (name, value) in enumerate(pairs):
            self.set_xy(MARGIN + number * width + 3, top + 3)
            self._ink(SOFT, 8)
            self.cell(width - 4, 4, self._fit(name, width - 4), new_x=XPos.LEFT, new_y=YPos.NEXT)
            self._ink(INK, 12, bold=True)
            self.cell(width - 4, 7, self._fit(value, width - 4))
        self.set_xy(MARGIN, top + 23)

    def grid(self, columns: Sequence[Column], rows: Iterable[Sequence[str]], strong: int = 0) -> None:
        """Show rows below the columns' titles, which stand on each page; the last `strong` rows are bold."""
        listed = list(rows)
        self._titles(columns)
        for number, row in enumerate(listed):
            if self.will_page_break(ROW):
                self.add_page()
                self._titles(columns)
            self._row(columns, row, bold=number >= len(listed) - strong)

    def note(self, text: str) -> None:
        """Set a paragraph in small letters."""
        self.ln(4)
        self._ink(SOFT, 8.5)
        self.multi_cell(self.epw, 4.5, self._known(text), new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    # ------------------------------------------------------------ how

    def _titles(self, columns: Sequence[Column]) -> None:
        self._ink(SOFT, 8, bold=True)
        self._cells(columns, [column.title for column in columns])
        self._rule(0.4)

    def _row(self, columns: Sequence[Column], row: Sequence[str], bold: bool) -> None:
        self._ink(INK, 9, bold)
        self._cells(columns, row)
        self._rule(0.1)

    def _cells(self, columns: Sequence[Column], texts: Sequence[str]) -> None:
        for column, text in zip(columns, texts, strict=True):
            width = self.epw * column.share
            shown = self._fit(text, width - 2)
            self.cell(width, ROW, shown, align="R" if column.right else "L", new_y=YPos.TOP)
        self.ln(ROW)

    def _fit(self, text: str, width: float) -> str:
        """Cut a text so that it stays within its place."""
        shown = self._known(one_line(text, CELL_MAX))
        if self.get_string_width(shown) <= width:
            return shown
        while shown and self.get_string_width(shown + "…") > width:
            shown = shown[:-1]
        return shown + "…"

    def _known(self, text: str) -> str:
        """Put a sign that says so where the fonts have none; a letter without its accent is better."""
        composed = unicodedata.normalize("NFC", text)
        return "".join(c if ord(c) in self._signs else self._plainer(c) for c in composed)

    def _plainer(self, character: str) -> str:
        plain = unicodedata.normalize("NFKD", character)
        return plain if all(ord(c) in self._signs for c in plain) else "\N{REPLACEMENT CHARACTER}"

    def _line(self, text: str, height: float) -> None:
        self.cell(self.epw, height, self._fit(text, self.epw), new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def _ink(self, color: tuple[int, int, int], size: float, bold: bool = False) -> None:
        self.set_font(FAMILY, "B" if bold else "", size)
        self.set_text_color(*color)

    def _rule(self, thick: float) -> None:
        self.set_draw_color(*RULE)
        self.set_line_width(thick)
        self.line(MARGIN, self.get_y(), MARGIN + self.epw, self.get_y())
