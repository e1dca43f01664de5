"""How a mailbox is opened: encrypted, with a password or a token, and what the log says when it cannot be."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mailflow.doors.imap_session import MailboxAway, open_session

from .dovecot import PASSWORD, Dovecot
from .dovecot import dovecot as a_dovecot
from .ground import until
from .mailbox_scene import Post, mail
from .mailbox_scene import post as a_post

KEY = b"a key that only this test knows, of enough bytes"


@pytest.fixture
def post(dovecot: Dovecot, tmp_path: Path) -> Iterator[Post]:
    made = a_post(dovecot, tmp_path)
    yield made
    made.db.close()


def refusal(post: Post, **settings: Any) -> MailboxAway:
    with pytest.raises(MailboxAway) as caught:
        open_session(post.imap(**settings))
    return caught.value


@pytest.mark.parametrize("tls", ["imaps", "starttls"])
def test_it_is_encrypted(post: Post, tls: str) -> None:
    port = post.dovecot.imaps_port if tls == "imaps" else post.dovecot.imap_port
    with post.reading(tls=tls, port=port, ca_file=post.dovecot.ca_file, poll_seconds=600):
        post.deliver(mail("un"))
        post.until_kept(1)
        post.deliver(mail("deux"))
        post.until_kept(2)


@pytest.mark.parametrize("tls", ["imaps", "starttls"])
def test_a_certificate_that_nobody_vouches_for_is_refused(post: Post, tls: str) -> None:
    port = post.dovecot.imaps_port if tls == "imaps" else post.dovecot.imap_port
    error = refusal(post, tls=tls, port=port)
    assert error.doing == "connect"
    assert "certificate" in str(error).lower()


def test_a_wrong_password_is_said_without_the_password(post: Post) -> None:
    """T-28."""
    assert post.settings.password_file is not None
    post.settings.password_file.write_text("hunter22")
    error = refusal(post)
    assert error.doing == "login"
    assert "hunter22" not in str(error)


def test_a_password_that_was_changed_is_read_anew(post: Post) -> None:
    assert post.settings.password_file is not None
    post.settings.password_file.write_text("wrong")
    post.deliver(mail("un"))
    with post.reading() as door:
        until(lambda: door._told == "away login", "a refusal")
        post.settings.password_file.write_text(PASSWORD)
        post.until_kept(1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"password_file": Path("/nowhere/password")}, "password_file /nowhere/password cannot be read"),
        ({"password_file": None, "password_variable": "NO_SUCH_VARIABLE"}, "variable NO_SUCH_VARIABLE"),
        ({"password_file": None, "token_command": ("/nowhere/helper",)}, "token_command /nowhere/helper"),
        ({"password_file": None, "token_command": (sys.executable, "-c", "")}, "no single token"),
        ({"password_file": None, "token_command": (sys.executable, "-c", "print('a b')")}, "no single token"),
    ],
)
def test_a_secret_that_is_missing_is_named(post: Post, settings: dict[str, Any], words: str) -> None:
    error = refusal(post, **settings)
    assert (error.doing, words in str(error)) == ("login", True), str(error)


def test_a_password_may_come_from_a_variable(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUB_PASSWORD", PASSWORD)
    open_session(post.imap(password_file=None, password_variable="CLUB_PASSWORD")).close()


def test_a_folder_that_is_missing_is_named(post: Post) -> None:
    error = refusal(post, folder="Nulle part")
    assert (error.doing, "Nulle part" in str(error) or "doesn't exist" in str(error)) == ("select", True)


@pytest.fixture(scope="module")
def token_server() -> Iterator[Dovecot]:
    with a_dovecot(tokens_key=base64.b64encode(KEY).decode()) as server:
        yield server


def token(user: str, seconds: int = 300) -> str:
    """A signed token (RFC 7519) that names the user, as a provider gives out."""

    def encoded(data: bytes) -> bytes:
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    now = int(time.time())
    claims = {"sub": user, "iat": now - 10, "nbf": now - 10, "exp": now + seconds}
    head = encoded(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    signed = head + b"." + encoded(json.dumps(claims).encode())
    return (signed + b"." + encoded(hmac.new(KEY, signed, hashlib.sha256).digest())).decode()


def test_a_token_opens_the_mailbox(token_server: Dovecot, tmp_path: Path) -> None:
    """XOAUTH2, from a file and from a command."""
    post = a_post(token_server, tmp_path)
    post.deliver(mail("un"))
    file = tmp_path / "imap.token"
    file.write_text(token(post.user))
    with post.reading(password_file=None, token_file=file):
        post.until_kept(1)
    command = (sys.executable, "-c", f"print({token(post.user)!r})")
    open_session(post.imap(password_file=None, token_command=command)).close()
    post.db.close()


def test_a_token_that_has_run_out_is_refused_and_not_shown(token_server: Dovecot, tmp_path: Path) -> None:
    post = a_post(token_server, tmp_path)
    file = tmp_path / "imap.token"
    file.write_text(token(post.user, seconds=-3600))
    error = refusal(post, password_file=None, token_file=file)
    assert error.doing == "login"
    assert file.read_text() not in str(error)
    post.db.close()
