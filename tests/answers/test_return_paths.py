"""A mail's return path: it names the mail to us alone, and nobody else can make one (T-32)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailflow.proofs import CROCKFORD, Keyring
from mailflow.return_paths import MAIL_CHARACTERS, mail_returned_to, return_path
from mailflow.settings import LOCAL_MAX
from parsers.addresses import canonical, token_of

RING = Keyring(b"k" * 32)
CLUB = "club@example.org"
IDS = st.integers(1, 2**40)


@given(IDS)
def test_it_leads_back_to_its_mail_in_any_case(mail_id: int) -> None:
    path = return_path(RING, CLUB, mail_id)
    assert canonical(path) == path
    assert mail_returned_to(RING, path) == mail_returned_to(RING, path.upper()) == mail_id
    assert path == return_path(RING, CLUB, mail_id), "the same at each retry"


@given(IDS)
def test_it_is_never_taken_for_a_token(mail_id: int) -> None:
    assert token_of((return_path(RING, CLUB, mail_id),), "") is None


@given(IDS, IDS)
def test_each_mail_has_its_own(one: int, other: int) -> None:
    assert (return_path(RING, CLUB, one) == return_path(RING, CLUB, other)) is (one == other)


@given(IDS, st.integers(0, 26), st.sampled_from(CROCKFORD))
def test_one_letter_changed_and_it_is_none(mail_id: int, place: int, letter: str) -> None:
    local, _, domain = return_path(RING, CLUB, mail_id).partition("@")
    at = len("club+b") + place
    forged = f"{local[:at]}{letter}{local[at + 1 :]}@{domain}"
    assert mail_returned_to(RING, forged) == (mail_id if letter == local[at] else None)


@given(st.text(CROCKFORD, min_size=27, max_size=27))
def test_a_guess_is_none(guess: str) -> None:
    assert mail_returned_to(RING, f"club+b{guess}@example.org") is None


def test_another_key_makes_another() -> None:
    assert mail_returned_to(Keyring(b"x" * 32), return_path(RING, CLUB, 7)) is None


def test_nobody_reads_from_it_how_many_mails_we_send() -> None:
    """Of mails in a row the part that names them differs everywhere."""
    parts = [return_path(RING, CLUB, n).partition("+b")[2][:MAIL_CHARACTERS] for n in range(1, 200)]
    for place in range(MAIL_CHARACTERS):
        assert len({part[place] for part in parts}) > 10


def test_it_fits_into_an_envelope() -> None:
    """RFC 5321 4.5.3.1.1: 64 octets before the @."""
    assert len(return_path(RING, "c" * LOCAL_MAX + "@example.org", 2**40).partition("@")[0]) <= 64


@pytest.mark.parametrize(
    "address", ["", "club@example.org", "club+b@example.org", "club+bé" + "0" * 26 + "@x.org", "+@"]
)
def test_what_is_none_is_none(address: str) -> None:
    assert mail_returned_to(RING, address) is None
