"""The light markup of our mails, read into blocks; `text_part` and `html_part` make the two parts of them.

A Markdown of blocks alone: headings `#`, `##`, lists, `>` for what a member wrote, tables, `* * *`. Words
inside a block carry no marks; a backslash at the end of a line breaks it there. Two things are ours:

    => OUI                          a button: a mail with this command as its subject
    => CONTESTE 12 [le motif]       what stands in brackets is the writer's to fill in
    -> COMPTE                       a button that is no more than an offer

    ![words](balances:… "caption")  a picture, for whoever does not read the mail as plain text

and what is indented by four spaces is a form to type, kept line by line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from markdown_it import MarkdownIt
from markdown_it.token import Token

from mailflow.literal import unescaped
from mailflow.words import bound


@dataclass(frozen=True)
class Paragraph:
    """`text`: one line, but for breaks that the template asks for."""

    text: str


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Quote:
    """What a member wrote, paragraph by paragraph, with his line breaks."""

    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Form:
    """Lines to type, or to read as they stand."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Listing:
    """`numbered`: whether the order counts."""

    numbered: bool
    items: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True)
class Table:
    """`right`: which columns are figures, aligned to the right."""

    right: tuple[bool, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Button:
    """`command`: what the mail says; `blank`: what its writer has to add, as he is told; may be empty."""

    command: str
    blank: str
    strong: bool


@dataclass(frozen=True)
class Buttons:
    buttons: tuple[Button, ...]


@dataclass(frozen=True)
class Rule:
    """A line between two parts of a mail."""


@dataclass(frozen=True)
class Picture:
    """`alt`: what it shows, in words; `source`: what it is drawn of; `caption`: what its colours mean."""

    alt: str
    source: str
    caption: str

    @property
    def content_id(self) -> str:
        """Drawn from what it shows, so that the same picture has the same name in every mail."""
        return f"{hashlib.sha256(self.source.encode()).hexdigest()[:32]}@balances"


Block = Paragraph | Heading | Quote | Form | Listing | Table | Buttons | Rule | Picture

_MARKDOWN = MarkdownIt("zero").enable(["heading", "list", "blockquote", "table", "hr", "code"])
_MARKDOWN.core.ruler.disable(["inline", "text_join"])


def blocks(source: str, keywords: frozenset[str]) -> tuple[Block, ...]:
    """Read kept markup. `keywords`: the words, folded, that no line of ours may begin with (see `bound`)."""
    return tuple(_Reader(keywords).blocks(iter(_MARKDOWN.parse(source))))


def pieces(source: str) -> list[str]:
    """Cut kept markup where that changes no block of it: each piece may be read by itself.

    What is said to several is then read once, though each is told of his own account besides. A blank line
    ends every block but a form and a list, and those go on only with a line that is indented or an item.
    """
    return _BETWEEN.split(source.strip("\n"))


_BETWEEN = re.compile(r"\n\n+(?![ \t\n]|[-+*](?:[ \t\n]|\Z)|\d+[.)])")


@dataclass(frozen=True)
class _Reader:
    keywords: frozenset[str]

    def blocks(self, tokens: Iterator[Token], until: str = "") -> Iterator[Block]:
        """Give the blocks up to the token that closes the one they stand in."""
        for token in tokens:
            kind = token.type
            if kind == until:
                return
            if kind == "paragraph_open":
                yield from self._lines(next(tokens).content)
            elif kind == "heading_open":
                yield Heading(int(token.tag[1:]), self._words(next(tokens).content))
            elif kind == "code_block":
                yield Form(tuple(unescaped(line.rstrip()) for line in token.content.rstrip().split("\n")))
            elif kind == "blockquote_open":
                yield Quote(tuple(_paragraphs(tokens)))
            elif kind in ("bullet_list_open", "ordered_list_open"):
                yield Listing(kind.startswith("o"), tuple(self._items(tokens, kind.replace("open", "close"))))
            elif kind == "table_open":
                yield self._table(tokens)
            elif kind == "hr":
                yield Rule()

    def _lines(self, content: str) -> Iterator[Block]:
        """A paragraph; the lines of it that are buttons stand for themselves, and a picture stands alone."""
        found = _PICTURE.fullmatch(content)
        if found is not None:
            yield Picture(self._words(found[1]), found[2], self._words(found[3]))
            return
        for are_buttons, lines in groupby(content.split("\n"), lambda line: _BUTTON.match(line) is not None):
            if are_buttons:
                yield Buttons(tuple(map(_button, lines)))
            else:
                yield Paragraph(self._words("\n".join(lines)))

    def _words(self, content: str) -> str:
        """The words of a block on one line, but for the breaks that it asks for by a backslash."""
        lines = [line.strip() for line in content.split("\n")]
        text = "".join(f"{line[:-1].rstrip()}\n" if _BREAK.search(line) else f"{line} " for line in lines)
        return bound(unescaped(text.strip()), self.keywords)

    def _items(self, tokens: Iterator[Token], until: str) -> Iterator[tuple[Block, ...]]:
        for token in tokens:
            if token.type == until:
                return
            if token.type == "list_item_open":
                yield tuple(self.blocks(tokens, "list_item_close"))

    def _table(self, tokens: Iterator[Token]) -> Table:
        rows: list[list[str]] = []
        right: list[bool] = []
        for token in tokens:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                right.append("right" in str(token.attrGet("style") or ""))
            elif token.type == "inline":
                rows[-1].append(self._words(token.content))
        head, *body = (tuple(row) for row in rows)
        return Table(tuple(right), head, tuple(body))


_BUTTON = re.compile(r"([=-])> (.*)")
_PICTURE = re.compile(r'!\[((?:[^\[\]\\]|\\.)*)\]\(balances:([\w-]+) "([^"]*)"\)')
_BLANK = re.compile(r"(.*?) \[([^\[\]]*)\]\Z")
_BREAK = re.compile(r"(?<!\\)(?:\\\\)*\\\Z")


def _button(line: str) -> Button:
    found = _BUTTON.match(line)
    assert found is not None
    text = found[2].strip()
    blank = _BLANK.match(text)
    command, rest = (blank[1], blank[2]) if blank else (text, "")
    return Button(unescaped(command), unescaped(rest), found[1] == "=")


def _paragraphs(tokens: Iterator[Token]) -> Iterator[str]:
    """The words of a quote; whatever blocks stand in it."""
    depth = 1
    for token in tokens:
        depth += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if depth == 0:
            return
        if token.content:
            yield unescaped(token.content.strip())
