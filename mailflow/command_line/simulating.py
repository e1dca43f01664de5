"""Let a made-up club live: simulate."""

from __future__ import annotations

import argparse

from mailflow import ambient
from mailflow.command_line.parts import DONE, SAID_NO, Commands, a_count, add, say, show_lines


def add_to(commands: Commands) -> None:
    """Add this sub-command."""
    text = "let a made-up club live for weeks, with crooks and crashes, and check all that happens"
    parser = add(commands, "simulate", _simulate, text)
    parser.add_argument("--weeks", type=a_count, default=52, metavar="N", help="how many club-weeks (52)")
    parser.add_argument("--seed", type=int, metavar="S", help="the same seed, the same life (a new one)")
    parser.add_argument("--jobs", type=a_count, default=1, metavar="N", help="lives at a time (1)")
    parser.add_argument("--diary", action="store_true", help="tell all that happens")


def _simulate(options: argparse.Namespace) -> int:
    from mailflow.simulation.report import bad_news, lives, summary

    seed = options.seed
    if seed is None:
        seed = int.from_bytes(ambient.random_key(3), "big")
    say(f"seed {seed}")
    done = []
    for outcome in lives(options.weeks, seed, options.jobs):
        if options.diary:
            show_lines(outcome.diary)
        if outcome.violation is not None:
            show_lines(bad_news(outcome))
            return SAID_NO
        done.append(outcome)
    show_lines([*summary(done), "all is well: nothing happened that must not"])
    return DONE
