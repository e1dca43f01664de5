"""[imap] of club.toml: a mailbox to read, and every mistake in it told in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mailflow.errors import SettingsError
from mailflow.founding_file import NewClub, write_settings
from mailflow.sections.imap import Folders, Imap, read
from mailflow.settings import load

NEEDED = {"host": "imap.example.org", "user": "club@example.org", "password_variable": "CLUB"}


def test_a_new_club_reads_no_mailbox(tmp_path: Path) -> None:
    write_settings(tmp_path, NewClub("Le club", "club@example.org"))
    assert load(tmp_path).imap == Imap()


def test_what_the_file_shows_as_usual_is_usual(tmp_path: Path) -> None:
    """Each comment of the table, but for the secrets, made a setting, changes nothing."""
    file = write_settings(tmp_path, NewClub("Le club", "club@example.org"))
    text = file.read_text("utf-8")
    head, table = text.split("[imap]\n")
    table, tail = table.split("\n[relay]")
    table = table.replace('host = ""', 'host = "imap.example.org"')
    bare = table.replace('# user = "club@example.org"', 'user = "u"\npassword_variable = "CLUB"')
    told = re.sub(r"^# ((?!user|password|token|oauth)\w+ = )", r"\1", bare, flags=re.MULTILINE)
    assert told.count("\n# ") < bare.count("\n# ") - 7
    found = []
    for part in (bare, told):
        file.write_text(f"{head}[imap]\n{part}\n[relay]{tail}", "utf-8")
        found.append(load(tmp_path).imap)
    assert found[0] == found[1] == Imap("imap.example.org", user="u", password_variable="CLUB")


def test_the_port_follows_from_the_encryption(tmp_path: Path) -> None:
    assert read(NEEDED, tmp_path).port == 993
    assert read({**NEEDED, "tls": "starttls"}, tmp_path).port == 143
    assert read({**NEEDED, "tls": "starttls", "port": 1143}, tmp_path).port == 1143


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_only_this_machine_may_be_read_in_clear(tmp_path: Path, host: str) -> None:
    assert read({**NEEDED, "host": host, "tls": "none"}, tmp_path).tls == "none"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"tls": "none"}, "on this machine alone, not for imap.example.org"),
        ({"tls": "none", "host": "10.0.0.1"}, "on this machine alone"),
        ({"tls": "ssl"}, "'ssl' is not among imaps, starttls, none"),
        ({"user": ""}, "user is missing"),
        ({"password_variable": ""}, "needs one of password_file, password_variable.*: none is given"),
        ({"token_command": "t"}, "password_variable and token_command are given"),
        ({"password_variable": "", "password_file": "nowhere"}, "there is no file"),
        ({"password_variable": "", "token_command": 't "x'}, "token_command cannot be read"),
        ({"ca_file": "nowhere"}, "there is no file"),
        ({"folder": ""}, "folder is missing"),
        ({"folder": "Club", "done": "Club"}, "done must be another folder"),
        ({"ignored": "inbox"}, "ignored must be another folder"),
        ({"poll_seconds": 1}, "poll_seconds must be a whole number, 5 or more"),
        ({"idle": "yes"}, "idle must be true or false"),
        ({"port": 0}, "port must be a number from 1"),
        ({"folders": "x"}, "unknown entry 'folders'"),
    ],
)
def test_a_mistake_is_told(tmp_path: Path, values: dict[str, object], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        read({**NEEDED, **values}, tmp_path)


def test_a_command_is_parted_as_a_shell_does_and_folders_may_have_no_name(tmp_path: Path) -> None:
    values = {**NEEDED, "password_variable": "", "token_command": "helper 'a b' c", "done": ""}
    found = read(values, tmp_path)
    assert found.token_command == ("helper", "a b", "c")
    assert found.folders == Folders(done="")


def test_with_neither_entry_no_mail_could_come_in(tmp_path: Path) -> None:
    from .cli_scene import make_club, program

    club = make_club(tmp_path / "club")
    file = club / "club.toml"
    text = file.read_text("utf-8")
    file.write_text(text.replace('[smtp]\nhost = "127.0.0.1"', '[smtp]\nhost = ""'), "utf-8")
    said = program("run", "--dir", club)
    assert (said.code, said.out) == (2, [])
    assert said.err == ["mailflow: no mail can come in: neither [smtp] nor [imap] names a host"]
