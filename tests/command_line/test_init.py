"""`mailflow init`: a folder with settings and a secret key; never over what is there."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest

from mailflow.settings import load

from .cli_scene import mailflow, program


def test_it_writes_settings_that_can_be_loaded(tmp_path: Path) -> None:
    said = mailflow(
        "init", tmp_path / "new" / "club", "--name", "Le jeudi", "--address", "Club@Example.org",
        "--timezone", "Europe/Brussels", "--currency", "CHF", "--forum", "https://forum.example",
        "--port", 2600, "--relay", "mail.example.org:587",
    )  # fmt: skip
    assert (said.code, said.err) == (0, [])
    settings = load(tmp_path / "new" / "club")
    assert (settings.name, settings.address) == ("Le jeudi", "club@example.org")
    assert (settings.timezone, settings.currency) == ("Europe/Brussels", "CHF")
    assert settings.forum == "https://forum.example"
    assert (settings.listen.host, settings.listen.port) == ("127.0.0.1", 2600)
    assert (settings.relay.host, settings.relay.port) == ("mail.example.org", 587)


def test_without_a_keyboard_it_asks_nothing(tmp_path: Path) -> None:
    said = program("init", tmp_path)
    assert (said.code, said.err) == (0, [])
    assert "@" in load(tmp_path).address


def test_what_it_says_to_do_next_works(tmp_path: Path) -> None:
    said = mailflow("init", tmp_path, "--name", "x", "--address", "club@example.org")
    line = next(line for line in said.out if "member add" in line)
    assert mailflow(*line.split()[1:]).code == 0


def test_only_its_owner_can_read_the_key(tmp_path: Path) -> None:
    """T-15."""
    mailflow("init", tmp_path)
    key = tmp_path / "secret.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(bytes.fromhex(key.read_text().strip())) == 32


def test_two_clubs_have_two_keys(tmp_path: Path) -> None:
    for name in ("one", "two"):
        mailflow("init", tmp_path / name)
    assert (tmp_path / "one" / "secret.key").read_bytes() != (tmp_path / "two" / "secret.key").read_bytes()


def test_it_never_overwrites(tmp_path: Path) -> None:
    mailflow("init", tmp_path, "--name", "first")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    said = mailflow("init", tmp_path, "--name", "second")
    assert said.code == 2
    assert len(said.err) == 1
    assert "club.toml" in said.err[0]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "args",
    [
        ("--address", "club"),
        ("--address", "club@@example.org"),
        ("--address", "a b@example.org"),
        ("--address", "club@example..org"),
        ("--address", ".club@example.org"),
        ("--timezone", "Mars/Olympus"),
        ("--timezone", "../etc/passwd"),
        ("--currency", "XYZW"),
        ("--port", "70000"),
        ("--name", "   "),
        ("--relay", "mail.example.org:smtp"),
    ],
)
def test_a_wrong_value_is_one_line_and_leaves_nothing(tmp_path: Path, args: tuple[str, str]) -> None:
    """Or the next try would find a folder that is taken, by settings that cannot be used."""
    said = mailflow("init", tmp_path / "club", *args)
    assert said.code == 2
    assert len(said.err) == 1
    assert not (tmp_path / "club" / "club.toml").exists()


@pytest.mark.parametrize(
    "name",
    [
        'Le "club"',
        "back\\slash",
        "été 🂡",
        "{port} {name}",
        "# no comment",
        "a\tb",
        "\U0001f3f4\U000e0067\U000e007f",
        "x' y",
    ],
)
def test_any_name_comes_back_as_it_was_given(tmp_path: Path, name: str) -> None:
    assert mailflow("init", tmp_path, "--name", name).code == 0
    assert tomllib.loads((tmp_path / "club.toml").read_text("utf-8"))["club"]["name"] == name


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = mailflow("init", tmp_path / "file" / "club")
    assert (said.code, len(said.err)) == (2, 1)
