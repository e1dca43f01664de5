"""Words to values: hazards H01, H02, H06, C29; T-18, T-19."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import values

AMOUNTS = [
    ("15", 1500),
    ("15,50", 1550),
    ("15.50", 1550),
    ("12,5", 1250),
    ("15,50 €", 1550),
    ("15€", 1500),
    ("€15", 1500),
    ("€ 15", 1500),
    ("EUR 15", 1500),
    ("15 euros", 1500),
    ("1 euro", 100),
    ("15 EUR.", 1500),
    ("1 234,56", 123456),
    ("0,01", 1),
    ("1000000", 100_000_000),
    ("15,505", "amount_unreadable"),
    ("1.234", "amount_unreadable"),
    ("1.500", "amount_unreadable"),
    ("1.234,56", "amount_unreadable"),
    ("12 34", "amount_unreadable"),
    ("-15", "amount_unreadable"),
    ("+15", "amount_unreadable"),
    ("−15", "amount_unreadable"),
    ("1e3", "amount_unreadable"),
    ("NaN", "amount_unreadable"),
    ("inf", "amount_unreadable"),
    ("0x10", "amount_unreadable"),
    ("15 $", "amount_unreadable"),
    ("15 CHF", "amount_unreadable"),
    ("€15€", "amount_unreadable"),
    ("15,", 1500),
    ("007", "amount_unreadable"),
    ("１５", "amount_unreadable"),
    ("15,5O", "amount_unreadable"),
    ("", "amount_unreadable"),
    ("0", "amount_zero"),
    ("0,00", "amount_zero"),
    ("1000000,01", "amount_too_large"),
    ("99999999999999999999", "amount_unreadable"),
]


@pytest.mark.parametrize(("text", "value"), AMOUNTS)
def test_an_amount_is_exactly_one_number_of_cents_or_none(text: str, value: int | str) -> None:
    assert values.amount_cents(text) == value


FRANCS = [
    ("12.50", 1250),
    ("12,50", 1250),
    ("12.50 CHF", 1250),
    ("CHF 12.50", 1250),
    ("chf\u00a012.50", 1250),
    ("Fr. 12.-", 1200),
    ("Fr. 12.–", 1200),
    ("12.-", 1200),
    ("12.--", 1200),
    ("12.50 Fr.", 1250),
    ("15 francs", 1500),
    ("15 Franken", 1500),
    ("15 franchi", 1500),
    ("1'234.50", 123450),
    ("CHF 1’234.50", 123450),
    ("CHF 12 CHF", "amount_unreadable"),
    ("12.-5", "amount_unreadable"),
    ("12'34", "amount_unreadable"),
    ("-12.-", "amount_unreadable"),
    ("15 €", "amount_unreadable"),
    ("€15", "amount_unreadable"),
    ("EUR 15", "amount_unreadable"),
    ("15 $", "amount_unreadable"),
    ("0.-", "amount_zero"),
]


@pytest.mark.parametrize(("text", "value"), FRANCS)
def test_a_club_that_counts_in_francs_reads_them_and_no_other_money(text: str, value: int | str) -> None:
    assert values.amount_cents(text, "CHF") == value
    if "CHF" in text or "Fr" in text or "'" in text or "fran" in text or "-" in text:
        assert isinstance(values.amount_cents(text), str)


def test_a_currency_that_has_only_its_code_goes_by_it() -> None:
    assert values.amount_cents("15 NOK", "NOK") == values.amount_cents("NOK 15", "NOK") == 1500
    assert values.amount_cents("15 €", "NOK") == values.amount_cents("15 NOK") == "amount_unreadable"


@given(st.integers(1, values.AMOUNT_CENTS_MAX))
def test_every_amount_comes_back_however_it_is_written(cents: int) -> None:
    euros, rest = divmod(cents, 100)
    grouped = f"{euros:,}".replace(",", " ")
    for text in (
        f"{euros},{rest:02}",
        f"{euros}.{rest:02} €",
        f"{grouped},{rest:02} euros",
        f"€{euros},{rest:02}",
    ):
        assert values.amount_cents(text) == cents


@given(st.text(max_size=12))
def test_no_text_makes_an_amount_out_of_bounds(text: str) -> None:
    found = values.amount_cents(text)
    assert isinstance(found, str) or 1 <= found <= values.AMOUNT_CENTS_MAX


HANDLES = [
    ("Anna", "anna"),
    ("Chloé.", "chloé"),
    ("bob_", "bob_"),
    ("j-p.2", "j-p.2"),
    ("«anna»", "anna"),
    ("x" * 24, "x" * 24),
    ("x" * 25, None),
    ("a", None),
    ("VIREMENT", None),
    ("Résultat", None),
    ("-anna", None),
    ("an na", None),
    ("b\u0435la", None),
    ("анна", "анна"),
    ("an\u202ena", None),
    ("anna@example.org", None),
    ("an²", None),
    ("{{7*7}}", None),
]


@pytest.mark.parametrize(("word", "handle"), HANDLES)
def test_a_handle_is_a_plain_word_and_no_keyword(word: str, handle: str | None) -> None:
    assert values.handle(word, frozenset({"VIREMENT", "RESULTAT"})) == handle


@pytest.mark.parametrize(
    ("word", "day"),
    [
        ("2026-01-31", "2026-01-31"),
        ("31/01/2026", "2026-01-31"),
        ("1/2/2026.", "2026-02-01"),
        ("31/02/2026", None),
        ("2026-13-01", None),
        ("31/01/26", None),
        ("hier", None),
    ],
)
def test_a_date_is_a_day_of_the_calendar(word: str, day: str | None) -> None:
    assert values.iso_date(word) == day


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("12", 12),
        ("#12", 12),
        ("n°12", 12),
        ("No12", 12),
        ("12.", 12),
        ("0", None),
        ("2e", None),
        ("١", None),
        ("1" * 10, None),
    ],
)
def test_a_game_is_a_number(word: str, number: int | None) -> None:
    assert values.game_number(word) == number


@pytest.mark.parametrize(
    ("word", "place"),
    [
        ("1er", 1),
        ("2e", 2),
        ("3ème", 3),
        ("1.", 1),
        ("2)", 2),
        ("2nd", 2),
        ("1", None),
        ("0e", None),
        ("100e", None),
        ("e", None),
    ],
)
def test_an_ordinal_is_a_place(word: str, place: int | None) -> None:
    assert values.rank(word) == place
