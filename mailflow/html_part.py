"""The HTML of a mail: one column from a phone to a desk, light and dark, nothing fetched from anywhere.

Its only links are `mailto:` (TRUST § 3). It has headings, lists and tables for those who hear it, and the
words of `blocks` alone, each escaped here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from mailflow.drawing import SHOWN
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
from mailflow.styles import attributes, sheet


@dataclass(frozen=True)
class Desk:
    """Where a button's mail goes: the address with its token, and the tag that its subject ends in."""

    address: str
    tag: str = ""


def html_of(blocks: Sequence[Block], title: str, language: str, sender: str, desk: Desk) -> str:
    """Return the page; `title` is the mail's subject, `sender` the club's name."""
    words = words_of(with_title(blocks), desk)
    return "".join((*opening(title, language), words, closing(sender, desk)))


def opening(title: str, language: str) -> tuple[str, str, str]:
    """Return whole lines: those before the mail's words, the second of them with the title."""
    lang = escape(language)
    return f"{_HEAD[0]}{lang}{_HEAD[1]}", f"<title>{escape(title)}</title>\n", f"{_HEAD[2]}{lang}{_HEAD[3]}"


def words_of(blocks: Sequence[Block], desk: Desk) -> str:
    """Return the lines of some blocks."""
    return "".join(_block(block, desk) for block in blocks)


def closing(sender: str, desk: Desk) -> str:
    """Return the lines after a mail's words."""
    reference = f"<br>{escape(desk.tag)}" if desk.tag else ""
    return f"{_FOOT[0]}{escape(sender)}{reference}{_FOOT[1]}"


def with_title(blocks: Sequence[Block]) -> Sequence[Block]:
    """The first words of a mail are its title."""
    match blocks:
        case [Paragraph(text), *rest]:
            return [Heading(1, text), *rest]
    return blocks


def has_buttons(blocks: Sequence[Block]) -> bool:
    """Whether it matters for some blocks where answers go."""
    return any(
        isinstance(block, Buttons) or (isinstance(block, Listing) and any(map(has_buttons, block.items)))
        for block in blocks
    )


_A = {
    name: attributes(*name.split("+"))
    for name in (
        "page", "edge", "card", "inside", "h1", "h2", "p", "quote", "quoted", "quoted last", "form",
        "list", "item", "table", "th", "th+figure", "th+short", "row", "row+figure", "row+short", "buttons",
        "strong", "quiet", "blank", "rule", "foot", "picture", "caption",
    )
}  # fmt: skip

_CELL = {
    name: f' align="{"right" if "figure" in name else "left"}"{_A[name]}'
    for name in _A
    if name.startswith(("th", "row"))
}
"""Where a program knows no styles, figures stand one below the other all the same, and names on the left."""

_HEAD = (
    '<!DOCTYPE html>\n<html lang="',
    '" dir="ltr"><head><meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
    '<meta name="color-scheme" content="light dark">\n'
    '<meta name="supported-color-schemes" content="light dark">\n'
    '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">\n',
    f"<style>{sheet()}</style></head>\n<body{_A['page']}>\n"
    f'<table role="presentation" width="100%" cellpadding="0" cellspacing="0"{_A["page"]}><tr>'
    f'<td align="center" class="mf-edge"{_A["edge"]}>\n'
    f'<table role="presentation" cellpadding="0" cellspacing="0"{_A["card"]}><tr>'
    f'<td class="mf-inside"{_A["inside"]}><div lang="',
    '">\n',
)
_FOOT = (f"</div></td></tr></table>\n<div{_A['foot']}>", "</div>\n</td></tr></table>\n</body></html>\n")


def _block(block: Block, desk: Desk) -> str:
    match block:
        case Paragraph(text):
            return f"<p{_A['p']}>{_words(text)}</p>\n"
        case Heading(level, text):
            tag = "h1" if level == 1 else "h2"
            return f"<{tag}{_A[tag]}>{_words(text)}</{tag}>\n"
        case Quote(paragraphs):
            return f"<blockquote{_A['quote']}>{_quoted(paragraphs)}</blockquote>\n"
        case Form(lines):
            return f"<pre{_A['form']}>{escape(chr(10).join(lines), False)}</pre>\n"
        case Listing(numbered, items):
            tag = "ol" if numbered else "ul"
            return f"<{tag}{_A['list']}>{''.join(_item(item, desk) for item in items)}</{tag}>\n"
        case Buttons(buttons):
            row = "\n".join(_button(one, desk) for one in buttons)  # or w3m shows one word of two buttons
            return f"<div{_A['buttons']}>{row}</div>\n"
        case Table():
            return _table(block)
        case Rule():
            return f"<hr{_A['rule']}>\n"
        case Picture():
            return _picture(block)


def _picture(picture: Picture) -> str:
    """A part of the same mail, fetched from nowhere; where pictures are off its words stand in its place."""
    image = f'<img src="cid:{picture.content_id}" width="{SHOWN}" alt="{escape(picture.alt)}"{_A["picture"]}>'
    return f"{image}\n<p{_A['caption']}>{_words(picture.caption)}</p>\n"


def _words(text: str) -> str:
    return escape(text, False).replace("\n", "<br>")


def _quoted(paragraphs: tuple[str, ...]) -> str:
    last = len(paragraphs) - 1
    return "".join(
        f"<p{_A['quoted last' if i == last else 'quoted']}>{_words(words)}</p>"
        for i, words in enumerate(paragraphs)
    )


def _item(item: tuple[Block, ...], desk: Desk) -> str:
    """An item of words alone needs no paragraph in it; where it has several lines, the first names it."""
    match item:
        case [Paragraph(text)]:
            first, mark, rest = text.partition("\n")
            inner = f"<strong>{_words(first)}</strong><br>{_words(rest)}" if mark else _words(text)
        case _:
            inner = "".join(_block(block, desk) for block in item)
    return f"<li{_A['item']}>{inner}</li>"


def _button(button: Button, desk: Desk) -> str:
    look = _A["strong" if button.strong else "quiet"]
    blank = f" <em{_A['blank']}>{_words(button.blank)}</em>" if button.blank else ""
    return f'<a href="{escape(mailto(button, desk))}"{look}>{_words(button.command)}{blank}</a>'


def mailto(button: Button, desk: Desk) -> str:
    """Return the link that opens the button's mail (RFC 6068): its command is the subject.

    A bare word is said once more in the body, which a program that changes the subject leaves alone; a
    command with figures is not, for who changes one of them would forget the other.
    """
    subject = _encoded(f"{button.command} {desk.tag}".rstrip())
    body = "" if button.blank or " " in button.command else f"&body={_encoded(button.command)}"
    return f"mailto:{quote(desk.address, safe='@+')}?subject={subject}{body}"


def _encoded(text: str) -> str:
    return quote(text, safe="", errors="replace")


def _table(table: Table) -> str:
    head = "".join(
        f'<th scope="col"{_CELL[_look("th", cell, right)]}>{escape(cell, False)}</th>'
        for cell, right in zip(table.head, table.right, strict=True)
    )
    rows = "".join(f"<tr>{_row(row, table.right)}</tr>\n" for row in table.rows)
    return f"<table{_A['table']}><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>\n"


def _row(row: tuple[str, ...], right: tuple[bool, ...]) -> str:
    """The first cell names its row; a short one, like a date, stays on one line."""
    first, *others = (
        f"{_CELL[_look('row', cell, aligned)]}>{_words(cell)}"
        for cell, aligned in zip(row, right, strict=True)
    )
    return f'<th scope="row"{first}</th>' + "".join(f"<td{cell}</td>" for cell in others)


def _look(kind: str, cell: str, right: bool) -> str:
    return f"{kind}+figure" if right else f"{kind}+short" if len(cell) <= _SHORT else kind


_SHORT = 10
"""Characters of a cell."""
