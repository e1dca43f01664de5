"""Kill ourselves at every step of a mail's way, start again, and print what is there then.

Run as a program, because a fork of the test process would share its threads. For each statement that the
way of a mail writes to the database, a child is forked that dies by SIGKILL just before it; then the mail's
sender, who has no 250, offers it again, and a second start finishes the work. One JSON object a line.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from mailflow.compose import compose
from mailflow.doors.maildir import MaildirTransport
from mailflow.doors.sender import deliver
from mailflow.picture import picture
from store import inbox, outbox, sql
from store.records import OutboxMail
from store.verify import verify

from .desk_scene import Scene, open_scene, reopen


class Journal:
    """Hands mails on to a Maildir and writes down, safely, what was handed on; dies where it is told."""

    def __init__(self, folder: Path, die: str = "") -> None:
        self._maildir = MaildirTransport(folder / "outbox")
        self._log = folder / "handed"
        self._die = die

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        if self._die == "before sending":
            die()
        self._maildir.send(mail, raw)
        with self._log.open("a") as file:
            file.write(f"{mail.message_id} {hashlib.sha256(raw).hexdigest()}\n")
        if self._die == "sent, not marked":
            die()

    def close(self) -> None:
        if self._die == "all sent":
            die()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before_statement(number: int) -> Callable[[], int]:
    """Die before the `number`-th statement from now on (0: never); what is returned stops and counts."""
    real, real_many, count = sql.run, sql.run_many, [0]

    def step(text: str) -> None:
        if text.lstrip().startswith("SELECT"):
            return  # dying before a look is dying before the next write
        count[0] += 1
        if count[0] == number:
            die()

    def run(db: Any, text: str, *args: Any) -> Any:
        step(text)
        return real(db, text, *args)

    def run_many(db: Any, text: str, *args: Any) -> int:
        step(text)
        return real_many(db, text, *args)

    sql.run, sql.run_many = run, run_many  # type: ignore[assignment]

    def restore() -> int:
        sql.run, sql.run_many = real, real_many  # type: ignore[assignment]
        return count[0]

    return restore


def way_of_a_mail(scene: Scene, raw: bytes, folder: Path, kill_at: str) -> None:
    """Entry, desk and sender, one after the other, as `mailflow run` has them work."""
    scene.keep(raw)
    (folder / "said 250").touch()
    scene.work()
    deliver(scene.db, scene.club.id, maker(scene), Journal(folder, kill_at), scene.now)


def maker(scene: Scene) -> Callable[[OutboxMail], bytes]:
    return lambda mail: compose(mail, scene.club, scene.token_of(mail))


def prepared(folder: Path) -> bytes:
    """A club in which anna has been asked to confirm a game with its result; her OUI is returned."""
    scene = open_scene(folder / "club.db")
    scene.write("anna", "PARTIE buyin=5 joueurs=bela,carl 1=bela")
    raw = scene.reply(scene.latest("confirm", "anna"), "OUI")
    deliver(scene.db, scene.club.id, maker(scene), Journal(folder), scene.now)
    scene.db.close()
    return raw


def killed(folder: Path, raw: bytes, statement: int, kill_at: str) -> bool:
    """Fork a child that goes the mail's way and dies on it; whether it did die."""
    child = os.fork()
    if child == 0:
        scene = reopen(folder / "club.db")
        before_statement(statement)
        way_of_a_mail(scene, raw, folder, kill_at)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def started_again(folder: Path, raw: bytes) -> dict[str, Any]:
    """Start once more, five minutes later; the sender tries again if he was not told 250."""
    scene = reopen(folder / "club.db")
    scene.now += timedelta(minutes=5)
    if not (folder / "said 250").exists():
        scene.keep(raw)
    scene.work()
    deliver(scene.db, scene.club.id, maker(scene), Journal(folder), scene.now)
    found = state_of(scene, folder)
    scene.db.close()
    return found


def state_of(scene: Scene, folder: Path) -> dict[str, Any]:
    club = picture(scene.db, scene.club, scene.now)
    files = sorted((folder / "outbox" / "new").iterdir())
    handed = {tuple(line.split()) for line in (folder / "handed").read_text().splitlines()}
    return {
        "balances": {m.handle: m.balance_cents for m in club.members.values()},
        "games": club.books.next_game_number() - 1,
        "inbox": sorted(state for state, n in inbox.counts(scene.db, scene.club.id).items() if n),
        "received": inbox.counts(scene.db, scene.club.id)["received"],
        "executed": inbox.counts(scene.db, scene.club.id)["executed"],
        "outbox": [(m.kind, m.recipient, str(m.state)) for m in outbox.listing(scene.db, scene.club.id)],
        "tokens": [state for (state,) in sql.rows(scene.db, "SELECT state FROM token")],
        "files": len(files),
        "message_ids": len({message_id for message_id, _ in handed}),
        "different_bytes": len(handed),
        "findings": [str(f) for f in verify(scene.db, scene.club.id)],
    }


def sweep(root: Path) -> None:
    """All the ways to die, the undisturbed way first."""
    template = root / "template"
    template.mkdir()
    raw = prepared(template)
    shutil.copytree(template, root / "calm")
    scene = reopen(root / "calm" / "club.db")
    counted = before_statement(0)
    way_of_a_mail(scene, raw, root / "calm", "")
    statements = counted()
    print(json.dumps({"statements": statements}), flush=True)
    print(json.dumps({"calm": state_of(scene, root / "calm")}), flush=True)
    places: list[tuple[int, str]] = [(0, "before sending"), (0, "sent, not marked"), (0, "all sent")]
    places += [(n, f"statement {n}") for n in range(1, statements + 1)]
    for statement, place in places:
        folder = root / f"case{statement}-{place}"
        shutil.copytree(template, folder)
        died = killed(folder, raw, statement, place)
        print(json.dumps({"place": place, "died": died, "state": started_again(folder, raw)}), flush=True)
        shutil.rmtree(folder)


def poison(root: Path) -> None:
    """A mail that kills the process each time it is read; then a good one behind it (P-8)."""
    from mailflow import desk

    scene = open_scene(root / "club.db")
    bad = scene.keep(scene.written("anna", "COMPTE", subject="poison"))
    scene.keep(scene.written("anna", "PARTIE joueurs=bela"))
    scene.db.close()
    real = desk.read_letter

    def deadly(raw: bytes, *args: Any) -> Any:
        return die() if b"poison" in raw else real(raw, *args)

    desk.read_letter = deadly
    starts = 0
    for starts in range(1, 8):  # noqa: B007 - the count is what is reported
        child = os.fork()
        if child == 0:
            reopen(root / "club.db").work()
            os._exit(0)
        if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
            break
    scene = reopen(root / "club.db")
    rows = sql.rows(scene.db, "SELECT id, state FROM inbox ORDER BY id")
    print(json.dumps({"starts": starts, "bad": bad, "states": dict(rows)}))


def main() -> None:
    root = Path(sys.argv[1])
    if sys.argv[2:] == ["poison"]:
        poison(root)
    else:
        sweep(root)


if __name__ == "__main__":
    main()
