"""P-1 to P-5 and P-7 under SIGKILL: nothing lost, nothing doubled, at whatever step the process dies."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from mailflow.catalogue import COMMANDS, Need
from tests.databases import postgres
from tests.servers.ground import program

from .faults import FAULTS, MAILBOX_FAULTS, SEEN_AT, WORKER_FAULTS
from .situations import SITUATIONS

pytestmark = pytest.mark.only_sqlite  # each sweep says itself where its books are

ROOT = Path(__file__).resolve().parents[2]
SHARES, KILLS = 4, 80
BY_MAILBOX = {"imap": 48, "imap-copy": 40}
"""Kills with mail that comes from a mailbox: by MOVE, and where the server hides it."""
ON_POSTGRES = 40
"""Kills of a worker whose books are on a server, in eight situations that the seed chooses."""
SEED = int(os.environ.get("MAILFLOW_KILLS_SEED") or random.SystemRandom().randrange(10**9))
"""Drawn anew by each test process and printed with what it finds."""


def sweep(*options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.kills", *map(str, options)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)


@pytest.mark.parametrize("share", range(SHARES))
def test_dying_anywhere_loses_and_doubles_nothing(share: int) -> None:
    done = sweep("--seed", SEED + share, "--kills", KILLS)
    print(done.stdout)
    assert done.returncode == 0, (
        f"python -m tests.kills --seed {SEED + share} --kills {KILLS}\n{done.stdout}{done.stderr}"
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    """A sweep that finds nothing where something is wrong would prove nothing."""
    done = sweep("--seed", SEED, "--kills", 160, "--at", SEEN_AT[fault], "--fault", fault, "--stop")
    assert done.returncode == 1, done.stdout + done.stderr
    assert " wrong" in done.stdout, done.stdout + done.stderr


@pytest.mark.servers
@pytest.mark.parametrize("door", BY_MAILBOX)
def test_dying_anywhere_between_mailbox_and_relay_loses_and_doubles_nothing(door: str) -> None:
    """P-5."""
    program("dovecot")
    options = ("--door", door, "--seed", SEED, "--kills", BY_MAILBOX[door])
    done = sweep(*options)
    print(done.stdout)
    assert done.returncode == 0, (
        f"python -m tests.kills {' '.join(map(str, options))}\n{done.stdout}{done.stderr}"
    )


@pytest.mark.servers
@pytest.mark.parametrize("fault", MAILBOX_FAULTS)
def test_a_fault_planted_at_the_mailbox_is_found(fault: str) -> None:
    program("dovecot")
    done = sweep("--door", "imap", "--seed", 20261130, "--kills", 80, "--fault", fault, "--stop")
    assert done.returncode == 1, done.stdout + done.stderr
    assert " wrong" in done.stdout, done.stdout + done.stderr


@pytest.mark.servers
def test_a_worker_that_dies_anywhere_is_followed_by_another_and_nothing_is_lost_or_doubled() -> None:
    """P-5, P-12: on PostgreSQL."""
    postgres()
    options = ("--books", "postgres", "--seed", SEED, "--kills", ON_POSTGRES, "--situations", 8)
    done = sweep(*options)
    print(done.stdout)
    assert done.returncode == 0, (
        f"python -m tests.kills {' '.join(map(str, options))}\n{done.stdout}{done.stderr}"
    )


@pytest.mark.servers
@pytest.mark.parametrize("fault", ["marked before it is sent", *WORKER_FAULTS])
def test_a_fault_planted_in_a_worker_is_found(fault: str) -> None:
    postgres()
    at = SEEN_AT.get(fault, "")
    options = ("--books", "postgres", "--situations", 3, "--kills", 60, "--at", at, "--stop")
    done = sweep("--seed", 20261201, "--fault", fault, *options)
    assert done.returncode == 1, done.stdout + done.stderr
    assert " wrong" in done.stdout, done.stdout + done.stderr


def test_every_command_that_changes_something_has_its_situation() -> None:
    names = {situation.name.split()[0] for situation in SITUATIONS}
    acting = {c.name for c in COMMANDS if c.need in (Need.ACT, Need.MANAGE, Need.IDENTITY)}
    assert acting <= names
