"""`mailflow doctor`: each thing that is looked at, well and not well."""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mailflow import ambient
from mailflow.app import open_office
from mailflow.disks import disk_kind
from mailflow.doctor import border, files, ways
from mailflow.doctor.findings import Check, Found, Line, Patient, State, bad, well
from mailflow.doctor.table import CHECKS, _looked, examine
from mailflow.identify import Trust
from mailflow.service import only_one
from mailflow.settings import load
from store import inbox
from store.database import unit_of_work

from .doctor_scene import Relay, amended, new_club, relaying

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return new_club(tmp_path)


@pytest.fixture
def served(folder: Path) -> Path:
    """A club whose books were opened once."""
    with open_office(load(folder), Trust.CONFIRM, NOW):
        return folder


def looked(folder: Path, now: datetime = NOW) -> dict[str, Line]:
    return {line.name: line for line in examine(folder, now)}


def found(folder: Path, name: str, now: datetime = NOW) -> tuple[str, str]:
    line = looked(folder, now)[name]
    return line.found.state.value, line.found.said


def keep(folder: Path, *mails: bytes) -> None:
    with open_office(load(folder), Trust.CONFIRM, NOW) as office:
        for number, raw in enumerate(mails):
            with unit_of_work(office.db):
                inbox.keep(office.db, office.club.id, "test", raw + b"%d" % number, NOW)


# ---------------------------------------------------------------- the whole


def test_a_new_club_has_nothing_bad(folder: Path) -> None:
    lines = looked(folder)
    assert [line.name for line in lines.values() if line.found.state is State.BAD] == []
    assert list(lines) == ["settings", *(check.name for check in CHECKS)]


def test_looking_makes_and_changes_nothing(served: Path) -> None:
    before = {path: path.read_bytes() for path in served.iterdir()}
    looked(served)
    assert {path: path.read_bytes() for path in served.iterdir()} == before


def test_without_settings_nothing_else_is_looked_at(tmp_path: Path) -> None:
    (line,) = looked(tmp_path).values()
    assert (line.name, line.found.state) == ("settings", State.BAD)
    assert "club.toml" in line.found.said


def test_a_mistake_in_the_settings_is_told_as_one_line(folder: Path) -> None:
    amended(folder, "bounce_address = true", "bounce_address = 1")
    assert found(folder, "settings") == (
        "BAD",
        f"{folder / 'club.toml'}: [relay] bounce_address must be true or false",
    )


def test_a_check_that_fails_itself_is_a_finding(folder: Path) -> None:
    def fail(patient: Patient) -> Found:
        raise ZeroDivisionError("a member's words")

    said = _looked(Check("x", fail, ""), Patient(load(folder), NOW))
    assert said.state is State.BAD
    assert "ZeroDivisionError" in said.said
    assert "words" not in said.said


def test_every_check_says_how_to_mend(folder: Path) -> None:
    assert all(check.mend.format(folder=folder) for check in CHECKS)
    assert len({check.name for check in CHECKS}) == len(CHECKS)


def test_what_is_to_be_mended_is_said_only_where_something_is() -> None:
    assert Line("x", bad("broken"), "mend it").shown() == ["BAD   x           broken", f"{'':18}→ mend it"]
    assert Line("x", well("fine"), "mend it").shown() == ["ok    x           fine"]


# ---------------------------------------------------------------- key, folder, disk


@pytest.mark.parametrize(("mode", "state"), [(0o600, "ok"), (0o400, "ok"), (0o640, "BAD"), (0o604, "BAD")])
def test_t15_the_key_is_for_its_owner_alone(folder: Path, mode: int, state: str) -> None:
    (folder / "secret.key").chmod(mode)
    assert found(folder, "key")[0] == state


@pytest.mark.parametrize(
    ("text", "state"), [("00" * 16, "ok"), ("00" * 15, "BAD"), ("", "BAD"), ("no hex", "BAD"), (None, "BAD")]
)
def test_the_key_can_be_used(folder: Path, text: str | None, state: str) -> None:
    path = folder / "secret.key"
    path.unlink() if text is None else path.write_text(text)
    assert found(folder, "key")[0] == state


def test_t15_books_that_others_can_read_are_told(served: Path) -> None:
    (served / "mailflow.db").chmod(0o644)
    assert found(served, "folder")[0] == "ok"  # the folder itself lets nobody in
    served.chmod(0o755)
    assert found(served, "folder") == ("BAD", f"mailflow.db in {served} can be read by others")
    (served / "mailflow.db").chmod(0o600)
    assert found(served, "folder")[0] == "ok"


def test_a_folder_that_cannot_be_written_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert files.folder_is_ours(Patient(load(folder), NOW)).state is State.BAD


@pytest.mark.parametrize(
    ("free", "state"), [(49_999_999, "BAD"), (50_000_000, "note"), (499_999_999, "note"), (500_000_000, "ok")]
)
def test_p7_room_on_the_disk(folder: Path, monkeypatch: pytest.MonkeyPatch, free: int, state: str) -> None:
    usage = files.shutil.disk_usage(folder)
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _: usage._replace(free=free))
    assert found(folder, "disk")[0] == state


MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/local\\040disk xfs rw 0 0
tmpfs /run tmpfs rw 0 0
server:/x /srv cifs rw 0 0
/dev/sdc1 /srv btrfs rw 0 0
odd line
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/srv2/club", "ext4"),
        ("/home/anna/club", "nfs4"),
        ("/home", "nfs4"),
        ("/homes", "ext4"),
        ("/home/local disk/club", "xfs"),
        ("/srv/club", "btrfs"),
    ],
)
def test_the_kind_of_disk_is_that_of_the_innermost_mount(folder: str, kind: str) -> None:
    assert disk_kind(Path(folder), MOUNTS) == kind


def test_a_network_disk_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "disk_of", lambda _: "nfs4")
    assert files.disk_is_local(Patient(load(folder), NOW)).said == "nfs4: a network disk"


# ---------------------------------------------------------------- books and clock


def test_books_that_are_not_there_yet_are_no_fault(folder: Path) -> None:
    assert found(folder, "books")[0] == "-"
    assert not (folder / "mailflow.db").exists()


def test_books_of_today_open(served: Path) -> None:
    assert found(served, "books")[0] == "ok"


@pytest.mark.parametrize(
    ("statement", "state", "words"),
    [
        ("INSERT INTO schema_version VALUES (9999, 'tomorrow')", "BAD", "schema 9999"),
        ("DELETE FROM schema_version WHERE number > 1", "note", "schema 1: the next start"),
        ("DROP TABLE schema_version", "BAD", "belongs to another program"),
    ],
)
def test_books_of_another_schema_are_told(served: Path, statement: str, state: str, words: str) -> None:
    with closing(sqlite3.connect(served / "mailflow.db")) as db, db:
        db.execute(statement)
    assert found(served, "books")[0] == state
    assert words in found(served, "books")[1]


def test_a_file_that_is_no_database_is_told(folder: Path) -> None:
    (folder / "mailflow.db").write_bytes(b"these are no books, but many words" * 100)
    assert found(folder, "books")[0] == "BAD"
    assert found(folder, "clock")[0] == "ok"


@pytest.mark.parametrize(
    ("off", "state"),
    [
        (timedelta(seconds=-59), "ok"),
        (timedelta(seconds=-61), "BAD"),
        (timedelta(days=399), "ok"),
        (timedelta(days=401), "note"),
    ],
)
def test_p9_the_clock_agrees_with_the_books(served: Path, off: timedelta, state: str) -> None:
    keep(served, b"From: x@example.net\r\n\r\nx")
    with open_office(load(served), Trust.CONFIRM, NOW) as office:
        office.desk.work(NOW)
    assert found(served, "clock", NOW + off)[0] == state


def test_p9_a_clock_before_this_program_is_wrong(folder: Path) -> None:
    assert found(folder, "clock", datetime(1970, 1, 1, tzinfo=UTC))[0] == "BAD"


def test_the_machines_own_clock_is_taken_for_right(folder: Path) -> None:
    assert found(folder, "clock", ambient.now())[0] == "ok"


# ---------------------------------------------------------------- port and relay


@contextmanager
def taken(port: int) -> Iterator[None]:
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("127.0.0.1", port))
        one.listen()
        yield


def test_a_port_that_another_holds_is_told(folder: Path) -> None:
    port = load(folder).listen.port
    assert found(folder, "port") == ("ok", f"127.0.0.1:{port} is free")
    with taken(port):
        assert found(folder, "port")[0] == "BAD"


def test_a_port_that_mailflow_itself_holds_is_well(folder: Path) -> None:
    settings = load(folder)
    with only_one(settings.lock_file), taken(settings.listen.port):
        assert found(folder, "port")[0] == "ok"
        assert "at work" in found(folder, "port")[1]
    assert not ways.is_at_work(Patient(settings, NOW))


def test_without_a_relay_mails_go_to_nobody(folder: Path) -> None:
    assert found(folder, "relay")[0] == "note"


def test_a_relay_that_answers_is_well_and_gets_no_mail(folder: Path) -> None:
    relay = Relay(0)
    with relaying(relay) as port:
        amended(folder, 'host = ""\nport = 25', f'host = "127.0.0.1"\nport = {port}')
        assert found(folder, "relay") == ("ok", f"127.0.0.1:{port} answers, in clear text")
    assert relay.taken == []
    assert found(folder, "relay")[0] == "BAD"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('# tls = "starttls"', 'tls = "starttls"'),
        ('user = ""\n', 'user = "anna"\n'),
    ],
)
def test_a_relay_that_lacks_what_is_asked_for_is_told(folder: Path, old: str, new: str) -> None:
    (folder / "password").write_text("hunter2")
    amended(folder, 'access token.\npassword_file = ""', 'access token.\npassword_file = "password"')
    with relaying(Relay(0)) as port:
        amended(folder, 'host = ""\nport = 25', f'host = "127.0.0.1"\nport = {port}')
        amended(folder, old, new)
        state, said = found(folder, "relay")
    assert state == "BAD"
    assert f":{port}: " in said


# ---------------------------------------------------------------- border


FROM_MX = (
    b"Authentication-Results: mx.example.org; dmarc=pass header.from=example.org\r\nFrom: a@b.example\r\n\r\n"
)
FROM_OTHER = FROM_MX.replace(b"mx.example.org", b"mx.other.example")
UNSTAMPED = b"From: a@b.example\r\n\r\n"


@pytest.mark.parametrize(
    ("mails", "ids", "said"),
    [
        ((), "", "note no server's word about a sender is trusted"),
        ((FROM_MX, UNSTAMPED), "", "note no server's word about a sender is trusted;"
         " of the last 2 mails 1 bear one"),
        ((), "mx.example.org", "- mx.example.org is trusted; no mail has come yet to see it at work"),
        ((FROM_MX, UNSTAMPED), "mx.example.org", "ok mx.example.org has stamped 1 of the last 2 mails"),
        ((UNSTAMPED,), "mx.example.org", "note mx.example.org has stamped 0 of the last 1 mails"),
        ((FROM_OTHER,), "mx.example.org", "note mx.example.org has stamped 0 of the last 1 mails; others were"
         " stamped by mx.other.example"),
        ((b"Received: by inner with LMTP\r\n" + FROM_MX,), "mx.example.org",
         "note mx.example.org has stamped 0 of the last 1 mails"),
    ],
)  # fmt: skip
def test_e26_the_mails_that_came_lately_show_whether_the_name_is_right(
    served: Path, mails: tuple[bytes, ...], ids: str, said: str
) -> None:
    keep(served, *mails)
    if ids:
        (served / "border.toml").write_text(f'[border]\nauthserv_ids = ["{ids}"]\n')
    assert " ".join(found(served, "border")) == said


def test_only_the_latest_mails_are_looked_at(served: Path) -> None:
    keep(served, *[UNSTAMPED] * border.MAILS_MAX, FROM_MX)
    said = border.border_agrees(Patient(load(served), NOW)).said
    assert said.endswith(f"of the last {border.MAILS_MAX} mails 1 bear one")


def test_a_patient_without_books_has_no_mails(folder: Path) -> None:
    settings = replace(load(folder), folder=folder / "nowhere")
    assert border.border_agrees(Patient(settings, NOW)).state is State.NOTE
