"""OAuth 2 with a refresh token: an access token for mailbox and relay, from a server of the tests' own."""

from __future__ import annotations

import json
import stat
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from mailflow.doors.oauth import NoToken, access_token, write


class TokenServer(HTTPServer):
    """Gives out token-1, token-2 …; `rotates`: and each time another refresh token."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, list[str]]] = []
        self.rotates = False
        self.code = 200


class Handler(BaseHTTPRequestHandler):
    server: TokenServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(parse_qs(body.decode()))
        number = len(self.server.asked)
        answer = {"access_token": f"token-{number}", "expires_in": 3600}
        if self.server.rotates:
            answer["refresh_token"] = f"refresh-{number}"
        self.send_response(self.server.code)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[TokenServer]:
    with TokenServer() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join(10)


@pytest.fixture
def file(server: TokenServer, tmp_path: Path) -> Path:
    path = tmp_path / "oauth.toml"
    url = f"http://127.0.0.1:{server.server_port}/token"
    write(path, {"token_url": url, "client_id": "an id", "refresh_token": "refresh-0", "scope": "a b"})
    return path


def test_one_is_asked_for_once_and_again_when_it_was_refused(server: TokenServer, file: Path) -> None:
    assert [access_token(file), access_token(file)] == ["token-1", "token-1"]
    assert access_token(file, refused="token-1") == "token-2"
    assert access_token(file, refused="token-1") == "token-2"
    assert server.asked[0] == {
        "grant_type": ["refresh_token"], "client_id": ["an id"], "refresh_token": ["refresh-0"],
        "scope": ["a b"],
    }  # fmt: skip


def test_a_new_refresh_token_is_kept_for_its_owner_alone(server: TokenServer, file: Path) -> None:
    server.rotates = True
    access_token(file)
    kept = tomllib.loads(file.read_text())
    assert (kept["refresh_token"], kept["scope"]) == ("refresh-1", "a b")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    access_token(file, refused="token-1")
    assert server.asked[1]["refresh_token"] == ["refresh-1"]


def test_a_refusal_names_no_secret(server: TokenServer, file: Path) -> None:
    """T-28."""
    server.code = 400
    with pytest.raises(NoToken) as caught:
        access_token(file)
    assert "400" in str(caught.value)
    assert "refresh-0" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('client_id = "x"', "token_url, refresh_token missing"),
        ("= nonsense", "cannot be read"),
        ('token_url = "http://tokens.example.org/"\nclient_id = "x"\nrefresh_token = "y"', "https://"),
    ],
)
def test_a_file_that_cannot_be_used_is_said_in_words(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "oauth.toml"
    path.write_text(text)
    with pytest.raises(NoToken, match=word):
        access_token(path)
