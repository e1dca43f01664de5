"""P-11, T-37: a copy restores; with the archive of the mailbox the same ledger; nothing is sent twice."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mailflow import restoring
from mailflow.backups import BackupError, make
from mailflow.doors.sender import deliver
from mailflow.founding_file import NewClub, write_settings
from mailflow.settings import Settings, load
from store import delivery, journal, outbox
from store.records import OutboxMail
from tests.command_line.cli_scene import mailflow, make_club, running
from tests.desk.desk_scene import CLUB, KEY, Scene, open_scene, reopen

pytestmark = pytest.mark.only_sqlite  # a server's books are restored by its own programs


class World:
    """A club in a folder, its mailbox's archive, and what its relay has taken."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.archive, self.taken = folder, folder / "archive", folder / "taken"
        self.archive.mkdir(parents=True)
        self.taken.mkdir()
        write_settings(folder, NewClub("Le club", CLUB))
        (folder / "secret.key").write_text(KEY.hex())
        self.scene = open_scene(folder / "mailflow.db")
        self._count = 0

    @property
    def settings(self) -> Settings:
        return load(self.folder)

    def receive(self, raw: bytes) -> None:
        """A mail comes, is handled and archived; what it brings goes out."""
        self.scene.receive(raw)
        self._count += 1
        path = self.archive / f"{self._count:03}.eml"
        path.write_bytes(raw)
        stamp = self.scene.now.timestamp()
        os.utime(path, (stamp, stamp))
        self.bring()

    def bring(self) -> None:
        """What waits to be sent goes out."""
        deliver(self.scene.db, self.scene.club.id, self.scene.bytes_of, self, self.scene.now)

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        """The relay takes a mail."""
        (self.taken / f"{len(list(self.taken.iterdir()))}.eml").write_bytes(raw)

    def do(self, who: str, text: str) -> None:
        """A member writes and says OUI."""
        self.receive(self.scene.written(who, text))
        self.receive(self.scene.reply(self.scene.latest("confirm", who), "OUI"))

    def close(self) -> None:
        """The relay keeps nothing open."""

    def end(self) -> None:
        """The machine is gone."""
        self.scene.db.close()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "club")


def ledger_of(scene: Scene) -> list[tuple[object, ...]]:
    return [
        (e.number, e.kind, e.at, e.game, e.reverses, e.postings)
        for e in journal.entries(scene.db, scene.club.id)
    ]


def played(world: World) -> tuple[Path, datetime]:
    """An evening; a copy; another evening. Return the copy and the time of the end."""
    world.do("anna", "PARTIE buyin=5 joueurs=bela,carl 1=bela")
    copy = make(world.folder / "mailflow.db", CLUB, world.folder / "backups", world.scene.now)
    world.scene.now += timedelta(hours=3)
    world.do("anna", "PARTIE buyin=2 joueurs=dora 1=dora")
    world.do("carl", "CONTESTE 1 je n'ai pas joué")
    world.scene.now += timedelta(days=9)
    world.scene.work()
    world.bring()
    return copy, world.scene.now


def test_with_the_archive_the_same_ledger_comes_back(world: World) -> None:
    copy, now = played(world)
    ledger, games = ledger_of(world.scene), [world.scene.game(n).state for n in (1, 2)]
    world.end()
    restoring.restore(world.settings, copy, world.archive, world.taken, now)
    again = reopen(world.folder / "mailflow.db")
    again.now = now
    assert ledger_of(again) == ledger
    assert [again.game(n).state for n in (1, 2)] == games
    again.is_sound()
    again.db.close()


def test_with_the_sent_mails_nothing_is_sent_twice_and_nothing_forgotten(world: World) -> None:
    copy, now = played(world)
    world.receive(world.scene.written("dora", "COMPTE"))
    last = sorted(world.taken.iterdir(), key=lambda p: int(p.stem))[-1]
    answer = last.read_bytes()
    last.unlink()  # the answer to the last mail never went out
    world.end()
    done = restoring.restore(world.settings, copy, world.archive, world.taken, now + timedelta(minutes=1))
    assert done.held == 0
    scene = reopen(world.folder / "mailflow.db")
    queued = [m for m in outbox.listing(scene.db, scene.club.id) if m.state == "queued"]
    assert [m.message_id.encode() in answer for m in queued] == [True]
    scene.db.close()


def test_without_them_all_that_may_have_gone_out_is_held(world: World) -> None:
    copy, now = played(world)
    world.end()
    done = restoring.restore(world.settings, copy, world.archive, None, now)
    scene = reopen(world.folder / "mailflow.db")
    assert done.held == len(delivery.on_hold(scene.db, scene.club.id)) > 5
    assert not delivery.is_due(scene.db, scene.club.id, "sender", now + timedelta(days=1))
    assert delivery.untold(scene.db, scene.club.id) == ()
    scene.db.close()
    listed = mailflow("held", "list", "--dir", world.folder).out
    number = int(listed[0].split(":")[0])
    assert mailflow("held", "send", number, "--dir", world.folder).out[0].startswith("1 mails")
    assert mailflow("held", "drop", "--dir", world.folder).out[0].startswith(f"{done.held - 1} mails")
    assert mailflow("held", "list", "--dir", world.folder).out == ["nothing is held"]
    assert mailflow("held", "send", number, "--dir", world.folder).code == 1


def test_tokens_of_before_are_dead(world: World) -> None:
    """T-37: whoever finds an old mail cannot confirm with it."""
    world.receive(world.scene.written("anna", "PARTIE joueurs=bela"))
    oui = world.scene.reply(world.scene.latest("confirm", "anna"), "OUI")
    copy = make(world.folder / "mailflow.db", CLUB, world.folder / "backups", world.scene.now)
    now = world.scene.now
    world.end()
    restoring.restore(world.settings, copy, None, None, now)
    again = reopen(world.folder / "mailflow.db")
    again.now = now + timedelta(minutes=1)
    again.receive(oui)
    assert "executed" not in again.states()
    again.db.close()


def test_what_stood_there_is_kept(world: World) -> None:
    copy, now = played(world)
    ledger = ledger_of(world.scene)
    world.end()
    done = restoring.restore(world.settings, copy, None, None, now)
    assert done.before is not None
    before = reopen(done.before)
    assert ledger_of(before) == ledger
    before.db.close()


@pytest.mark.parametrize("step", ["_caught_up", "_kept_aside", "put_in_place"])
def test_one_that_fails_half_way_changes_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    copy, now = played(world)
    ledger = ledger_of(world.scene)
    world.end()

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    where = restoring if step.startswith("_") else restoring.backup
    monkeypatch.setattr(where, step, full)
    with pytest.raises(BackupError, match="nothing was restored"):
        restoring.restore(world.settings, copy, world.archive, None, now)
    again = reopen(world.folder / "mailflow.db")
    assert ledger_of(again) == ledger
    again.is_sound()
    again.db.close()
    assert not list(world.folder.glob("*.unfinished*"))


def test_a_damaged_copy_or_another_clubs_is_refused(world: World, tmp_path: Path) -> None:
    copy, _ = played(world)
    world.end()
    torn = tmp_path / "torn.db"
    torn.write_bytes(copy.read_bytes()[:9000])
    other = make_club(tmp_path / "other")
    text = (other / "club.toml").read_text().replace("club@example.org", "cercle@example.org")
    (other / "club.toml").write_text(text)
    (other / "mailflow.db").unlink()
    for folder, given in ((world.folder, torn), (other, copy)):
        said = mailflow("restore", given, "--dir", folder)
        assert (said.code, len(said.err)) == (2, 1), said
    assert not (other / "mailflow.db").exists()


def test_nothing_is_restored_under_a_running_service(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    mailflow("backup", "--dir", club)
    (copy,) = (club / "backups").iterdir()
    with running(club):
        said = mailflow("restore", copy, "--dir", club)
        assert (said.code, len(said.err)) == (2, 1)
    assert mailflow("restore", copy, "--dir", club).code == 0
    with closing(sqlite3.connect(club / "mailflow.db")) as db:
        assert db.execute("SELECT epoch > 0 FROM club").fetchone() == (1,)
