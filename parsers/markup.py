"""HTML to the text a person saw, without what he quoted (hazards A16, A17, D01, D09-D13).

lxml cuts hidden elements and the quote containers of the known programs, inscriptis lays out the rest. Both
are imported only when a mail needs them. What is cut leaves a line `> …`, so that the reader of own words
knows that history stood there and that what follows it is the member's own again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from parsers.characters import clean, folded
from parsers.limits import HTML_DEPTH_MAX, HTML_ELEMENTS_MAX
from parsers.mime import Unreadable

if TYPE_CHECKING:
    from lxml.html import HtmlElement

QUOTE_LINE = "> \u2026"

_DROPPED = ("head", "style", "script", "title", "template", "noscript", "object", "select", "textarea", "svg")
_HIDING = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|opacity:0(?:\.0+)?(?:;|$|!)|"
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
_NO_LETTERS = re.compile(r"[\W_]+")
_LABELS = ("DE", "FROM", "VON", "DA", "VAN")


def html_to_text(markup: str) -> str:
    """Convert the markup; clean lines, no trailing spaces.

    Raises Unreadable("html_too_deep") for markup that no person's program writes.
    """
    from inscriptis import Inscriptis
    from inscriptis.css_profiles import STRICT_CSS_PROFILE
    from inscriptis.model.config import ParserConfig

    root = _tree(markup)
    if root is None:
        return ""
    # Quotes first: what is cut need not be looked at again.
    _cut_quotes(root)
    _cut_hidden(root)
    _flatten_tables(root)
    _drop_styles(root)
    config = ParserConfig(css=STRICT_CSS_PROFILE.copy(), display_links=False, display_images=False)
    try:
        text = str(Inscriptis(root, config).get_text())
    except RecursionError:
        raise Unreadable("html_too_deep") from None
    lines = (" ".join(line.split()) for line in clean(text).split("\n"))
    return "\n".join(lines).strip("\n")


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
    if root.xpath(f"boolean(//*[count(ancestor::*) > {HTML_DEPTH_MAX}])"):
        raise Unreadable("html_too_deep")
    return root


def _cut_hidden(root: HtmlElement) -> None:
    """Drop what nobody saw: head, scripts, and whatever a style or the `hidden` attribute hides (D12)."""
    hiding = _hiding_classes(root)
    for element in list(root.iter()):
        if not isinstance(element.tag, str):
            element.drop_tree()
            continue
        style = element.get("style")
        if (
            element.tag in _DROPPED
            or element.get("hidden") is not None
            or (style and _HIDING.search("".join(style.lower().split())))
            or (hiding and hiding.intersection((element.get("class") or "").split()))
        ):
            _drop(element)
        elif element.tag == "wbr":
            # inscriptis sets a blank for it; it is a chance to break a word, not a break (D11).
            element.drop_tag()


def _flatten_tables(root: HtmlElement) -> None:
    """Make rows lines and cells words of them (D13).

    As a grid, each row would be padded to the widest cell (a small mail could fill the memory), and the lines
    of neighbouring cells would be mixed.
    """
    for element in root.iter("table", "thead", "tbody", "tfoot", "tr", "caption", "td", "th"):
        if element.tag in ("td", "th"):
            element.tag = "span"
            element.tail = " " + (element.tail or "")
        else:
            element.tag = "div"
        element.attrib.clear()


def _drop_styles(root: HtmlElement) -> None:
    """Leave no style that lays out space: a margin of a million lines is a small attribute.

    Only preformatted white space is kept, because its line ends are the writer's.
    """
    for element in root.iter():
        style = element.attrib.pop("style", None)
        if style and "white-space:pre" in "".join(style.lower().split()):
            element.set("style", "white-space: pre")


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


def _cut_quotes(root: HtmlElement) -> None:
    """Replace quote containers, signatures and everything after an Outlook rule (A16).

    Walks in document order and never enters what it has cut, which is the bulk of most mails.
    """
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if not isinstance(element.tag, str):
            continue
        classes = {c.lower().removeprefix("x_") for c in (element.get("class") or "").split()}
        name = (element.get("id") or "").lower().removeprefix("x_")
        if _starts_history(element, classes, name):
            # Whatever comes later in the document is cut with it.
            _cut_from(element)
            return
        if classes & _SIGNATURE_CLASSES or name in _SIGNATURE_IDS:
            _drop(element)
        elif _is_quote(element, classes):
            _replace(element)
        else:
            waiting.extend(reversed(element))


def _starts_history(element: HtmlElement, classes: set[str], name: str) -> bool:
    """Whether all that follows is history: Outlook's marks, or Gmail's head of a forwarded mail (B01)."""
    if name in _QUOTE_STARTS or "ms-outlook-mobile-reference-message" in classes:
        return True
    return ("gmail_attr" in classes and not _ends_in_colon(element)) or _is_outlook_rule(element)


def _is_quote(element: HtmlElement, classes: set[str]) -> bool:
    """Whether the element holds history and nothing else."""
    if element.tag == "blockquote":
        return not _is_indent(element)
    return bool(classes & _QUOTE_CLASSES) or _is_forward(element, classes)


def _ends_in_colon(element: HtmlElement) -> bool:
    return "".join(element.itertext()).rstrip().endswith(":")


def _is_indent(element: HtmlElement) -> bool:
    """Gmail's « indent more »: a block quote without a line at its side that the writer made himself."""
    style = "".join((element.get("style") or "").lower().split())
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
        bool(classes & {"gmail_quote", "gmail_quote_container"})
        and next(element.iter("blockquote"), None) is None
    )


def _is_outlook_rule(element: HtmlElement) -> bool:
    """The thin line above De / Envoyé / À / Objet of desktop Outlook; its style is all that marks it."""
    style = "".join((element.get("style") or "").lower().split())
    if "border-top:solid" not in style and "border-top:1pxsolid" not in style:
        return False
    start = "".join(element.itertext())[:200].strip()
    return folded(start.partition(":")[0]).strip() in _LABELS


def _cut_from(element: HtmlElement) -> None:
    """Remove the element and all that comes after it in the document; its ancestors keep what came before."""
    mark = element.makeelement("div")
    mark.text = QUOTE_LINE
    element.addprevious(mark)
    node = mark
    while node is not None and node.tag != "body":
        for sibling in list(node.itersiblings()):
            sibling.getparent().remove(sibling)
        node.tail = None
        node = node.getparent()


def _replace(element: HtmlElement) -> None:
    """Leave a `> …` line where the element was."""
    tail = element.tail
    mark = element.makeelement("div")
    mark.text = QUOTE_LINE
    mark.tail = tail
    element.tail = None
    element.getparent().replace(element, mark)


def _drop(element: HtmlElement) -> None:
    if element.getparent() is not None:
        element.drop_tree()
