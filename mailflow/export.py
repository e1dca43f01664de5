"""Write the journal in the forms that other programs read: CSV, JSON, hledger, Beancount.

Every form holds every posting; days are club days. Amounts are written from whole cents, without a
detour by floats, so that the other program's balances are ours to the cent.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from mailflow.app import Office
from store import journal, ledger
from store.records import JournalEntry


@dataclass(frozen=True)
class Books:
    """What is exported. `accounts`: all codes of the club, in order."""

    currency: str
    zone: ZoneInfo
    accounts: tuple[str, ...]
    entries: Iterable[JournalEntry]

    def day(self, at: datetime) -> str:
        return at.astimezone(self.zone).date().isoformat()


def books_of(office: Office) -> Books:
    """Return a club's books as they stand."""
    db, club = office.db, office.club
    codes = tuple(ledger.balances(db, club.id))
    return Books(club.currency, ZoneInfo(club.timezone), codes, journal.entries(db, club.id))


def as_csv(books: Books) -> Iterator[str]:
    """One line a posting, amounts in cents, RFC 4180."""
    yield _row("entry", "at", "kind", "game", "reverses", "account", "amount_cents", "currency", "memo")
    for entry in books.entries:
        at = entry.at.astimezone(books.zone).isoformat()
        for code, cents in entry.postings:
            yield _row(
                entry.number,
                at,
                entry.kind,
                entry.game,
                entry.reverses,
                code,
                cents,
                books.currency,
                _inert(entry.memo),
            )


def as_json(books: Books) -> Iterator[str]:
    """One JSON object a line and entry."""
    for entry in books.entries:
        values = {
            "entry": entry.number,
            "at": entry.at.astimezone(books.zone).isoformat(),
            "kind": entry.kind,
            "game": entry.game,
            "reverses": entry.reverses,
            "memo": entry.memo,
            "currency": books.currency,
            "postings": [{"account": code, "amount_cents": cents} for code, cents in entry.postings],
        }
        yield json.dumps(values, ensure_ascii=False) + "\n"


def as_hledger(books: Books) -> Iterator[str]:
    """A journal for hledger; Ledger reads it too."""
    names = account_names(books.accounts)
    for entry in books.entries:
        lines = [f"{books.day(entry.at)} * ({entry.number}) {_title(entry)}"]
        lines += [f"    {names[code]}  {_units(cents)} {books.currency}" for code, cents in entry.postings]
        yield "\n".join(lines) + "\n\n"


def as_beancount(books: Books) -> Iterator[str]:
    """A journal for Beancount: accounts are opened on the day of their first posting."""
    names = account_names(books.accounts)
    seen: set[str] = set()
    yield f'option "operating_currency" "{books.currency}"\n\n'
    for entry in books.entries:
        day = books.day(entry.at)
        for code, _ in entry.postings:
            if code not in seen:
                seen.add(code)
                yield f"{day} open {names[code]} {books.currency}\n"
        lines = [f'{day} * "{_title(entry)}"', f"  entry: {entry.number}"]
        lines += [f"  {names[code]}  {_units(cents)} {books.currency}" for code, cents in entry.postings]
        yield "\n".join(lines) + "\n\n"


FORMS: Mapping[str, Callable[[Books], Iterator[str]]] = {
    "csv": as_csv,
    "json": as_json,
    "hledger": as_hledger,
    "beancount": as_beancount,
}


def _row(*values: object) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(["" if v is None else v for v in values])
    return line.getvalue()


def _inert(memo: str) -> str:
    """Keep a spreadsheet from taking a member's words for a formula."""
    return f"'{memo}" if memo[:1] in ("=", "+", "-", "@", "\t", "\r") else memo


def _units(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"


def _title(entry: JournalEntry) -> str:
    """Say in our own words what an entry is: what members wrote could end a line or a text."""
    game = "" if entry.game is None else f" game {entry.game}"
    reverses = "" if entry.reverses is None else f" of entry {entry.reverses}"
    return f"{entry.kind}{game}{reverses}"


ROOTS = {"member": "Assets:Members", "equity": "Equity"}


def account_names(codes: Iterable[str]) -> dict[str, str]:
    """Give each account a name that both Beancount and hledger take; no two the same."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for code in codes:
        root, _, own = code.partition(":")
        plain = "".join(c if c.isalnum() else "-" for c in own)
        first = plain[:1].upper()
        name = f"{ROOTS.get(root, f'Equity:{root.capitalize()}')}:"
        name += first + plain[1:] if first.isalnum() and len(first) == 1 else f"X{plain}"
        while name in taken:
            name += "-2"
        taken.add(name)
        names[code] = name
    return names
