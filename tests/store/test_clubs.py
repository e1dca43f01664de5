"""Clubs, and the instants and handles all rows are made of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import clubs, instants, ledger
from store.errors import RowExists, UnknownName
from store.records import INITIAL_CREDIT, ClubRow
from tests.store.scene import Scene, found


def test_a_club_is_founded_with_its_rulebook_and_equity(bare: Scene) -> None:
    expected = ClubRow(bare.id, "Les amis", "club@example.org", "Europe/Paris", "EUR", "fr", "le forum")
    assert clubs.club(bare.db, bare.id) == expected
    assert clubs.clubs(bare.db) == (expected,)
    assert bare.books.rulebook().number == 1
    assert ledger.balances(bare.db, bare.id) == {INITIAL_CREDIT: 0}


def test_a_club_that_is_not_there_is_an_error(bare: Scene) -> None:
    with pytest.raises(UnknownName, match="no club 9"):
        clubs.club(bare.db, 9)


def test_clubs_have_different_addresses(bare: Scene) -> None:
    with pytest.raises(RowExists):
        found(bare.db)
    found(bare.db, "autre@example.org")
    assert [row.address for row in clubs.clubs(bare.db)] == ["club@example.org", "autre@example.org"]


@given(st.datetimes(), st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(-timedelta(hours=12))]))
def test_instants_come_back_exactly(instant: datetime, zone: timezone) -> None:
    aware = instant.replace(year=max(2, min(instant.year, 9998)), tzinfo=zone, day=min(instant.day, 28))
    assert instants.from_micros(instants.to_micros(aware)) == aware


def test_instants_sort_as_their_integers() -> None:
    paris = timezone(timedelta(hours=1))
    noon = datetime(2026, 1, 5, 12, 0, tzinfo=paris)
    assert instants.to_micros(noon) < instants.to_micros(datetime(2026, 1, 5, 11, 0, 0, 1, tzinfo=UTC))
    assert instants.to_micros(datetime.min.replace(tzinfo=UTC)) > instants.EARLIEST
    assert instants.to_micros(datetime.max.replace(tzinfo=UTC)) < instants.LATEST


def test_an_instant_needs_a_time_zone() -> None:
    with pytest.raises(ValueError, match="without a time zone"):
        instants.to_micros(datetime(2026, 1, 5))  # noqa: DTZ001
