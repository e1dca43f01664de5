"""HTML to the text a person saw, without what he quoted (hazards A16, A17, D01, D09-D13).

lxml makes the tree; one walk over it in document order leaves out hidden elements and the quote containers of
the known programs and writes the rest into lines. What is cut leaves a line `> …`, so that the reader of own
words knows that history stood there and that what follows it is the member's own again.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from parsers.characters import clean, folded
from parsers.layout import BLOCKS, SPACED, Page
from parsers.limits import HTML_DEPTH_MAX, HTML_ELEMENTS_MAX
from parsers.mime import Unreadable

if TYPE_CHECKING:
    from lxml.html import HtmlElement

QUOTE_LINE = "> \u2026"

_DROPPED = frozenset((
    "head", "style", "script", "title", "template", "noscript", "object", "select", "textarea", "svg",
    # What the writer struck through he took back.
    "s", "strike", "del",
))  # fmt: skip
_STRIKING = ("<s>", "<s ", "<strike", "<del", "line-through")
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
_HISTORY, _QUOTE, _UNSEEN = "history", "quote", "unseen"
_NO_CLASSES: set[str] = set()
_NO_LETTERS = re.compile(r"[\W_]+")
_LABELS = ("DE", "FROM", "VON", "DA", "VAN")


def html_to_text(markup: str) -> str:
    """Convert the markup; clean lines, no trailing spaces.

    Raises Unreadable("html_too_deep") or ("html_too_large") for markup that no person's program writes.
    """
    root = _tree(markup)
    if root is None:
        return ""
    walk = _Walk(_hiding_classes(root))
    walk.run(root)
    return walk.page.lines()


def visible_words(markup: str) -> str:
    """The letters of the markup without tags and blanks: a cheap key to see if two alternatives say the same.

    One pass and no tree: what it gets wrong only leads to the longer comparison.
    """
    from html import unescape

    first, *pieces = markup.split("<")
    shown, silent = [first], ""
    for piece in pieces:
        tag, _, text = piece.partition(">")
        name = tag[:7].lower()
        if silent:
            if not name.startswith("/" + silent):
                continue
            silent = ""
        else:
            silent = next((s for s in ("style", "script", "head", "title") if name.startswith(s)), "")
        if not silent:
            shown.append(text)
    return letters_of(unescape("".join(shown)))


def may_be_struck(markup: str) -> bool:
    """Whether something may be struck through: the plain alternative would show it like the rest."""
    lower = markup.lower()
    return any(mark in lower for mark in _STRIKING)


def letters_of(text: str) -> str:
    """The text's letters and digits, nothing between them."""
    return _NO_LETTERS.sub("", clean(text))


def _tree(markup: str) -> HtmlElement | None:
    from lxml import etree
    from lxml import html as lxml_html

    data = markup.replace("\0", "").encode("utf-8", "replace")
    if not data.strip():
        return None
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = lxml_html.document_fromstring(data, parser=parser)
    except (etree.LxmlError, ValueError, AssertionError):
        return None
    if root.xpath(f"count(//*) > {HTML_ELEMENTS_MAX}"):
        raise Unreadable("html_too_large")
    return root


class _Walk:
    """One walk over the tree: what is cut is not entered, what is left goes to the page.

    Of styles and classes each distinct value is looked at once: a page repeats a few of them over and over.
    """

    def __init__(self, hiding: set[str]) -> None:
        self.page = Page()
        self.hiding = hiding
        self.styles: dict[str, str] = {}
        self.hides: dict[str, bool] = {}
        self.classes: dict[str, set[str]] = {}
        self.depth = 0
        self.preformatted: list[HtmlElement] = []
        self.numbers: list[int] = []

    def run(self, root: HtmlElement) -> None:
        from lxml.etree import iterwalk

        steps = iterwalk(root, events=("start", "end"))
        page = self.page
        cut: HtmlElement | None = None
        for event, element in steps:
            if event == "start":
                mark = self._cut(element)
                if mark is None:
                    self._enter(element)
                    continue
                if mark is not _UNSEEN:
                    page.line(QUOTE_LINE)
                if mark is _HISTORY:
                    # Whatever comes later in the document is cut with it.
                    return
                cut = element
                steps.skip_subtree()
                continue
            if element is cut:
                cut = None
            else:
                self._leave(element)
            if tail := element.tail:
                page.text(tail, bool(self.preformatted))

    def _enter(self, element: HtmlElement) -> None:
        self.depth += 1
        if self.depth > HTML_DEPTH_MAX:
            raise Unreadable("html_too_deep")
        tag = element.tag
        if tag == "br":
            self.page.end_line()
        elif tag in BLOCKS:
            self.page.block()
            if tag == "li":
                self._bullet()
        elif tag in SPACED:
            self.page.block(spaced=True)
            if tag == "ol" or tag == "ul":
                self.numbers.append(0 if tag == "ul" else 1)
        if tag == "pre" or "white-space:pre" in self._style(element):
            self.preformatted.append(element)
        if text := element.text:
            self.page.text(text, bool(self.preformatted))

    def _leave(self, element: HtmlElement) -> None:
        self.depth -= 1
        tag = element.tag
        if tag in BLOCKS:
            self.page.block()
        elif tag in SPACED:
            self.page.block(spaced=True)
            if (tag == "ol" or tag == "ul") and self.numbers:
                self.numbers.pop()
        elif tag == "td" or tag == "th":
            self.page.text(" ")
        if self.preformatted and self.preformatted[-1] is element:
            self.preformatted.pop()

    def _bullet(self) -> None:
        number = self.numbers[-1] if self.numbers else 0
        self.page.text(f"{number}. " if number else "* ")
        if number:
            self.numbers[-1] += 1

    def _style(self, element: HtmlElement) -> str:
        written = element.get("style")
        if not written:
            return ""
        style = self.styles.get(written)
        if style is None:
            style = self.styles[written] = "".join(written.lower().split())
        return style

    def _class_names(self, element: HtmlElement) -> set[str]:
        written = element.get("class")
        if not written:
            return _NO_CLASSES
        names = self.classes.get(written)
        if names is None:
            names = self.classes[written] = {c.lower().removeprefix("x_") for c in written.split()}
        return names

    def _cut(self, element: HtmlElement) -> str | None:
        """How the element is cut, if it is: as history to the end, as a quote, as something nobody saw."""
        tag = element.tag
        if tag in _DROPPED:
            return _UNSEEN
        if not element.keys():
            return _QUOTE if tag == "blockquote" else None
        classes, style = self._class_names(element), self._style(element)
        name = element.get("id")
        name = name.lower().removeprefix("x_") if name else ""
        if (name or classes or "border-top" in style) and _starts_history(element, classes, name, style):
            return _HISTORY
        if name in _SIGNATURE_IDS or not classes.isdisjoint(_SIGNATURE_CLASSES):
            return _UNSEEN
        if _is_quote(element, classes, style):
            return _QUOTE
        return _UNSEEN if self._is_hidden(element, style) else None

    def _is_hidden(self, element: HtmlElement, style: str) -> bool:
        """Whatever a style or the `hidden` attribute hides (D12)."""
        if element.get("hidden") is not None:
            return True
        if style:
            hides = self.hides.get(style)
            if hides is None:
                hides = self.hides[style] = _HIDING.search(style) is not None
            if hides:
                return True
        return bool(self.hiding) and not self.hiding.isdisjoint((element.get("class") or "").split())


def _hiding_classes(root: HtmlElement) -> set[str]:
    """Names of classes that a style sheet of the mail hides; plain `.name {…}` rules only."""
    found: set[str] = set()
    for sheet in root.iter("style"):
        for rule in (sheet.text or "").split("}"):
            selectors, brace, declarations = rule.partition("{")
            if brace and _HIDING.search("".join(declarations.lower().split())):
                names = (s.strip().rpartition(".")[2] for s in selectors.split(",") if "." in s)
                found.update(n for n in names if n.replace("-", "").replace("_", "").isalnum())
    return found


def _starts_history(element: HtmlElement, classes: set[str], name: str, style: str) -> bool:
    """Whether all that follows is history: Outlook's marks, or Gmail's head of a forwarded mail (B01)."""
    if name in _QUOTE_STARTS or "ms-outlook-mobile-reference-message" in classes:
        return True
    return ("gmail_attr" in classes and not _ends_in_colon(element)) or _is_outlook_rule(element, style)


def _is_quote(element: HtmlElement, classes: set[str], style: str) -> bool:
    """Whether the element holds history and nothing else."""
    if element.tag == "blockquote":
        return not _is_indent(element, style)
    return not classes.isdisjoint(_QUOTE_CLASSES) or _is_forward(element, classes)


def _ends_in_colon(element: HtmlElement) -> bool:
    return "".join(element.itertext()).rstrip().endswith(":")


def _is_indent(element: HtmlElement, style: str) -> bool:
    """Gmail's « indent more »: a block quote without a line at its side that the writer made himself."""
    return (
        "border:none" in style
        and not element.get("class")
        and not element.get("type")
        and not element.get("cite")
    )


def _is_forward(element: HtmlElement, classes: set[str]) -> bool:
    """Gmail's container of a forwarded mail; in a reply it may hold own answers and stays (A17)."""
    if element.get("name") in ("quote", "quoted-content"):
        return True
    return (
        not classes.isdisjoint(("gmail_quote", "gmail_quote_container"))
        and next(element.iter("blockquote"), None) is None
    )


def _is_outlook_rule(element: HtmlElement, style: str) -> bool:
    """The thin line above De / Envoyé / À / Objet of desktop Outlook; its style is all that marks it."""
    if "border-top:" not in style or ("border-top:solid" not in style and "border-top:1pxsolid" not in style):
        return False
    start = "".join(islice(element.itertext(), 10))[:200].strip()
    return folded(start.partition(":")[0]).strip() in _LABELS
