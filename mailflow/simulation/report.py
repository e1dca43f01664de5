"""Many lives, on as many processors as there are; and what to say of them to a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from mailflow.simulation.life import Outcome, live
from mailflow.simulation.shrinking import scenario, shrunk

LIFE_WEEKS = 52
"""A life is no longer: more weeks make more lives."""


def lives(weeks: int, seed: int, jobs: int = 1) -> Iterator[Outcome]:
    """Live so many weeks in lives of a year at most, from this seed, the next …; give each as it ends."""
    lengths = [LIFE_WEEKS] * (weeks // LIFE_WEEKS) + [weeks % LIFE_WEEKS] * (weeks % LIFE_WEEKS > 0)
    seeds = range(seed, seed + len(lengths))
    if jobs == 1 or len(lengths) == 1:
        yield from map(live, seeds, lengths)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(live, seeds, lengths)


def summary(outcomes: Iterable[Outcome]) -> list[str]:
    """What the weeks brought, in a few lines."""
    counts, weeks, last = Counter[str](), 0, None
    for outcome in outcomes:
        counts.update(outcome.counts)
        weeks, last = weeks + outcome.weeks, outcome
    lines = [
        f"{weeks} weeks, from seed {last.seed if last else 0} at the end",
        f"mails in     {_of(counts, 'in ')}",
        f"carried out  {_of(counts, 'did ')}",
        f"mails out    {_of(counts, 'out ')}",
        f"faults       {counts['deaths']} deaths, {counts['full']} times without room on the disk",
    ]
    if last is not None:
        amounts = ", ".join(f"{h} {cents / 100:.2f}" for h, cents in last.balances.items())
        lines += [f"balances     {amounts}", f"event log    {last.digest[:16]}"]
    return lines


def bad_news(outcome: Outcome) -> list[str]:
    """A life that went wrong, made short."""
    short = shrunk(outcome)
    again = f"mailflow simulate --weeks {outcome.weeks} --seed {outcome.seed}"
    return [*scenario(short), f"=> to see it again: {again}"]


def _of(counts: Counter[str], prefix: str) -> str:
    """The counts under a heading, the greatest first."""
    found = [(n, name.removeprefix(prefix)) for name, n in counts.items() if name.startswith(prefix)]
    return f"{sum(n for n, _ in found)}: " + ", ".join(
        f"{name} {n}" for n, name in sorted(found, reverse=True)
    )
