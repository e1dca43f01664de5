"""The command line: `SUBJECTS` lists the files of `command_line/` that hold the sub-commands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from mailflow import __version__
from mailflow.command_line import (
    beginning,
    clubs,
    doctor,
    importing,
    keeping,
    looking,
    moving,
    outgoing,
    reading,
    serving,
    simulating,
)
from mailflow.command_line.parts import DONE, UNREADABLE
from mailflow.errors import MailflowError

SUBJECTS = (
    serving, beginning, clubs, doctor, looking, outgoing, keeping, importing, moving, reading, simulating,
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command; return the exit code: 0 done, 1 it said no, 2 wrong file, port or setting."""
    options = argument_parser().parse_args(argv)
    os.umask(0o077)  # books, keys and mails are for the club's operator alone
    try:
        code: int = options.run(options)
        return code
    except MailflowError as error:
        print(f"mailflow: {error}", file=sys.stderr)
        return UNREADABLE
    except BrokenPipeError:
        sys.stderr.close()
        return DONE
    except KeyboardInterrupt:
        return DONE


def argument_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(prog="mailflow", description="A poker circle's books, kept by mail.")
    parser.add_argument("--version", action="version", version=f"mailflow {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for subject in SUBJECTS:
        subject.add_to(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
