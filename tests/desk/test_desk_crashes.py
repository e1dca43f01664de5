"""P-1 to P-4 at every crash point: nothing lost, nothing doubled, and a mail sent twice is the same mail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.only_sqlite  # it copies files

ROOT = Path(__file__).resolve().parents[2]


def worker(*args: object) -> list[dict[str, Any]]:
    command = [sys.executable, "-W", "error", "-m", "tests.desk.crash_worker", *map(str, args)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[dict[str, Any]]]:
    """An OUI that carries out a game with its result, killed before each statement that it runs.

    In memory where the system has such a folder: SIGKILL loses nothing that was written, synced or not.
    """
    memory = Path("/dev/shm")
    where = memory if os.access(memory, os.W_OK) else tmp_path_factory.mktemp("crashes")
    with tempfile.TemporaryDirectory(dir=where) as folder:
        yield worker(folder)


@pytest.fixture(scope="module")
def calm(sweep: list[dict[str, Any]]) -> dict[str, Any]:
    """The same mail, undisturbed."""
    found: dict[str, Any] = next(line["calm"] for line in sweep if "calm" in line)
    return found


@pytest.fixture(scope="module")
def crashes(sweep: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Where it died -> the state after the second start."""
    return {line["place"]: line["state"] for line in sweep if line.get("died")}


def test_the_undisturbed_way_is_the_one_expected(calm: dict[str, Any]) -> None:
    assert calm["balances"] == {"anna": 19500, "bela": 21000, "carl": 19500, "dora": 20000}
    assert sorted(calm["tokens"]) == ["open"] * 3 + ["used"], "a session, and two who may dispute"
    assert calm["outbox"] == [
        ["confirm", "anna", "sent"],
        ["game.result", "anna", "sent"],
        ["game.result", "bela", "sent"],
        ["game.result", "carl", "sent"],
    ]
    assert calm["files"] == calm["message_ids"] == calm["different_bytes"] == 4


def test_the_process_died_at_every_statement_and_around_each_sending(
    sweep: list[dict[str, Any]], crashes: dict[str, dict[str, Any]]
) -> None:
    statements = next(line["statements"] for line in sweep if "statements" in line)
    assert statements >= 25
    places = {"before sending", "sent, not marked", "all sent"}
    assert set(crashes) == places | {f"statement {n}" for n in range(1, statements + 1)}


def test_after_any_crash_the_books_are_those_of_the_undisturbed_way(
    calm: dict[str, Any], crashes: dict[str, dict[str, Any]]
) -> None:
    """P-1, P-2, P-3 (hazard G09)."""
    for place, state in crashes.items():
        for part in ("balances", "games", "executed", "received", "outbox", "tokens", "findings"):
            assert state[part] == calm[part], (place, part)


def test_after_any_crash_each_mail_lies_once_in_the_outbox_folder(
    calm: dict[str, Any], crashes: dict[str, dict[str, Any]]
) -> None:
    """P-4: what is sent again overwrites itself."""
    assert {place: state["files"] for place, state in crashes.items()} == dict.fromkeys(
        crashes, calm["files"]
    )


def test_a_mail_that_was_handed_on_twice_was_the_same_bytes_twice(crashes: dict[str, dict[str, Any]]) -> None:
    """P-4: one Message-ID, one text, though the second time was five minutes later."""
    for place, state in crashes.items():
        assert (state["message_ids"], state["different_bytes"]) == (4, 4), place


def test_a_mail_that_kills_the_process_is_set_aside_at_last(tmp_path: Path) -> None:
    """P-8: attempts are counted before the mail is read, so that a crash loop ends after the third."""
    (told,) = worker(tmp_path, "poison")
    assert told["states"] == {"1": "quarantined", "2": "pending"}
    assert told["starts"] == 4, "three deaths, and a start that goes on"
