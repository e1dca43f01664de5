"""`mailflow doctor` asks the DNS, here a server of the tests' own, and says what is wrong in words."""

from __future__ import annotations

import base64
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mailflow.doctor import names
from mailflow.doctor.findings import Patient, State
from mailflow.settings import load

from .doctor_scene import amended, new_club
from .name_server import Zone, serving

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
HOME = "jeudi-poker.fr"
MX = ("mx." + HOME, "A")


def look(check: names.Look, folder: Path, zone: Zone) -> tuple[State, str]:
    with serving(zone) as server:
        found = check(Patient(load(folder), NOW, server))
    return found.state, found.said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    new_club(tmp_path)
    amended(tmp_path, "club@example.org", f"club@{HOME}")
    return tmp_path


@pytest.mark.parametrize(
    ("zone", "state", "word"),
    [
        ({(HOME, "MX"): [f"10 mx.{HOME}."], MX: ["192.0.2.1"]}, State.WELL, f"mx.{HOME}"),
        ({(HOME, "MX"): [f"10 mx.{HOME}."]}, State.BAD, "no address"),
        ({(HOME, "MX"): ["0 ."]}, State.BAD, "takes no mail"),
        ({(HOME, "A"): ["192.0.2.1"]}, State.NOTE, "no MX"),
        ({}, State.BAD, "neither MX"),
    ],
)
def test_mx(folder: Path, zone: Zone, state: State, word: str) -> None:
    found, said = look(names.mail_finds_us, folder, zone)
    assert (found, word in said) == (state, True), said


@pytest.mark.parametrize(
    ("texts", "state", "word"),
    [
        (['"v=spf1 mx " "-all"'], State.WELL, "v=spf1 mx -all"),
        (['"google-site-verification=x"'], State.NOTE, "no SPF"),
        (['"v=spf1 mx -all"', '"v=spf1 a -all"'], State.BAD, "2 SPF"),
        (['"v=spf1 +all"'], State.BAD, "everybody"),
        (['"v=spf10 -all"'], State.NOTE, "no SPF"),
    ],
)
def test_spf(folder: Path, texts: list[str], state: State, word: str) -> None:
    found, said = look(names.senders_are_named, folder, {(HOME, "TXT"): texts})
    assert (found, word in said) == (state, True), said


@pytest.mark.parametrize(
    ("texts", "state", "word"),
    [
        (['"v=DMARC1; p=reject"'], State.WELL, "p=reject"),
        (['"v=DMARC1; p=none"'], State.NOTE, "let pass"),
        (['"v=DMARC1; p=none"', '"v=DMARC1; p=reject"'], State.BAD, "2 DMARC"),
        ([], State.NOTE, "no DMARC"),
    ],
)
def test_dmarc(folder: Path, texts: list[str], state: State, word: str) -> None:
    found, said = look(names.forgeries_are_judged, folder, {("_dmarc." + HOME, "TXT"): texts})
    assert (found, word in said) == (state, True), said


def test_dmarc_of_the_domain_above_counts(folder: Path) -> None:
    """RFC 7489 6.6.3."""
    amended(folder, f"club@{HOME}", f"club@poker.{HOME}")
    zone = {("_dmarc." + HOME, "TXT"): ['"v=DMARC1; p=quarantine"']}
    assert look(names.forgeries_are_judged, folder, zone)[0] is State.WELL


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("dkim") / "dkim.pem"
    subprocess.run(["openssl", "genrsa", "-out", path, "1024"], check=True, capture_output=True)
    public = subprocess.run(
        ["openssl", "rsa", "-in", path, "-pubout", "-outform", "DER"], check=True, capture_output=True
    )
    return path, base64.b64encode(public.stdout).decode()


def test_dkim(folder: Path, keys: tuple[Path, str], tmp_path: Path) -> None:
    path, public = keys
    assert look(names.signature_can_be_checked, folder, {})[0] is State.LEFT_OUT
    amended(folder, 'domain = ""\nselector = ""', f'domain = "{HOME}"\nselector = "mail2026"')
    amended(folder, 'key_file = ""', f'key_file = "{path}"')
    place = (f"mail2026._domainkey.{HOME}", "TXT")
    ours = f'"v=DKIM1; k=rsa; p={public[:100]}" "{public[100:]}"'
    assert look(names.signature_can_be_checked, folder, {place: [ours]})[0] is State.WELL
    assert look(names.signature_can_be_checked, folder, {})[0] is State.BAD
    assert "no RSA key" in look(names.signature_can_be_checked, folder, {place: ['"v=DKIM1; p="']})[1]
    other = subprocess.run(
        "openssl genrsa 1024 | openssl rsa -pubout -outform DER", shell=True, check=True, capture_output=True
    )
    theirs = f'"v=DKIM1; p={base64.b64encode(other.stdout).decode()}"'
    assert "not that of" in look(names.signature_can_be_checked, folder, {place: [theirs]})[1]


def test_a_name_server_that_is_away_is_no_illness(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "ASK_SECONDS", 0.2)
    with serving({}) as server:
        gone = server
    found = names.mail_finds_us(Patient(load(folder), NOW, gone))
    assert (found.state, "did not answer" in found.said) == (State.LEFT_OUT, True)


def test_nobody_is_asked_about_a_domain_for_examples(tmp_path: Path) -> None:
    """RFC 2606."""
    new_club(tmp_path)
    assert names.mail_finds_us(Patient(load(tmp_path), NOW)).said == "example.org is a domain for examples"
