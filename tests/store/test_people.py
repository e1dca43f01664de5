"""Whose address it is: any of a member's, exactly as it is kept."""

from __future__ import annotations

import pytest

from .scene import Scene, found


@pytest.mark.parametrize(
    ("address", "handle"),
    [
        ("anna@example.org", "anna"),
        ("anna@travail.example", "anna"),
        ("bela@example.org", "bela"),
        ("ANNA@example.org", None),
        ("anna@example.org ", None),
        ("", None),
        ("%", None),
    ],
)
def test_an_address_is_found_only_as_it_is_kept(club: Scene, address: str, handle: str | None) -> None:
    club.raw(
        "INSERT INTO address (club_id, member_id, address, is_primary)"
        " SELECT club_id, id, 'anna@travail.example', 0 FROM member WHERE handle = 'anna'"
    )
    assert club.books.handle_at(address) == handle


def test_an_address_of_another_club_is_nobodys_here(club: Scene) -> None:
    other = found(club.db, "autre@example.org")
    assert other.books.handle_at("anna@example.org") is None
