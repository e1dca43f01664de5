"""A year of Tuesdays (TRUST § 6): lives with crooks, crashes and lost mails, from fresh seeds each time.

A life that goes wrong is made short and printed, with the seed that brings it back; write that seed into
`failed_seeds.txt`. `SIMULATE_SEED` sets the first seed, `SIMULATE_WEEKS` the weeks of each life.
"""

import os
import secrets
from pathlib import Path

import pytest

from mailflow.model import Proof
from mailflow.simulation.life import live
from mailflow.simulation.report import bad_news
from mailflow.simulation.shrinking import scenario, shrunk

LIVES, WEEKS = 10, int(os.environ.get("SIMULATE_WEEKS", "20"))
FAILED = [
    tuple(map(int, line.split()[:2]))
    for line in (Path(__file__).parent / "failed_seeds.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def all_is_well(seed: int, weeks: int) -> None:
    outcome = live(seed, weeks)
    assert outcome.violation is None, "\n".join(bad_news(outcome))


@pytest.mark.parametrize("number", range(LIVES))
def test_twenty_weeks_from_a_fresh_seed(number):
    first = os.environ.get("SIMULATE_SEED")
    seed = secrets.randbelow(2**31) if first is None else int(first) + number
    print(f"seed {seed}, {WEEKS} weeks")
    all_is_well(seed, WEEKS)


@pytest.mark.parametrize(("seed", "weeks"), FAILED)
def test_what_once_went_wrong_goes_well(seed, weeks):
    all_is_well(seed, weeks)


def test_the_same_seed_is_the_same_life():
    once, twice = live(5, 3), live(5, 3)
    assert once.digest == twice.digest
    assert once.diary == twice.diary
    assert live(6, 3).digest != once.digest


def test_an_event_that_is_left_out_leaves_the_others_as_they_were():
    whole = live(5, 1)
    first = next(name for name in whole.happened if name.startswith("w0.game"))
    without = live(5, 1, frozenset({first}))
    assert not [name for name in without.happened if name.startswith(first)]
    assert {n for n in whole.happened if n.startswith("w0.read")} <= set(without.happened)


def test_a_life_that_goes_wrong_is_made_short(monkeypatch):
    monkeypatch.setattr("mailflow.desk.proof_of", lambda *_: Proof.FRESH)
    bad = live(2, 6)
    short = shrunk(bad)
    assert bad.violation is not None
    assert short.violation is not None
    assert short.weeks <= bad.weeks
    assert len(short.happened) < len(bad.happened)
    assert len({name.partition("+")[0].partition(">")[0] for name in short.happened}) <= 3, short.happened
    told = scenario(short)
    assert told[-1].startswith("=> ")
    assert len(told) < 40


def test_the_program_falling_over_is_a_violation(monkeypatch):
    def broken(*_):
        raise KeyError("x")

    monkeypatch.setattr("mailflow.desk.Desk.work", broken)
    assert "fell over" in (live(2, 1).violation or "")


def test_a_life_is_rich_enough_to_go_wrong():
    """What is never done is never judged."""
    counts = {}
    for seed in (1, 2, 3, 4):
        for name, number in live(seed, 12).counts.items():
            counts[name] = counts.get(name, 0) + number
    for name in (
        "in executed", "in pending", "in answered", "in ignored", "deaths", "full", "did PARTIE",
        "did RESULTAT",
        "did MODIFIE", "did CONTESTE", "did VIREMENT", "did BANNIT", "did RETABLIT", "did SOLIDARITE",
        "out arbitration.decided", "out dispute.withdrawn", "out reminder.daily", "out misused",
    ):  # fmt: skip
        assert counts.get(name, 0) > 0, (name, counts)
