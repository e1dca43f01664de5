"""The chain: each row bears the hash of the one before, and nothing comes in between."""

from __future__ import annotations

import pytest

from store import audit, sql
from store.errors import SchemaRefused
from tests.store.scene import START, Scene, found


def record(club: Scene, number: int) -> str:
    audit.record(club.db, club.id, START, f"mail:{number}", "game.created", {"game": number, "par": "béla"})
    return audit.head(club.db, club.id)


def test_a_new_chain_has_the_genesis_as_its_head(bare: Scene) -> None:
    assert audit.head(bare.db, bare.id) == audit.GENESIS == bare.books.chain_head()


def test_the_same_events_give_the_same_head(bare: Scene) -> None:
    other = found(bare.db, "autre@example.org")
    heads = [record(bare, number) for number in (1, 2, 3)]
    assert [record(other, number) for number in (1, 2, 3)] == heads
    assert len(set(heads)) == 3
    assert bare.books.chain_head() == heads[-1]


def test_the_hash_is_as_it_is_described(bare: Scene) -> None:
    """A frozen example: whoever holds an old digest must be able to find its head."""
    assert record(bare, 1) == "e9819a8136706cf91ba670cd7a3c977f77cbeadc2c1a7241b2a3592207119d47"


def test_a_head_is_found_again_in_the_chain(bare: Scene) -> None:
    heads = [record(bare, number) for number in (1, 2, 3)]
    assert [audit.number_of(bare.db, bare.id, head) for head in heads] == [1, 2, 3]
    assert audit.number_of(bare.db, bare.id, "f" * 64) is None


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE audit SET cause = 'x'",
        "DELETE FROM audit",
        "INSERT INTO audit VALUES (1, 1, 0, '', '', '{}', '')",
        pytest.param(
            "INSERT OR REPLACE INTO audit VALUES (1, 1, 0, '', '', '{}', '')",
            marks=pytest.mark.only_sqlite,
        ),
        "INSERT INTO audit VALUES (1, 3, 0, '', '', '{}', '')",
    ],
)
def test_the_chain_is_append_only(bare: Scene, text: str) -> None:
    record(bare, 1)
    with pytest.raises(SchemaRefused, match="append-only"):
        bare.raw(text)


def test_payloads_are_plain_and_canonical(bare: Scene) -> None:
    audit.record(bare.db, bare.id, START, "mail:1", "x", {"b": [1, 2], "a": "é"})
    assert sql.value(bare.db, "SELECT payload_json FROM audit") == '{"a":"é","b":[1,2]}'
    with pytest.raises(TypeError):
        audit.record(bare.db, bare.id, START, "mail:1", "x", {"at": START})
    with pytest.raises(ValueError, match="Out of range"):
        audit.record(bare.db, bare.id, START, "mail:1", "x", {"a": float("nan")})
