"""Serve a club, or show one: run, demo."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from mailflow import ambient
from mailflow.command_line.parts import DONE, Commands, add, add_folder, office_of, say


def add_to(commands: Commands) -> None:
    """Add these sub-commands."""
    _demo_options(add(commands, "demo", _demo, "see a club's life, mails and all, on this machine"))
    add_folder(add(commands, "run", _run, "serve the club: take mail in, keep the books, answer"))


def _demo_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, metavar="DIR", help="keep the club in this folder")
    parser.add_argument("--interactive", action="store_true", help="write as any member yourself")


def _demo(options: argparse.Namespace) -> int:
    from mailflow.demo.show import demo

    return demo(options.dir, options.interactive, say)


def _run(options: argparse.Namespace) -> int:
    from mailflow.service import serve

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    with office_of(options.dir) as office:
        where = office.settings.relay.host or office.settings.outbox
        serve(
            office,
            ambient.now,
            lambda port: say(f"{office.club.address}: mail comes in on port {port}, goes out to {where}"),
        )
    say("stopped")
    return DONE
