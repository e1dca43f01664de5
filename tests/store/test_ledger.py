"""The journal: every entry sums to zero, in Python and in the database; nothing is ever changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import ledger, sql
from store.database import unit_of_work
from store.errors import DuplicateEffect, SchemaRefused, UnbalancedEntry, UnknownName, WrongState
from store.records import INITIAL_CREDIT, Transfer
from store.verify import verify
from tests.databases import open_database
from tests.store.scene import BRIEF, Scene, found

ANNA, BELA, CARL, DORA = (f"member:{handle}" for handle in ("anna", "bela", "carl", "dora"))


# ---------------------------------------------------------------- post


def test_entries_are_numbered_in_their_club(club: Scene) -> None:
    other = found(club.db, "autre@example.org")
    other.open("anna")
    assert club.post((ANNA, -5), (BELA, 5)) == 5  # four openings came before
    assert club.post((ANNA, -5), (BELA, 5)) == 6
    assert other.post((ANNA, 5), (INITIAL_CREDIT, -5)) == 2


def test_an_entry_is_kept_as_it_was_posted(club: Scene) -> None:
    club.play(1, "anna", "bela")
    number = club.post((ANNA, -7), (BELA, 3), (CARL, 4), kind="levy", game=1, memo="merci à tous")
    (entry,) = club.books.entries(1)
    assert (entry.number, entry.kind, entry.at, entry.game) == (number, "levy", club.now, 1)
    assert (entry.memo, entry.reverses) == ("merci à tous", None)
    assert entry.postings == ((ANNA, -7), (BELA, 3), (CARL, 4))


def test_an_account_may_be_posted_to_twice_in_one_entry(club: Scene) -> None:
    club.post((ANNA, -100), (BELA, -100), (BELA, 200))
    assert club.balances == {"anna": 199_00, "bela": 201_00, "carl": 200_00, "dora": 200_00}


@pytest.mark.parametrize("postings", [(), ((ANNA, 0),), ((ANNA, -5), (BELA, 4)), ((ANNA, 1), (BELA, 1))])
def test_an_unbalanced_entry_is_refused(club: Scene, postings: tuple[tuple[str, int], ...]) -> None:
    with pytest.raises(UnbalancedEntry):
        club.post(*postings)


def test_an_unknown_account_is_named(club: Scene) -> None:
    with pytest.raises(UnknownName, match="'member:emil'"):
        club.post((ANNA, -5), ("member:emil", 5))
    assert club.balances["anna"] == 200_00


def test_an_account_of_another_club_is_unknown(club: Scene) -> None:
    other = found(club.db, "autre@example.org")
    other.open("zoe")
    with pytest.raises(UnknownName, match="'member:zoe'"):
        club.post((ANNA, -5), ("member:zoe", 5))


def test_an_unknown_game_is_named(club: Scene) -> None:
    with pytest.raises(UnknownName, match="no game 9"):
        club.post((ANNA, -5), (BELA, 5), game=9)


def test_the_same_cause_cannot_post_twice(club: Scene) -> None:
    club.post((ANNA, -5), (BELA, 5), effect_key="mail:1")
    with pytest.raises(DuplicateEffect, match="mail:1"):
        club.post((ANNA, -5), (BELA, 5), effect_key="mail:1")
    found(club.db, "autre@example.org").open("anna")  # another club's keys are its own
    assert club.balances["bela"] == 200_05


# ---------------------------------------------------------------- reverse


def test_a_reversal_is_the_exact_opposite(club: Scene) -> None:
    club.play(1, "anna", "bela")
    number = club.post((ANNA, -100), (BELA, -100), (BELA, 200), kind="result", game=1)
    with unit_of_work(club.db):
        reversal = ledger.reverse(club.db, club.id, number, club.now, "back")
    entries = club.books.entries(1)
    assert entries[1].number == reversal
    assert (entries[1].kind, entries[1].reverses, entries[1].game) == ("reversal", number, 1)
    assert entries[1].postings == ((ANNA, 100), (BELA, 100), (BELA, -200))
    assert set(club.balances.values()) == {200_00}


def test_an_entry_is_reversed_once(club: Scene) -> None:
    number = club.post((ANNA, -5), (BELA, 5))
    club.post((ANNA, 5), (BELA, -5), reverses=number)
    with pytest.raises(WrongState, match="reversed already, by 6"), unit_of_work(club.db):
        ledger.reverse(club.db, club.id, number, club.now, "back")


def test_what_is_not_there_cannot_be_reversed(club: Scene) -> None:
    with pytest.raises(UnknownName, match="no entry 99"), unit_of_work(club.db):
        ledger.reverse(club.db, club.id, 99, club.now, "back")
    with pytest.raises(UnknownName, match="no entry 99"):
        club.post((ANNA, 5), (BELA, -5), reverses=99)


def test_balances_are_of_every_account(club: Scene) -> None:
    club.post((ANNA, -5), (BELA, 5))
    assert ledger.balances(club.db, club.id) == {
        INITIAL_CREDIT: -800_00,
        ANNA: 199_95,
        BELA: 200_05,
        CARL: 200_00,
        DORA: 200_00,
    }
    assert ledger.journal_sum(club.db, club.id) == 0


def test_the_journal_of_a_new_club_is_zero(bare: Scene) -> None:
    assert ledger.journal_sum(bare.db, bare.id) == 0


# ---------------------------------------------------------------- what the database refuses by itself

APPEND_ONLY = [
    f"{verb} {clause}"
    for verb, clause in (
        ("UPDATE", "entry SET kind = 'x'"),
        ("UPDATE", "posting SET amount_cents = 0"),
        ("UPDATE", "seal SET entry_id = 77"),
        ("DELETE", "FROM entry"),
        ("DELETE", "FROM posting"),
        ("DELETE", "FROM seal"),
    )
]


@pytest.mark.parametrize("text", APPEND_ONLY)
def test_the_journal_is_append_only(club: Scene, text: str) -> None:
    with pytest.raises(SchemaRefused, match="append-only"):
        club.raw(text)


def raw_entry(club: Scene, number: int, *cents: int, seal: bool = True, at: int = 7) -> None:
    """Write an entry past the program, its postings at microsecond 7."""
    with unit_of_work(club.db):
        text = "INSERT INTO entry (id, club_id, number, kind, at, effect_key) VALUES (?, ?, ?, 'raw', ?, ?)"
        sql.run(club.db, text, (number, club.id, number, at, f"raw:{number}"))
        for line, amount in enumerate(cents, 1):
            text = "INSERT INTO posting VALUES (?, ?, ?, 7, ?)"
            sql.run(club.db, text, (number, line, 1 + line, amount))
        if seal:
            sql.run(club.db, "INSERT INTO seal VALUES (?)", (number,))


def test_a_balanced_entry_may_be_written_by_hand(club: Scene) -> None:
    raw_entry(club, 50, 3, -1, -2)
    assert club.balances == {"anna": 200_03, "bela": 199_99, "carl": 199_98, "dora": 200_00}
    findings = [(f.code, f.where) for f in verify(club.db, club.id)]
    assert findings == [("entry_not_as_audited", "entry 50")], "nobody but the ledger writes the journal"


@pytest.mark.parametrize("cents", [(), (0,), (5,), (5, -4), (1, 1, -3)])
def test_the_database_seals_only_what_balances(club: Scene, cents: tuple[int, ...]) -> None:
    with pytest.raises(SchemaRefused, match="does not sum to zero"):
        raw_entry(club, 50, *cents)
    assert set(club.balances.values()) == {200_00}


def test_an_entry_without_a_seal_is_not_committed(club: Scene) -> None:
    with pytest.raises(SchemaRefused, match=r"(?i)foreign key"):
        raw_entry(club, 50, 5, -5, seal=False)
    assert set(club.balances.values()) == {200_00}


def test_a_posting_is_of_the_instant_of_its_entry(club: Scene) -> None:
    with pytest.raises(SchemaRefused, match="another club or instant"):
        raw_entry(club, 50, 5, -5, at=8)


def test_a_posting_is_of_the_club_of_its_entry(club: Scene) -> None:
    other = found(club.db, "autre@example.org")
    with pytest.raises(SchemaRefused, match="another club or instant"):
        raw_entry(Scene(club.db, other.id), 50, 5, -5)


def test_nothing_is_added_to_a_sealed_entry(club: Scene) -> None:
    with pytest.raises(SchemaRefused, match="sealed"):
        club.raw("INSERT INTO posting VALUES (1, 3, 1, 0, 0)")


@pytest.mark.only_sqlite
@pytest.mark.parametrize("entry_id", [1, 50])
def test_an_entry_is_not_replaced(club: Scene, entry_id: int) -> None:
    columns = "(id, club_id, number, kind, at, effect_key)"
    with pytest.raises(SchemaRefused, match=r"append-only|FOREIGN KEY"):
        club.raw(f"INSERT OR REPLACE INTO entry {columns} VALUES (?, ?, 1, 'x', 0, 'x')", entry_id, club.id)
    assert verify(club.db, club.id) == ()


@pytest.mark.only_sqlite
def test_a_posting_is_not_replaced(club: Scene) -> None:
    with pytest.raises(SchemaRefused, match="sealed"):
        club.raw("INSERT OR REPLACE INTO posting VALUES (1, 1, 2, 0, 0)")


# ---------------------------------------------------------------- properties

CODES = st.sampled_from([ANNA, BELA, CARL, DORA, INITIAL_CREDIT])
CENTS = st.integers(-(10**9), 10**9)
ENTRIES = st.lists(st.tuples(CODES, CENTS), min_size=1, max_size=12)


def scene() -> Scene:
    club = found(open_database(None))
    club.open("anna", "bela", "carl", "dora")
    return club


@BRIEF
@given(st.lists(st.tuples(ENTRIES, CODES, st.booleans()), max_size=8))
def test_whatever_is_posted_balances(entries: list[tuple[list[tuple[str, int]], str, bool]]) -> None:
    club = scene()
    expected = dict(ledger.balances(club.db, club.id))
    for postings, balancing, take_back in entries:
        whole = [*postings, (balancing, -sum(cents for _, cents in postings))]
        number = club.post(*whole)
        if take_back:
            with unit_of_work(club.db):
                ledger.reverse(club.db, club.id, number, club.now, f"back:{number}")
            continue
        for code, cents in whole:
            expected[code] += cents
    assert ledger.balances(club.db, club.id) == expected
    assert ledger.journal_sum(club.db, club.id) == 0
    assert [finding for finding in verify(club.db, club.id) if finding.code != "credits_wrong"] == []
    club.db.close()


@BRIEF
@given(ENTRIES.filter(lambda postings: sum(cents for _, cents in postings) != 0))
def test_what_does_not_balance_is_refused_by_both(postings: list[tuple[str, int]]) -> None:
    club = scene()
    with pytest.raises(UnbalancedEntry):
        club.post(*postings)
    with pytest.raises(SchemaRefused):
        raw_entry(club, 50, *(cents for _, cents in postings[:4]), 1)
    assert set(club.balances.values()) == {200_00}
    club.db.close()


@BRIEF
@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.integers(1, 500_00)), max_size=20)
)
def test_members_hold_together_what_they_were_given(transfers: list[tuple[str, str, int]]) -> None:
    club = scene()
    handles = {handle[0]: handle for handle in club.members}
    for giver, beneficiary, cents in transfers:
        club.do(Transfer(handles[giver], handles[beneficiary], cents, ""))
    assert sum(club.balances.values()) == 800_00
    assert verify(club.db, club.id) == ()
    club.db.close()
