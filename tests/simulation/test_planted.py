"""Each planted bug is found: that is what a simulation without findings is worth (TRUST § 6)."""

import pytest

from mailflow.simulation.life import live

from .planted import PLANTED, Planted

SEEDS, WEEKS = range(1, 41), 5


def found(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str] | None:
    """After how many weeks at most the bug shows, and how."""
    planted.plant(monkeypatch)
    for lives, seed in enumerate(SEEDS, 1):
        violation = live(seed, WEEKS).violation
        if violation is not None:
            return lives * WEEKS, violation
    return None


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.name)
def test_a_planted_bug_is_found(planted, monkeypatch):
    shown = found(planted, monkeypatch)
    assert shown is not None, f"{planted.breaks}: nothing was seen in {len(SEEDS) * WEEKS} weeks"
    print(f"{planted.name}: within {shown[0]} weeks: {shown[1][:200]}")


def test_without_a_bug_the_same_lives_go_well():
    assert [live(seed, WEEKS).violation for seed in SEEDS[:5]] == [None] * 5


def test_there_are_enough_bugs_and_each_has_its_name():
    assert len({one.name for one in PLANTED}) == len(PLANTED) >= 30
