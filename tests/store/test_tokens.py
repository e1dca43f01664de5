"""Proofs: used once, in time, by whoever comes first."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from threading import Barrier, Thread

import peewee
import pytest

from store import tokens
from store.database import unit_of_work
from store.errors import RowExists, UnknownName
from store.records import Token, TokenState
from tests.databases import open_database
from tests.store.scene import START, Scene, found

EXPIRES = START + timedelta(hours=24)


def issue(
    club: Scene, digest: str = "d", member: str | None = "bela", purpose: str = "confirm", minutes: int = 0
) -> int:
    with unit_of_work(club.db):
        return tokens.issue(
            club.db,
            club.id,
            purpose,
            member,
            "bela@example.org",
            "nonce",
            digest,
            {"commands": ["VIREMENT"], "né": 1},
            START + timedelta(minutes=minutes),
            EXPIRES,
        )


def state_of(db: peewee.Database, token_id: int) -> TokenState:
    token = tokens.by_id(db, token_id)
    assert token is not None
    return token.state


def test_a_token_is_found_by_its_digest(club: Scene) -> None:
    token_id = issue(club, member="BELA")
    expected = Token(
        token_id,
        "confirm",
        "bela",
        "bela@example.org",
        "nonce",
        "d",
        {"commands": ["VIREMENT"], "né": 1},
        START,
        EXPIRES,
        TokenState.OPEN,
    )
    assert tokens.by_digest(club.db, club.id, "d") == expected
    assert tokens.by_id(club.db, token_id) == expected
    assert tokens.by_digest(club.db, club.id, "e") is None
    assert tokens.by_id(club.db, 9) is None
    other = found(club.db, "autre@example.org")
    assert tokens.by_digest(club.db, other.id, "d") is None


def test_a_token_may_be_for_somebody_who_is_no_member_yet(club: Scene) -> None:
    token = tokens.by_id(club.db, issue(club, member=None, purpose="invite"))
    assert token is not None
    assert token.member is None
    with pytest.raises(UnknownName):
        issue(club, member="emil")


def test_a_digest_is_issued_once(club: Scene) -> None:
    issue(club)
    with pytest.raises(RowExists):
        issue(club)


def test_a_token_is_redeemed_once(club: Scene) -> None:
    token_id = issue(club)
    assert tokens.redeem(club.db, token_id, START)
    assert not tokens.redeem(club.db, token_id, START)
    assert state_of(club.db, token_id) is TokenState.USED


def test_a_token_lives_until_the_instant_at_which_it_expires(club: Scene) -> None:
    early, late = issue(club, "a"), issue(club, "b")
    assert tokens.redeem(club.db, early, EXPIRES)
    assert not tokens.redeem(club.db, late, EXPIRES + timedelta(microseconds=1))
    assert state_of(club.db, late) is TokenState.OPEN


@pytest.mark.parametrize("state", [TokenState.DECLINED, TokenState.SUPERSEDED])
def test_a_closed_token_is_not_redeemed(club: Scene, state: TokenState) -> None:
    token_id = issue(club)
    assert tokens.close(club.db, token_id, state)
    assert not tokens.close(club.db, token_id, state)
    assert not tokens.redeem(club.db, token_id, START)
    assert state_of(club.db, token_id) is state


def test_open_tokens_are_listed_the_newest_first(club: Scene) -> None:
    ids = [issue(club, "a", minutes=1), issue(club, "b"), issue(club, "c", minutes=1), issue(club, "d")]
    issue(club, "e", member="carl")
    issue(club, "f", purpose="session")
    tokens.redeem(club.db, ids[3], START)
    listed = [token.id for token in tokens.open_of(club.db, club.id, "bela", "confirm")]
    assert listed == [ids[2], ids[0], ids[1]]


def test_all_tokens_of_a_member_are_revoked(club: Scene) -> None:
    his = [issue(club, "a"), issue(club, "b", purpose="session")]
    hers = issue(club, "c", member="anna")
    used = issue(club, "d")
    tokens.redeem(club.db, used, START)
    assert tokens.revoke_all(club.db, club.id, "bela") == 2
    assert [state_of(club.db, token_id) for token_id in his] == [TokenState.SUPERSEDED] * 2
    assert state_of(club.db, hers) is TokenState.OPEN
    assert state_of(club.db, used) is TokenState.USED


def test_of_two_who_redeem_at_once_one_succeeds(tmp_path: Path) -> None:
    db = open_database(tmp_path / "club.db")
    club = found(db)
    club.open("bela")
    token_id = issue(club)
    both_ready, successes = Barrier(2), []

    def redeem() -> None:
        both_ready.wait(10)
        with unit_of_work(db):
            successes.append(tokens.redeem(db, token_id, START))
        db.close()

    threads = [Thread(target=redeem) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(successes) == [False, True]
    db.close()
