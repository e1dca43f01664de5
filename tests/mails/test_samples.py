"""Every mail of sample_mails/ against what mailflow must read in it."""

import json
import re
from pathlib import Path

import pytest

from mailflow.__main__ import main
from mailflow.catalogue import COMMANDS

SAMPLES = Path(__file__).resolve().parents[2] / "sample_mails"
FILES = sorted(SAMPLES.glob("*.eml"))
LINES = (SAMPLES / "expected.jsonl").read_text("utf-8").splitlines()
EXPECTED = {line["file"]: line for line in map(json.loads, LINES)}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_a_sample_is_read_as_a_person_would(path, capsys):
    assert main(["parse", str(path), "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    expected = {key: value for key, value in EXPECTED[path.name].items() if key != "note"}
    assert read == expected


def test_each_sample_has_its_line_and_each_line_its_sample():
    assert [path.name for path in FILES] == list(EXPECTED)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_lines_end_as_they_were_received(path):
    raw = path.read_bytes()
    assert raw.count(b"\n") == raw.count(b"\r\n") > 10
    assert max(map(len, raw.split(b"\r\n"))) <= 998


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_nobody_real_is_named(path):
    whole_lines = path.read_bytes().replace(b"=\r\n", b"")
    for domain in re.findall(rb"@([\w.-]+)", whole_lines):
        host = domain.decode("ascii").rstrip(".-")
        assert re.search(r"(^|\.)example(\.com|\.net|\.org)?$", host) or host.startswith("wwinf"), host


def test_every_command_has_a_sample():
    used = {command["verb"] for line in EXPECTED.values() for command in line["commands"]}
    assert used >= {c.name for c in COMMANDS}


def test_every_class_has_a_sample():
    people = {"command", "reply-confirm", "reply-arbitration", "unknown-command", "empty", "malformed"}
    assert {line["class"] for line in EXPECTED.values()} == people | {"ignore-auto", "bounce"}
