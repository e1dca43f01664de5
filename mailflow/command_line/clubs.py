"""Begin a club and open accounts: init, member."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mailflow import ambient
from mailflow.command_line.parts import DONE, SAID_NO, Commands, add, add_folder, office_of, say, show_lines
from mailflow.errors import SettingsError


def add_to(commands: Commands) -> None:
    """Add these sub-commands."""
    _init_options(add(commands, "init", _init, "begin a club: write club.toml into a folder"))
    _member_options(commands)


def _init_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--name", default="", help="the club's name")
    parser.add_argument("--address", default="", help="the address that members write to")
    parser.add_argument("--timezone", default="Europe/Paris")
    parser.add_argument("--currency", default="EUR")
    parser.add_argument("--forum", default="", help="where questions belong")
    parser.add_argument("--port", type=int, default=2525, help="where mail comes in")
    parser.add_argument("--relay", default="", metavar="HOST[:PORT]", help="server for outgoing mail")


def _member_options(commands: Commands) -> None:
    parser = commands.add_parser("member", help="add or list members")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    opening = add(actions, "add", _member_add, "open an account")
    opening.add_argument("handle")
    opening.add_argument("address")
    opening.add_argument("--name", default="", help="the name that he goes by")
    opening.add_argument("--manager", action="store_true", help="he arbitrates, bans, reinstates")
    add_folder(opening)
    add_folder(add(actions, "list", _member_list, "list the members"))


def _init(options: argparse.Namespace) -> int:
    from mailflow.app import make_key
    from mailflow.founding_file import NewClub, write_settings
    from mailflow.settings import load

    host, _, port = options.relay.partition(":")
    if port and not port.isdecimal():
        raise SettingsError(f"--relay {options.relay}: the port must be a number")
    club = NewClub(
        options.name or _asked("Name of the club", "Les amis du jeudi"),
        options.address or _asked("Address that members write to", "club@example.org"),
        options.timezone,
        options.currency,
        options.forum,
        options.port,
        host,
        int(port or 25),
    )
    path = write_settings(options.folder, club)
    make_key(load(options.folder), ambient.random_key())
    say(f"Wrote {path}: look it over. Then:")
    say(f"  mailflow member add anna anna@example.org --manager --dir {options.folder}")
    say(f"  mailflow run --dir {options.folder}")
    return DONE


def _asked(question: str, default: str) -> str:
    """Ask the operator where there is one at the keyboard; take the default elsewhere."""
    if not sys.stdin.isatty():
        return default
    try:
        return input(f"{question} [{default}]: ").strip() or default
    except EOFError:
        return default


def _member_add(options: argparse.Namespace) -> int:
    from mailflow.app import add_member, welcome
    from mailflow.founding import Founder

    member = Founder(options.handle, options.address, options.manager, options.name)
    with office_of(options.dir) as office:
        refusals = add_member(office, member, ambient.now())
        if not refusals:
            welcome(office, member.handle, ambient.now())
    for refusal in refusals:
        print(f"mailflow: not added: {_NOT_ADDED[refusal.code].format(**refusal.figures)}", file=sys.stderr)
    if refusals:
        return SAID_NO
    say(f"{options.handle} is a member; a mail to {options.address} says so when 'mailflow run' is at work.")
    return DONE


_NOT_ADDED = {
    "handle_unusable": "the handle {handle!r} cannot be used: {min} to {max} letters, "
    "digits or _ . -, and no word of a command",
    "handle_taken": "the handle {handle!r} is taken, case and accents apart",
    "address_taken": "the address {address} is taken, be it by somebody who left",
    "address_is_the_clubs": "{address} is the club's own address",
}
"""What a refusal of the accounts' chapter says to the operator."""


def _member_list(options: argparse.Namespace) -> int:
    from mailflow.console import members

    with office_of(options.dir) as office:
        return show_lines(members(office, ambient.now()))
