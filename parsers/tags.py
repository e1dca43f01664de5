"""One start or end tag of a page: what it puts on the page, and whether what is in it is the writer's own.

A page repeats a few tags over and over, so each distinct one is judged once (`Judge`). What depends on the
text in the element is told as a condition, for the caller to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from html import unescape
from typing import TypeAlias

from parsers.layout import BLOCK, BREAK, SPACED

_BLOCKS = frozenset((
    "address", "article", "aside", "body", "caption", "center", "dd", "details", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "frameset", "header", "hr", "html", "legend", "li",
    "main", "menu", "nav", "section", "summary", "table", "tbody", "tfoot", "thead", "tr",
))  # fmt: skip
_SPACED = frozenset(("blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "ul"))
_DROPPED = frozenset((
    "head", "style", "script", "title", "template", "noscript", "object", "select", "textarea", "svg",
    # What the writer struck through he took back.
    "s", "strike", "del",
))  # fmt: skip
_HIDING = re.compile(
    r"text-decoration(?:-line)?:[^;]*line-through|display:none|visibility:hidden|mso-hide:all|opacity:0(?:\.0+)?(?:;|$|!)|"
    r"(?:font-size|max-height|max-width|line-height):0(?:\.0+)?(?:px|pt|em|%)?(?:;|$|!)"
)
_QUOTE_CLASSES = {
    "gmail_attr", "moz-cite-prefix", "moz-forward-container", "yahoo_quoted", "protonmail_quote",
    "zmail_extra",
    "ms-outlook-mobile-reference-message", "tutanota_quote", "skiff_quote", "freebirdfxmailquote",
    "quotedtext",
}  # fmt: skip
_SIGNATURE_CLASSES = {
    "gmail_signature", "moz-signature", "protonmail_signature_block", "tutanota_signature",
    "gmail_signature_prefix",
}  # fmt: skip
_SIGNATURE_IDS = {"ms-outlook-mobile-signature", "composer_signature", "apple-mail-signature"}
# From these on everything is history: the history is not inside them but after them (A16, A17).
_QUOTE_STARTS = {
    "divrplyfwdmsg",
    "appendonsend",
    "mail-editor-reference-message-container",
    "replysplit",
    "zwchr",
}
LISTS = frozenset(("ol", "ul"))
_CELLS = frozenset(("td", "th"))
_SIGNS = {"br": BREAK}
_PARTS = re.compile(r"<(/?)([^\s/>]+)")
_ATTRIBUTE = re.compile(r'\s(=?[^\s=]*)="([^"]*)"')


class Cut(Enum):
    """How an element is left out."""

    HISTORY = "history"
    """With all that follows it in the document."""
    QUOTE = "quote"
    UNSEEN = "unseen"
    """Without a trace: nobody saw it, or it is a signature."""


class If(Enum):
    """What the text has to show for the cut to be right."""

    ALWAYS = "always"
    NO_COLON_AT_ITS_END = "no colon"
    BEGINS_WITH_LABEL = "label"
    HOLDS_NO_QUOTE = "no quote"


Cuts: TypeAlias = tuple[tuple[If, Cut], ...]


@dataclass(frozen=True)
class Tag:
    """What a tag is.

    name             the element's
    step             1 for a start, -1 for an end, 0 for an element without content
    sign             what it puts on the page, if anything
    is_preformatted  whether line ends in it are the writer's own
    cuts             how it is left out: of those whose condition holds the first one counts
    is_plain         whether its sign is all it does
    """

    name: str
    step: int
    sign: str
    is_preformatted: bool = False
    cuts: Cuts = ()
    is_plain: bool = True


class Judge(dict[str, Tag]):
    """The judgements on a page's tags by the tags as written (XML, with double quotes), each made once.

    `hiding`: names of the classes that the page's own style sheet hides.
    """

    def __init__(self, hiding: set[str]) -> None:
        super().__init__()
        self.hiding = hiding

    def __missing__(self, written: str) -> Tag:
        tag = self[written] = _judged(written, self.hiding)
        return tag


def hiding_classes(sheets: list[str]) -> set[str]:
    """Names of classes that style sheets hide; plain `.name {…}` rules only."""
    found: set[str] = set()
    for sheet in sheets:
        for rule in sheet.split("}"):
            selectors, brace, declarations = rule.partition("{")
            if brace and _HIDING.search("".join(declarations.lower().split())):
                names = (s.strip().rpartition(".")[2] for s in selectors.split(",") if "." in s)
                found.update(n for n in names if n.replace("-", "").replace("_", "").isalnum())
    return found


def _judged(written: str, hiding: set[str]) -> Tag:
    parts = _PARTS.match(written)
    name = parts[2] if parts else ""
    sign = BLOCK if name in _BLOCKS else SPACED if name in _SPACED else _SIGNS.get(name, "")
    if written.startswith("</"):
        return Tag(name, -1, " " if name in _CELLS else sign, is_plain=name not in LISTS)
    attributes = {k: unescape(v) if "&" in v else v for k, v in _ATTRIBUTE.findall(written)}
    style = "".join(attributes.get("style", "").lower().split())
    preformatted = name == "pre" or "white-space:pre" in style
    cuts = tuple(_cuts(name, attributes, style, hiding))
    special = bool(cuts) or preformatted or name == "li" or name in LISTS
    if written.endswith("/>"):
        return Tag(name, 0, " " if name in _CELLS else sign, False, cuts, not cuts and name != "li")
    return Tag(name, 1, sign, preformatted, cuts, not special)


def _cuts(name: str, attributes: dict[str, str], style: str, hiding: set[str]) -> Iterator[tuple[If, Cut]]:
    """In the order in which they are asked; nothing is asked after the first that always holds."""
    if name in _DROPPED:
        yield If.ALWAYS, Cut.UNSEEN
    elif attributes:
        yield from _cuts_by_attributes(name, attributes, style, hiding)
    elif name == "blockquote":
        yield If.ALWAYS, Cut.QUOTE


def _cuts_by_attributes(
    name: str, attributes: dict[str, str], style: str, hiding: set[str]
) -> Iterator[tuple[If, Cut]]:
    named = attributes.get("id", "").lower().removeprefix("x_")
    raw_classes = attributes.get("class", "").split()
    classes = {c.lower().removeprefix("x_") for c in raw_classes}
    # Outlook's marks, and Gmail's head of a forwarded mail (B01).
    if named in _QUOTE_STARTS or "ms-outlook-mobile-reference-message" in classes:
        yield If.ALWAYS, Cut.HISTORY
    if "gmail_attr" in classes:
        yield If.NO_COLON_AT_ITS_END, Cut.HISTORY
    if "border-top:solid" in style or "border-top:1pxsolid" in style:
        # The thin line above De / Envoyé / À / Objet of desktop Outlook; its style is all that marks it.
        yield If.BEGINS_WITH_LABEL, Cut.HISTORY
    if named in _SIGNATURE_IDS or not classes.isdisjoint(_SIGNATURE_CLASSES):
        yield If.ALWAYS, Cut.UNSEEN
    if name == "blockquote":
        if not _is_indent(attributes, style):
            yield If.ALWAYS, Cut.QUOTE
    elif not classes.isdisjoint(_QUOTE_CLASSES) or attributes.get("name") in ("quote", "quoted-content"):
        yield If.ALWAYS, Cut.QUOTE
    elif not classes.isdisjoint(("gmail_quote", "gmail_quote_container")):
        # Gmail's container of a forwarded mail; in a reply it may hold own answers and stays (A17).
        yield If.HOLDS_NO_QUOTE, Cut.QUOTE
    if "hidden" in attributes or _HIDING.search(style) or not hiding.isdisjoint(raw_classes):
        yield If.ALWAYS, Cut.UNSEEN


def _is_indent(attributes: dict[str, str], style: str) -> bool:
    """Gmail's « indent more »: a block quote without a line at its side that the writer made himself."""
    return "border:none" in style and not any(attributes.get(name) for name in ("class", "type", "cite"))
