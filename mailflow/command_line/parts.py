"""What the sub-commands share: exit codes, how one is added, what they print."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from mailflow import ambient

if TYPE_CHECKING:  # what a sub-command needs is imported when it runs, so that each starts fast
    from mailflow.app import Office

DONE, SAID_NO, UNREADABLE = 0, 1, 2

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    """Add a sub-command: `run` carries it out and returns the exit code."""
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run)
    return parser


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Give a sub-command the option that names the club's folder."""
    parser.add_argument("--dir", type=Path, default=Path(), metavar="DIR", help="the club's folder (here)")


def a_count(text: str) -> int:
    """Read the argument of an option that says how many: 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, 1 or more")
    return int(text)


def office_of(folder: Path) -> AbstractContextManager[Office]:
    """Open the club of a folder, as `mailflow run` sees it. Raises SettingsError."""
    from mailflow.app import open_office
    from mailflow.identify import Trust
    from mailflow.settings import load

    return open_office(load(folder), Trust.CONFIRM, ambient.now())


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def show_lines(lines: Iterable[str]) -> int:
    """Print lines; return the exit code of a thing done."""
    for line in lines:
        say(line)
    return DONE


def show(values: dict[str, object], as_json: bool) -> None:
    """Print values on a line, for a program or for a person."""
    if as_json:
        print(json.dumps(values, ensure_ascii=False))
    else:
        print("  ".join(f"{k}: {v}" for k, v in values.items() if v is not None))
