"""The subject line: is it the member's own, and what of it is words (hazards B04-B09, B12)."""

from __future__ import annotations

import re

from parsers.addresses import without_tags
from parsers.characters import folded

# « RE » glued to a counter as in `Re[2]:` or `Re(2):` (B06).
_PREFIX = re.compile(r"([A-Z-]{1,12}) ?(?:[\[(][0-9]{1,3}[\])]|\^[0-9]{1,3})? ?[:：]")
_PREFIXES = {
    "RE", "REF", "REP", "REPONSE", "AW", "ANTW", "ANTWORT", "R", "RIF", "RES", "SV", "VS", "ODP", "BETR",
    "TR", "FW", "FWD", "WG", "I", "RV", "ENC", "VB", "DOORST", "TRANS", "TRANSFERE", "WEITERGELEITET",
    "PD", "YNT", "ILT", "ATB", "TRANSF", "REENV",
}  # fmt: skip
_LIST_TAG = re.compile(r"\[[^\[\]]{0,60}\] ?")


def is_prefixed(subject: str) -> bool:
    """Whether the subject has a reply's or a forward's prefix, known ones only (B04-B07).

    Tags of lists in brackets may stand before the prefix (B08); `[#…]` tags are tokens and do not count.
    """
    words = folded(without_tags(subject)).strip()
    for _ in range(10):
        tag = _LIST_TAG.match(words)
        if not tag:
            break
        words = words[tag.end() :]
    found = _PREFIX.match(words)
    return found is not None and found[1] in _PREFIXES


def own_subject(subject: str) -> str:
    """The subject without token and list tags, if it is the member's own; else nothing."""
    if is_prefixed(subject):
        return ""
    words = without_tags(subject)
    while tag := _LIST_TAG.match(words):
        words = words[tag.end() :]
    return words.strip()
