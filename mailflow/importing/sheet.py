"""A file's bytes become rows under known column names: encoding, separator and kind are recognised.

The kind follows from the header alone. A row bears the number that a spreadsheet shows, the header's being 1.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

from mailflow.errors import MailflowError
from parsers.characters import folded

BYTES_MAX, ROWS_MAX = 5_000_000, 20_000
SEPARATORS = (";", ",", "\t")


class Unusable(MailflowError):
    """The file as a whole cannot be taken over."""


@dataclass(frozen=True)
class Row:
    """One row: column to what stands in it, without blanks around; absent where nothing does."""

    number: int
    cells: Mapping[str, str]


@dataclass(frozen=True)
class Sheet:
    """`kind`: members, balances or games. `form`: what was recognised, for people."""

    kind: str
    rows: tuple[Row, ...]
    form: str


COLUMNS: Mapping[str, tuple[str, ...]] = {
    "handle": (
        "PSEUDO",
        "HANDLE",
        "JOUEUR",
        "MEMBRE",
        "PLAYER",
        "MEMBER",
        "SPIELER",
        "MITGLIED",
        "GIOCATORE",
    ),
    "address": ("ADRESSE", "EMAIL", "E-MAIL", "MAIL", "ADDRESS", "COURRIEL", "INDIRIZZO"),
    "name": ("NOM", "NAME", "NOME"),
    "language": ("LANGUE", "LANGUAGE", "SPRACHE", "LINGUA"),
    "manager": ("GESTIONNAIRE", "MANAGER", "VERWALTER", "GESTORE"),
    "date": ("DATE", "JOUR", "DAY", "DATUM", "DATA"),
    "balance": ("SOLDE", "BALANCE", "SALDO", "KONTOSTAND"),
    "buyin": ("MISE", "BUYIN", "BUY-IN", "CAVE", "EINSATZ", "POSTA"),
    "players": ("JOUEURS", "PLAYERS", "PARTICIPANTS", "SPIELER UND SPIELERINNEN", "GIOCATORI", "TEILNEHMER"),
    "places": (
        "CLASSEMENT",
        "PLACES",
        "GAGNANTS",
        "RESULTAT",
        "WINNERS",
        "PLATZE",
        "PLATZIERUNG",
        "CLASSIFICA",
    ),
}
"""Each column with the words by which a header may call it, upper case without accents."""
KINDS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "games": (frozenset({"date", "buyin", "players", "places"}), frozenset()),
    "balances": (frozenset({"handle", "balance"}), frozenset({"date", "name"})),
    "members": (frozenset({"handle", "address"}), frozenset({"name", "language", "manager"})),
}
"""Each kind with the columns that it must have, and those that it may have."""
_BY_WORD = {word: column for column, words in COLUMNS.items() for word in words}


def read(data: bytes) -> Sheet:
    """Read a file. Raises Unusable."""
    if len(data) > BYTES_MAX:
        raise Unusable(f"the file is larger than {BYTES_MAX // 1_000_000} MB")
    text, encoding = _decoded(data)
    separator = max(SEPARATORS, key=lambda sign: _recognised(text, sign))
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise Unusable(f"the file is no CSV: {error}") from error
    if not lines or not any(cell.strip() for cell in lines[0]):
        raise Unusable("the file begins with no header")
    if len(lines) > ROWS_MAX:
        raise Unusable(f"the file has more than {ROWS_MAX} rows")
    kind, columns = _kind(lines[0])
    rows = tuple(
        Row(number, _cells(columns, line, number))
        for number, line in enumerate(lines[1:], 2)
        if any(cell.strip() for cell in line)
    )
    shown = "tab" if separator == "\t" else separator
    return Sheet(kind, rows, f"{kind}, {len(rows)} rows, separated by {shown}, {encoding}")


def _decoded(data: bytes) -> tuple[str, str]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _strictly(data, "utf-16")
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return _strictly(data, encoding)
        except Unusable:
            continue
    raise Unusable("the file is text neither in UTF-8 nor in Windows-1252")


def _strictly(data: bytes, encoding: str) -> tuple[str, str]:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unusable(f"the file is no text in {encoding}: {error}") from error
    if "\0" in text:
        raise Unusable("the file is no text")
    return text, {"utf-8-sig": "UTF-8", "cp1252": "Windows-1252", "utf-16": "UTF-16"}[encoding]


def _recognised(text: str, separator: str) -> int:
    """How many columns the header has by this separator that we know."""
    header = next(csv.reader(io.StringIO(text[:4000], newline=""), delimiter=separator), [])
    return sum(_column(cell) is not None for cell in header)


def _column(cell: str) -> str | None:
    return _BY_WORD.get(folded(" ".join(cell.split())))


def _kind(header: list[str]) -> tuple[str, tuple[str, ...]]:
    unknown = [cell.strip() for cell in header if cell.strip() and _column(cell) is None]
    columns = tuple(_column(cell) or "" for cell in header)
    named = [column for column in columns if column]
    for kind, (needed, further) in KINDS.items():
        if needed <= set(named):
            foreign = sorted(set(named) - needed - further) + unknown
            if foreign or len(named) != len(set(named)):
                what = ", ".join(foreign) or "one of them twice"
                raise Unusable(f"row 1: a file of {kind} has no such column: {what}")
            return kind, columns
    forms = "; ".join(f"{kind}: {', '.join(sorted(needed))}" for kind, (needed, _) in KINDS.items())
    raise Unusable(f"row 1: the header says of no kind of file that it is one ({forms})")


def _cells(columns: tuple[str, ...], line: list[str], number: int) -> Mapping[str, str]:
    if len(line) > len(columns) and any(cell.strip() for cell in line[len(columns) :]):
        raise Unusable(f"row {number}: {len(line)} cells under {len(columns)} columns")
    filled = {column: " ".join(cell.split()) for column, cell in zip(columns, line, strict=False)}
    return {column: cell for column, cell in filled.items() if column and cell}
