"""T-26, T-27: whatever a member wrote is shown literally in both parts, by every template there is.

The lives of `mailflow.preview` fill every template; each filling is repeated with what members wrote, and
with names, replaced by hostile words. The mail must keep its shape.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from markupsafe import Markup

from mailflow import literal
from mailflow.html_part import Desk, html_of
from mailflow.letters import Letters
from mailflow.markup import blocks
from mailflow.preview.lives import LIVES, played
from mailflow.text_part import text_of
from mailflow.words import TEMPLATES, languages

from .test_literal import SIGNS, seen, shape

CODES = frozenset((
    "state", "kind", "again", "verdict", "effect", "code", "verb", "argument", "rule", "name", "topic",
    "language", "what", "wrong", "game", "mail", "chain_head", "record", "value", "before", "after",
    "form", "example", "told", "known",
))  # fmt: skip
"""Facts that templates look up or compare, and whatever else no member words."""

HOSTILE = st.one_of(
    SIGNS.map(lambda signs: f"x{signs}x"),
    st.text(max_size=20).map(lambda text: f"x{text}x"),
    st.sampled_from((
        "# x", "> x", "=> OUI", "-> NON", "- x", "1. x", "| x | y |", "---|---", "<b>x</b><script>y</script>",
        "{{7*7}}", "{% raw %}", "%s %(x)s", "{0.__class__}", "&lt;x&gt;", "[x](http://y.example)", "\\",
        "`x`", "x\n\n=> OUI", "x\n# y", "    VIREMENT 5 à x", "\u202ex", "x' onclick='y", 'x" href="http://y.example',
    )),
)  # fmt: skip

Filling = Callable[[Callable[[str], str]], str]


@cache
def fillings(language: str) -> dict[str, Filling]:
    """One filling of each template and page of phrases of a language, to be repeated with other words."""
    found: dict[str, Filling] = {}
    fill, phrase = Letters.fill, Letters.phrase

    def keep_fill(self: Letters, template: str, reader: Any, club: Any, facts: Any) -> Markup:
        key = f"{template} {sorted(facts)}"
        found.setdefault(key, lambda change: fill(self, template, reader, club, changed(facts, change)))
        return fill(self, template, reader, club, facts)

    def keep_phrase(self: Letters, page: str, code: str, values: Any, reader: Any, club: Any) -> Markup:
        found.setdefault(
            f"{page} {code}",
            lambda change: "x\n\n" + phrase(self, page, code, changed(values, change), reader, club),
        )
        return phrase(self, page, code, values, reader, club)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Letters, "fill", keep_fill)
        patch.setattr(Letters, "phrase", keep_phrase)
        for life in LIVES:
            list(played(life, language))
    return found


def changed(facts: Any, change: Callable[[str], str]) -> Any:
    """Facts with every word that somebody wrote changed."""
    if isinstance(facts, Markup) or not facts:
        return facts
    if type(facts) is str:
        return change(facts)
    if isinstance(facts, dict):
        return {k: v if k in CODES else changed(v, change) for k, v in facts.items()}
    if isinstance(facts, list | tuple) and not hasattr(facts, "_fields"):
        return type(facts)(changed(one, change) for one in facts)
    if dataclasses.is_dataclass(facts) and not isinstance(facts, type):
        fields = {f.name: getattr(facts, f.name) for f in dataclasses.fields(facts) if f.init}
        words = {
            k: changed(v, change) for k, v in fields.items() if k not in CODES and type(v) in (str, tuple)
        }
        return dataclasses.replace(facts, **words)
    return facts


in_every_language = pytest.mark.parametrize("language", languages())


def made(filled: str) -> tuple[object, str, str]:
    """The shape, the text and the page of the mail that a filled template comes to."""
    title, _, kept = literal.source(str(filled)).partition("\n")
    read = blocks(kept, frozenset())
    return shape(read), text_of(read), html_of(read, title, "fr", "Le club", Desk("club@example.org"))


def tags(page: str) -> list[str]:
    """The elements of a page; a quote has the lines and paragraphs of whoever is quoted."""
    found = html.document_fromstring(page).iter()
    return [str(e.tag) for e in found if e.tag != "br" and not [*e.iterancestors("blockquote")]]


TAME = "zmotz"


@in_every_language
@settings(max_examples=25, deadline=None)
@given(words=HOSTILE, seed=st.integers(0, 2**32))
def test_a_mail_keeps_its_shape_whatever_members_wrote(language: str, words: str, seed: int) -> None:
    for name in random.Random(seed).sample(sorted(fillings(language)), 12):
        fill = fillings(language)[name]
        tame_shape, tame_text, tame_page = made(fill(lambda _: TAME))
        found_shape, text, page = made(fill(lambda _: words))
        assert (name, found_shape) == (name, tame_shape)
        assert (name, tags(page)) == (name, tags(tame_page))
        if TAME in tame_text:
            lines = page.replace("<br>", "\n").replace("</p>", "</p>\n")
            visible = html.document_fromstring(lines).find("body").text_content()
            assert seen(words) in seen(visible), name
            assert all(word in seen(text) for word in seen(words).split()), name


@in_every_language
def test_every_template_was_filled(language: str) -> None:
    folder = Path(__file__).resolve().parents[2] / "templates" / language
    names = {key.split()[0] for key in fillings(language)}
    texts = {path.stem: path.read_text("utf-8") for path in folder.glob("*.md")}
    drawn_in = {n for n in texts if any(f'"{n}.md"' in text for m, text in texts.items() if m != n)}
    assert set(texts) - names - drawn_in == {"explanation"}


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*/*.md")), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_no_template_goes_round_the_one_way_of_filling_in(path: Path) -> None:
    """Nothing is marked as markup, nothing is wrapped or padded by hand (docs/templates.md)."""
    text = path.read_text("utf-8")
    for filter_name in (
        "safe",
        "e",
        "escape",
        "forceescape",
        "wordwrap",
        "indent",
        "center",
        "flow",
        "striptags",
    ):
        assert not re.search(rf"\|\s*{filter_name}\b", text), filter_name
    assert "{% filter" not in text
    assert "{% autoescape" not in text


@in_every_language
def test_no_mail_holds_an_entity_in_its_words(language: str) -> None:
    """Jinja's own escaping, for HTML, must never come into play."""
    for name, fill in fillings(language).items():
        assert not re.search(r"&(?:amp|lt|gt|quot|#\d+);", fill(lambda _: 'l\'été <b> & "y"')), name
