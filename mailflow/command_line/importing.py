"""Bring a spreadsheet along: import."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mailflow import ambient
from mailflow.command_line.parts import DONE, SAID_NO, Commands, add, add_folder, office_of, say, show_lines
from mailflow.errors import SettingsError

if TYPE_CHECKING:
    from mailflow.importing.taking import Taken


def add_to(commands: Commands) -> None:
    """Add this sub-command."""
    parser = add(commands, "import", _import, "take over members, balances or past games from a CSV file")
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="its header says what it holds")
    parser.add_argument("--apply", action="store_true", help="write it; otherwise only show what would be")
    parser.add_argument("--undo", type=int, metavar="ID", help="take an import back")
    parser.add_argument("--list", action="store_true", help="list what was imported")
    add_folder(parser)


def _import(options: argparse.Namespace) -> int:
    if options.undo is not None:
        return _undo(options)
    if options.list:
        return _list(options)
    if options.file is None:
        raise SettingsError("import needs a file, --list, or --undo and a number")
    return _take_over(options)


def _take_over(options: argparse.Namespace) -> int:
    from mailflow.importing.plan import told
    from mailflow.importing.sheet import read
    from mailflow.importing.taking import take_over
    from mailflow.words import money

    try:
        data = options.file.read_bytes()
    except OSError as error:
        raise SettingsError(f"{options.file}: {error.strerror}") from error
    sheet = read(data)
    say(f"{options.file.name}: {sheet.form}")
    with office_of(options.dir) as office:
        taken = take_over(office, sheet, options.file.name, ambient.now(), options.apply)
        currency = office.club.currency
    show_lines(told(taken.plan, lambda cents: money(cents, currency, "en")))
    if taken.plan.known:
        say(f"{taken.plan.known} rows are in the books already and are left out")
    if taken.surplus_cents:
        amount = money(taken.surplus_cents, currency, "en")
        say(f"the balances come to {amount} beside the initial credits: equity:opening-balances takes it")
    return _end(taken)


def _end(taken: Taken) -> int:
    for problem in taken.plan.problems:
        print(f"mailflow: {problem}", file=sys.stderr)
    if taken.plan.problems:
        say("nothing was written: mend these rows first")
        return SAID_NO
    if not taken.plan.steps:
        say("nothing is new: nothing was written")
    elif taken.batch is None:
        say("nothing was written: this is what --apply would do")
    else:
        say(f"done, as import {taken.batch}; to take it back: mailflow import --undo {taken.batch}")
    return DONE


def _undo(options: argparse.Namespace) -> int:
    from mailflow.importing.taking import CannotUndo, undo

    with office_of(options.dir) as office:
        try:
            batch = undo(office, options.undo, ambient.now())
        except CannotUndo as error:
            print(f"mailflow: {error}", file=sys.stderr)
            return SAID_NO
    say(f"import {batch.number} is undone: {batch.kind}, {batch.rows} rows of {batch.name}")
    return DONE


def _list(options: argparse.Namespace) -> int:
    from store import imports

    with office_of(options.dir) as office:
        found = imports.batches(office.db, office.club.id)
    lines = [
        f"{b.number}: {b.kind}, {b.rows} rows of {b.name}, {b.imported_at:%Y-%m-%d %H:%M} UTC"
        + ("" if b.undone_at is None else f", undone {b.undone_at:%Y-%m-%d %H:%M} UTC")
        for b in found
    ]
    return show_lines(lines or ["nothing was imported"])
