"""Open accounts, list them: member."""

from __future__ import annotations

import argparse
import sys

from mailflow import ambient
from mailflow.command_line.parts import DONE, SAID_NO, Commands, add, add_folder, office_of, say, show_lines


def add_to(commands: Commands) -> None:
    """Add this sub-command."""
    _member_options(commands)


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
