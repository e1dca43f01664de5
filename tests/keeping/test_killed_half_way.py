"""P-11: a copy, a restore, a migration that is killed half-way leaves what was there, or what was to be."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.only_sqlite  # a server's books have programs of their own

ROOT = Path(__file__).resolve().parents[2]
KILLS = {"backup": 40, "restore": 40, "migration": 60}


def told(work: str, seed: int, *planted: str) -> list[dict[str, Any]]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        command = [sys.executable, "-m", "tests.keeping.half_way", work, folder, str(seed), str(KILLS[work])]
        command += planted
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("work", KILLS)
def test_it_is_as_before_or_as_after_and_can_be_done_again(work: str) -> None:
    seed = random.SystemRandom().randrange(10**9)
    calm, *deaths = told(work, seed)
    assert len(deaths) == min(KILLS[work], calm["steps"])
    assert all(death["died"] for death in deaths)
    assert [death for death in deaths if death["wrong"]] == [], f"seed {seed}"


@pytest.mark.parametrize("work", KILLS)
def test_a_planted_fault_is_found(work: str) -> None:
    """A file written in place; a migration without a transaction around it."""
    _, *deaths = told(work, 20261201, "planted")
    assert [death for death in deaths if death["wrong"]]
