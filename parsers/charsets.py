"""Bytes to text, whatever the label says (hazards C06-C13; RFC 2045, 2046)."""

from __future__ import annotations

import codecs

_WINDOWS = {"ascii", "iso8859-1"}
_ONE_BYTE = ("iso8859-", "cp125", "cp437", "cp85", "cp866", "cp874", "koi8-", "mac-", "tis-620")
# Python knows codecs that are no charset of any mail (T-25: rot13), that hide text (UTF-7) or that make other
# letters of the same bytes (EBCDIC). So only these, by the beginnings of their names.
_KNOWN = (
    *_ONE_BYTE, "utf-8", "utf-16", "utf-32", "ascii", "gb", "big5", "euc_", "shift_jis", "iso2022_",
    "cp932", "cp949",
    "cp950",
)  # fmt: skip


def decode(data: bytes, label: str | None) -> tuple[str, str | None]:
    """Decode the bytes, and name the defect if the label was no help.

    UTF-8 is tried first under any one-byte label, because programs that mislabel UTF-8 are common and text
    that is UTF-8 by accident is not (C08). Latin-1 is read as windows-1252 (C07). Nothing raises.
    """
    if data.isascii() and (label is None or label.lower() in ("utf-8", "us-ascii")):
        return data.decode("ascii"), None
    name = _codec(label)
    defect = "charset_unknown" if name is None and label else None
    if name is None or name in _WINDOWS or name.startswith(_ONE_BYTE):
        return _utf8_or(data, "cp1252" if name is None or name in _WINDOWS else name), defect
    if name == "utf-16" and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        name = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    try:
        return data.decode(name), defect
    except (UnicodeError, ValueError):
        return _utf8_or(data, "cp1252"), "charset_broken"


def _codec(label: str | None) -> str | None:
    """The canonical name of the charset, or None if it is no charset we know (C09)."""
    words = (label or "").replace('"', " ").replace("'", " ").replace(";", " ").split()
    if not words or not words[0].isascii() or len(words[0]) > 40:
        return None
    try:
        name = codecs.lookup(words[0]).name
    except (LookupError, ValueError):
        return None
    return name if name.startswith(_KNOWN) else None


def _utf8_or(data: bytes, other: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(other, "replace")
