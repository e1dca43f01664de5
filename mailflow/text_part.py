"""The plain text of a mail, for terminals and for people who prefer it: everything the HTML part says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from mailflow.markup import (
    Block,
    Button,
    Buttons,
    Form,
    Heading,
    Listing,
    Paragraph,
    Picture,
    Quote,
    Rule,
    Table,
)
from mailflow.words import WIDTH, wrapped

INDENT = "    "
TABLE_WIDTH = 78
"""Columns of a table, indentation included; beyond, its widest column of words is wrapped."""


def text_of(blocks: Sequence[Block]) -> str:
    """Return the text, its paragraphs wrapped; it ends in one line feed.

    Sections are told by capitals, as ever in plain text; titles of the first and third level keep their
    letters, for names and amounts may stand in them. Pictures are left out: what they show is said besides.
    """
    shown = [block for block in blocks if not isinstance(block, Picture)]
    return "\n\n".join("\n".join(_lines(block, WIDTH)) for block in shown) + "\n"


def _lines(block: Block, width: int) -> Iterable[str]:
    match block:
        case Paragraph(text):
            return _wrapped(text, width)
        case Heading(level, text):
            return _wrapped(text.upper() if level == 2 else text, width)
        case Quote(paragraphs):
            return _quote(paragraphs, width)
        case Form(lines):
            return [f"{INDENT}{line}".rstrip() for line in lines]
        case Buttons(buttons):
            return [INDENT + typed(button) for button in buttons]
        case Listing():
            return _listing(block, width)
        case Table():
            return _table(block)
        case Rule():
            return ["* * *"]
        case Picture():
            return []


def typed(button: Button) -> str:
    """Return what is to be typed where there is nothing to press."""
    return f"{button.command} {button.blank}".rstrip()


def _wrapped(text: str, width: int) -> list[str]:
    return [line for part in text.split("\n") for line in wrapped(part, width)]


def _quote(paragraphs: tuple[str, ...], width: int) -> list[str]:
    lines: list[str] = []
    for number, paragraph in enumerate(paragraphs):
        mark = f"{INDENT}« " if number == 0 else f"{INDENT}  "
        lines += [""] if number else []
        lines += [
            (mark if first == 0 else f"{INDENT}  ") + line
            for first, line in enumerate(_wrapped(paragraph, width - 8))
        ]
    return [*lines[:-1], f"{lines[-1]} »"] if lines else [f"{INDENT}« »"]


def _listing(listing: Listing, width: int) -> Iterator[str]:
    for number, item in enumerate(listing.items, 1):
        mark = f"{number}. " if listing.numbered else "- "
        for place, block in enumerate(item):
            if place:
                yield ""
            for first, line in enumerate(_lines(block, width - len(mark))):
                start = mark if place == first == 0 else " " * len(mark)
                yield f"{start}{line}".rstrip()


def _table(table: Table) -> Iterator[str]:
    rows = [table.head, *table.rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.head))]
    room = TABLE_WIDTH - len(INDENT) - 2 * (len(widths) - 1)
    if sum(widths) > room:
        words = [i for i in range(len(widths)) if not table.right[i]] or range(len(widths))
        widest = max(words, key=lambda i: widths[i])
        widths[widest] = max(16, room - sum(widths) + widths[widest])
    for row in rows:
        cells = [wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        for line in zip_longest(*cells, fillvalue=""):
            padded = (
                word.rjust(width) if right else word.ljust(width)
                for word, width, right in zip(line, widths, table.right, strict=True)
            )
            yield (INDENT + "  ".join(padded)).rstrip()
