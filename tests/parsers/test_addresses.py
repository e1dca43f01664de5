"""One comparable form of an address (T-6, E13-E16): properties; the table of cases is in test_letter."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from parsers.addresses import canonical, sender_of

ANY = st.text(max_size=40)
LIKELY = st.lists(
    st.sampled_from(["anna", "Anna", "é", "e\u0301", "É", "@", ".", "+x", "example", "Bücher",
                     "xn--bcher-kva", "\u0430", "\u200b", "org", "ß", " ", "\u202e", "-", '"', "\uff41"]),
    max_size=8,
).map("".join)  # fmt: skip


@given(st.one_of(ANY, LIKELY))
def test_the_form_is_final_and_of_one_kind(text):
    """Compared with itself an address is itself: nothing that it is changed into changes again."""
    found = canonical(text)
    if found is not None:
        local, _, domain = found.rpartition("@")
        assert canonical(found) == found
        assert domain.isascii()
        assert domain == domain.lower()
        assert unicodedata.normalize("NFC", local) == local
        assert "@" not in local


@given(st.one_of(ANY, LIKELY))
def test_composed_and_decomposed_letters_are_one_address(text):
    """E14: NFD on one machine, NFC on another."""
    assert canonical(unicodedata.normalize("NFD", text)) == canonical(unicodedata.normalize("NFC", text))


@given(st.one_of(ANY, LIKELY))
def test_a_sender_is_one_canonical_address_or_has_a_flaw(text):
    """T-4: never both, never neither."""
    for value in (text, f"x <{text}>", f'"{text}" <anna@example.org>'):
        address, _, flaw = sender_of(value.encode("utf-8", "replace"))
        assert (address is None) == (flaw is not None)
        assert address is None or canonical(address) == address
