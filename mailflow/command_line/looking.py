"""Look at a club: status, balances, verify; hear somebody again: unmute."""

from __future__ import annotations

import argparse

from mailflow import ambient
from mailflow.command_line.parts import DONE, SAID_NO, Commands, add, add_folder, office_of, say, show_lines


def add_to(commands: Commands) -> None:
    """Add these sub-commands."""
    for name, run, text in (
        ("status", _status, "how the club and its mails stand"),
        ("balances", _balances, "every account, and the check that all sums to zero"),
        ("verify", _verify, "recompute sums, balances and the audit chain"),
    ):
        add_folder(add(commands, name, run, text))
    unmute = add(commands, "unmute", _unmute, "answer somebody again who was met with silence")
    unmute.add_argument("who", metavar="HANDLE-OR-ADDRESS", help="as status names him")
    add_folder(unmute)


def _status(options: argparse.Namespace) -> int:
    from mailflow.console import status

    with office_of(options.dir) as office:
        return show_lines(status(office, ambient.now()))


def _balances(options: argparse.Namespace) -> int:
    from mailflow.balances import balances
    from mailflow.settings import load

    return show_lines(balances(load(options.dir), ambient.now()))


def _unmute(options: argparse.Namespace) -> int:
    from mailflow.silence import unmute

    with office_of(options.dir) as office:
        forgotten = unmute(office, options.who)
    held = f"{forgotten} things that counted against {options.who} are forgotten"
    say(held if forgotten else f"nothing counted against {options.who}")
    return DONE


def _verify(options: argparse.Namespace) -> int:
    from mailflow.console import findings

    with office_of(options.dir) as office:
        found = findings(office)
    show_lines(found or ["all is well: sums, balances and audit chain agree"])
    return SAID_NO if found else DONE
