"""Play a season and print what trust cost its members: `python -m tests.season --seed 1`."""

from __future__ import annotations

import argparse
import statistics
from collections import Counter
from collections.abc import Collection
from random import Random

from store import sql
from store.verify import verify

from .club import Season, open_season
from .evenings import evening
from .people import people


def play(seed: int, members: int, evenings: int) -> Season:
    """Play so many evenings; the same seed plays the same season."""
    dice = Random(seed)
    season = open_season(people(members, dice), dice)
    for _ in range(evenings):
        evening(season)
    season.later(2 * 24 * 60)
    assert verify(season.db, season.club.id) == ()
    return season


def replies(season: Season, evenings: Collection[tuple[str, int]]) -> list[int]:
    """For each of these members and evenings: the OUI that he had to send besides his own commands."""
    return sorted(season.extra[one] for one in evenings)


def share(figures: list[int], percent: int) -> int:
    """The figure that so many percent do not exceed."""
    return figures[min(len(figures) - 1, len(figures) * percent // 100)]


def confirmations(season: Season) -> dict[str, int]:
    """How the confirmations ended; `expired`: open to the end of their time, and never answered."""
    text = "SELECT state, count(*) FROM token WHERE purpose = 'confirm' GROUP BY state ORDER BY state"
    found = dict(sql.rows(season.db, text))
    late = "SELECT count(*) FROM token WHERE purpose = 'confirm' AND state = 'open' AND expires_at < ?"
    found["expired"] = int(sql.value(season.db, late, (season.now,)))
    found["open"] = found.get("open", 0) - found["expired"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="season")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--members", type=int, default=30)
    parser.add_argument("--evenings", type=int, default=40)
    options = parser.parse_args()
    season = play(options.seed, options.members, options.evenings)
    print(f"seed {options.seed}: {options.members} members, {options.evenings} evenings")
    for what, evenings in (("a command", season.active), ("one that changes something", season.acting)):
        figures = replies(season, evenings)
        print(f"members and evenings with {what}: {len(figures)}; OUI besides:")
        for number, count in sorted(Counter(figures).items()):
            print(f"  {number}: {count:5} ({100 * count / len(figures):.1f} %)")
        print(
            f"  mean {statistics.mean(figures):.2f}, median {share(figures, 50)}, 95 % {share(figures, 95)}"
        )
    print("confirmations: " + ", ".join(f"{n} {state}" for state, n in confirmations(season).items()))
    print(", ".join(f"{n} {what}" for what, n in sorted(season.counts.items())))


if __name__ == "__main__":
    main()
