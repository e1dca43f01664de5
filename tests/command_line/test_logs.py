"""The log of `mailflow run`: one line an event, for people or as JSON; what `status` says of the last."""

from __future__ import annotations

import json
from pathlib import Path

from .cli_scene import letter, mailflow, program, running

WORDS = "PARTIE buyin=2 joueurs=bela"


def logged(club: Path, *options: str) -> list[str]:
    with running(club, *options) as run:
        run.send(letter("anna@example.org", WORDS))
        run.mail("confirmer", "anna@example.org")
        _, _, err = run.stop()
    return err.splitlines()


def test_a_mail_is_one_line(club: Path) -> None:
    """T-28: by its number, without its words."""
    lines = logged(club)
    assert len([line for line in lines if "mailflow INFO mail 1 pending: confirm" in line]) == 1, lines
    assert not [line for line in lines if "PARTIE" in line]
    assert any(line.startswith("  last mail in: ") and "none" not in line for line in status(club))


def test_it_is_json_on_request(club: Path) -> None:
    lines = [json.loads(line) for line in logged(club, "--log", "json")]
    (mail,) = [line for line in lines if "mail" in line]
    assert (mail["mail"], mail["state"], mail["commands"]) == (1, "pending", "confirm")
    assert (mail["level"], mail["logger"]) == ("info", "mailflow")
    assert mail["at"].endswith("Z")


def test_another_form_is_refused(club: Path) -> None:
    assert program("run", "--dir", club, "--log", "xml").code == 2


def test_where_no_mail_has_come_status_says_so(club: Path) -> None:
    assert "  last mail in: none yet" in status(club)


def status(club: Path) -> list[str]:
    return mailflow("status", "--dir", club).out
