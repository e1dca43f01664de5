"""The kept lives: the product prints what the model expected when they were written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mailflow.replay import read_scenario, replay
from tests.databases import open_database

from .keep import FOLDER, kept
from .stage import heard

SCENARIOS = sorted(p for p in FOLDER.glob("*.jsonl") if not p.name.endswith(".expected.jsonl"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda p: p.stem)
def test_kept_life(path: Path) -> None:
    expected = [json.loads(x) for x in path.with_suffix(".expected.jsonl").read_text("utf-8").splitlines()]
    got = list(replay(read_scenario(path), open_database(None)))
    assert heard(got) == heard(expected)
    assert got[-1] == expected[-1]


def test_files_are_what_the_model_says_today() -> None:
    names = []
    for number, life in enumerate(kept(), start=1):
        names.append(f"{number:03}-{life.name}.jsonl")
        path = FOLDER / names[-1]
        for file, lines in zip((path, path.with_suffix(".expected.jsonl")), life.lines(), strict=True):
            assert [json.loads(x) for x in file.read_text("utf-8").splitlines()] == lines, file.name
    assert [p.name for p in SCENARIOS] == names
