"""Each hazard of reading mail, numbered by chapter, is named by a test."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
CHAPTERS = {"A": 32, "B": 12, "C": 29, "D": 28, "E": 30, "F": 17, "G": 10, "H": 12}
"""How many there are: history, forwards, encodings, shapes, headers, mail of nobody, mailboxes, commands."""
NAMED = {
    name.upper()
    for path in TESTS.rglob("*.py")
    if path.name != Path(__file__).name
    for name in re.findall(r"(?<![A-Za-z0-9])([A-Ha-h][0-9]{2})(?![0-9])", path.read_text("utf-8"))
}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_hazard_is_named_by_a_test(chapter: str) -> None:
    wanted = {f"{chapter}{number:02d}" for number in range(1, CHAPTERS[chapter] + 1)}
    assert not wanted - NAMED
