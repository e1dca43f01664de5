"""T-38 in the store: what each column can hold, what is found of a name, and a file from before."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import peewee
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import forgetting, inbox, ledger, migrations, readings, sql, tables
from store.database import open_database, unit_of_work
from store.errors import WrongState
from store.forgetting_columns import HOLDS, Holds
from store.masking import Mask, folded
from store.migrations import migrate, shipped
from store.records import CloseAccount, FileComplaint, Forget, InboxState, Transfer
from store.verify import verify

from .scene import Scene, found


@pytest.mark.parametrize("table", tables.ALL, ids=lambda table: table._meta.table_name)
def test_of_every_column_with_text_it_is_said_what_it_can_hold_of_a_person(
    table: type[peewee.Model],
) -> None:
    """A column that is added must be thought of: say in `store/forgetting_columns.py` what it holds."""
    texts = {f.column_name for f in table._meta.sorted_fields if f.field_type in ("TEXT", "BLOB")}
    assert set(HOLDS[table._meta.table_name]) == texts


def test_no_table_is_spoken_of_that_there_is_not() -> None:
    assert set(HOLDS) == {table._meta.table_name for table in tables.ALL}


def test_what_is_said_to_be_a_handle_is_looked_for_in_the_whole_club() -> None:
    """The sweep finds its rows by the club, so each such table leads to one."""
    swept = {
        t for t, columns in HOLDS.items() if set(columns.values()) & {Holds.HANDLE, Holds.WORDS, Holds.STEPS}
    }
    for table in swept:
        fields = {
            f.column_name for t in tables.ALL if t._meta.table_name == table for f in t._meta.sorted_fields
        }
        assert fields & {"club_id", "game_id", "entry_id"}, table


# ---------------------------------------------------------------- names in words

ANNA = Mask(frozenset({"anna", "Anna Källström", "anna@example.org"}), "X")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("anna a gagné", "X a gagné"),
        ("ANNA, Ánna et änna.", "X, X et X."),
        ("« anna »", "« X »"),
        ("anna-lena, annabelle, jo.anna, anna_b", "anna-lena, annabelle, jo.anna, anna_b"),
        ("c'est anna.", "c'est X."),
        ("anna@example.org", "X"),
        ("écris à anna@example.org.", "écris à X."),
        ("anna@example.net", "anna@example.net"),
        ("bob@anna.example.org", "bob@anna.example.org"),
        ("Anna KALLSTROM viendra", "X viendra"),
        ("1=anna 2=bela", "1=X 2=bela"),
        ("anna\u0301", "X"),
        ("", ""),
    ],
)
def test_a_name_is_found_as_a_whole_word_in_any_spelling(text: str, masked: str) -> None:
    assert ANNA.over(text) == masked


@given(st.text(max_size=60), st.sampled_from(["anna", "Zoé", "j.-p", "a_b"]), st.text(max_size=60))
def test_after_masking_nothing_is_found_and_the_rest_is_as_it_was(before: str, name: str, after: str) -> None:
    """Whatever stands around it, and whatever folds to more characters than one."""
    mask = Mask(frozenset({name}), "~")
    text = f"{before} {name.upper()} {after}"
    masked = mask.over(text)
    assert not mask.is_in(masked)
    assert masked.startswith(mask.over(before)[: len(before)]) or mask.is_in(before)
    assert len(masked) < len(text)


@pytest.mark.parametrize(
    "raw",
    [
        b"From: Anna <a@example.net>\r\n\r\nx\r\n",
        b"Subject: =?utf-8?b?QW5uYSAh?=\r\n\r\nx\r\n",
        b"Content-Transfer-Encoding: base64\r\n\r\nYm9uam91ciBhbm5h\r\n",
        b"Content-Transfer-Encoding: quoted-printable\r\n\r\nan=\r\nna\r\n",
        b"Content-Type: text/plain; charset=utf-16\r\n"
        b"Content-Transfer-Encoding: base64\r\n\r\nYQBuAG4AYQA=\r\n",
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\n\r\nvive anna\r\n--b--\r\n",
    ],
)
def test_a_name_is_found_in_a_mail_however_it_is_encoded(raw: bytes) -> None:
    assert ANNA.is_in_mail(raw)
    assert not Mask(frozenset({"zora"}), "X").is_in_mail(raw)


@given(st.binary(max_size=300))
def test_no_mail_is_too_broken_to_be_looked_through(raw: bytes) -> None:
    assert ANNA.is_in_mail(raw) in (True, False)


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert folded(folded(text)) == folded(text)


# ---------------------------------------------------------------- the books


def gone(scene: Scene) -> Scene:
    scene.do(Transfer("bela", "carl", 5_00, "pour carl"))
    scene.do(Transfer("carl", "bela", 5_00, "merci bela"))
    scene.do(FileComplaint(1, "bela", "carl", "il crie"))
    scene.do(CloseAccount("bela"))
    return scene


def test_only_who_has_left_can_be_forgotten(club: Scene) -> None:
    """R-ACC-6."""
    with pytest.raises(WrongState, match="not left"):
        club.do(Forget("bela", 0))


def test_the_journal_says_the_same_after_as_before(club: Scene) -> None:
    """R-ACC-5, P-10."""
    gone(club)
    before = ledger.journal_digest(club.db, club.id), ledger.balances(club.db, club.id)
    club.do(Forget("bela", 0))
    assert ledger.journal_digest(club.db, club.id) == before[0]
    pseudonym = forgetting.pseudonym(3)
    renamed = {code.replace("member:bela", f"member:{pseudonym}"): cents for code, cents in before[1].items()}
    assert ledger.balances(club.db, club.id) == renamed
    assert verify(club.db, club.id) == ()


def test_notes_of_others_lose_the_name_and_his_own_go(club: Scene) -> None:
    gone(club).do(Forget("bela", 0))
    assert sql.rows(club.db, "SELECT memo FROM memo") == [(f"merci {forgetting.pseudonym(3)}",)]


def test_another_club_of_the_same_file_is_not_touched(club: Scene) -> None:
    """Its members may bear the same handle."""
    other = found(club.db, "other@example.org")
    other.open("anna", manager=True)
    other.open("bela", "carl")
    gone(other)
    before = {table: sql.rows(club.db, f"SELECT * FROM {table}") for table in ("complaint", "memo")}
    gone(club).do(Forget("bela", 0))
    assert other.members["bela"].handle == "bela"
    assert other.books.addresses("bela") == ("bela@example.org",)
    for table, rows in before.items():
        assert set(map(tuple, rows)) <= set(map(tuple, sql.rows(club.db, f"SELECT * FROM {table}")))


def test_an_address_that_he_wanted_and_another_has_stays_the_others(club: Scene) -> None:
    """Else a wish would be enough to have another's mails deleted."""
    text = (
        "INSERT INTO identity_change (club_id, number, kind, member_id, address, state, asked_at, due_at,"
        " ended_at) SELECT ?, 1, 'add', id, 'carl@example.org', 'stopped', 0, 0, 0 FROM member"
        " WHERE handle = 'bela'"
    )
    club.raw(text, club.id)
    gone(club).do(Forget("bela", 0))
    assert club.books.addresses("carl") == ("carl@example.org",)
    assert "carl" in club.members


def test_how_a_mail_was_read_is_forgotten_also_where_the_mail_is_not_there_any_more(club: Scene) -> None:
    kept = {"commands": [{"verb": "VIREMENT", "to": "Béla"}]}
    with unit_of_work(club.db):
        mails = [inbox.keep(club.db, club.id, "test", bytes([n]), club.now) for n in range(3)]
        for mail, writer, record in zip(mails, ("carl", "bela", "carl"), (kept, {}, {}), strict=True):
            readings.keep(club.db, club.id, mail, writer, record)
            inbox.finish(club.db, mail, InboxState.EXECUTED)
        sql.run(club.db, "UPDATE inbox_raw SET content = ?", (b"",))
    gone(club).do(Forget("bela", 0))
    assert sql.rows(club.db, "SELECT inbox_id FROM reading") == [(mails[2],)]


def test_an_erasure_waits_until_what_was_queued_has_left(club: Scene) -> None:
    gone(club)
    at = club.do(Forget("bela", 0))
    erasure = forgetting.to_wipe(club.db, club.id)
    assert erasure is not None
    assert (erasure.number, erasure.account, erasure.at) == (1, 3, at)
    text = (
        "INSERT INTO outbox (club_id, cause, kind, recipient, about, address, subject, body, message_id,"
        " created_at, state, next_at) VALUES (?, 'c', 'k', 'carl', '', 'a', 's', 'b', '<m>', ?, 'queued', 0)"
    )
    club.raw(text, club.id, at)
    assert forgetting.to_wipe(club.db, club.id) is None
    club.raw("UPDATE outbox SET created_at = created_at + 1")
    assert forgetting.to_wipe(club.db, club.id) == erasure
    forgetting.mark_wiped(club.db, club.id, 1, at + timedelta(seconds=1))
    assert forgetting.to_wipe(club.db, club.id) is None


def test_a_populated_file_from_before_can_forget(tmp_path: Path) -> None:
    path = tmp_path / "club.db"
    old = peewee.SqliteDatabase(str(path), pragmas={"foreign_keys": "ON"})
    (own,) = (step.number for step in shipped() if step.name == "erasure")
    migrate(old, [step for step in shipped() if step.number < own])
    scene = found(old)
    scene.open("anna", manager=True)
    scene.open("bela", "carl")
    gone(scene)
    old.close()
    db = open_database(path)
    assert migrations.version(db) == len(shipped())
    scene = Scene(db, scene.id, scene.now)
    scene.do(Forget("bela", 0))
    assert "bela" not in scene.members
    assert verify(db, scene.id) == ()
    db.close()
