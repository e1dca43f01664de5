"""Mails that could not be delivered: outbox lost, outbox retry."""

from __future__ import annotations

import argparse
import sys

from mailflow import ambient
from mailflow.command_line.parts import DONE, SAID_NO, Commands, add, add_folder, office_of, say, show_lines


def add_to(commands: Commands) -> None:
    """Add these sub-commands."""
    parser = commands.add_parser("outbox", help="mails that could not be delivered")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    add_folder(add(actions, "lost", _lost, "list the mails that were given up or came back"))
    again = add(actions, "retry", _retry, "send mails that were given up once more, the very same ones")
    again.add_argument("numbers", nargs="*", type=int, metavar="NUMBER", help="as 'outbox lost' shows them")
    again.add_argument("--all", action="store_true", help="all of them")
    add_folder(again)


def _lost(options: argparse.Namespace) -> int:
    from mailflow.console import lost_mails

    with office_of(options.dir) as office:
        return show_lines(list(lost_mails(office)) or ["no mail was lost"])


def _retry(options: argparse.Namespace) -> int:
    from mailflow.console import send_again

    if bool(options.numbers) == options.all:
        print("mailflow: name the mails, or say --all", file=sys.stderr)
        return SAID_NO
    with office_of(options.dir) as office:
        queued = send_again(office, None if options.all else options.numbers, ambient.now())
    missing = sorted(set(options.numbers) - set(queued))
    for number in missing:
        print(f"mailflow: mail {number} was not given up: nothing to send again", file=sys.stderr)
    say(f"{len(queued)} mails wait to be sent again")
    return SAID_NO if missing else DONE
