"""Make a life that goes wrong short: leave out events as long as it still goes wrong in the same way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mailflow.simulation.life import Outcome, live

TRIES_MAX = 150

Live = Callable[[int, int, frozenset[str]], Outcome]


def shrunk(bad: Outcome, lived: Live = live, tries_max: int = TRIES_MAX) -> Outcome:
    """Return a short life from the same seed with a violation; `bad` itself where none is shorter.

    First the weeks after it are cut, then halves, quarters … of all that happened, down to single events. Any
    violation will do: the shorter life is the one to look at first, and the seed stays for the other.
    """
    best, without, tries = bad, frozenset[str](), tries_max
    for weeks in range(1, bad.weeks):
        found = lived(bad.seed, weeks, frozenset())
        tries -= 1
        if found.violation is not None:
            best = found
            break
    size = max(1, len(_events(best)) // 2)
    while tries > 0:
        smaller = None
        for names in _pieces(_events(best), size):
            found = lived(bad.seed, best.weeks, without | names)
            tries -= 1
            if found.violation is not None and len(found.happened) < len(best.happened):
                smaller, without = found, without | names
                break
            if tries <= 0:
                break
        if smaller is not None:
            best, size = smaller, min(size, max(1, len(_events(smaller)) // 2))
        elif size == 1:
            break
        else:
            size //= 2
    return best


def _events(outcome: Outcome) -> tuple[str, ...]:
    """The events that stand for themselves; with each goes what comes of it."""
    return tuple(dict.fromkeys(name.partition(">")[0] for name in outcome.happened))


def _pieces(names: Sequence[str], size: int) -> list[frozenset[str]]:
    return [frozenset(names[i : i + size]) for i in range(0, len(names), size)]


def scenario(outcome: Outcome, lines_max: int = 80) -> list[str]:
    """A life for people to read: what happened, and what must not have."""
    lines = outcome.diary[-lines_max:]
    head = f"seed {outcome.seed}, {outcome.weeks} weeks, {len(_events(outcome))} events"
    return [head, *lines, f"=> {outcome.violation or 'all was well'}"]
