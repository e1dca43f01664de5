"""Amounts, days and lists as several countries write them."""

from __future__ import annotations

from datetime import date

import pytest
from babel.dates import format_date
from babel.numbers import format_decimal
from hypothesis import given
from hypothesis import strategies as st

from mailflow.importing import cells


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("1 234,50", 1234_50), ("1\u202f234,50 €", 1234_50), ("1\u00a0234,50", 1234_50), ("12,5", 12_50),
        ("12", 12_00), ("12.50", 12_50), ("1.234,50", 1234_50), ("1,234.50", 1234_50), ("1'234.50", 1234_50),
        ("€ 12,5", 12_50), ("12,5 EUR", 12_50), ("CHF 12.50", 12_50), ("-12,50", -12_50), ("−3", -3_00),
        ("- 3,00 €", -3_00), ("+3", 3_00), ("0", 0), ("0,00", 0), ("1 234 567,00", 1234567_00),
        ("1.234.567", 1234567_00), ("1234567,89", 1234567_89),
        ("1.234", None), ("1,234", None), ("12,345", None), ("1e3", None), ("", None), ("-", None),
        ("abc", None), ("12,50,", None), ("1 23", None), ("12 345 6", None), ("NaN", None), ("١٢", None),
        ("12 $", None), ("99999999999", None), ("1,234,50", None), ("1.234.50", None), ("=12", None),
    ],
)  # fmt: skip
def test_amounts(text: str, cents: int | None) -> None:
    assert cells.cents(text) == cents


@given(st.integers(-(10**9), 10**9), st.sampled_from(("fr", "de", "it", "de_CH", "fr_CH", "en")))
def test_what_babel_writes_with_cents_reads_back(cents: int, locale: str) -> None:
    text = f"{'-' if cents < 0 else ''}{format_decimal(abs(cents) // 100, locale=locale)}"
    sign = "." if locale in ("en", "de_CH") else ","
    assert cells.cents(f"{text}{sign}{abs(cents) % 100:02}") == cents


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("31/12/2026", date(2026, 12, 31)), ("1/2/2026", date(2026, 2, 1)),
        ("31.12.2026", date(2026, 12, 31)),
        ("2026-12-31", date(2026, 12, 31)), ("2026-12-31 00:00:00", date(2026, 12, 31)),
        ("31 déc. 2026", date(2026, 12, 31)), ("31 décembre 2026", date(2026, 12, 31)),
        ("1er août 2026", date(2026, 8, 1)), ("31. Dezember 2026", date(2026, 12, 31)),
        ("31 Dec 2026", date(2026, 12, 31)), ("31 dicembre 2026", date(2026, 12, 31)),
        ("12/31/2026", None), ("30/2/2026", None), ("31/12/26", None), ("hier", None), ("", None),
        ("31 foo 2026", None), ("46022", None),
    ],
)  # fmt: skip
def test_days(text: str, day: date | None) -> None:
    assert cells.day(text) == day


@given(st.dates(date(1970, 1, 1), date(2100, 1, 1)), st.sampled_from(("fr", "de", "it", "en_GB")))
def test_what_babel_writes_in_words_reads_back(day: date, locale: str) -> None:
    for width in ("long", "medium"):
        assert cells.day(format_date(day, width, locale=locale)) == day


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("bela", ("bela",)), ("bela, carl", ("bela", "carl")), ("1=bela 2=carl", ("bela", "carl")),
        ("2=carl, 1=bela", ("bela", "carl")), ("1=bela 3=carl", None), ("1=bela 1=carl", None),
        ("bela 2=carl", None),
    ],
)  # fmt: skip
def test_places(text: str, places: tuple[str, ...] | None) -> None:
    assert cells.places(text) == places


def test_players_are_parted_in_many_ways() -> None:
    for text in (
        "anna,bela,carl",
        "Anna; bela ; carl",
        "anna bela carl",
        "anna, bela et carl",
        "anna / bela / carl",
    ):
        assert cells.handles(text) == ("anna", "bela", "carl")
