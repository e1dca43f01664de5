"""`mailflow replay`: a scenario's lines out; a line that cannot be used is named and ends it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .cli_scene import Said, mailflow, program

HEAD: dict[str, Any] = {
    "club": {"timezone": "Europe/Paris"},
    "members": [
        {"handle": "anna", "address": "anna@example.org", "manager": True},
        {"handle": "bela", "address": "bela@example.org"},
    ],
    "start": "2026-01-05T09:00:00+01:00",
}
GAME = {"at": "2026-01-05T20:00:00+01:00", "from": "anna", "text": "PARTIE joueurs=bela 1=bela"}
END = {"at": "2026-01-14T00:00:00+01:00"}


def played(folder: Path, *lines: object) -> Said:
    path = folder / "life.jsonl"
    path.write_text(
        "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8"
    )
    return mailflow("replay", path, "--json")


def test_a_life_is_played_to_its_last_balance(tmp_path: Path) -> None:
    """CONTRACTS."""
    said = played(tmp_path, HEAD, GAME, END)
    assert (said.code, said.err) == (0, [])
    lines = [json.loads(line) for line in said.out]
    assert {"event": 1, "outcome": "ok", "rule": None} in lines
    assert {"at": GAME["at"], "mail": "game.result", "to": ["bela"], "game": 1} in lines
    final = lines[-1]["final"]
    assert final["balances"] == {"anna": 19900, "bela": 20100}
    assert final["journal_sum"] == 0
    assert final["games"][0] == {
        "id": 1,
        "state": "final",
        "buyin_cents": 100,
        "participants": ["anna", "bela"],
        "places": {"1": ["bela"]},
    }


def test_the_same_scenario_gives_the_same_lines(tmp_path: Path) -> None:
    first, second = (played(tmp_path, HEAD, GAME, END) for _ in range(2))
    assert first == second


def test_it_touches_no_file(tmp_path: Path) -> None:
    played(tmp_path, HEAD, GAME, END)
    assert [path.name for path in tmp_path.iterdir()] == ["life.jsonl"]


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        ((HEAD, GAME, "{not json"), 3),
        ((HEAD, GAME, "[]"), 3),
        ((HEAD, {**GAME, "from": "zoe"}), 2),
        ((HEAD, {**GAME, "at": "2026-01-05T20:00:00"}), 2),
        ((HEAD, {**GAME, "at": "yesterday"}), 2),
        ((HEAD, {"from": "anna", "text": "COMPTE"}), 2),
        ((HEAD, {**GAME, "text": 7}), 2),
        (({**HEAD, "members": [{"handle": "anna"}]}, GAME), 1),
        (({**HEAD, "club": {"timezone": "Mars/Olympus"}}, GAME), 1),
        (({**HEAD, "club": {"rulebook": {"no_such": 1}}}, GAME), 1),
        (({**HEAD, "start": "soon"}, GAME), 1),
        (({**HEAD, "members": [*HEAD["members"], HEAD["members"][0]]}, GAME), 1),
        (("null", GAME), 1),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, lines: tuple[object, ...], number: int) -> None:
    said = played(tmp_path, *lines)
    assert said.code == 2
    assert len(said.err) == 1
    assert f"line {number}" in said.err[0]


def test_a_blank_line_counts_in_the_numbers(tmp_path: Path) -> None:
    """The number is that of an editor."""
    said = played(tmp_path, HEAD, "", GAME, "{not json")
    assert (said.code, len(said.err)) == (2, 1)
    assert "line 4" in said.err[0]


def test_time_that_goes_back_is_an_error(tmp_path: Path) -> None:
    said = played(tmp_path, HEAD, END, GAME)
    assert (said.code, len(said.err)) == (2, 1)
    assert "time goes back" in said.err[0]


def test_an_event_before_the_start_is_an_error(tmp_path: Path) -> None:
    said = played(tmp_path, HEAD, {**GAME, "at": "2026-01-05T08:59:59+01:00"})
    assert (said.code, len(said.err)) == (2, 1)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe"])
def test_a_file_that_is_no_scenario_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "life.jsonl").write_bytes(content)
    said = mailflow("replay", tmp_path / "life.jsonl", "--json")
    assert (said.code, said.out, len(said.err)) == (2, [], 1)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    said = program("replay", tmp_path / "missing.jsonl", "--json")
    assert (said.code, said.out, len(said.err)) == (2, [], 1)
    assert "missing.jsonl" in said.err[0]


@pytest.mark.parametrize(
    ("head", "named"),
    [
        ("{bad", "it is not JSON"),
        ("{}", "'club' is missing"),
        ("[]", "not of the form that is wanted here"),
    ],
)
def test_what_is_wrong_in_a_line_is_said_in_plain_words(tmp_path: Path, head: str, named: str) -> None:
    said = played(tmp_path, head, END)
    assert (said.code, said.out) == (2, [])
    (line,) = said.err
    assert f"life.jsonl, line 1: {named}" in line
    assert "Error" not in line


def test_a_scenario_that_cannot_be_read_is_said_in_plain_words(tmp_path: Path) -> None:
    path = tmp_path / "life.jsonl"
    assert mailflow("replay", path).err == [f"mailflow: {path}: No such file or directory"]
    path.write_bytes(b"\xff")
    assert mailflow("replay", path).err == [f"mailflow: {path}: it is not UTF-8 text"]
