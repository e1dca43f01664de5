"""The tables of club.toml that say how a club is served: what is written is what is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from mailflow.command_line.parts import office_of
from mailflow.doors.certificate import Certificate
from mailflow.errors import SettingsError
from mailflow.founding_file import NewClub, write_settings
from mailflow.sections.listen import Limits, Listen
from mailflow.sections.relay import Relay
from mailflow.sections.trust import Caution
from mailflow.settings import load


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_settings(tmp_path, NewClub("Le club", "club@example.org"))


def amended(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def test_a_new_club_listens_with_the_usual_limits(file: Path) -> None:
    assert load(file.parent).listen == Listen()


def test_the_limits_that_the_file_shows_are_the_usual_ones(file: Path) -> None:
    """Each comment, made a setting, changes nothing."""
    for name, value in vars(Limits()).items():
        amended(file, f"# {name} = {value}\n", f"{name} = {value}\n")
    assert load(file.parent).listen == Listen()


def test_a_new_club_sends_into_its_folder(file: Path) -> None:
    assert load(file.parent).relay == Relay()


@pytest.mark.parametrize(
    ("host", "tls"),
    [("localhost", "none"), ("127.0.0.1", "none"), ("relay.example.org", "starttls")],
)
def test_another_machine_is_sent_to_in_tls_unless_it_is_said_otherwise(
    file: Path, host: str, tls: str
) -> None:
    amended(file, '[relay]\nhost = ""', f'[relay]\nhost = "{host}"')
    assert load(file.parent).relay.tls == tls
    amended(file, '# tls = "starttls"', 'tls = "implicit"')
    assert load(file.parent).relay.tls == "implicit"


@pytest.mark.parametrize(("host", "fine"), [("localhost", True), ("relay.example.org", False)])
def test_no_password_goes_to_another_machine_in_plain_text(file: Path, host: str, fine: bool) -> None:
    (file.parent / "password").write_text("hunter2")
    amended(file, '[relay]\nhost = ""', f'[relay]\nhost = "{host}"')
    amended(file, 'user = ""', 'user = "club"')
    amended(file, 'password_file = ""', 'password_file = "password"')
    amended(file, '# tls = "starttls"', 'tls = "none"')
    if fine:
        assert load(file.parent).relay.user == "club"
    else:
        with pytest.raises(SettingsError, match="plain text"):
            load(file.parent)


def test_certificate_and_key_lie_beside_the_file(file: Path) -> None:
    amended(file, 'tls_certificate = ""', 'tls_certificate = "club.toml"')
    amended(file, 'tls_key = ""', f'tls_key = "{file}"')
    listen = load(file.parent).listen
    assert (listen.tls_certificate, listen.tls_key) == (file, file)


def test_a_certificate_that_is_none_is_told_at_the_start(file: Path) -> None:
    with pytest.raises(SettingsError, match=r"club\.toml"):
        Certificate(file, file)


# ---------------------------------------------------------------- [trust]


def test_the_cautions_that_the_file_shows_are_the_usual_ones(file: Path) -> None:
    """TRUST § 3. Each comment, made a setting, changes nothing."""
    assert load(file.parent).caution == Caution()
    for name, value in vars(Caution()).items():
        amended(file, f"# {name} = {value}\n", f"{name} = {value}\n")
    assert load(file.parent).caution == Caution()


def test_cautions_can_be_set(file: Path) -> None:
    amended(file, "# session_minutes = 60\n", "session_minutes = 30\n")
    assert load(file.parent).caution == Caution(session_minutes=30)


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "true", '"60"', "10001"])
def test_a_caution_that_is_no_count_is_refused(file: Path, value: str) -> None:
    amended(file, "# session_minutes = 60\n", f"session_minutes = {value}\n")
    with pytest.raises(SettingsError, match=r"\[trust\] session_minutes must be a whole number from 1"):
        load(file.parent)


def test_an_unknown_caution_is_named(file: Path) -> None:
    amended(file, "[trust]\n", "[trust]\nsession_minuets = 60\n")
    with pytest.raises(SettingsError, match="session_minuets"):
        load(file.parent)


# ---------------------------------------------------------------- what is not there


def test_a_folder_without_a_club_is_said_in_plain_words(tmp_path: Path) -> None:
    """Most often it is the wrong folder."""
    with pytest.raises(SettingsError, match=r"there is no .*club\.toml: .*init.*, or name .* with --dir$"):
        load(tmp_path)


def test_a_file_that_cannot_be_read_is_said_in_plain_words(file: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot be read: Not a directory$"):
        load(file)
    file.write_bytes(b"\xff")
    with pytest.raises(SettingsError, match=r"club\.toml cannot be read: it is not UTF-8 text$"):
        load(file.parent)


def test_a_key_that_is_not_there_or_is_none_is_said_in_plain_words(file: Path) -> None:
    key = file.parent / "secret.key"
    key.unlink(missing_ok=True)
    for said in ("there is no .*secret.key: put your copy of it back$", "is not one line of hex digits$"):
        with pytest.raises(SettingsError, match=said), office_of(file.parent):
            pass
        key.write_text("xx", "ascii")
