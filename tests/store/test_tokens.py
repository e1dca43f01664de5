"""Proofs: used once, in time, by whoever comes first."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import peewee
import pytest

from store import clubs, sql, tokens
from store.database import unit_of_work
from store.errors import RowExists, UnknownName
from store.records import NewToken, Token, TokenState
from tests.databases import open_database
from tests.store.scene import START, Scene, found

EXPIRES = START + timedelta(hours=24)


def issue(
    club: Scene, digest: str = "d", member: str | None = "bela", purpose: str = "confirm", minutes: int = 0
) -> int:
    with unit_of_work(club.db):
        return tokens.issue(
            club.db, club.id, new(digest, member, purpose, START + timedelta(minutes=minutes))
        )


def new(
    digest: str, member: str | None = "bela", purpose: str = "confirm", at: datetime = START, **more: Any
) -> NewToken:
    payload = {"commands": ["VIREMENT"], "né": 1}
    return NewToken(purpose, member, "bela@example.org", "nonce", digest, payload, at, EXPIRES, **more)


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
    assert tokens.redeem(club.db, token_id, "bela", START)
    assert not tokens.redeem(club.db, token_id, "bela", START)
    assert state_of(club.db, token_id) is TokenState.USED


def test_a_token_lives_until_the_instant_at_which_it_expires(club: Scene) -> None:
    early, late = issue(club, "a"), issue(club, "b")
    assert tokens.redeem(club.db, early, "bela", EXPIRES)
    assert not tokens.redeem(club.db, late, "bela", EXPIRES + timedelta(microseconds=1))
    assert state_of(club.db, late) is TokenState.OPEN


@pytest.mark.parametrize("state", [TokenState.DECLINED, TokenState.SUPERSEDED])
def test_a_closed_token_is_not_redeemed(club: Scene, state: TokenState) -> None:
    token_id = issue(club)
    assert tokens.close(club.db, token_id, state)
    assert not tokens.close(club.db, token_id, state)
    assert not tokens.redeem(club.db, token_id, "bela", START)
    assert state_of(club.db, token_id) is state


def test_open_tokens_are_listed_the_newest_first(club: Scene) -> None:
    ids = [issue(club, "a", minutes=1), issue(club, "b"), issue(club, "c", minutes=1), issue(club, "d")]
    issue(club, "e", member="carl")
    issue(club, "f", purpose="session")
    tokens.redeem(club.db, ids[3], "bela", START)
    listed = [token.id for token in tokens.open_of(club.db, club.id, "bela", "confirm")]
    assert listed == [ids[2], ids[0], ids[1]]


def test_all_tokens_of_a_member_are_revoked(club: Scene) -> None:
    his = [issue(club, "a"), issue(club, "b", purpose="session")]
    hers = issue(club, "c", member="anna")
    used = issue(club, "d")
    tokens.redeem(club.db, used, "bela", START)
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
            successes.append(tokens.redeem(db, token_id, "bela", START))
        db.close()

    threads = [Thread(target=redeem) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(successes) == [False, True]
    db.close()


# ---------------------------------------------------------------- whose, of which epoch, for how long


def test_a_token_is_redeemed_for_its_owner_only(club: Scene) -> None:
    """T-8."""
    token_id, open_id = issue(club), issue(club, "e", member=None, purpose="invite")
    assert not tokens.redeem(club.db, token_id, "carl", START)
    assert not tokens.redeem(club.db, token_id, None, START)
    assert not tokens.redeem(club.db, open_id, "bela", START)
    assert tokens.redeem(club.db, token_id, "BELA", START)
    assert tokens.redeem(club.db, open_id, None, START)


def test_what_used_a_token_up_is_kept_with_it(club: Scene) -> None:
    token_id = issue(club)
    tokens.redeem(club.db, token_id, "bela", START, "mail:7")
    assert not tokens.redeem(club.db, token_id, "bela", START, "mail:8")
    assert sql.value(club.db, "SELECT used_by FROM token WHERE id = ?", (token_id,)) == "mail:7"


def test_after_a_restore_the_tokens_of_before_are_dead(club: Scene) -> None:
    """T-37."""
    his, session = issue(club), issue(club, "s", purpose="session")
    with unit_of_work(club.db):
        epoch = clubs.raise_epoch(club.db, club.id, START)
    assert epoch == START.timestamp() == clubs.club(club.db, club.id).epoch
    assert not tokens.redeem(club.db, his, "bela", START)
    assert not tokens.keep_alive(club.db, session, "bela", START)
    assert tokens.waiting(club.db, club.id, "confirm", START) == ()
    assert tokens.sessions(club.db, club.id, ["bela"], START) == {}
    found_again = tokens.by_id(club.db, his)
    assert found_again is not None
    assert not found_again.current
    assert not found_again.lives(START)
    with unit_of_work(club.db):
        fresh = tokens.issue(club.db, club.id, new("f", epoch=epoch))
    assert tokens.redeem(club.db, fresh, "bela", START)


def test_each_restore_begins_an_epoch_of_its_own(club: Scene) -> None:
    """T-37: also two within a second, and one with a clock that stands."""
    with unit_of_work(club.db):
        epochs = [clubs.raise_epoch(club.db, club.id, START) for _ in range(3)]
    assert len(set(epochs)) == 3


def session(club: Scene, minutes: int = 60, hours: int = 8) -> int:
    with unit_of_work(club.db):
        token = NewToken(
            "session",
            "bela",
            "bela@example.org",
            "n",
            "s",
            {},
            START,
            START + timedelta(minutes=minutes),
            START + timedelta(hours=hours),
        )
        return tokens.issue(club.db, club.id, token)


def ends(club: Scene, token_id: int) -> timedelta:
    token = tokens.by_id(club.db, token_id)
    assert token is not None
    return token.expires_at - START


def test_a_session_slides_up_to_its_hard_end_and_never_back(club: Scene) -> None:
    token_id = session(club)

    def mail(minutes: int) -> bool:
        at = START + timedelta(minutes=minutes)
        return tokens.keep_alive(club.db, token_id, "bela", at, at + timedelta(minutes=60))

    assert mail(50)
    assert ends(club, token_id) == timedelta(minutes=110)
    assert mail(20), "handled after a later one"
    assert ends(club, token_id) == timedelta(minutes=110)
    assert not mail(111)
    assert [mail(m) for m in range(105, 8 * 60, 55)] == [True] * 7
    assert ends(club, token_id) == timedelta(hours=8)
    assert mail(8 * 60)
    assert not mail(8 * 60 + 1)


def test_a_reply_address_is_good_for_many_times_and_for_its_owner(club: Scene) -> None:
    token_id = issue(club, purpose="answer")
    assert tokens.keep_alive(club.db, token_id, "bela", START)
    assert tokens.keep_alive(club.db, token_id, "bela", EXPIRES)
    assert not tokens.keep_alive(club.db, token_id, "anna", START)
    assert not tokens.keep_alive(club.db, token_id, "bela", EXPIRES + timedelta(seconds=1))


def test_many_tokens_are_issued_in_the_order_given(club: Scene) -> None:
    wanted = [new(f"d{n}", "anna" if n % 2 else "bela") for n in range(120)]
    with unit_of_work(club.db):
        ids = tokens.issue_all(club.db, club.id, wanted)
    kept = [tokens.by_id(club.db, token_id) for token_id in ids]
    assert [(t.digest, t.member) for t in kept if t] == [(w.digest, w.member) for w in wanted]
    assert tokens.issue_all(club.db, club.id, ()) == ()


def test_the_newest_live_session_of_each_seat_is_found(club: Scene) -> None:
    with unit_of_work(club.db):
        at = [START + timedelta(minutes=n) for n in range(4)]
        ids = [
            tokens.issue(
                club.db, club.id, NewToken("session", who, address, "n", str(n), {}, at[n], at[3], EXPIRES)
            )
            for n, (who, address) in enumerate(
                (("bela", "b@x.org"), ("bela", "b@x.org"), ("anna", "a@x.org"))
            )
        ]
    members = ["Bela", "anna", "carl"]
    assert tokens.sessions(club.db, club.id, members, START) == {
        ("bela", "b@x.org"): ids[1],
        ("anna", "a@x.org"): ids[2],
    }
    assert tokens.sessions(club.db, club.id, members, at[3] + timedelta(seconds=1)) == {}
    assert tokens.sessions(club.db, club.id, [], START) == {}


def test_misuse_is_counted_and_only_some_purposes_are_revoked(club: Scene) -> None:
    asked, answer = issue(club), issue(club, "a", purpose="answer")
    assert [tokens.note_misuse(club.db, asked) for _ in range(2)] == [1, 2]
    assert tokens.revoke(club.db, club.id, "bela", ("confirm", "session")) == 1
    assert state_of(club.db, answer) is TokenState.OPEN
    assert tokens.known(club.db, ["d", "a", "zz"]) == {"d", "a"}
    assert tokens.known(club.db, []) == frozenset()
