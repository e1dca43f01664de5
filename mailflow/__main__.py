"""The command line: each sub-command is a few lines that call what stands below."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from mailflow import __version__, ambient
from mailflow.errors import MailflowError, SettingsError

if TYPE_CHECKING:  # what a sub-command needs is imported when it runs, so that each starts fast
    from mailflow.app import Office

DONE, SAID_NO, UNREADABLE = 0, 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command; return the exit code: 0 done, 1 it said no, 2 wrong file, port or setting."""
    options = _parser().parse_args(argv)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mailflow", description="A poker circle's books, kept by mail.")
    parser.add_argument("--version", action="version", version=f"mailflow {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _demo_options(_add(commands, "demo", _demo, "see a club's life, mails and all, on this machine"))
    _init_options(_add(commands, "init", _init, "begin a club: write club.toml into a folder"))
    _member_options(commands)
    for name, run, text in (
        ("run", _run, "serve the club: take mail in, keep the books, answer"),
        ("status", _status, "how the club and its mails stand"),
        ("balances", _balances, "every account, and the check that all sums to zero"),
        ("verify", _verify, "recompute sums, balances and the audit chain"),
    ):
        _folder(_add(commands, name, run, text))
    read = _add(commands, "parse", _parse, "show what is read in raw mails")
    read.add_argument("files", nargs="+", type=Path, metavar="FILE.eml")
    explain = _add(commands, "explain", _explain, "tell how a raw mail is read, stage by stage")
    explain.add_argument("files", nargs="+", type=Path, metavar="FILE.eml")
    play = _add(commands, "replay", _replay, "play a scenario under a virtual clock")
    play.add_argument("file", type=Path, metavar="SCENARIO.jsonl")
    for one in (read, play):
        one.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _add(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run)
    return parser


def _folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, default=Path(), metavar="DIR", help="the club's folder (here)")


def _demo_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, metavar="DIR", help="keep the club in this folder")
    parser.add_argument("--interactive", action="store_true", help="write as any member yourself")


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
    add = _add(actions, "add", _member_add, "open an account")
    add.add_argument("handle")
    add.add_argument("address")
    add.add_argument("--name", default="", help="the name that he goes by")
    add.add_argument("--manager", action="store_true", help="he arbitrates, bans, reinstates")
    _folder(add)
    _folder(_add(actions, "list", _member_list, "list the members"))


# ---------------------------------------------------------------- the sub-commands


def _demo(options: argparse.Namespace) -> int:
    from mailflow.demo.show import demo

    return demo(options.dir, options.interactive, _say)


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
    _say(f"Wrote {path}: look it over. Then:")
    _say(f"  mailflow member add anna anna@example.org --manager --dir {options.folder}")
    _say(f"  mailflow run --dir {options.folder}")
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
    with _office(options.dir) as office:
        refusals = add_member(office, member, ambient.now())
        if not refusals:
            welcome(office, member.handle, ambient.now())
    for refusal in refusals:
        print(f"mailflow: not added: {refusal.code.replace('_', ' ')}", file=sys.stderr)
    if refusals:
        return SAID_NO
    _say(f"{options.handle} is a member; a mail to {options.address} says so when 'mailflow run' is at work.")
    return DONE


def _member_list(options: argparse.Namespace) -> int:
    from mailflow.console import members

    with _office(options.dir) as office:
        return _show_lines(members(office, ambient.now()))


def _run(options: argparse.Namespace) -> int:
    from mailflow.service import serve

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    with _office(options.dir) as office:
        where = office.settings.relay.host or office.settings.outbox
        serve(
            office,
            ambient.now,
            lambda port: _say(f"{office.club.address}: mail comes in on port {port}, goes out to {where}"),
        )
    _say("stopped")
    return DONE


def _status(options: argparse.Namespace) -> int:
    from mailflow.console import status

    with _office(options.dir) as office:
        return _show_lines(status(office, ambient.now()))


def _balances(options: argparse.Namespace) -> int:
    from mailflow.console import balances

    with _office(options.dir) as office:
        return _show_lines(balances(office, ambient.now()))


def _verify(options: argparse.Namespace) -> int:
    from mailflow.console import findings

    with _office(options.dir) as office:
        found = findings(office)
    _show_lines(found or ["all is well: sums, balances and audit chain agree"])
    return SAID_NO if found else DONE


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
        _show(as_contract(read_commands(read_letter(raw), GRAMMAR), name), options.json)
    return code


def _explain(options: argparse.Namespace) -> int:
    from mailflow.explain import explain_mail

    code = DONE
    for path in options.files:
        try:
            raw = path.read_bytes()
        except OSError as error:
            print(f"mailflow: {path}: {error.strerror}", file=sys.stderr)
            code = UNREADABLE
            continue
        _show_lines(explain_mail(raw))
    return code


def _replay(options: argparse.Namespace) -> int:
    from mailflow.replay import read_scenario, replay

    for line in replay(read_scenario(options.file)):
        _show(line, options.json)
    return DONE


# ---------------------------------------------------------------- what they share


def _office(folder: Path) -> AbstractContextManager[Office]:
    from mailflow.app import open_office
    from mailflow.identify import Trust
    from mailflow.settings import load

    return open_office(load(folder), Trust.CONFIRM, ambient.now())


def _say(line: str) -> None:
    print(line, flush=True)


def _show_lines(lines: Iterable[str]) -> int:
    for line in lines:
        _say(line)
    return DONE


def _show(values: dict[str, object], as_json: bool) -> None:
    if as_json:
        print(json.dumps(values, ensure_ascii=False))
    else:
        print("  ".join(f"{k}: {v}" for k, v in values.items() if v is not None))


if __name__ == "__main__":
    sys.exit(main())
