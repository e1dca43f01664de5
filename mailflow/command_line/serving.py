"""Serve clubs, or show one: run, work, demo."""

from __future__ import annotations

import argparse
import os
import socket
from pathlib import Path

from mailflow import ambient
from mailflow.command_line.parts import DONE, Commands, add, add_folder, office_of, say
from mailflow.errors import SettingsError


def add_to(commands: Commands) -> None:
    """Add these sub-commands."""
    _demo_options(add(commands, "demo", _demo, "see a club's life, mails and all, on this machine"))
    running = add(commands, "run", _run, "serve the club: take mail in, keep the books, answer")
    add_folder(running)
    running.add_argument(
        "--on-network-disk", action="store_true", help="keep SQLite books on such a disk all the same"
    )
    _log_option(running)
    sharing = add(commands, "work", _work, "share the work of clubs whose books are in PostgreSQL")
    sharing.add_argument(
        "--dir", type=Path, action="append", required=True, metavar="DIR", help="a club's folder; repeat it"
    )
    _log_option(sharing)


def _log_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--log", choices=("lines", "json"), default="lines", help="one line an event (lines)")


def _demo_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, metavar="DIR", help="keep the club in this folder")
    parser.add_argument("--interactive", action="store_true", help="write as any member yourself")


def _demo(options: argparse.Namespace) -> int:
    from mailflow.demo.show import demo

    return demo(options.dir, options.interactive, say)


def _run(options: argparse.Namespace) -> int:
    from mailflow import logs
    from mailflow.service import serve

    if not options.on_network_disk:
        _check_disk(options.dir)
    logs.begin(options.log)
    with office_of(options.dir) as office:
        where = office.settings.relay.host or office.settings.outbox
        serve(
            office,
            ambient.now,
            ambient.stopwatch,
            _holder(),
            lambda ways: say(f"{office.club.address}: mail comes in {ways}, goes out to {where}"),
        )
    say("stopped")
    return DONE


def _check_disk(folder: Path) -> None:
    """TRUST § 5: SQLite on a network disk can lose what was committed. Raises SettingsError."""
    from mailflow.disks import NETWORK_DISKS, disk_of
    from mailflow.settings import load

    settings = load(folder)
    kind = disk_of(settings.folder)
    if settings.server is None and kind in NETWORK_DISKS:
        raise SettingsError(
            f"{settings.folder} lies on a network disk ({kind}), whose locks SQLite cannot rely on: "
            "books there can lose what was committed. Move the folder to a disk of this machine, keep the "
            "books in PostgreSQL, or take the risk with --on-network-disk"
        )


def _work(options: argparse.Namespace) -> int:
    from mailflow import logs
    from mailflow.app import open_offices
    from mailflow.identify import Trust
    from mailflow.settings import load
    from mailflow.workers import work

    logs.begin(options.log)
    with open_offices([load(folder) for folder in options.dir], Trust.CONFIRM, ambient.now()) as offices:
        say_so = lambda count: say(f"at work for {count} clubs")  # noqa: E731
        work(offices, _holder(), ambient.now, ambient.stopwatch, say_so)
    say("stopped")
    return DONE


def _holder() -> str:
    """Name this process and no other, on whatever host."""
    return f"{socket.gethostname()}:{os.getpid()}:{ambient.random_key(6).hex()}"
