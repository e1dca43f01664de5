"""P-8: what was set aside can be looked at, handled again, or left at rest."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.command_line.cli_scene import letter, mailflow, program, running, until


@pytest.fixture
def set_aside(club: Path) -> Path:
    """A club in which mail 1, a good command of anna's, was set aside three failures ago."""
    with running(club) as run:
        run.send(letter("anna@example.org", "PARTIE joueurs=bela"))
        run.mail("confirmer", "anna@example.org")
    with closing(sqlite3.connect(club / "mailflow.db")) as db, db:
        db.execute("UPDATE inbox SET state = 'quarantined', reason = 'failed', attempts = 3")
    return club


def test_it_is_listed_and_shown(set_aside: Path) -> None:
    (line,) = mailflow("quarantine", "list", "--dir", set_aside).out
    assert line.startswith("mail 1 of ")
    assert line.endswith(": failed")
    shown = "\n".join(program("quarantine", "show", 1, "--dir", set_aside).out)
    assert "PARTIE joueurs=bela" in shown


def test_it_is_handled_again(set_aside: Path) -> None:
    assert mailflow("quarantine", "replay", 1, "--dir", set_aside).code == 0
    with running(set_aside):
        until(lambda: _states(set_aside) == ["ignored", "pending"], "mail 2 handled")
    assert mailflow("verify", "--dir", set_aside).code == 0


def test_it_is_taken_up_once(set_aside: Path) -> None:
    assert mailflow("quarantine", "replay", 1, "--dir", set_aside).code == 0
    assert mailflow("quarantine", "replay", 1, "--dir", set_aside).code == 2
    assert _states(set_aside) == ["ignored", "received"]


def test_it_may_rest(set_aside: Path) -> None:
    assert mailflow("quarantine", "drop", 1, "--dir", set_aside).code == 0
    assert _states(set_aside) == ["ignored"]
    assert mailflow("quarantine", "list", "--dir", set_aside).out == ["nothing is set aside"]
    assert mailflow("verify", "--dir", set_aside).code == 0


@pytest.mark.parametrize("action", ["show", "replay", "drop"])
def test_a_number_that_is_not_set_aside_is_one_clear_line(set_aside: Path, action: str) -> None:
    mailflow("quarantine", "drop", 1, "--dir", set_aside)
    for number in (1, 99):
        said = mailflow("quarantine", action, number, "--dir", set_aside)
        assert (said.code, len(said.err)) == (2, 1)


def _states(club: Path) -> list[str]:
    with closing(sqlite3.connect(club / "mailflow.db")) as db:
        return [state for (state,) in db.execute("SELECT state FROM inbox ORDER BY id")]
