"""Which server wrote a Received line (RFC 5321 4.4): its `by` name, not what a sender put beside it."""

from __future__ import annotations

COMMENT_DEPTH_MAX = 10


def written_by(value: bytes) -> str | None:
    """Return the name after `by` in lower case; None where no server can be told for sure.

    The name after `from` is the greeting of whoever connected, so `by` only counts as the first word or as
    the third. Comments are left out wherever they stand.
    """
    words = _without_comments(value.decode("latin-1")).partition(";")[0].lower().split()
    if words[:1] == ["by"]:
        words = ["from", "", *words]
    if len(words) < 4 or words[0] != "from" or words[2] != "by":
        return None
    return words[3]


def _without_comments(text: str) -> str:
    """Put a space in place of each comment; nothing is left where one does not end."""
    if "(" not in text and ")" not in text:
        return text
    kept: list[str] = []
    depth = 0
    characters = iter(text)
    for c in characters:
        if c == "\\":
            next(characters, "")
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            kept.append(" ")
        elif depth == 0:
            kept.append(c)
        if not 0 <= depth <= COMMENT_DEPTH_MAX:
            return ""
    return "" if depth else "".join(kept)
