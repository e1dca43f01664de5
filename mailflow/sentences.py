"""The sentences of our mails, as far as they are always the same: by them a pasted mail of ours is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mailflow.words import TEMPLATES

_FILLED = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_NAME = re.compile(r"\{\{ *[a-z_.]*verb\.name *\}\}")
_TAGS = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_LITERAL = re.compile(r'"([^"\n]+)"')
_FORM = re.compile(r"(?: {4,}|[=-]> )[^\W\d_a-zà-ÿ]{2}")


def own_sentences(names: Iterable[str] = ()) -> tuple[str, ...]:
    """The literal words of every template, paragraph by paragraph.

    What is filled in is mostly an amount, a number or nothing, so each paragraph counts thrice: cut there,
    gone over it, and with the words that stand in the tag itself; each of those counts by itself too. The
    `names` of verbs are filled in where a template does so. Forms to type, which are indented or buttons and
    begin with a verb in capitals, are left out: they are what a member writes too.
    """
    found: dict[str, None] = {}
    names = tuple(names)
    for path in sorted(TEMPLATES.glob("*/*.md")):
        for block in _TAGS.sub("\n\n", path.read_text("utf-8")).split("\n\n"):
            prose = "\n".join(line for line in block.split("\n") if not _FORM.match(line))
            for filling in ("\n\n", " ", _literals):
                found.update(dict.fromkeys(_FILLED.sub(filling, prose).split("\n\n")))
            found.update(dict.fromkeys(words for tag in _FILLED.findall(prose) for words in _said(tag)))
            if _NAME.search(prose):
                found.update(dict.fromkeys(_NAME.sub(name, prose) for name in names))
    return tuple(dict.fromkeys(words for sentence in found if (words := " ".join(sentence.split()))))


def _literals(tag: re.Match[str]) -> str:
    """The words that stand in a tag between quotes; what it computes besides becomes a gap."""
    return " ".join(_said(tag[0]))


def _said(tag: str) -> Iterator[str]:
    return (words for words in _LITERAL.findall(tag) if " " in words.strip() or len(words) > 5)
