"""OAuth 2: a fresh access token for a refresh token (RFC 6749 6), as Exchange Online wants it.

What is needed lies in one TOML file that its owner alone reads: token_url, client_id, refresh_token, and
where the provider wants them client_secret and scope. A provider may hand out a new refresh token with each
access token: it is written back at once. No text of an answer goes into an error (T-28).
"""

from __future__ import annotations

import json
import os
import threading
import tomllib
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from mailflow.errors import MailflowError

SECONDS = 20
ANSWER_BYTES_MAX = 64 * 1024
WANTED = ("token_url", "client_id", "refresh_token")
KNOWN = (*WANTED, "client_secret", "scope")

_held: dict[Path, str] = {}
_one_at_a_time = threading.Lock()
"""Mailbox and relay may ask at once, and a refresh token may be good for one use."""


class NoToken(MailflowError):
    """No access token can be had now."""


def access_token(file: Path, refused: str = "") -> str:
    """Return an access token; a new one where there is none yet, or `refused` was no longer taken.

    So no clock is needed: the server says when a token is over. Raises NoToken.
    """
    with _one_at_a_time:
        if file not in _held or _held[file] == refused:
            _held.pop(file, None)
            _held[file] = _renewed(file)
        return _held[file]


def _renewed(file: Path) -> str:
    values = _read(file)
    url = urllib.parse.urlsplit(values["token_url"])
    if url.scheme != "https" and not (url.scheme == "http" and url.hostname in ("127.0.0.1", "::1")):
        raise NoToken(f"{file.name}: token_url must begin with https://")
    form = {"grant_type": "refresh_token", **{k: v for k, v in values.items() if k != "token_url" and v}}
    answer = _asked(values["token_url"], urllib.parse.urlencode(form).encode())
    token, next_refresh = answer.get("access_token"), answer.get("refresh_token")
    if not isinstance(token, str) or not token or len(token.split()) != 1:
        raise NoToken("the token server's answer holds no access token")
    if isinstance(next_refresh, str) and next_refresh and next_refresh != values["refresh_token"]:
        write(file, {**values, "refresh_token": next_refresh})
    return token


def _asked(url: str, form: bytes) -> dict[str, object]:
    try:
        with urllib.request.urlopen(url, form, SECONDS) as reply:
            answer = json.loads(reply.read(ANSWER_BYTES_MAX))
    except urllib.error.HTTPError as error:
        error.close()
        raise NoToken(f"the token server refused with {error.code}: log in there once more") from None
    except (OSError, ValueError) as error:
        raise NoToken(f"the token server cannot be used: {type(error).__name__}") from None
    return answer if isinstance(answer, dict) else {}


def _read(file: Path) -> dict[str, str]:
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise NoToken(f"{file.name} cannot be read: {type(error).__name__}") from None
    missing = [name for name in WANTED if not isinstance(values.get(name), str) or not values[name]]
    if missing:
        raise NoToken(f"{file.name}: {', '.join(missing)} missing")
    return {name: str(values[name]) for name in KNOWN if name in values}


def write(file: Path, values: dict[str, str]) -> None:
    """Write the file whole, for its owner alone. Raises NoToken."""
    draft = file.with_suffix(".unfinished")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
            out.writelines(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
            out.flush()
            os.fsync(out.fileno())
        draft.replace(file)
    except OSError as error:
        raise NoToken(f"{file.name} cannot be written: {error.strerror}") from None
