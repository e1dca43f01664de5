"""Keep the books safe: backup, restore, held; hand them on: export; mails that were set aside: quarantine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mailflow import ambient
from mailflow.command_line.parts import (
    DONE,
    SAID_NO,
    Commands,
    a_count,
    add,
    add_folder,
    office_of,
    say,
    show_lines,
)
from mailflow.errors import SettingsError

if TYPE_CHECKING:  # what a sub-command needs is imported when it runs, so that each starts fast
    from store.database import Database


def add_to(commands: Commands) -> None:
    """Add these sub-commands."""
    backup = add(commands, "backup", _backup, "copy the books into a new file, beside a running service")
    add_folder(backup)
    backup.add_argument("--to", type=Path, metavar="FOLDER", help="where copies go (backups/ of the club)")
    backup.add_argument(
        "--keep", type=a_count, metavar="N", help="delete all but this club's newest N copies"
    )
    backup.add_argument("--verify", type=Path, metavar="FILE", help="look through a copy, make none")
    restore = add(commands, "restore", _restore, "put a copy of the books back in their place")
    restore.add_argument("copy", type=Path, metavar="FILE", help="what 'mailflow backup' made")
    restore.add_argument(
        "--archive",
        type=Path,
        metavar="FOLDER",
        help="mails received since; handled as of their files' times",
    )
    restore.add_argument(
        "--sent", type=Path, metavar="FOLDER", help="all mails sent since: what is not among them is sent"
    )
    add_folder(restore)
    held = commands.add_parser(
        "held", help="mails that a restore held back, as they may have gone out before"
    )
    doing = held.add_subparsers(required=True, metavar="ACTION")
    add_folder(add(doing, "list", _held_list, "list them"))
    for name, run, text in (("send", _held_send, "send them"), ("drop", _held_drop, "never send them")):
        action = add(doing, name, run, text)
        action.add_argument("numbers", nargs="*", type=int, metavar="NUMBER", help="as listed (all)")
        add_folder(action)
    export = add(commands, "export", _export, "write the whole journal for another program, or on paper")
    export.add_argument("form", choices=("csv", "json", "hledger", "beancount", "pdf"))
    export.add_argument("--to", type=Path, metavar="FILE", help="a new file (the screen)")
    add_folder(export)
    quarantine = commands.add_parser("quarantine", help="mails that were set aside")
    actions = quarantine.add_subparsers(required=True, metavar="ACTION")
    add_folder(add(actions, "list", _list, "list them with the reason"))
    for name, run, text in (
        ("show", _show, "print one as it came"),
        ("replay", _replay, "have the service handle one again"),
        ("drop", _drop, "let one rest for good; its bytes stay"),
    ):
        action = add(actions, name, run, text)
        action.add_argument("number", type=int, metavar="NUMBER", help="as listed")
        add_folder(action)


# ---------------------------------------------------------------- backup


def _backup(options: argparse.Namespace) -> int:
    from mailflow.backups import make, put_away
    from mailflow.errors import SettingsError
    from mailflow.settings import load

    if options.verify is not None:
        return _verify(options.verify)
    settings = load(options.dir)
    if settings.server is not None:
        raise SettingsError(f"the books are in {settings.server}: copy that database with pg_dump")
    folder = options.to or settings.folder / "backups"
    target = make(settings.database, settings.address, folder, ambient.now())
    code = _verify(target)
    if options.keep is not None:
        show_lines(f"deleted {path}" for path in put_away(settings.address, folder, options.keep))
    return code


def _verify(copy: Path) -> int:
    from mailflow.backups import findings
    from mailflow.console import shown

    code = DONE
    for club, found in findings(copy).items():
        show_lines(map(shown, found) if found else [f"{club.address}: all is well in {copy}"])
        code = SAID_NO if found else code
    return code


def _restore(options: argparse.Namespace) -> int:
    from mailflow.restoring import restore
    from mailflow.service import only_one
    from mailflow.settings import load

    settings = load(options.dir)
    with only_one(settings.lock_file):
        done = restore(settings, options.copy, options.archive, options.sent, ambient.now())
    say(f"restored {options.copy}; mails of the archive handled: {done.handled}")
    say(f"mails not sent before the copy: {done.sent} had gone out since, {done.queued} will be sent")
    if done.held:
        say(f"{done.held} mails are held, as they may have gone out before: mailflow held list")
    if done.before is not None:
        say(f"the books that stood there are in {done.before}")
    return DONE


def _held_list(options: argparse.Namespace) -> int:
    from store import delivery

    with office_of(options.dir) as office:
        mails = delivery.on_hold(office.db, office.club.id)
    lines = [
        f"{m.id}: {m.kind} to {m.recipient} <{m.address}>, of {m.created_at:%Y-%m-%d %H:%M} UTC"
        for m in mails
    ]
    return show_lines(lines or ["nothing is held"])


def _held_send(options: argparse.Namespace) -> int:
    from store import delivery

    now = ambient.now()
    return _decided(options, "mails will be sent by 'mailflow run'", partial(delivery.release, now=now))


def _held_drop(options: argparse.Namespace) -> int:
    from store import delivery

    return _decided(options, "mails are never sent", delivery.drop)


def _decided(
    options: argparse.Namespace, what: str, decide: Callable[[Database, int, Sequence[int]], int]
) -> int:
    """Decide about the held mails that were named, or about all; say how many they were."""
    from store import delivery
    from store.database import unit_of_work

    with office_of(options.dir) as office, unit_of_work(office.db):
        db, club_id = office.db, office.club.id
        numbers = options.numbers or [mail.id for mail in delivery.on_hold(db, club_id)]
        count = decide(db, club_id, numbers)
    say(f"{count} {what}" if count else "nothing of the kind is held")
    return SAID_NO if options.numbers and not count else DONE


def _export(options: argparse.Namespace) -> int:
    from mailflow.export import FORMS, books_of

    if options.form == "pdf":
        return _export_pdf(options)
    with office_of(options.dir) as office:
        lines = FORMS[options.form](books_of(office))
        if options.to is None:
            sys.stdout.writelines(lines)
            return DONE
        try:
            with options.to.open("x", encoding="utf-8", newline="") as file:
                file.writelines(lines)
        except OSError as error:
            raise SettingsError(f"{options.to}: {error.strerror}") from error
    say(f"wrote {options.to}")
    return DONE


def _export_pdf(options: argparse.Namespace) -> int:
    from mailflow.export_pdf import as_pdf

    with office_of(options.dir) as office:
        document = as_pdf(office, ambient.now())
    if options.to is None:
        sys.stdout.buffer.write(document)
        sys.stdout.buffer.flush()
        return DONE
    try:
        with options.to.open("xb") as file:
            file.write(document)
    except OSError as error:
        raise SettingsError(f"{options.to}: {error.strerror}") from error
    say(f"wrote {options.to}")
    return DONE


# ---------------------------------------------------------------- quarantine


def _list(options: argparse.Namespace) -> int:
    from mailflow.console import quarantined

    with office_of(options.dir) as office:
        return show_lines(quarantined(office) or ["nothing is set aside"])


def _show(options: argparse.Namespace) -> int:
    from mailflow.quarantine import set_aside

    with office_of(options.dir) as office:
        mail = set_aside(office.db, office.club.id, options.number)
    sys.stdout.buffer.write(mail.raw)
    sys.stdout.buffer.flush()
    return DONE


def _replay(options: argparse.Namespace) -> int:
    from mailflow.quarantine import take_up

    with office_of(options.dir) as office:
        again = take_up(office.db, office.club.id, options.number, ambient.now())
    say(f"mail {options.number} waits as mail {again} to be handled by 'mailflow run'")
    return DONE


def _drop(options: argparse.Namespace) -> int:
    from mailflow.quarantine import drop

    with office_of(options.dir) as office:
        drop(office.db, office.club.id, options.number, ambient.now())
    say(f"mail {options.number} is set aside no more; it stays as ignored")
    return DONE
