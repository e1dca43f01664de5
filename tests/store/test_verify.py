"""Whatever is tampered with in the file is found, and named (T36)."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import audit, sql
from store.records import CancelGame, CloseAccount, CloseWindow, GameState, Transfer
from store.verify import verify
from tests.databases import ON_POSTGRES, open_database
from tests.store.scene import START, Scene, found


@pytest.fixture
def busy(club: Scene) -> Scene:
    """Entries 1–4 openings, 5 a result, 6 its reversal, 7 a result, 8 a transfer, 9 a closing."""
    club.open("emil")
    club.play(1, "anna", "bela", "carl")
    club.to_arbitration(1, "anna", "carl")
    club.replay_result(1)
    club.end(1, "bela")
    club.play(2, "anna", "bela")
    club.do(CancelGame(2, "anna"))
    club.play(3, "carl", "dora")
    club.do(Transfer("anna", "bela", 5, ""))
    club.do(CloseAccount("emil"))
    for number in (1, 2, 3):
        audit.record(club.db, club.id, START, f"mail:{number}", "x", {})
    return club


def tamper(club: Scene, text: str) -> list[tuple[str, str]]:
    """Change the file as somebody would who has taken its triggers and checks away."""
    if ON_POSTGRES:
        sql.run(club.db, "SET session_replication_role = replica")
        for statement in text.split(";"):
            sql.run(club.db, statement)
        sql.run(club.db, "SET session_replication_role = DEFAULT")
        return [(finding.code, finding.where) for finding in verify(club.db, club.id)]
    for (name,) in sql.rows(club.db, "SELECT name FROM sqlite_master WHERE type = 'trigger'"):
        sql.run(club.db, f"DROP TRIGGER {name}")
    for pragma in ("foreign_keys = OFF", "ignore_check_constraints = ON"):
        sql.run(club.db, f"PRAGMA {pragma}")
    for statement in text.split(";"):
        sql.run(club.db, statement)
    sql.run(club.db, "PRAGMA ignore_check_constraints = OFF")
    return [(finding.code, finding.where) for finding in verify(club.db, club.id)]


def test_honest_books_verify(busy: Scene) -> None:
    assert verify(busy.db, busy.id) == ()


def test_a_club_without_anything_verifies(bare: Scene) -> None:
    assert verify(bare.db, bare.id) == ()


REBALANCED = (
    "UPDATE account SET balance_cents ="
    " (SELECT coalesce(sum(amount_cents), 0) FROM posting WHERE account_id = account.id)"
)

TAMPERED = {
    "an amount changed": (
        "UPDATE posting SET amount_cents = amount_cents + 1 WHERE entry_id = 9 AND line = 2",
        {("entry_unbalanced", "entry 9"), ("journal_unbalanced", "the journal")},
    ),
    "a posting moved to another account": (
        "UPDATE posting SET account_id = 4 WHERE entry_id = 9 AND line = 2",
        {("balance_wrong", "account member:bela"), ("balance_wrong", "account member:carl")},
    ),
    "a balance changed": (
        "UPDATE account SET balance_cents = 1 WHERE code = 'member:bela'",
        {("balance_wrong", "account member:bela")},
    ),
    "a seal taken away": (
        "DELETE FROM seal WHERE entry_id = 9",
        {("entry_unsealed", "entry 9"), ("reference_broken", "entry 9")},
    ),
    "postings deleted": ("DELETE FROM posting WHERE entry_id = 9", {("entry_unbalanced", "entry 9")}),
    "an entry deleted": ("DELETE FROM entry WHERE number = 9", {("reference_broken", "seal 9")}),
    "a posting moved in time": (
        "UPDATE posting SET at = at + 1 WHERE entry_id = 9 AND line = 1",
        {("posting_astray", "entry 9")},
    ),
    "credit given without an opening": (
        "UPDATE entry SET kind = 'opening' WHERE number = 9;"
        "UPDATE entry SET kind = 'transfer' WHERE number = 1",
        {("credits_wrong", "the members")},
    ),
    "a reversal that leaves something": (
        "UPDATE posting SET amount_cents = amount_cents + 1 WHERE entry_id = 7 AND line = 1;"
        "UPDATE posting SET amount_cents = amount_cents - 1 WHERE entry_id = 7 AND line = 2",
        {("reversal_inexact", "entry 7")},
    ),
    "a result taken from its game": (
        "UPDATE game SET state = 'running', result_entry = NULL, result_at = NULL,"
        " window_ends_at = NULL WHERE number = 1",
        {("result_wrong", "game 1")},
    ),
    "the result of another entry": (
        "UPDATE game SET result_entry = 6 WHERE number = 1",
        {("result_wrong", "game 1")},
    ),
    "a result without an entry": (
        "UPDATE game SET state = 'final', result_entry = 99, result_at = 0, window_ends_at = 0"
        " WHERE number = 3",
        {("result_wrong", "game 3")},
    ),
    "another participant": (
        "UPDATE participant SET member_id = 4 WHERE game_id = 1 AND member_id = 1",
        {("result_differs", "game 1")},
    ),
    "a participant gone": (
        "DELETE FROM participant WHERE game_id = 1 AND member_id = 1",
        {("result_differs", "game 1")},
    ),
    "another winner": (
        "UPDATE participant SET place = NULL WHERE game_id = 1;"
        "UPDATE participant SET place = 1 WHERE game_id = 1 AND member_id = 1",
        {("result_differs", "game 1")},
    ),
    "another buy-in": (
        "UPDATE game SET buyin_cents = 200 WHERE number = 1",
        {("result_differs", "game 1")},
    ),
    "a state that does not exist": (
        "UPDATE game SET state = 'lost' WHERE number = 3",
        {("file_damaged", "the file")},
    ),
    "a transfer made larger, its balances with it": (
        "UPDATE posting SET amount_cents = amount_cents * 10 WHERE entry_id = 8;" + REBALANCED,
        {("entry_not_as_audited", "entry 8")},
    ),
    "a whole transfer taken out": (
        "DELETE FROM posting WHERE entry_id = 8; DELETE FROM seal WHERE entry_id = 8;"
        "DELETE FROM entry WHERE id = 8;" + REBALANCED,
        {("entry_not_as_audited", "entry 8")},
    ),
    "the end of the chain cut": (
        "DELETE FROM audit WHERE number > 5",
        {("entry_not_as_audited", "entry 9")},
    ),
    "the whole chain cut": ("DELETE FROM audit", {("entry_not_as_audited", "entry 1")}),
    "a mail that ended without a row": (
        "INSERT INTO inbox (club_id, source, offered, received_at, state, number)"
        " VALUES (1, 's', 'o', 0, 'executed', 1)",
        {("mail_not_audited", "mail 1")},
    ),
    "an audit row changed": (
        "UPDATE audit SET payload_json = '{\"a\":1}' WHERE number = 2",
        {("chain_broken", "audit 2")},
    ),
    "an audit row cut out": ("DELETE FROM audit WHERE number = 2", {("chain_broken", "audit 3")}),
    "the first audit row cut": ("DELETE FROM audit WHERE number = 1", {("chain_broken", "audit 2")}),
    "a hash changed": ("UPDATE audit SET hash = 'x' WHERE number = 3", {("chain_broken", "audit 3")}),
}


ONLY_SQLITE = {"a state that does not exist"}
"""PostgreSQL's checks cannot be switched off."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.only_sqlite] * (n in ONLY_SQLITE)) for n in TAMPERED]
)
def test_tampering_is_found(busy: Scene, name: str) -> None:
    text, expected = TAMPERED[name]
    assert expected <= set(tamper(busy, text)), name


def test_only_the_first_row_of_a_broken_chain_is_named(busy: Scene) -> None:
    findings = tamper(busy, "UPDATE audit SET cause = 'x' WHERE number = 1")
    assert findings == [("chain_broken", "audit 1")]


def test_findings_say_what_differs(busy: Scene) -> None:
    tamper(busy, "UPDATE account SET balance_cents = 1 WHERE code = 'member:dora'")
    (finding,) = verify(busy.db, busy.id)
    assert finding.detail == {"kept_cents": 1, "recomputed_cents": 200_00}


def test_another_club_is_not_blamed(busy: Scene) -> None:
    other = found(busy.db, "autre@example.org")
    other.open("anna")
    tamper(busy, "UPDATE audit SET cause = 'x' WHERE club_id = 1")
    assert verify(other.db, other.id) == ()


@pytest.mark.only_sqlite
def test_a_damaged_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "club.db"
    club = found(open_database(path))
    club.open(*(f"player{number}" for number in range(200)))
    page = sql.value(club.db, "SELECT rootpage FROM sqlite_master WHERE name = 'posting'") - 1
    club.db.close()
    content = bytearray(path.read_bytes())
    content[page * 4096 : (page + 1) * 4096] = bytes(range(256)) * 16
    path.write_bytes(content)
    db = open_database(path)
    findings = verify(db, club.id)
    assert {finding.code for finding in findings} == {"file_damaged"}
    db.close()


def test_a_window_that_closed_is_still_consistent(busy: Scene) -> None:
    busy.do(CloseWindow(1, GameState.FINAL))
    assert verify(busy.db, busy.id) == ()
