"""Each language of the mails has all that French has: the same files, and in each the same macros."""

import re
import shutil
import tomllib
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from babel import Locale

from mailflow import words
from mailflow.words import TEMPLATES

FRENCH = TEMPLATES / "fr"
OTHERS = [folder for folder in sorted(TEMPLATES.iterdir()) if folder.is_dir() and folder != FRENCH]
MACRO = re.compile(r"\{% macro (\w+)\(([^)]*)\)")
PARIS = ZoneInfo("Europe/Paris")


def lacking(folder: Path) -> list[str]:
    """What a language's folder has not, or has too much."""
    mine, theirs = ({p.name: p.read_text("utf-8") for p in f.glob("*.*")} for f in (folder, FRENCH))
    found = [f"{name}: no such file" for name in sorted(set(theirs) - set(mine))]
    found += [f"{name}: French has none" for name in sorted(set(mine) - set(theirs))]
    for name in sorted(set(mine) & set(theirs)):
        for macro, arguments in set(MACRO.findall(theirs[name])) - set(MACRO.findall(mine[name])):
            found.append(f"{name}: no macro {macro}({arguments})")
    return found


@pytest.mark.parametrize("folder", OTHERS, ids=lambda folder: folder.name)
def test_a_language_has_what_french_has(folder):
    assert Locale.parse(folder.name).language == folder.name
    assert lacking(folder) == []


def test_every_language_is_installed_with_the_program():
    project = tomllib.loads((TEMPLATES.parent / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    for folder in (FRENCH, *OTHERS):
        assert f"templates.{folder.name}" in project["packages"]
        assert set(project["package-data"][f"templates.{folder.name}"]) == {"*.md", "*.toml"}


def test_what_a_folder_lacks_is_found(tmp_path):
    folder = tmp_path / "de"
    shutil.copytree(FRENCH, folder)
    assert lacking(folder) == []
    (folder / "game.result.md").unlink()
    (folder / "extra.md").write_text("x", "utf-8")
    shared = (folder / "shared.md").read_text("utf-8")
    (folder / "shared.md").write_text(shared.replace("macro place(number)", "macro spot(number)"), "utf-8")
    assert lacking(folder) == [
        "game.result.md: no such file",
        "extra.md: French has none",
        "shared.md: no macro place(number)",
    ]


@pytest.mark.parametrize(
    ("at", "language", "written"),
    [
        ("2026-11-03T20:05", "fr", "mardi 3 novembre 2026 à 20:05"),
        ("2026-03-01T09:00", "fr", "dimanche 1er mars 2026 à 09:00"),
        ("2026-03-01T09:00", "de", "Sonntag, 1. März 2026, 09:00"),
        ("2026-03-01T09:00", "en", "Sunday, March 1, 2026, 9:00\u202fAM"),
        ("2026-03-01T09:00", "it", "domenica 1 marzo 2026, 09:00"),
    ],
)
def test_an_instant_is_written_as_the_language_does_it(at, language, written):
    """Where a folder says nothing of it, as Babel does."""
    if language != "fr" and (TEMPLATES / language).exists():
        return
    assert words.moment(datetime.fromisoformat(at).replace(tzinfo=PARIS), PARIS, language) == written
