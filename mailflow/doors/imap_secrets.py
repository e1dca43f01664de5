"""How we prove to a server who we are: a password or an OAuth 2 token, read anew for each connection.

So a password that was changed, or a token that lives for an hour, needs no restart. What a secret is never
appears in an error (T-28).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from mailflow.doors.oauth import NoToken, access_token
from mailflow.errors import MailflowError
from mailflow.sections.imap import Imap

COMMAND_SECONDS = 30
"""How long a command may take to print a token."""


class SecretMissing(MailflowError):
    """A password or token that cannot be had now."""


def password_of(settings: Imap) -> str | None:
    """Return the password, None where a token is used. Raises SecretMissing."""
    if settings.password_file is not None:
        return _text(settings.password_file, "password_file")
    if settings.password_variable:
        return from_variable(settings.password_variable)
    if settings.password_keyring:
        return from_keyring(settings.password_keyring, settings.user)
    return None


def from_variable(name: str) -> str:
    """Return what an environment variable holds. Raises SecretMissing."""
    try:
        return os.environ[name]
    except KeyError as error:
        raise SecretMissing(f"there is no variable {name}") from error


def from_keyring(service: str, user: str) -> str:
    """Return what the keyring keeps for a user under a service. Raises SecretMissing."""
    try:
        import keyring  # an extra: most clubs run where there is none

        found = keyring.get_password(service, user)
    except ImportError as error:
        raise SecretMissing(
            "password_keyring needs the package keyring: pip install mailflow[keyring]"
        ) from error
    except Exception as error:  # of whatever keyring there is
        raise SecretMissing(f"the keyring cannot be read: {type(error).__name__}") from error
    if not found:
        raise SecretMissing(f"the keyring has nothing for {user} under {service}")
    return found


def token_of(settings: Imap, refused: str = "") -> str:
    """Return the OAuth 2 token, where it can be had another than `refused`. Raises SecretMissing."""
    if settings.oauth_file is not None:
        return from_oauth(settings.oauth_file, refused)
    if settings.token_file is not None:
        return _text(settings.token_file, "token_file")
    name = settings.token_command[0]
    try:
        done = subprocess.run(
            settings.token_command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise SecretMissing(f"token_command {name}: {type(error).__name__}") from error
    token = done.stdout.strip()
    if done.returncode or not token or len(token.split()) != 1:
        raise SecretMissing(f"token_command {name} ended with {done.returncode} and printed no single token")
    return token


def from_oauth(file: Path, refused: str = "") -> str:
    """Return an access token for the refresh token in a file. Raises SecretMissing."""
    try:
        return access_token(file, refused)
    except NoToken as error:
        raise SecretMissing(str(error)) from error


def _text(path: Path, name: str) -> str:
    try:
        text = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SecretMissing(f"{name} {path} cannot be read: {type(error).__name__}") from error
    if not text:
        raise SecretMissing(f"{name} {path} is empty")
    return text
