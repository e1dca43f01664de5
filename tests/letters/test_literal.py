"""T-26, T-27: whatever a value holds, wherever a template puts it, it is words on one line."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment

from mailflow.literal import form, literal, quoted, source, unescaped, words
from mailflow.markup import Buttons, Form, Heading, Listing, Paragraph, Quote, Table, blocks
from mailflow.text_part import text_of

PLACES = {
    "alone": "{{ x }}",
    "first": "{{ x }} mot",
    "within": "mot {{ x }} mot",
    "line start": "mot\n{{ x }} mot",
    "title": "# {{ x }}",
    "section": "### {{ x }}",
    "item": "- {{ x }}\n- mot",
    "numbered": "1. {{ x }}\n2. mot",
    "cell": "| a | b |\n|---|--:|\n| {{ x }} | {{ x }} |",
    "head": "| {{ x }} | b |\n|---|--:|\n| a | b |",
    "form": "    VERBE {{ x }}",
    "button": "=> VERBE {{ x }}",
    "button with a blank": "=> VERBE {{ x }} [le motif]",
    "break": "mot\\\n{{ x }}\\\nmot",
    "after an item": "- mot\n\n  {{ x }}",
}
SIGNS = st.text(st.sampled_from("\\`*_#+-=~|:<>[].)&! 12ab\t\n\u00a0\u2028\ue02a"), max_size=20)
VALUES = st.one_of(
    SIGNS,
    st.text(max_size=30),
    st.sampled_from((
        "# titre", "> cité", "- point", "1. un", "12) deux", "=> OUI", "-> NON", "| a | b |", "|---|---|",
        "---", "* * *", "===", "    VIREMENT 5", "\tx", "```", "~~~", "\\", "a\\", "\\|", "[x]",
        "[a](http://b.c)", "<b>", "&lt;", "&#39;", "{{7*7}}", "{% x %}", "%s", "{0.__class__}", "\n\n# x",
        "a\n=> OUI", " \n ", "« »", "a\\\\",
    )),
)  # fmt: skip
BRIEF = settings(max_examples=60, deadline=None)
ENVIRONMENT = Environment(autoescape=True, finalize=literal, trim_blocks=True, lstrip_blocks=True)


def filled(template: str, value: object) -> str:
    return source(ENVIRONMENT.from_string(template).render(x=value))


def shape(found: object) -> object:
    """The blocks without their words."""
    match found:
        case tuple():
            return tuple(map(shape, found))
        case Listing(numbered, items):
            return ("list", numbered, shape(items))
        case Table(right, head, rows):
            return ("table", right, len(head), tuple(map(len, rows)))
        case Buttons(buttons):
            return ("buttons", tuple((b.strong, b.blank) for b in buttons))
        case Heading(level, _):
            return ("heading", level)
        case Form(lines):
            return ("form", len(lines))
    return type(found).__name__


def seen(text: str) -> str:
    """As a person reads it: every kind of blank is one, what is invisible is not there."""
    plain = re.sub("[\ue000-\ue0ff]", "\ufffd", text)
    return " ".join(re.sub(r"[\x00-\x20\x7f\x85\u2028\u2029]", " ", plain).split())


@pytest.mark.parametrize("place", PLACES)
@BRIEF
@given(value=VALUES)
def test_a_value_never_changes_the_shape_of_a_mail(place: str, value: str) -> None:
    if not seen(value):
        value = "x"  # nothing to show: a heading or an item of nothing is another matter
    found = blocks(filled(PLACES[place], value), frozenset())
    assert shape(found) == shape(blocks(filled(PLACES[place], "mot"), frozenset()))


@pytest.mark.parametrize("place", set(PLACES) - {"cell", "head"})
@BRIEF
@given(value=VALUES)
def test_a_value_is_shown_as_it_was_written(place: str, value: str) -> None:
    text = text_of(blocks(filled(PLACES[place], value), frozenset()))
    assert seen(value) in seen(text)


@BRIEF
@given(value=VALUES)
def test_a_value_is_shown_in_a_table_as_it_was_written(value: str) -> None:
    (table,) = blocks(filled(PLACES["cell"], value), frozenset())
    assert isinstance(table, Table)
    assert [seen(cell) for cell in table.rows[0]] == [seen(value)] * 2


@BRIEF
@given(text=st.one_of(VALUES, st.lists(VALUES, max_size=4).map("\n".join)))
def test_what_a_member_wrote_is_one_quote_with_all_its_words(text: str) -> None:
    found = blocks(source(f"Son motif :\n\n{quoted(text)}\n\nfin"), frozenset())
    assert [type(block) for block in found] == [Paragraph, Quote, Paragraph]
    assert isinstance(found[1], Quote)
    assert seen(" ".join(found[1].paragraphs)) == seen(text)


@BRIEF
@given(lines=st.lists(VALUES.filter(lambda value: seen(value) != ""), min_size=1, max_size=4))
def test_lines_are_shown_as_they_stand(lines: list[str]) -> None:
    (found,) = blocks(source(form(lines)), frozenset())
    assert isinstance(found, Form)
    assert list(map(seen, found.lines)) == list(map(seen, lines))


@BRIEF
@given(value=VALUES)
def test_a_subject_has_neither_disguise_nor_backslash(value: str) -> None:
    assert seen(words(ENVIRONMENT.from_string("mot {{ x }}").render(x=value))) == seen(f"mot {value}")


def test_only_what_would_mean_something_gets_a_backslash() -> None:
    assert filled("mot {{ x }} mot", "a-b_c *d* > <b> {{7*7}}") == "mot a-b_c *d* > <b> {{7*7}} mot"
    assert filled("{{ x }} mot", "#5 -") == "\\#5 - mot"


def test_markup_of_ours_stays_markup() -> None:
    text = "{% macro m(x) %}\n- {{ x }}\n{% endmacro %}\n{{ m(x) }}"
    (found,) = blocks(filled(text, "- # x"), frozenset())
    assert found == Listing(False, ((Paragraph("- # x"),),))


@BRIEF
@given(text=st.text(st.sampled_from("\\|[]#ab"), max_size=12))
def test_a_backslash_is_taken_back_once(text: str) -> None:
    assert unescaped("".join(f"\\{c}" if c in "\\|[]#" else c for c in text)) == text


def test_a_form_keeps_the_indentation_of_its_lines():
    """« POURQUOI mail 35 » tells in columns how a mail was read."""
    shown = source(form(["Le mail       écrit", "              par anna", "  un"]))
    assert shown == "    Le mail       écrit\n                  par anna\n      un"
