"""HTML to the text a person saw, without what he quoted (hazards A16, A17, D01, D09-D13).

lxml makes the tree and writes it out again as XML, in which a tag is whatever stands between < and >. One
pass over those tags leaves out hidden elements and the quote containers of the known programs (`tags`) and
leaves signs in place of the others, of which `layout` makes lines. What is cut leaves a line `> …`, so that
the reader of own words knows that history stood there and that what follows it is the member's own again.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import deque
from functools import cached_property
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from parsers.characters import clean, folded
from parsers.layout import BLOCK, BREAK, lines_of
from parsers.limits import HTML_DEPTH_MAX, HTML_ELEMENTS_MAX, TEXT_CHARACTERS_MAX
from parsers.mime import Unreadable
from parsers.tags import LISTS, Cut, If, Judge, Tag, hiding_classes

if TYPE_CHECKING:
    from lxml.etree import _Element

QUOTE_LINE = "> \u2026"

_TAG = re.compile("(<[^>]*>)")
_STRIKING = ("<s>", "<s ", "<strike", "<del", "line-through")
_SEEN = {Cut.UNSEEN: "", Cut.QUOTE: f"{BLOCK}{QUOTE_LINE}{BLOCK}", Cut.HISTORY: f"{BLOCK}{QUOTE_LINE}{BLOCK}"}
_NO_LETTERS = re.compile(r"[\W_]+")
_LABELS = ("DE", "FROM", "VON", "DA", "VAN")


def html_to_text(markup: str) -> str:
    """Convert the markup; clean lines, no trailing spaces.

    Raises Unreadable("html_too_deep"), ("html_too_large") or ("text_too_long") for what no person writes.
    """
    root = _tree(markup)
    if root is None:
        return ""
    text = lines_of(_Page(root).without_cuts())
    if len(text) > TEXT_CHARACTERS_MAX:
        raise Unreadable("text_too_long")
    return text


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


def _tree(markup: str) -> _Element | None:
    from lxml import etree

    data = markup.replace("\0", "").encode("utf-8", "replace")
    if not data.strip():
        return None
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = etree.fromstring(data, parser=parser)
    except (etree.LxmlError, ValueError, AssertionError):
        return None
    if root is not None and root.xpath(f"count(//*) > {HTML_ELEMENTS_MAX}"):
        raise Unreadable("html_too_large")
    return root


class _Page:
    """A page as its tags, and as pieces: text and sign by turns, the sign of tag `i` at `2 * i + 1`."""

    def __init__(self, root: _Element) -> None:
        from lxml import etree

        written = etree.tostring(root, encoding="unicode", with_tail=False)
        # What no XML may hold, as `&#1;`, is written like this.
        pieces = _TAG.split(written.replace("&#xFFFD;", ""))
        judge = Judge(hiding_classes([sheet.text or "" for sheet in root.iter("style")]))
        self.tags = [judge[tag] for tag in pieces[1::2]]
        self.depths = list(accumulate(tag.step for tag in self.tags))
        pieces[1::2] = [tag.sign for tag in self.tags]
        self.pieces = pieces

    def without_cuts(self) -> str:
        """The page with signs for its tags, and without what is to be left out (`tags.Cut`)."""
        kept: list[str] = []
        at = preformatted = 0
        numbers: list[int] = []
        for i, tag in enumerate(self.tags):
            if tag.is_plain or i < at:
                continue
            cut = self._cut(i, tag)
            if cut is not None:
                self._keep(kept, at, i)
                kept.append(_SEEN[cut])
                if cut is Cut.HISTORY:
                    break
                at = self._end(i) + 1
                continue
            self._list(i, tag, numbers)
            if tag.is_preformatted and i >= preformatted:
                preformatted = self._end(i)
                self._keep_line_ends(i, preformatted)
        else:
            self._keep(kept, at, len(self.tags))
        return "".join(kept)

    def _keep(self, kept: list[str], first: int, after: int) -> None:
        """Add what stands between two tags to what is kept."""
        if max(self.depths[first:after], default=0) > HTML_DEPTH_MAX:
            raise Unreadable("html_too_deep")
        kept += self.pieces[2 * first : 2 * after + 1]

    def _end(self, i: int) -> int:
        """The end tag of the element that begins at that tag; itself if it has no content."""
        return self.depths.index(self.depths[i] - 1, i) if self.tags[i].step else i

    def _cut(self, i: int, tag: Tag) -> Cut | None:
        return next((cut for condition, cut in tag.cuts if self._holds(condition, i)), None)

    def _holds(self, condition: If, i: int) -> bool:
        if condition is If.ALWAYS:
            return True
        end = self._end(i)
        if condition is If.HOLDS_NO_QUOTE:
            return bisect(self.quotes, end) == bisect(self.quotes, i)
        inside = (text.replace(BREAK, "\n") for text in self.pieces[2 * i + 2 : 2 * end + 1 : 2])
        if condition is If.BEGINS_WITH_LABEL:
            start = "".join(islice(filter(None, inside), 10))[:200].strip()
            return folded(start.partition(":")[0]).strip() in _LABELS
        last = deque((text for text in inside if text.strip()), maxlen=1)
        return not (last and last[0].rstrip().endswith(":"))

    @cached_property
    def quotes(self) -> list[int]:
        """The tags at which block quotes begin."""
        return [i for i, tag in enumerate(self.tags) if tag.name == "blockquote" and tag.step >= 0]

    def _list(self, i: int, tag: Tag, numbers: list[int]) -> None:
        """Number the items of a list, or mark them; `numbers` holds the next of each list that is open."""
        if tag.name == "li":
            number = numbers[-1] if numbers else 0
            self.pieces[2 * i + 1] += (f"{number}. " if number else "* ") + ("" if tag.step else BLOCK)
            if number:
                numbers[-1] += 1
        elif tag.name in LISTS and tag.step > 0:
            numbers.append(0 if tag.name == "ul" else 1)
        elif tag.name in LISTS and numbers:
            numbers.pop()

    def _keep_line_ends(self, i: int, end: int) -> None:
        for at in range(2 * i + 2, 2 * end + 1, 2):
            self.pieces[at] = self.pieces[at].replace("\n", BREAK)
