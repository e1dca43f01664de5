"""Read mails and play scenarios, without a club: parse, explain, replay, preview."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from mailflow.command_line.parts import DONE, UNREADABLE, Commands, add, say, show, show_lines


def add_to(commands: Commands) -> None:
    """Add these sub-commands."""
    read = add(commands, "parse", _parse, "show what is read in raw mails")
    read.add_argument("files", nargs="+", type=Path, metavar="FILE.eml")
    explain = add(commands, "explain", _explain, "tell how a raw mail is read, stage by stage")
    explain.add_argument("files", nargs="+", type=Path, metavar="FILE.eml")
    play = add(commands, "replay", _replay, "play a scenario under a virtual clock")
    play.add_argument("file", type=Path, metavar="SCENARIO.jsonl")
    gallery = add(commands, "preview", _preview, "write every mail that a club sends, to look at")
    gallery.add_argument("kind", nargs="?", metavar="KIND", help="one kind only, for example game.result")
    gallery.add_argument(
        "--language", action="append", default=[], metavar="LL", help="this language alone, for example de"
    )
    gallery.add_argument("--to", type=Path, default=Path("preview"), metavar="DIR", help="where (preview)")
    for one in (read, play):
        one.add_argument("--json", action="store_true", help="one JSON object a line")


def _parse(options: argparse.Namespace) -> int:
    from mailflow.catalogue import GRAMMAR
    from parsers.commands import as_contract, read_commands
    from parsers.letter import read_letter

    code = DONE
    for path in options.files:
        try:
            raw = path.read_bytes()
        except OSError as error:
            print(f"mailflow: {path}: {error.strerror}", file=sys.stderr)
            code = UNREADABLE
            continue
        name = os.fsencode(path.name).decode("utf-8", "replace")
        show(as_contract(read_commands(read_letter(raw), GRAMMAR), name), options.json)
    return code


def _explain(options: argparse.Namespace) -> int:
    from mailflow.explain import explain_mail
    from mailflow.letters import explainer

    code = DONE
    for path in options.files:
        try:
            raw = path.read_bytes()
        except OSError as error:
            print(f"mailflow: {path}: {error.strerror}", file=sys.stderr)
            code = UNREADABLE
            continue
        show_lines(explain_mail(raw, explainer("fr")))
    return code


def _replay(options: argparse.Namespace) -> int:
    from mailflow.replay import read_scenario, replay

    for line in replay(read_scenario(options.file)):
        show(line, options.json)
    return DONE


def _preview(options: argparse.Namespace) -> int:
    from mailflow.preview.gallery import gallery, write

    found = gallery(options.kind, options.language)
    if not found:
        print(f"mailflow: no mail of kind {options.kind}", file=sys.stderr)
        return UNREADABLE
    say(f"{len(found)} mails: {write(found, options.to)}")
    return DONE
