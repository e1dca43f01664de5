"""Mails made to be slow take steps in proportion to their size (T-24): calls are counted, not seconds."""

import sys

import pytest

from parsers.commands import read_commands
from parsers.letter import read_letter
from tests.fuzz.hostile import SHAPES
from tests.parsers.mail_scene import GRAMMAR

SIZE = 0.2
GROWTH_MAX = 2.5
"""For twice the size. What is quadratic takes four times as many."""
STEPS_MIN = 3000
"""What every mail takes, whatever its size, hides the growth of fewer."""


def steps(raw: bytes) -> int:
    """Calls of functions, C's included, until the mail is read."""
    taken = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal taken
        taken += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        read_commands(read_letter(raw), GRAMMAR)
    finally:
        sys.setprofile(None)
    return taken


@pytest.mark.parametrize("shape", SHAPES)
def test_steps_grow_with_the_size_and_not_faster(shape):
    steps(SHAPES[shape](SIZE))  # what is imported late, or remembered, is not counted
    small, great = steps(SHAPES[shape](SIZE)), steps(SHAPES[shape](2 * SIZE))
    assert great <= max(GROWTH_MAX * small, STEPS_MIN)
