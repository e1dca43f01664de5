"""What the pages say is so: derived pages are fresh, links and commands exist, locks name no place."""

import re
import tomllib
from pathlib import Path

import pytest

from mailflow.guide import PAGES

ROOT = Path(__file__).resolve().parents[2]
TEXTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
LOCKS = ("requirements.lock", "requirements-dev.lock")


@pytest.mark.parametrize("name", PAGES)
def test_derived_pages_are_fresh(name):
    assert (ROOT / "docs" / name).read_text("utf-8") == PAGES[name](), "run ./dev docs"


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.name)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text("utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.name)
def test_files_that_are_named_exist(path):
    named = re.findall(
        r"`((?:mailflow|parsers|store|templates|tests|docs|sample_mails)/[\w./*-]+)`", path.read_text("utf-8")
    )
    for name in named:
        assert list(ROOT.glob(name.rstrip("/"))), f"{path.name} names {name}"


@pytest.mark.parametrize("name", LOCKS)
def test_every_pinned_package_has_hashes_and_no_place(name):
    text = (ROOT / name).read_text("utf-8")
    assert "://" not in text
    assert "index-url" not in text
    for block in re.split(r"\n(?=\S)", text.strip()):
        assert "==" in block, block
        assert "--hash=sha256:" in block, block


def test_every_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = (ROOT / "requirements.lock").read_text("utf-8")
    for wanted in project["dependencies"]:
        name = re.match(r"[\w-]+", wanted)
        assert name
        assert f"\n{name[0]}==" in f"\n{pinned}", wanted


def test_nothing_stands_at_the_top_that_has_no_business_there():
    folders = {p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(".")}
    built = {
        name for name in folders if name.endswith(".egg-info") or name in {"build", "dist", "__pycache__"}
    }
    assert folders - built == {
        "mailflow",
        "parsers",
        "templates",
        "store",
        "tests",
        "sample_mails",
        "docs",
        "contrib",
    }
