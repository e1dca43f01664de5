"""A mailbox at work: `python -m tests.bench.mailbox`, beside what the bare libraries need for the same.

How a backlog of statements asked for is worked off; how long it takes from a mail's arrival in the mailbox
(Dovecot's 250) to its answer at the relay, on an idle machine and told by IDLE; and how a backlog of mails
that act is worked off: results of games of six, in sessions, each of which brings six mails out. `mailflow
run` is a process of its own, and so are the floors (tests/bench/floors.py).

Each is first answered one mail, then stopped until the backlog lies in the mailbox and Dovecot has told of
it, and the time runs from its going on. Dovecot tells an IDLE client of a mail half a second after its
delivery: that is in its source, and in all figures of arrival.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import signal
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from mailflow.ambient import stopwatch
from tests.bench.floors import Floor, lean, ordinary
from tests.bench.mailbox_clubs import SEATS, Served, Serving, asked, played, statements
from tests.bench.worlds import ADDRESS
from tests.bench.yardstick import yardstick
from tests.servers.dovecot import Dovecot, dovecot
from tests.servers.ground import free_ports

BOUND_SECONDS = 1200
TOLD_SECONDS = 2
"""After so long Dovecot has told of all that was delivered."""


@dataclass
class Relay:
    """Takes the answers, and notes when each came, by the mail that it answers."""

    came: dict[str, float] = field(default_factory=dict)
    taken: list[float] = field(default_factory=list)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content
        assert isinstance(content, bytes)
        self.taken.append(stopwatch())
        self.came.setdefault(str(message_from_bytes(content)["In-Reply-To"]), self.taken[-1])
        return "250 OK"

    def wait(self, message_id: str, process: int) -> None:
        """Wait until a mail is answered."""
        self._until(lambda: message_id in self.came, process)

    def wait_for(self, count: int, process: int) -> None:
        """Wait until so many mails have come."""
        self._until(lambda: len(self.taken) >= count, process)

    def _until(self, done: Callable[[], bool], process: int) -> None:
        end = stopwatch() + BOUND_SECONDS
        while not done():
            if stopwatch() > end or not running(process):
                raise SystemExit(f"only {len(self.taken)} mails came, answering {len(self.came)}")
            time.sleep(0.002)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.mailbox")
    parser.add_argument("--idle", type=int, default=10, help="mails one by one, on an idle machine")
    parser.add_argument("--backlog", type=int, default=300, help="statements that lie there asked for")
    parser.add_argument("--acting", type=int, default=150, help="results of games of six that lie there")
    parser.add_argument(
        "--dir", type=Path, default=Path.cwd(), help="where to measure; a tmpfs would flatter"
    )
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} processors")
    kinds: tuple[tuple[str, int, int, Serving], ...] = (
        ("statements", options.backlog, 1, asked),
        ("results of games of six", options.acting, SEATS, played),
    )
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=options.dir) as made:
        for kind, count, replies, club in kinds:
            print(f"\n{count} {kind}, {replies} mails out for each")
            with dovecot() as server:
                floors = {"bare, lean": Floor(lean, replies), "bare, ordinary": Floor(ordinary, replies)}
                for name, serving in {**floors, "mailflow": club}.items():
                    bench = Bench(name, server, Path(made), replies)
                    bench.measure(serving, count, options.idle if replies == 1 else 0)
        yardstick(Path(made))
    return 0


@dataclass(frozen=True)
class Bench:
    """One way of serving a mailbox, measured; `replies`: how many mails go out for each that comes in."""

    name: str
    server: Dovecot
    folder: Path
    replies: int

    def measure(self, serving: Serving, count: int, idle: int) -> None:
        relay = Relay()
        with listening(relay) as port, serving(self.server, self.folder, port, count + 1) as served:
            first, *others = served.mails
            self.server.deliver(first, to=ADDRESS)
            relay.wait_for(self.replies, served.process)
            self.backlog(relay, served.process, others)
            self.arrivals(relay, served, idle)

    def backlog(self, relay: Relay, process: int, mails: Sequence[bytes]) -> None:
        """Let a backlog be worked off."""
        if not mails:
            return
        os.kill(process, signal.SIGSTOP)
        self.server.deliver(*mails, to=ADDRESS)
        time.sleep(TOLD_SECONDS)
        before, already, begun = processor(process), len(relay.taken), stopwatch()
        os.kill(process, signal.SIGCONT)
        relay.wait_for(already + len(mails) * self.replies, process)
        spent = processor(process) - before
        first, last = relay.taken[already] - begun, relay.taken[-1] - begun
        print(
            f"  {self.name:15} first answer after {first:.2f} s, last after {last:.2f} s:"
            f" {1000 * last / len(mails):.1f} ms each, {1000 * spent / len(mails):.1f} ms of its processor;"
            f" {memory(process)}",
            flush=True,
        )

    def arrivals(self, relay: Relay, served: Served, count: int) -> None:
        """Let mails arrive one by one."""
        taken = []
        for raw in statements(count):
            time.sleep(0.4)  # it is back in IDLE
            self.server.deliver(raw, to=ADDRESS)
            arrived, message_id = stopwatch(), str(message_from_bytes(raw)["Message-ID"])
            relay.wait(message_id, served.process)
            taken.append(relay.came[message_id] - arrived)
        if taken:
            print(
                f"  {self.name:15} arrival to answer, {count} times: median {statistics.median(taken):.3f} s,"
                f" least {min(taken):.3f} s, most {max(taken):.3f} s (0.5 s of it Dovecot's)",
                flush=True,
            )


def running(process: int) -> bool:
    """Whether a process is still there, and no zombie."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text("ascii").rpartition(") ")[2][0] != "Z"
    return False


def processor(process: int) -> float:
    """Return the seconds of processor that a process has had so far."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process: int) -> str:
    """Say what memory a process has, and what it had at most."""
    lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    sizes = dict(line.split(":")[:2] for line in lines if line.startswith(("VmHWM", "VmRSS")))
    return f"memory {_mb(sizes['VmRSS'])} MB, at most {_mb(sizes['VmHWM'])} MB"


def _mb(size: str) -> int:
    return int(size.split()[0]) // 1024


@contextlib.contextmanager
def listening(relay: Relay) -> Iterator[int]:
    (port,) = free_ports(1)
    controller = Controller(relay, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


if __name__ == "__main__":
    raise SystemExit(main())
