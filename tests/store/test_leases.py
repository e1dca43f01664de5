"""P-5: one process at a time is at work, and one that was too slow writes nothing."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest

from store import fences, handles, leases, sql, tables
from store.database import Fence, for_club, unit_of_work
from store.errors import LeaseLost, StoreUnavailable
from tests.databases import ON_POSTGRES, open_database

from .scene import START, Scene, found

MINUTE = timedelta(minutes=1)


def take(club: Scene, holder: str, now: timedelta = timedelta(0), name: str = "desk") -> int | None:
    return leases.take(club.db, club.id, name, holder, START + now, MINUTE)


def fence_of(club: Scene, holder: str, now: timedelta = timedelta(0)) -> int:
    fence = take(club, holder, now)
    assert fence is not None
    return fence


def test_a_lease_is_held_by_one(bare: Scene) -> None:
    assert take(bare, "one") == 1
    assert take(bare, "two") is None
    assert take(bare, "two", name="mailbox") == 1
    other = found(bare.db, "autre@example.org")
    assert take(other, "two") == 1


@pytest.mark.parametrize(("now", "fence"), [(MINUTE - timedelta(microseconds=1), None), (MINUTE, 2)])
def test_a_lease_that_has_run_out_is_taken_over(bare: Scene, now: timedelta, fence: int | None) -> None:
    take(bare, "one")
    assert take(bare, "two", now) == fence


def test_a_holder_that_takes_again_puts_its_earlier_self_out(bare: Scene) -> None:
    first = fence_of(bare, "one")
    assert take(bare, "one") == first + 1
    with pytest.raises(LeaseLost), unit_of_work(bare.db):
        leases.check(bare.db, bare.id, "desk", first)


def test_a_renewed_lease_lasts(bare: Scene) -> None:
    fence = fence_of(bare, "one")
    assert leases.renew(bare.db, bare.id, "desk", fence, START + MINUTE / 2, MINUTE)
    assert take(bare, "two", MINUTE) is None
    assert take(bare, "two", MINUTE * 1.5) == fence + 1
    assert not leases.renew(bare.db, bare.id, "desk", fence, START + MINUTE, MINUTE)


def test_a_lease_given_back_is_free_at_once(bare: Scene) -> None:
    fence = fence_of(bare, "one")
    leases.release(bare.db, bare.id, "desk", fence + 1)
    assert take(bare, "two") is None, "somebody else's is not given back"
    leases.release(bare.db, bare.id, "desk", fence)
    with pytest.raises(LeaseLost), unit_of_work(bare.db):
        leases.check(bare.db, bare.id, "desk", fence)
    assert not leases.renew(bare.db, bare.id, "desk", fence, START, MINUTE)
    assert take(bare, "two") == fence + 1


def test_a_transaction_under_a_lease_that_was_taken_over_writes_nothing(bare: Scene) -> None:
    slow = for_club(bare.db, bare.id, Fence("desk", fence_of(bare, "slow")))
    with unit_of_work(slow):
        note(slow, bare.id, "in time")
    quick = for_club(bare.db, bare.id, Fence("desk", fence_of(bare, "quick", MINUTE)))
    with pytest.raises(StoreUnavailable, match="no longer ours"), unit_of_work(slow):
        note(slow, bare.id, "too late")
    with unit_of_work(quick):
        note(quick, bare.id, "next")
    assert sql.rows(bare.db, "SELECT job FROM run ORDER BY job") == [("in time",), ("next",)]


def test_to_look_at_a_lease_outside_of_a_transaction_writes_nothing(bare: Scene) -> None:
    """A lock on the row would be a write, and the disk waited for, once for each mail that is sent."""
    held = for_club(bare.db, bare.id, Fence("desk", fence_of(bare, "slow")))
    fences.check(held)
    if ON_POSTGRES:
        assert sql.value(bare.db, "SELECT count(*) FROM lease WHERE xmax <> 0") == 0
    fence_of(bare, "quick", MINUTE)
    with pytest.raises(LeaseLost):
        fences.check(held)


def test_nobody_takes_over_from_a_holder_within_a_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL says so at once; of one file, nobody else can write a word meanwhile."""
    monkeypatch.setattr(handles, "BUSY_SECONDS", 0.05)
    here, there = open_database(tmp_path / "club.db"), open_database(tmp_path / "club.db")
    club = found(here)
    held = for_club(here, club.id, Fence("desk", fence_of(club, "slow")))
    with unit_of_work(held):
        taken = None
        with nullcontext() if ON_POSTGRES else pytest.raises(StoreUnavailable, match="locked"):
            taken = leases.take(there, club.id, "desk", "quick", START + MINUTE, MINUTE)
        assert taken is None
        note(held, club.id, "in time")
    assert leases.take(there, club.id, "desk", "quick", START + MINUTE, MINUTE) == 2
    assert sql.rows(there, "SELECT job FROM run") == [("in time",)]


def note(db: object, club_id: int, job: str) -> None:
    sql.insert(db, tables.Run, club_id=club_id, job=job, due_at=START, ran_at=START)
