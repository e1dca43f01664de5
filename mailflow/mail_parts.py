"""What a mail carries besides its words, as it is sent: an attached file, or a picture that its page shows.

The bytes were made when the mail was queued and are kept with it (`store.records.Part`); here they are only
wrapped. Names are ours and plain; should one be otherwise, it stays within its header (T-26).
"""

from __future__ import annotations

import re
from base64 import encodebytes
from typing import TypeAlias

from mailflow.words import one_line
from store.records import Part

Lines: TypeAlias = tuple[bytes, ...]
"""A part of a mail: its header lines, an empty one, its content; without line ends."""

NAME_MAX = 60
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._ -]")
_NOT_IN_ID = re.compile(r"[^A-Za-z0-9._@-]")
_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]+(; charset=[a-z0-9-]+)?")


def attached(part: Part) -> Lines:
    """Return a part as lines of a mail. Raises ValueError for a content type that is none."""
    if not _TYPE.fullmatch(part.content_type):
        raise ValueError(f"no content type: {part.content_type!r}")
    name = plain_name(part.name)
    lines = [
        f'Content-Type: {part.content_type};\r\n name="{name}"',
        f'Content-Disposition: {_disposition(part)};\r\n filename="{name}"',
        "Content-Transfer-Encoding: base64",
    ]
    if part.content_id is not None:
        lines.append(f"Content-ID: <{_NOT_IN_ID.sub('-', part.content_id)}>")
    content = encodebytes(part.content).replace(b"\n", b"\r\n").removesuffix(b"\r\n")
    return (*(line.encode() for line in lines), b"", content)


def plain_name(name: str) -> str:
    """Return a name that can stand in a header and on any disk."""
    return _NOT_PLAIN.sub("-", one_line(name, NAME_MAX)) or "-"


def _disposition(part: Part) -> str:
    return "attachment" if part.content_id is None else "inline"
