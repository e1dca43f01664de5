"""Until when certificates are good; and books that are damaged; and disks in a network."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mailflow import disks
from mailflow.app import open_office
from mailflow.doctor import books
from mailflow.doctor.certificates import end_of, judged
from mailflow.doctor.findings import Patient, State
from mailflow.identify import Trust
from mailflow.settings import load
from tests.command_line.cli_scene import mailflow

from .doctor_scene import new_club

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "state"), [(-1, State.BAD), (5, State.NOTE), (60, State.WELL), (None, State.LEFT_OUT)]
)
def test_an_end_in_sight_is_told_in_time(days: int | None, state: State) -> None:
    ends = {} if days is None else {"mx": NOW + timedelta(days=days), "imap": NOW + timedelta(days=300)}
    assert judged(ends, NOW).state is state


def test_the_end_of_our_own_certificate_is_read(tmp_path: Path) -> None:
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30",
         "-subj", "/CN=mx.example.org",
         "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    shown = subprocess.run(
        ["openssl", "x509", "-in", certificate, "-noout", "-enddate"],
        check=True,
        capture_output=True,
        text=True,
    )
    said = datetime.strptime(f"{shown.stdout.strip().partition('=')[2]} +0000", "%b %d %H:%M:%S %Y GMT %z")
    assert end_of(certificate, key) == said


def test_a_damaged_file_is_found(tmp_path: Path) -> None:
    new_club(tmp_path)
    with open_office(load(tmp_path), Trust.CONFIRM, NOW):
        pass
    patient = Patient(load(tmp_path), NOW)
    assert books.books_are_sound(patient).state is State.WELL
    with patient.settings.database.open("r+b") as file:
        file.seek(4096 * 5)
        file.write(b"\x7f" * 4096 * 20)
    assert books.books_are_sound(patient).state is State.BAD


def test_books_on_a_network_disk_are_not_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TRUST § 5."""
    new_club(tmp_path)
    monkeypatch.setattr(disks, "disk_of", lambda _: "nfs4")
    said = mailflow("run", "--dir", tmp_path)
    assert said.code == 2
    assert "nfs4" in said.err[0]
    assert "--on-network-disk" in said.err[0]
    assert not (tmp_path / "mailflow.db").exists()
