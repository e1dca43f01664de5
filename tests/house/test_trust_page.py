"""docs/trust.md lists threats and promises: each is proved where the page says."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "trust.md").read_text("utf-8")
NUMBERS = [*(f"T-{n}" for n in range(1, 39)), *(f"P-{n}" for n in range(1, 13))]
ROWS = {row[0]: row[1] for row in re.findall(r"^\| ([TP]-\d+) \|[^|]*\| ([^|]*) \|$", PAGE, re.MULTILINE)}


def test_every_threat_and_promise_stands_on_the_page_once():
    assert list(ROWS) == NUMBERS
    assert len(re.findall(r"^\| [TP]-\d+ \|", PAGE, re.MULTILINE)) == len(NUMBERS)


@pytest.mark.parametrize("number", NUMBERS)
def test_each_is_cited_by_the_tests_that_are_named(number):
    files = re.findall(r"`(tests/[\w/]+\.py)`", ROWS[number])
    assert files, f"{number} names no test"
    for name in files:
        assert re.search(rf"\b{number}\b", (ROOT / name).read_text("utf-8")), f"{name} does not cite {number}"


def test_the_page_names_the_numbers_of_the_settings():
    from mailflow.sections.trust import Caution

    words = {"six": 6, "forty": 40, "ten": 10, "two": 2, "three": 3}
    figures = {int(n) for n in re.findall(r"\b\d+\b", PAGE)} | {n for w, n in words.items() if w in PAGE}
    assert set(vars(Caution()).values()) - {30} <= figures
