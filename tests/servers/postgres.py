"""A real PostgreSQL for tests: a cluster of its own in a folder of its own, on the loopback only.

    python -m tests.servers.postgres          start one, print its URL, stop it at the end of input

It runs unprivileged: as root it is started under another account, because PostgreSQL refuses root. As
nothing in it outlives the tests, it syncs nothing; `safe` gives one that keeps what it has acknowledged.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg

ACCOUNTS = ("postgres", "nobody")
START_SECONDS = 60
FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")


class NotHere(Exception):
    """There is no PostgreSQL on this machine, or it does not start."""


class Postgres:
    """A running server. `url` opens its first database, as a user who may do everything."""

    def __init__(self, folder: Path, programs: Path, safe: bool = False) -> None:
        self.folder = folder
        self._programs = programs
        self._options = [
            "listen_addresses=127.0.0.1",
            f"unix_socket_directories={folder}",
            "max_connections=200",
            "shared_buffers=32MB",
            "jit=off",
            *(() if safe else FAST),
        ]
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def url(self) -> str:
        return self.url_of("postgres")

    def url_of(self, database: str) -> str:
        return f"postgresql://mailflow@127.0.0.1:{self._port}/{database}"

    @property
    def pid(self) -> int:
        """The first of its processes, the parent of all others."""
        assert self._process is not None
        return self._process.pid

    def make(self) -> None:
        """Make the cluster's files."""
        words = ("-U", "mailflow", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        done = subprocess.run(
            [self._programs / "initdb", "-D", self.folder / "cluster", *words],
            capture_output=True,
            check=False,
            timeout=START_SECONDS,
            **_as_somebody(),
        )
        if done.returncode:
            raise NotHere(f"initdb failed: {done.stderr.decode(errors='replace').strip()[-300:]}")

    def start(self) -> None:
        """Start it on a free port, on another one if somebody was quicker; return when it answers."""
        for _ in range(3):
            self._port = self._port or _free_port()
            self._process = self._spawn()
            if self._answers():
                return
            self._port = 0
        raise NotHere(f"PostgreSQL did not start: {self._log()[-300:]}")

    def _spawn(self) -> subprocess.Popen[bytes]:
        options = [word for option in self._options for word in ("-c", option)]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [self._programs / "postgres", "-D", self.folder / "cluster", "-p", str(self._port), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the tests; they stop the server
                **_as_somebody(),
            )

    def _answers(self) -> bool:
        end = time.monotonic() + START_SECONDS
        while self._process is not None and self._process.poll() is None and time.monotonic() < end:
            try:
                psycopg.connect(self.url, connect_timeout=5).close()
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                return True
        return False

    def stop(self, number: int = signal.SIGINT) -> None:
        """Stop it: at once and in order by SIGINT, as if the power failed by SIGQUIT."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(START_SECONDS)
            self._process = None

    def ask_for_passwords(self) -> None:
        """Let nobody in without one from now on."""
        (self.folder / "cluster" / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
        with psycopg.connect(self.url, autocommit=True) as admin:
            admin.execute("SELECT pg_reload_conf()")

    def _log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")


@contextlib.contextmanager
def running(safe: bool = False) -> Iterator[Postgres]:
    """Start a server; stop it and remove its files at the end.

    Raises NotHere with the reason why there is none.
    """
    programs = _programs()
    if programs is None:
        raise NotHere("no PostgreSQL here: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="mailflow-postgres-"))
    try:
        folder.chmod(0o755)  # the server's account must come in, whatever our umask says
        cluster = folder / "cluster"
        cluster.mkdir(mode=0o700)
        if os.geteuid() == 0:
            account = _account()
            os.chown(cluster, account.pw_uid, account.pw_gid)
            os.chown(folder, account.pw_uid, account.pw_gid)
        server = Postgres(folder, programs, safe)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path | None:
    """The newest version's folder: Debian keeps each version apart, others have them on the path."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    on_path = shutil.which("initdb")
    if found:
        return max(found, key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0))
    return Path(on_path).parent if on_path else None


def _account() -> pwd.struct_passwd:
    for name in ACCOUNTS:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise NotHere(f"PostgreSQL does not run as root, and there is none of the accounts {ACCOUNTS}")


def _as_somebody() -> dict[str, object]:
    """How to start a program as the server's account: as ourselves unless we are root."""
    start: dict[str, object] = {"cwd": "/", "umask": 0o077}
    if os.geteuid() == 0:
        account = _account()
        start |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    return start


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def main(words: Sequence[str]) -> int:
    with running(safe="--safe" in words) as server:
        print(server.url, flush=True)
        sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
