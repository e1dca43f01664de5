"""P-5: several processes share the work of many clubs; each mail has one effect, in its club's order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from mailflow.app import Office
from mailflow.settings import Settings
from mailflow.shifts import DESK, LEASE
from mailflow.workers import in_own_order
from store import leases, outbox, sql
from store.database import Fence, Server, under
from store.errors import LeaseLost
from store.verify import verify
from tests.command_line.cli_scene import ROOT, command, mailflow
from tests.databases import new_place

from .clubs_scene import Clock, Process, clubs, handled, write
from .ground import until

pytestmark = pytest.mark.servers


@pytest.fixture
def place() -> Server:
    return new_place()


def sent(office: Office) -> int:
    folder = office.settings.outbox / "new"
    return len(list(folder.iterdir())) if folder.exists() else 0


def test_workers_side_by_side_handle_each_mail_once_and_in_order(tmp_path: Path, place: Server) -> None:
    settings, mails = clubs(tmp_path, place, 4), 12
    with Process(settings, "looking") as seen:
        for number in range(mails):
            for office in seen.offices:
                write(office, "anna", f"VIREMENT 0,0{number % 9 + 1} à bela" if number % 2 else "COMPTE")

        def share(name: str) -> None:
            with Process(settings, name) as worker:
                worker.offices = in_own_order(worker.offices, name)
                for _ in range(20):
                    worker.beat()

        crew = [threading.Thread(target=share, args=(name,)) for name in ("one", "two", "three")]
        for one in crew:
            one.start()
        for one in crew:
            one.join()
        for office in seen.offices:
            assert handled(office) == [f"mail:{number}" for number in range(1, mails + 1)]
            assert sent(office) == outbox.counts(office.db, office.club.id)["sent"] >= mails
            assert verify(office.db, office.club.id) == ()


def test_a_club_whose_desk_is_taken_is_passed_by(tmp_path: Path, place: Server) -> None:
    settings = clubs(tmp_path, place, 2)
    with Process(settings, "one") as one, Process(settings, "two") as two:
        for office in one.offices:
            write(office, "anna", "COMPTE")
        with one.shifts.at_desk(one.offices[0]) as ours:
            assert ours
            two.beat()
            assert handled(two.offices[0]) == []
            assert handled(two.offices[1]) == ["mail:1"]
        two.beat()
        assert handled(two.offices[0]) == ["mail:1"]


def test_one_that_wakes_up_late_writes_and_sends_nothing(tmp_path: Path, place: Server) -> None:
    settings, late = clubs(tmp_path, place, 1), Clock()
    with Process(settings, "slow") as slow, Process(settings, "quick", late) as quick:
        office = slow.offices[0]
        write(office, "anna", "VIREMENT 1,00 à bela")
        number = leases.take(office.db, office.club.id, DESK, "slow", slow.clock(), LEASE)
        assert number is not None
        late.now += LEASE
        quick.beat()
        assert handled(office) == ["mail:1"]
        write(office, "anna", "VIREMENT 1,00 à bela")
        with pytest.raises(LeaseLost), under(office.desk.db, Fence(DESK, number)):
            office.desk.work(slow.clock())
        assert handled(office) == ["mail:1"]
        assert sent(office) == sent(quick.offices[0])


def test_a_lease_is_renewed_while_its_holder_works(tmp_path: Path, place: Server) -> None:
    with Process(clubs(tmp_path, place, 1), "slow") as slow, slow.shifts.at_desk(slow.offices[0]):
        office = slow.offices[0]
        slow.clock.now += LEASE / 2
        slow.shifts.renew()
        assert leases.take(office.db, office.club.id, DESK, "quick", slow.clock() + LEASE / 2, LEASE) is None
        slow.clock.now += timedelta(minutes=20)
        slow.shifts.renew()
        assert leases.take(office.db, office.club.id, DESK, "quick", slow.clock(), LEASE), (
            "who hangs loses it"
        )


def test_a_club_that_reads_a_mailbox_is_left_to_who_reads_it(tmp_path: Path, place: Server) -> None:
    (settings,) = clubs(tmp_path, place, 1)
    path = settings.folder / "club.toml"
    head, table, rest = path.read_text("utf-8").partition("[imap]\n")
    mailbox = 'host = "imap.example.org"\nuser = "club"\npassword_variable = "CLUB"'
    path.write_text(head + table + rest.replace('host = ""', mailbox, 1), "utf-8")
    said = mailflow("work", "--dir", settings.folder)
    assert (said.code, "mailflow run" in said.err[0]) == (2, True), said


DYING = """
import os, signal, sys
from mailflow import register
from mailflow.identify import Trust
from pathlib import Path
from mailflow.settings import load
from tests.servers.clubs_scene import Process
real = register.Register.end
def end(self, mail, *args, **named):
    done = real(self, mail, *args, **named)
    if mail.number == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return done
register.Register.end = end
with Process([load(Path(sys.argv[1]))], "dying" + str(os.getpid())) as worker:
    worker.clock.now += __import__("datetime").timedelta(hours=int(sys.argv[3]))
    worker.beat()
"""


def die(settings: Settings, at_mail: int, hours: int) -> None:
    """Have a process of its own die by SIGKILL before the commit of a mail."""
    done = subprocess.run(
        [sys.executable, "-c", DYING, str(settings.folder), str(at_mail), str(hours)],
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def test_the_mail_of_a_killed_worker_is_taken_over_when_its_lease_has_run_out(
    tmp_path: Path, place: Server
) -> None:
    settings = clubs(tmp_path, place, 1)
    with Process(settings, "next") as worker:
        office = worker.offices[0]
        for _ in range(3):
            write(office, "anna", "VIREMENT 1,00 à bela")
        die(settings[0], at_mail=2, hours=0)
        worker.beat()
        assert handled(office) == ["mail:1"], "not before the lease has run out"
        worker.clock.now += LEASE
        worker.beat()
        assert handled(office) == ["mail:1", "mail:2", "mail:3"]
        text = "SELECT number FROM entry WHERE club_id = ? AND kind = 'transfer'"
        assert len(sql.rows(office.db, text, (office.club.id,))) <= 3
        assert verify(office.db, office.club.id) == ()


def test_a_mail_that_kills_each_worker_is_set_aside(tmp_path: Path, place: Server) -> None:
    """P-8: a death is counted by whoever takes over."""
    settings = clubs(tmp_path, place, 1)
    with Process(settings, "last") as worker:
        office = worker.offices[0]
        write(office, "anna", "COMPTE")
        for hours in range(1, 4):
            die(settings[0], at_mail=1, hours=hours)
        worker.clock.now += timedelta(hours=9)
        worker.beat()
        text = "SELECT state, attempts FROM inbox WHERE club_id = ?"
        assert sql.rows(office.db, text, (office.club.id,)) == [("quarantined", 3)]


@pytest.fixture
def processes(tmp_path: Path, place: Server) -> Iterator[tuple[list[Settings], list[subprocess.Popen[str]]]]:
    settings = clubs(tmp_path, place, 3)
    words = [word for one in settings for word in ("--dir", one.folder)]
    crew = [
        subprocess.Popen(command("work", *words), cwd=ROOT, text=True, stdout=subprocess.PIPE, env=os.environ)
        for _ in range(2)
    ]
    try:
        for one in crew:
            assert one.stdout is not None
            assert one.stdout.readline() == "at work for 3 clubs\n"
        yield settings, crew
    finally:
        for one in crew:
            one.kill()
            one.communicate()


def test_mailflow_work_answers_the_mails_of_its_clubs_and_stops_in_order(
    processes: tuple[list[Settings], list[subprocess.Popen[str]]],
) -> None:
    settings, crew = processes
    with Process(settings, "entry") as entry:
        for office in entry.offices:
            write(office, "anna", "COMPTE", entry.clock())
        for office in entry.offices:
            until(lambda office=office: sent(office), "the answer")  # type: ignore[misc]
    for one in crew:
        one.send_signal(signal.SIGTERM)
        assert one.wait(30) == 0
