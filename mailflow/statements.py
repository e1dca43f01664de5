"""A statement of account as a file: a PDF to be printed and kept, a CSV for a spreadsheet.

Both say what COMPTE shows, in the reader's language; the words are in `statement.md`. The PDF bears the head
of the audit chain (P-10), so that who keeps it is a witness of the books as they stood.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mailflow import literal, words
from mailflow.letters import Letters, Reader
from mailflow.model import Club
from store.records import Part, Statement

if TYPE_CHECKING:  # the library takes its time to load: only who wants a PDF waits for it
    from mailflow.paper import Column, Paper

BOM = "\ufeff"
"""Without it a spreadsheet takes the file for the system's own code page."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Writer:
    """Writes statements for one reader."""

    letters: Letters
    reader: Reader
    club: Club

    def word(self, name: str, **values: Any) -> str:
        """Fill a macro of `statement.md`."""
        return self._filled(name, values)

    def line(self, line: object) -> str:
        """Say what an entry was for."""
        return self._filled("line", line)

    def _filled(self, name: str, values: object) -> str:
        filled = self.letters.phrase("statement", name, values, self.reader, self.club)
        return words.one_line(literal.words(str(filled)), 400)

    @property
    def language(self) -> str:
        return self.letters.language_for(self.reader)

    def money(self, cents: int) -> str:
        return words.money(cents, self.club.currency, self.language)

    def signed(self, cents: int) -> str:
        return words.signed(cents, self.club.currency, self.language)


def part(form: str, statement: Statement, writer: Writer) -> Part:
    """Return a member's statement as a file to attach. `form`: PDF or CSV."""
    name = writer.word("file", handle=writer.reader.handle)
    kind, made = _FORMS[form]
    return Part(kind, f"{name}.{form.lower()}", made(statement, writer))


# ---------------------------------------------------------------- CSV


def _as_csv(statement: Statement, writer: Writer) -> bytes:
    decimal = words.decimal_sign(writer.language)
    text = io.StringIO(BOM)
    text.seek(0, io.SEEK_END)
    table = csv.writer(text, delimiter=";" if decimal == "," else ",", lineterminator="\r\n")
    for row in _csv_rows(statement, writer, decimal):
        table.writerow(row)
    return text.getvalue().encode()


def _csv_rows(statement: Statement, writer: Writer, decimal: str) -> Iterator[Sequence[str]]:
    """Dates as ISO 8601, which every spreadsheet knows; amounts bare, with the language's decimal sign."""
    zone = writer.club.timezone
    yield [writer.word(name) for name in ("date", "operation", "amount", "balance")]
    yield "", inert(writer.word("opening")), "", units(statement.opening_cents, decimal)
    for line in statement.lines:
        day = line.at.astimezone(zone).date().isoformat()
        cents = (line.amount_cents, line.balance_cents)
        yield day, inert(writer.line(line)), *(units(c, decimal) for c in cents)
    yield "", inert(writer.word("closing")), "", units(statement.closing_cents, decimal)


def inert(text: str) -> str:
    """Keep a spreadsheet from taking words for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def units(cents: int, decimal: str) -> str:
    """Write an amount for a machine: no currency, no grouping."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}{decimal}{abs(cents) % 100:02}"


# ---------------------------------------------------------------- PDF


def _as_pdf(statement: Statement, writer: Writer) -> bytes:
    title = writer.word("title", handle=writer.reader.handle)
    paper = new_paper(title, writer)
    draw(paper, statement, writer)
    return bytes(paper.output())


def new_paper(title: str, writer: Writer) -> Paper:
    """Return an empty document of the club."""
    from mailflow.paper import Paper

    club = writer.club
    foot = writer.word("head", head=club.books.chain_head())
    return Paper(title, writer.language, club.now, foot, writer.word("page"))


def draw(paper: Paper, statement: Statement, writer: Writer) -> None:
    """Put a member's statement on pages of its own."""
    reader, club = writer.reader, writer.club
    title = writer.word("title", handle=reader.handle)
    period = writer.word("period", since=statement.since, until=statement.until)
    paper.heading(club.name, title, (period, writer.word("written", at=club.now)))
    paper.figures((
        (writer.word("opening"), writer.money(statement.opening_cents)),
        (writer.word("closing"), writer.money(statement.closing_cents)),
        (writer.word("committed"), writer.money(reader.committed_cents)),
        (writer.word("available"), writer.money(reader.available_cents)),
    ))  # fmt: skip
    paper.grid(_columns(writer), _pdf_rows(statement, writer), strong=1)
    if not statement.lines:
        paper.note(writer.word("nothing"))
    if statement.omitted:
        paper.note(writer.word("omitted", omitted=statement.omitted))


def _columns(writer: Writer) -> Sequence[Column]:
    from mailflow.paper import Column

    return (
        Column(writer.word("date"), 0.13),
        Column(writer.word("operation"), 0.53),
        Column(writer.word("amount"), 0.17, right=True),
        Column(writer.word("balance"), 0.17, right=True),
    )


def _pdf_rows(statement: Statement, writer: Writer) -> Iterator[Sequence[str]]:
    zone, language = writer.club.timezone, writer.language
    yield "", writer.word("opening"), "", writer.money(statement.opening_cents)
    for line in statement.lines:
        day = words.short_day(line.at, zone, language)
        yield day, writer.line(line), writer.signed(line.amount_cents), writer.money(line.balance_cents)
    yield "", writer.word("closing"), "", writer.money(statement.closing_cents)


_FORMS: Mapping[str, tuple[str, Callable[[Statement, Writer], bytes]]] = {
    "PDF": ("application/pdf", _as_pdf),
    "CSV": ("text/csv; charset=utf-8", _as_csv),
}
