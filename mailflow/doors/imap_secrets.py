"""How we prove to a mailbox who we are: a password or an OAuth 2 token, read anew for each connection.

So a password that was changed, or a token that lives for an hour, needs no restart. What a secret is never
appears in an error (T-28).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

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
        try:
            return os.environ[settings.password_variable]
        except KeyError as error:
            raise SecretMissing(f"there is no variable {settings.password_variable}") from error
    return None


def token_of(settings: Imap) -> str:
    """Return the OAuth 2 token. Raises SecretMissing."""
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


def _text(path: Path, name: str) -> str:
    try:
        text = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SecretMissing(f"{name} {path} cannot be read: {type(error).__name__}") from error
    if not text:
        raise SecretMissing(f"{name} {path} is empty")
    return text
