"""Run `mailflow` as people do: in this process for its words and codes, or as a program of its own."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import smtplib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from typing import TypeVar

from mailflow.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
BOUND_SECONDS = 30
"""After so long a test gives up; nothing is measured by it."""

T = TypeVar("T")


@dataclass(frozen=True)
class Said:
    """What a command said: its exit code and its lines."""

    code: int
    out: list[str]
    err: list[str]


def mailflow(*args: object) -> Said:
    """Run a sub-command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(arg) for arg in args])
        except SystemExit as exit_:
            code = int(exit_.code or 0)
    return Said(code, out.getvalue().splitlines(), err.getvalue().splitlines())


def program(*args: object, **environment: str) -> Said:
    """Run a sub-command as a program of its own, with nobody at the keyboard."""
    done = subprocess.run(
        command(*args),
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=BOUND_SECONDS,
        check=False,
    )
    return Said(done.returncode, done.stdout.splitlines(), done.stderr.splitlines())


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "mailflow", *map(str, args)]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def make_club(folder: Path, port: int = 2525) -> Path:
    said = mailflow("init", folder, "--name", "Le club", "--address", "club@example.org", "--port", port)
    assert said.code == 0, said
    assert mailflow("member", "add", "anna", "anna@example.org", "--manager", "--dir", folder).code == 0
    assert mailflow("member", "add", "bela", "bela@example.org", "--dir", folder).code == 0
    return folder


def until(look: Callable[[], T | None], what: str) -> T:
    """Look until there is something to see."""
    end = time.monotonic() + BOUND_SECONDS
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"never seen: {what}")


@dataclass
class Running:
    """`mailflow run` at work; `port` is where it listens."""

    folder: Path
    process: subprocess.Popen[str]
    port: int

    def send(self, mail: EmailMessage, to: str = "club@example.org") -> None:
        with smtplib.SMTP("127.0.0.1", self.port, timeout=BOUND_SECONDS) as server:
            server.send_message(mail, mail["From"], [to])

    def mail(self, subject: str, recipient: str) -> EmailMessage:
        """Wait for the mail with these words in its subject, to this address, in the outbox folder."""
        return until(lambda: self._found(subject, recipient), f"{subject!r} to {recipient}")

    def _found(self, subject: str, recipient: str) -> EmailMessage | None:
        assert self.process.poll() is None, "mailflow run has ended by itself"
        new = self.folder / "outbox" / "new"
        for path in sorted(new.iterdir()) if new.exists() else ():
            mail = message_from_bytes(path.read_bytes(), policy=default)
            assert isinstance(mail, EmailMessage)
            if mail["To"] == recipient and subject in mail["Subject"]:
                return mail
        return None

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=BOUND_SECONDS)
        return self.process.returncode, out, err


@contextmanager
def running(folder: Path, *options: str) -> Iterator[Running]:
    """Start `mailflow run`, on another port as long as somebody else has taken the one tried."""
    settings = folder / "club.toml"
    for _ in range(5):
        port = free_port()
        lines = settings.read_text("utf-8").splitlines()
        at = lines.index("[smtp]") + 2
        lines[at] = f"port = {port}"
        settings.write_text("\n".join(lines) + "\n", "utf-8")
        process = subprocess.Popen(
            command("run", "--dir", folder, *options),
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        first = process.stdout.readline()
        if str(port) in first:
            break
        _, err = process.communicate(timeout=BOUND_SECONDS)
        assert "cannot listen" in err, err
    try:
        yield Running(folder, process, port)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def letter(sender: str, text: str, to: str = "club@example.org", subject: str = "") -> EmailMessage:
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"] = sender, to, subject
    mail["Message-ID"] = f"<{time.monotonic_ns()}@mail.example>"
    mail.set_content(text)
    return mail
