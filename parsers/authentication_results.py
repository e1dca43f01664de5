"""One Authentication-Results header, read strictly (RFC 8601; T-3, E22, E23).

What stands in it comes in part from whoever sent the mail (`smtp.mailfrom`), so a reading is only taken where
two readers agree: the grammar here, which skips nothing, and the `authres` library, which recovers from what
it does not understand. A header that either refuses says nothing at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

VALUE_CHARACTERS_MAX = 4096
COMMENT_DEPTH_MAX = 5
RESULTS_MAX = 50

HEADER_FROM = "header.from"
"""The property of a DMARC result that names the domain of From."""

_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?")
_PLAIN = re.compile(r"[\t\x20-\x7e]*")
_RESULT = re.compile(r"\s*([A-Za-z][\w-]*)(?:\s*/\s*(\d{1,3}))?\s*=\s*([A-Za-z][\w-]*)", re.ASCII)
_PROPERTY = re.compile(
    r"\s+(?:(reason)|([A-Za-z][\w-]*)\s*\.\s*([A-Za-z][\w.-]*))\s*=\s*"
    r'("(?:[^"\\]|\\.)*"(?:@[\w.-]+)?|[^\s"\\;(),<>]*)',
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True)
class MethodResult:
    """What one method came to, as `dmarc=pass header.from=example.org`; all names in lower case.

    `properties` are (`header.from`, value) in order; `reason` and comments are left out.
    """

    method: str
    result: str
    properties: tuple[tuple[str, str], ...] = ()

    def values(self, name: str) -> list[str]:
        """All values of a property: more than one is nothing to rely on."""
        return [value for key, value in self.properties if key == name]


def authserv_id_of(value: str) -> str | None:
    """Return who says to have written the header, in lower case; None unless it is one bare name.

    A version behind it, a comment beside it, quotes around it or nothing at all make it nobody's: no border
    of ours writes these, and readers differ about them (T-3).
    """
    found = value.partition(";")[0].strip(" \t")
    return found.lower() if _ID.fullmatch(found) else None


def read_results(value: str) -> tuple[MethodResult, ...] | None:
    """Return the results of a header; none of them for `none`, None for what is not to the letter of the RFC.

    Never raises; linear in the length of the value, which is bounded.
    """
    bare = _without_comments(value) if _PLAIN.fullmatch(value) else None
    if bare is None or len(value) > VALUE_CHARACTERS_MAX or authserv_id_of(value) is None:
        return None
    pieces = _pieces(bare)
    if len(pieces) > 2 and not pieces[-1].strip():
        pieces.pop()  # a semicolon at the very end is common and says nothing
    if len(pieces) == 2 and pieces[1].strip().lower() == "none":
        return ()
    read = [_result(piece) for piece in pieces[1 : RESULTS_MAX + 2]]
    results = tuple(one for one in read if one is not None)
    if not results or len(results) < len(pieces) - 1 or len(results) > RESULTS_MAX:
        return None
    agreed = _as_the_library_reads(value.rstrip(" \t;"))
    return results if agreed == [_compared(one) for one in results] else None


def _without_comments(text: str) -> str | None:
    """Put a space in place of each comment; None where one, or a quoted string, does not end."""
    kept: list[str] = []
    depth, quoted = 0, False
    characters = iter(text)
    for c in characters:
        if c == "\\":
            pair = c + next(characters, "")
            if len(pair) < 2 or not (quoted or depth):
                return None
            c = pair
        elif depth:
            depth += (c == "(") - (c == ")")
            if depth > COMMENT_DEPTH_MAX:
                return None
            c = " " if depth == 0 else c
        elif c == '"':
            quoted = not quoted
        elif c == "(" and not quoted:
            depth = 1
        if depth == 0:
            kept.append(c)
    return None if depth or quoted else "".join(kept)


def _pieces(text: str) -> list[str]:
    """Cut at the semicolons outside quoted strings; the text has no comments any more."""
    pieces, start, quoted, escaped = [], 0, False, False
    for i, c in enumerate(text):
        if escaped:
            escaped = False
        elif c == "\\":
            escaped = True
        elif c == '"':
            quoted = not quoted
        elif c == ";" and not quoted:
            pieces.append(text[start:i])
            start = i + 1
    return [*pieces, text[start:]]


def _result(piece: str) -> MethodResult | None:
    found = _RESULT.match(piece)
    if found is None or found[2] not in (None, "1"):
        return None
    properties: list[tuple[str, str]] = []
    position = found.end()
    while one := _PROPERTY.match(piece, position):
        position = one.end()
        if one[1] is None:
            properties.append((f"{one[2]}.{one[3]}".lower(), _unquoted(one[4])))
    if piece[position:].strip():
        return None
    return MethodResult(found[1].lower(), found[3].lower(), tuple(properties))


def _unquoted(value: str) -> str:
    """The inside of a quoted string without escapes; anything else as it stands."""
    whole = len(value) > 1 and value[0] == value[-1] == '"' and "\\" not in value
    return value[1:-1] if whole else value


_Compared: TypeAlias = "tuple[str, str, list[str]]"


def _compared(one: MethodResult) -> _Compared:
    """What both readers must agree upon: method, result and the domain of From."""
    return one.method, one.result, one.values(HEADER_FROM)


def _as_the_library_reads(value: str) -> list[_Compared] | None:
    import authres

    try:
        read = authres.AuthenticationResultsHeader.parse_value(value).results
        return [
            (
                one.method,
                one.result,
                [p.value or "" for p in one.properties if f"{p.type}.{p.name}" == HEADER_FROM],
            )
            for one in read
        ]
    except Exception:  # whatever the library raises, the header is unreadable (E29)
        return None
