"""`mailflow parse`: a line for each file; a bad mail is a result, a file that cannot be read an error."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from .cli_scene import BOUND_SECONDS, ROOT, Said, command, mailflow, program

MAIL = b"From: anna@example.org\r\nTo: club@example.org\r\n\r\nVIREMENT 15,50 a chloe\r\n"


def lines(said: Said) -> list[dict[str, object]]:
    return [json.loads(line) for line in said.out]


def test_each_file_gets_its_line_in_the_order_given(tmp_path: Path) -> None:
    """CONTRACTS."""
    for name in ("b.eml", "a.eml"):
        (tmp_path / name).write_bytes(MAIL)
    said = program("parse", tmp_path / "b.eml", tmp_path / "a.eml", "--json")
    assert (said.code, said.err) == (0, [])
    commands = [{"verb": "VIREMENT", "amount_cents": 1550, "to": "chloe"}]
    assert lines(said) == [
        {"file": name, "class": "command", "commands": commands, "token": None} for name in ("b.eml", "a.eml")
    ]


def test_without_json_it_is_for_people(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(MAIL)
    said = mailflow("parse", tmp_path / "a.eml")
    assert said.code == 0
    assert "a.eml" in said.out[0]
    assert not said.out[0].startswith("{")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00",
        b"\xff\xfe\x00\x01",
        b"\r\n",
        b"From: a\r\n\r\nPARTIE",
        bytes(range(256)) * 16,
        b"PARTIE joueurs=bela",
        b"\n" * 10_000,
        MAIL.replace(b"\r\n", b"\r"),
        MAIL + b"\x00\x1b[31m",
        b"Content-Type: text/plain; charset=rot13\r\n" + MAIL,
    ],
)
def test_odd_bytes_are_a_result(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "a.eml").write_bytes(raw)
    said = mailflow("parse", tmp_path / "a.eml", "--json")
    assert (said.code, said.err) == (0, [])
    (line,) = lines(said)
    assert set(line) == {"file", "class", "commands", "token"}


def test_a_file_that_cannot_be_read_is_an_error_and_the_others_are_shown(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(MAIL)
    said = mailflow("parse", tmp_path / "missing.eml", tmp_path / "a.eml", tmp_path, "--json")
    assert said.code == 2
    assert [line["file"] for line in lines(said)] == ["a.eml"]
    assert len(said.err) == 2
    assert "missing.eml" in said.err[0]


def test_a_name_that_is_no_text_is_no_trouble(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.eml"
    Path(os.fsdecode(path)).write_bytes(MAIL)
    said = program("parse", os.fsdecode(path), "--json", PYTHONIOENCODING="utf-8:strict")
    assert (said.code, said.err) == (0, [])
    assert lines(said)[0]["class"] == "command"


def test_a_reader_that_goes_away_is_no_trouble(tmp_path: Path) -> None:
    """`mailflow parse *.eml | head -1`."""
    (tmp_path / "a.eml").write_bytes(MAIL)
    process = subprocess.Popen(
        command("parse", *[tmp_path / "a.eml"] * 2000, "--json"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(BOUND_SECONDS) == 0
