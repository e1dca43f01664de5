"""Look whether a club can be served from here, and what becomes of its mail on the way: doctor."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mailflow import ambient
from mailflow.command_line.parts import DONE, SAID_NO, Commands, add, add_folder, office_of, say, show_lines

if TYPE_CHECKING:
    from mailflow.doctor.findings import Line


def add_to(commands: Commands) -> None:
    """Add this sub-command."""
    doctor = add(commands, "doctor", _doctor, "look whether the club can be served from here")
    add_folder(doctor)
    doctor.add_argument("--mail", action="store_true", help="send mails to the club itself and look at them")
    doctor.add_argument("--record", action="store_true", help="as --mail, and keep what they show")
    doctor.add_argument(
        "--dns", default="", metavar="HOST[:PORT]", help="ask this name server, not the system's"
    )
    doctor.add_argument("--wait", type=_seconds, default=60, metavar="SECONDS", help="how long for (60)")


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 3600):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 1 to 3600")
    return int(text)


def _doctor(options: argparse.Namespace) -> int:
    from mailflow.doctor.table import examine

    code = _show(examine(options.dir, ambient.now(), options.dns))
    if not (options.mail or options.record):
        return code
    if code != DONE:
        say("no mail was sent: mend this first")
        return code
    return _by_mail(options)


def _by_mail(options: argparse.Namespace) -> int:
    from mailflow.doctor.learnt import record
    from mailflow.doctor.study import learnt, study
    from mailflow.doctor.trip import Traveller

    with office_of(options.dir) as office:
        settings = office.settings
        if not settings.relay.host:
            say("no mail was sent: [relay] in club.toml names no server")
            return SAID_NO
        say(f"two mails to {settings.address} are under way, for {options.wait} s at most")
        traveller = Traveller(office, ambient.now, ambient.stopwatch, ambient.random_key)
        tagged, plussed = traveller.travel(options.wait)
        code = _show(study(tagged, plussed, options.wait, settings.address, settings.border))
        if options.record and tagged.raw is not None:
            path = record(settings.folder, learnt(tagged, plussed), ambient.now())
            say(f"kept in {path}; it counts from the next start of 'mailflow run'")
    return code


def _show(lines: Iterable[Line]) -> int:
    """Print each line as soon as it is found; the exit code says whether something is bad."""
    from mailflow.doctor.findings import State

    bad = 0
    for line in lines:
        show_lines(line.shown())
        bad += line.found.state is State.BAD
    return SAID_NO if bad else DONE
