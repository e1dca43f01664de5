"""`mailflow init` as a conversation: providers, secrets beside club.toml, the first manager."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from mailflow import asker
from mailflow.providers import providers
from mailflow.settings import load

from .cli_scene import mailflow

GIVEN = ("--name", "Le jeudi", "--address", "club@jeudi.fr")


class Scripted:
    """Answers by the beginning of a question; otherwise with the default."""

    def __init__(self, **answers: str) -> None:
        self.answers = answers

    def text(self, question: str, default: str) -> str:
        return self.answers.get(question.split()[0].lower(), default)

    def secret(self, question: str) -> str:
        return self.answers.get(question.split()[0].lower(), "")

    def choice(self, question: str, options: Mapping[str, str], default: str) -> str:
        chosen = self.answers.get("provider", default)
        assert chosen in options
        return chosen

    def yes(self, question: str, default: bool) -> bool:
        return default


def talks(monkeypatch: pytest.MonkeyPatch, **answers: str) -> None:
    monkeypatch.setattr(asker, "asker_of", lambda *_: Scripted(**answers))


@pytest.mark.parametrize("key", [key for key, one in providers().items() if one.login in ("app", "password")])
def test_a_provider_and_a_password_make_settings_that_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    talks(monkeypatch, provider=key, password="hunter2 é")
    said = mailflow("init", tmp_path, *GIVEN)
    assert (said.code, said.err) == (0, [])
    settings, provider = load(tmp_path), providers()[key]
    assert (settings.imap.host, settings.imap.port, settings.imap.tls) == (
        provider.imap.host, provider.imap.port, provider.imap.tls,
    )  # fmt: skip
    assert (settings.relay.host, settings.relay.port, settings.relay.tls) == (
        provider.smtp.host, provider.smtp.port, provider.smtp.tls,
    )  # fmt: skip
    assert settings.listen.host == ""
    assert settings.imap.user == settings.relay.user == "club@jeudi.fr"


def test_the_secret_is_for_its_owner_alone_and_not_in_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks(monkeypatch, provider="gmail", password="hunter2")
    said = mailflow("init", tmp_path, *GIVEN)
    secret = tmp_path / "mail.password"
    assert secret.read_text() == "hunter2\n"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert "hunter2" not in (tmp_path / "club.toml").read_text() + "".join(said.out)
    settings = load(tmp_path)
    assert settings.imap.password_file == settings.relay.password_file == secret


def test_exchange_online_gets_a_refresh_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talks(monkeypatch, provider="outlook", client="an-id", refresh="a-refresh-token")
    assert mailflow("init", tmp_path, *GIVEN).code == 0
    file = tmp_path / "oauth.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "a-refresh-token" in file.read_text()
    assert "a-refresh-token" not in (tmp_path / "club.toml").read_text()
    settings = load(tmp_path)
    assert settings.imap.oauth_file == settings.relay.oauth_file == file


def test_exchange_online_takes_no_password(tmp_path: Path) -> None:
    said = mailflow("init", tmp_path, *GIVEN, "--provider", "outlook", "--password-variable", "X")
    assert (said.code, len(said.err)) == (2, 1)
    assert "--oauth-file" in said.err[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "args",
    [
        ("--provider", "gmail"),
        ("--provider", "gmial", "--password-variable", "X"),
        ("--provider", "gmail", "--password-file", "missing"),
        ("--provider", "gmail", "--password-variable", "X", "--password-keyring", "Y"),
        ("--provider", "gmail", "--relay", "mail.example.org"),
        ("--manager", "anna"),
    ],
)
def test_what_is_missing_is_one_line_and_nothing_is_written(tmp_path: Path, args: tuple[str, ...]) -> None:
    said = mailflow("init", tmp_path, *GIVEN, *args)
    assert (said.code, len(said.err)) == (2, 1)
    assert list(tmp_path.iterdir()) == []


def test_a_script_gives_it_all_by_flags(tmp_path: Path) -> None:
    said = mailflow(
        "init", tmp_path, *GIVEN, "--yes", "--provider", "fastmail", "--user", "jeudi",
        "--password-variable", "CLUB_PASSWORD", "--manager", "anna=anna@example.org",
    )  # fmt: skip
    assert (said.code, said.err) == (0, [])
    settings = load(tmp_path)
    assert (settings.imap.user, settings.relay.user) == ("jeudi", "jeudi")
    assert settings.imap.password_variable == settings.relay.password_variable == "CLUB_PASSWORD"
    listed = mailflow("member", "list", "--dir", tmp_path).out
    assert [line.split()[0] for line in listed if line.endswith("manager")] == ["anna"]


def test_ones_own_server_hands_over_by_lmtp(tmp_path: Path) -> None:
    assert mailflow("init", tmp_path, *GIVEN, "--provider", "own").code == 0
    settings = load(tmp_path)
    assert (settings.listen.protocol, settings.relay.host, settings.relay.port) == ("lmtp", "127.0.0.1", 25)


def test_the_providers_are_listed(tmp_path: Path) -> None:
    said = mailflow("init", tmp_path, "--provider", "list")
    assert [line.split()[0] for line in said.out] == list(providers())
    assert list(tmp_path.iterdir()) == []


def test_a_secret_that_lies_there_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mail.password").write_text("of another")
    talks(monkeypatch, provider="gmail", password="hunter2")
    assert mailflow("init", tmp_path, *GIVEN).code == 2
    assert (tmp_path / "mail.password").read_text() == "of another"


def test_a_dumb_terminal_is_asked_in_plain_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert isinstance(asker.asker_of("dumb", False), asker.Plain)
    assert isinstance(asker.asker_of("dumb", True), asker.Silent)
    said = iter(["9", "2", "", "n"])
    monkeypatch.setattr("builtins.input", lambda _: next(said))
    plain = asker.Plain()
    assert plain.choice("Which", {"a": "first", "b": "second"}, "a") == "b"
    assert plain.text("Name", "x") == "x"
    assert plain.yes("Sure", True) is False
    assert "a number from 1 to 2" in capsys.readouterr().out
