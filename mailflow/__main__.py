"""The command line: each sub-command is a few lines that call what stands below."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from mailflow import __version__
from mailflow.errors import MailflowError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command; return the exit code: 0 done, 1 it said no, 2 it could not be read."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        code: int = options.run(options)
        return code
    except MailflowError as error:
        print(f"mailflow: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mailflow", description="A poker circle's books, kept by mail.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    read = commands.add_parser("parse", help="show what mailflow reads in raw mails")
    read.add_argument("files", nargs="+", type=Path, metavar="FILE.eml")
    read.add_argument("--json", action="store_true", help="one JSON object a line")
    read.set_defaults(run=_parse)
    play = commands.add_parser("replay", help="play a club's life under a virtual clock")
    play.add_argument("file", type=Path, metavar="SCENARIO.jsonl")
    play.add_argument("--json", action="store_true", help="one JSON object a line")
    play.set_defaults(run=_replay)
    return parser


def _parse(options: argparse.Namespace) -> int:
    from mailflow.verbs import GRAMMAR
    from parsers.commands import as_contract, read_commands
    from parsers.letter import read_letter

    code = 0
    for path in options.files:
        try:
            raw = path.read_bytes()
        except OSError as error:
            print(f"mailflow: {path}: {error.strerror}", file=sys.stderr)
            code = 2
            continue
        shown = as_contract(read_commands(read_letter(raw), GRAMMAR), path.name)
        _show(shown, options.json)
    return code


def _replay(options: argparse.Namespace) -> int:
    from mailflow.replay import read_scenario, replay

    for line in replay(read_scenario(options.file)):
        _show(line, options.json)
    return 0


def _show(values: dict[str, object], as_json: bool) -> None:
    if as_json:
        print(json.dumps(values, ensure_ascii=False))
    else:
        print("  ".join(f"{k}: {v}" for k, v in values.items() if v is not None))


if __name__ == "__main__":
    sys.exit(main())
