"""What is written as text comes back the same from every database."""

from __future__ import annotations

import peewee
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import sql
from store.database import unit_of_work
from tests.databases import open_database

from .scene import BRIEF, START, found


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a\0b", "a�b"),
        ("100 % de l'élan ?", "100 % de l'élan ?"),
        ("%s ?%%", "%s ?%%"),
        ("🂡\u202e\n\\x41'", "🂡\u202e\n\\x41'"),
    ],
)
def test_odd_texts(db: peewee.Database, written: str, read: str) -> None:
    assert sql.value(db, "SELECT ?", (written,)) == read
    assert sql.value(db, "SELECT '%' || ?", (written,)) == "%" + read


@BRIEF
@given(
    st.lists(st.tuples(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)), max_size=8)
)
def test_texts_come_back_in_the_order_of_their_bytes(rows: list[tuple[str]]) -> None:
    """So that handles are listed alike whatever the server's language is."""
    db = open_database(None)
    club = found(db)
    clean = {text.replace("\0", "\ufffd") for (text,) in rows}
    with unit_of_work(db):
        for text in clean:
            sql.run(db, "INSERT INTO run VALUES (?, ?, ?, ?)", (club.id, text, START, START))
    listed = [text for (text,) in sql.rows(db, "SELECT job FROM run ORDER BY job")]
    assert listed == sorted(clean, key=lambda text: text.encode())
    db.close()


@pytest.mark.parametrize("number", [0, -1, 2**15, 2**31, 2**62, -(2**63), 2**63 - 1])
def test_numbers_of_every_size(db: peewee.Database, number: int) -> None:
    assert sql.value(db, "SELECT coalesce(?, 0)", (number,)) == number


def test_sums_are_whole_numbers(db: peewee.Database) -> None:
    total = sql.value(db, "SELECT sum(n) FROM (SELECT ? AS n UNION ALL SELECT ?) AS x", (2**40, 2**40))
    assert (total, type(total)) == (2**41, int)
