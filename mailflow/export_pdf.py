"""The whole club on paper: the balances of all accounts first, then every member's statement, in one PDF."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from mailflow import statements
from mailflow.app import Office
from mailflow.letters import Reader
from mailflow.model import Club
from mailflow.picture import picture
from mailflow.statements import Writer
from store import ledger
from store.database import unit_of_work
from store.records import Member, Statement

if TYPE_CHECKING:
    from mailflow.paper import Column, Paper

LINES_MAX = 100_000
"""Of one member's statement: all of them."""


def as_pdf(office: Office, now: datetime) -> bytes:
    """Return the books as a document in the club's language. All of it is as of one instant."""
    letters = office.desk.answers.letters
    with unit_of_work(office.db):
        club = picture(office.db, office.club, now)
        writer = Writer(letters, Reader.newcomer("", club.language), club)
        paper = statements.new_paper(writer.word("club_title"), writer)
        accounts = ledger.balances(office.db, office.club.id)
        told = [_told(member, club) for member in club.members.values()]
    _balances(paper, writer, club, accounts)
    for reader, statement in told:
        statements.draw(paper, statement, replace(writer, reader=reader))
    return bytes(paper.output())


def _told(member: Member, club: Club) -> tuple[Reader, Statement]:
    reader = replace(Reader.of(member), language=club.language)
    return reader, club.books.statement(member.handle, None, None, LINES_MAX)


def _balances(paper: Paper, writer: Writer, club: Club, accounts: Mapping[str, int]) -> None:
    title = writer.word("club_title")
    paper.heading(club.name, title, (writer.word("written", at=club.now),))
    paper.grid(_columns(writer), _rows(writer, club, accounts), strong=1)


def _columns(writer: Writer) -> Sequence[Column]:
    from mailflow.paper import Column

    figures = (writer.word(name) for name in ("balance", "committed", "available"))
    return (Column(writer.word("member"), 0.4), *(Column(name, 0.2, right=True) for name in figures))


def _rows(writer: Writer, club: Club, accounts: Mapping[str, int]) -> Iterator[Sequence[str]]:
    """Members, then the accounts that face theirs, then the sum of all, which is zero (R-ACC-2)."""
    for member in club.members.values():
        cents = (member.balance_cents, member.committed_cents, member.available_cents)
        yield member.handle, *map(writer.money, cents)
    for code, balance in accounts.items():
        if not code.startswith("member:"):
            yield f"{writer.word('others')} – {code}", writer.money(balance), "", ""
    yield writer.word("total"), writer.money(sum(accounts.values())), "", ""
