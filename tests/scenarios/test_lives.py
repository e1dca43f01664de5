"""Lives of clubs made at random: after every mail the product and the model must say the same.

A difference prints the whole life as a scenario for `mailflow replay`. Longer runs:
`LIVES=5000 pytest -m slow tests/scenarios`.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .lives import MOVES, Move, play_life

NAMES = [name for name, (weight, _) in MOVES.items() for _ in range(weight)]
MOVE = st.builds(Move, st.sampled_from(NAMES), st.integers(0, 2**32))
QUIET = settings(
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)


@settings(QUIET, max_examples=12, derandomize=True)
@given(seed=st.integers(0, 2**32), moves=st.lists(MOVE, min_size=25, max_size=50))
def test_lives_go_as_the_model_says(seed: int, moves: list[Move]) -> None:
    play_life(seed, moves, years_max=0.5)


@pytest.mark.slow
@settings(QUIET, max_examples=int(os.environ.get("LIVES", "1000")))
@given(seed=st.integers(0, 2**32), moves=st.lists(MOVE, min_size=25, max_size=150))
def test_many_long_lives_go_as_the_model_says(seed: int, moves: list[Move]) -> None:
    play_life(seed, moves)
