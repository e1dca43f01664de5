"""What a server needs to stand on: a folder that its account can reach, free ports, a way to wait for it.

As root, Dovecot and Postfix run as accounts of their own. So the folder lies directly under /tmp, everything
the daemons read is opened to them by name whatever the umask is, and the path stays short enough for
unix sockets. A server that is missing skips its tests, but under CI=true that is a failure.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

import pytest

BOUND_SECONDS = 30
PLACES = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin:/usr/local/sbin"
PATH_MAX = 75
"""Characters of a data folder: a socket's path may have 107, and the servers add up to 32."""

T = TypeVar("T")


def program(name: str) -> str:
    """Return where a program is; without it the test is skipped, or fails under CI."""
    found = shutil.which(name, path=PLACES)
    if found is None:
        missing(f"no {name} here")
    return found


def missing(why: str) -> NoReturn:
    """Leave a test out, saying why; under CI nothing may be left out."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{why}, and CI leaves nothing out", pytrace=False)
    pytest.skip(why)


def account(*names: str) -> str:
    """Return the account that a server is to run as: ours, or as root the first of these that exists."""
    if os.geteuid():
        return pwd.getpwuid(os.geteuid()).pw_name
    for name in names:
        try:
            if pwd.getpwnam(name).pw_uid:
                return name
        except KeyError:
            continue
    missing(f"none of the accounts {', '.join(names)} exists")


class Ground:
    """A server's data folder, owned by the account that it runs as."""

    def __init__(self, name: str, owner: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=f"mf-{name}-", dir="/tmp")).resolve()
        assert len(str(self.path)) <= PATH_MAX, self.path
        self.owner = owner
        self._give(self.path, 0o755, owner)

    def folder(self, name: str, owner: str | None = None, mode: int = 0o755) -> Path:
        path = self.path / name
        path.mkdir(exist_ok=True)
        self._give(path, mode, owner or self.owner)
        return path

    def write(self, name: str, text: str, owner: str | None = None, mode: int = 0o644) -> Path:
        path = self.path / name
        path.write_text(text, "utf-8")
        self._give(path, mode, owner or self.owner)
        return path

    def certificate(self) -> tuple[Path, Path]:
        """Make a certificate for this machine, signed by itself, and its key."""
        paths = self.path / "tls.crt", self.path / "tls.key"
        command = [program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        command += ["-nodes", "-days", "2", "-subj", "/CN=localhost", "-out", str(paths[0])]
        command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(paths[1])]
        subprocess.run(command, check=True, capture_output=True)
        for path, mode in zip(paths, (0o644, 0o600), strict=True):
            self._give(path, mode, self.owner)
        return paths

    def read(self, name: str) -> str:
        path = self.path / name
        return path.read_text("utf-8", "replace") if path.exists() else ""

    def clear(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _give(self, path: Path, mode: int, owner: str) -> None:
        path.chmod(mode)
        if not os.geteuid():
            entry = pwd.getpwnam(owner)
            os.chown(path, entry.pw_uid, entry.pw_gid)


def free_ports(count: int) -> list[int]:
    """Return so many different ports that are free now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def greets(port: int, start: bytes) -> bool:
    """Whether the server at a port says hello as it should."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as one:
            return one.recv(len(start)) == start
    except OSError:
        return False


def until(look: Callable[[], T | None], what: str, seconds: float = BOUND_SECONDS) -> T:
    """Look until there is something to see."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"never seen: {what}")


def started(make: Callable[[Sequence[int]], T], ports: int) -> T:
    """Start a server on free ports; a port that somebody else took meanwhile is another try."""
    for _ in range(3):
        try:
            return make(free_ports(ports))
        except OSError as error:
            last = error
    raise AssertionError(f"no server: {last}")
