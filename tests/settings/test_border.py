"""[border] in club.toml, and border.toml beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mailflow.errors import SettingsError
from mailflow.founding_file import NewClub, write_settings
from mailflow.sections.border import Border
from mailflow.settings import load


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_settings(tmp_path, NewClub("Le club", "club@example.org"))
    return tmp_path


def border_of(folder: Path, own: str = "", learnt: str | None = None) -> Border:
    """What is read where these lines stand in [border] of either file."""
    path = folder / "club.toml"
    path.write_text(path.read_text("utf-8").replace("[border]\n", f"[border]\n{own}\n"), "utf-8")
    if learnt is not None:
        (folder / "border.toml").write_text(f"[border]\n{learnt}\n", "utf-8")
    return load(folder).border


def test_without_names_nothing_is_trusted(folder: Path) -> None:
    assert border_of(folder) == Border()


def test_names_are_kept_in_the_form_in_which_they_are_compared(folder: Path) -> None:
    own = 'authserv_ids = ["MX.Example.org"]\nhosts = ["*.Example.org", "2001:DB8:*"]\nplus = false'
    assert border_of(folder, own) == Border(
        frozenset({"mx.example.org"}), ("*.example.org", "2001:db8:*"), plus=False
    )


def test_what_was_learnt_counts_until_the_operator_says_otherwise(folder: Path) -> None:
    learnt = 'authserv_ids = ["mx.learnt.example"]\nhosts = ["inner.learnt.example"]\nplus = false'
    assert border_of(folder, "", learnt) == Border(
        frozenset({"mx.learnt.example"}), ("inner.learnt.example",), plus=False
    )
    assert border_of(folder, 'authserv_ids = ["mx.example.org"]\nhosts = []') == Border(
        frozenset({"mx.example.org"}), (), plus=False
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('authserv_ids = "mx.example.org"', "must be a list of texts"),
        ("authserv_ids = [1]", "must be a list of texts"),
        ('authserv_ids = [""]', "not a bare name"),
        ('authserv_ids = ["mx.example.org 1"]', "not a bare name"),
        ('authserv_ids = ["mx.example.org; dmarc=pass"]', "not a bare name"),
        ('hosts = ["*"]', "not a name such as"),
        ('hosts = ["*.*"]', "not a name such as"),
        ('hosts = ["a*b.example.org"]', "not a name such as"),
        ('hosts = ["mx example org"]', "not a name such as"),
        ("plus = 1", "plus must be true or false"),
        ('authserv_id = ["mx.example.org"]', "unknown entry 'authserv_id'"),
    ],
)
def test_a_mistake_is_one_clear_line_that_names_the_file(folder: Path, line: str, words: str) -> None:
    with pytest.raises(SettingsError, match=r"club\.toml") as said:
        border_of(folder, line)
    assert words in str(said.value)


@pytest.mark.parametrize(
    "text", ["[border", "[other]\n", "\xff", 'border = "x"\n', "[border]\nhosts = ['*']\n"]
)
def test_a_mistake_in_the_learnt_file_names_that_file(folder: Path, text: str) -> None:
    (folder / "border.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError, match="border"):
        load(folder)
