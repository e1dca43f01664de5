"""Every example mail in the guides is so: understood, and answered with the words that stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages.playing import play, steps

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("fr/membre.md", "fr/gestionnaire.md", "en/member.md", "en/manager.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_example_mails_of_a_guide_are_what_is_sent(page: str) -> None:
    assert play(DOCS / page) == []


@pytest.mark.parametrize("page", PAGES)
def test_a_guide_has_examples(page: str) -> None:
    what = [step.what for step in steps((DOCS / page).read_text("utf-8"))]
    assert what.count("writes") >= 3
    assert what.count("gets") >= 3


def test_an_example_that_is_not_so_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    head = "<!-- club: anna, bela; language: fr -->\n\n```writes anna\nCOMPTE\n```\n"
    page.write_text(f"{head}\n```gets anna\nTon solde : 1 000 000,00 €\n```\n", "utf-8")
    (wrong,) = play(page)
    assert wrong.startswith("page.md:7: 'Ton solde : 1 000 000,00 €' is not in its place")
    page.write_text(f"{head}\n```writes carl\nCOMPTE\n```\n", "utf-8")
    assert play(page) == ["page.md:7: this mail was ignored: stranger"]
    page.write_text(f"{head}\n```mail bela\nVIREMENT beaucoup à anna\n```\n", "utf-8")
    (wrong,) = play(page)
    assert "not understood" in wrong


def test_guides_of_one_kind_tell_the_same_story() -> None:
    """The English page is the French one's twin: the same examples in the same order."""
    for french, english in (("fr/membre.md", "en/member.md"), ("fr/gestionnaire.md", "en/manager.md")):
        told = [
            [(s.what, s.who) for s in steps((DOCS / page).read_text("utf-8"))] for page in (french, english)
        ]
        assert told[0] == told[1]
