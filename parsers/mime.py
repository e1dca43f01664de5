"""The parts of a mail, within limits, and which are its words (RFC 2045, 2046; hazards C14-C22, D).

Written for mails that break the rules: nothing raises, every step is linear in the size of the mail, nothing
is decoded that is not going to be read, and an attached mail is never entered.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from parsers.characters import clean
from parsers.charsets import decode
from parsers.headers import Headers, parameters, split_headers
from parsers.limits import DEPTH_MAX, PARTS_MAX

_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/=]+\Z")
_NOT_BASE64 = bytes(c for c in range(256) if not (bytes([c]).isalnum() and c < 128) and c not in b"+/=")
_BROKEN_ESCAPE = re.compile(rb"=(?![0-9A-Fa-f]{2}|[ \t]*\n|\Z)")
# Stands for a broken escape until the text is decoded; becomes U+FFFD, which no command may hold (C17).
_BROKEN = "\x1a"


@dataclass(frozen=True)
class Part:
    """One MIME part. `media` is `type/subtype` in lower case; `children` are empty for all but multiparts."""

    headers: Headers
    media: str
    parameters: dict[str, str]
    body: bytes
    children: tuple[Part, ...] = ()

    @property
    def is_attachment(self) -> bool:
        """Whether it is a file rather than words (D10); its name is never decoded (D26)."""
        disposition, named = parameters(self.headers.raw("content-disposition"))
        return disposition == "attachment" or "filename" in named or "name" in self.parameters

    def walk(self) -> Iterator[Part]:
        """This part and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Segment:
    """One stretch of the mail's words: as plain text, as HTML, or (an alternative) both."""

    plain: Part | None = None
    html: Part | None = None


class Unreadable(Exception):
    """The mail cannot be read safely; the argument is the reason code of the letter."""


def parse_parts(headers: Headers, body: bytes) -> Part:
    """Build the tree of parts; raises Unreadable beyond a limit or without any part (D19-D23)."""
    return _part(headers, body, 0, [PARTS_MAX])


def _part(headers: Headers, body: bytes, depth: int, left: list[int], default: str = "text/plain") -> Part:
    if depth > DEPTH_MAX:
        raise Unreadable("too_deep")
    left[0] -= 1
    if left[0] < 0:
        raise Unreadable("too_many_parts")
    media, named = parameters(headers.raw("content-type")) if headers.has("content-type") else (default, {})
    if media.count("/") != 1 or media.startswith("/") or media.endswith("/"):
        # RFC 2045 5.2 would have it read as plain text; a file with a broken type would then speak (D25).
        media = "text/plain" if not media or media == "text" else "application/octet-stream"
    if not media.startswith("multipart/"):
        return Part(headers, media, named, body)
    inner = "message/rfc822" if media == "multipart/digest" else "text/plain"
    children = []
    for piece in _pieces(body, named.get("boundary", ""), left[0]):
        if piece.startswith(b"\n") or not _looks_like_headers(piece):
            below, content = Headers(()), piece.removeprefix(b"\n")
        else:
            below, content = split_headers(piece)
            if below.defect in ("too_many_headers", "header_too_long"):
                raise Unreadable(below.defect)
        children.append(_part(below, content, depth + 1, left, inner))
    if not children:
        raise Unreadable("boundary_missing")
    return Part(headers, media, named, b"", tuple(children))


def _looks_like_headers(piece: bytes) -> bool:
    return re.match(rb"[!-9;-~]{1,100}[ \t]*:", piece) is not None


def _pieces(body: bytes, boundary: str, most: int) -> list[bytes]:
    """The contents between the boundary's lines; the last may lack its closing line (D19)."""
    mark = b"--" + boundary.encode("latin-1", "replace")
    if len(mark) == 2:
        return []
    pieces: list[bytes] = []
    body = b"\n" + body
    start, position = -1, 0
    while (found := body.find(b"\n" + mark, position)) >= 0:
        end = body.find(b"\n", found + 1)
        line_end = len(body) if end < 0 else end
        rest = body[found + 1 + len(mark) : line_end].rstrip()
        position = line_end if end >= 0 else len(body)
        if rest not in (b"", b"--"):
            # Another boundary that begins with the same letters.
            continue
        if start >= 0:
            pieces.append(body[start:found])
        if rest == b"--":
            return pieces
        start = min(position + 1, len(body))
        if len(pieces) > most:
            raise Unreadable("too_many_parts")
    if start >= 0:
        pieces.append(body[start:])
    return pieces


def segments(part: Part, alone: bool = False) -> list[Segment]:
    """The words of the mail in order: each alternative once, no attachment, no attached mail.

    `alone`: the part is the whole mail, which some programs give a file's name.
    """
    if part.media == "multipart/alternative":
        return _alternative(part)
    if part.media in ("multipart/signed", "multipart/appledouble"):
        # The second part is the signature (D14).
        return segments(part.children[0])
    if part.children:
        return [s for child in part.children for s in segments(child)]
    if part.is_attachment and not alone:
        return []
    if part.media == "text/plain":
        return [Segment(plain=part)]
    if part.media in ("text/html", "application/xhtml+xml"):
        return [Segment(html=part)]
    return []


def _alternative(part: Part) -> list[Segment]:
    """The plain alternative (RFC 2046 5.1.4, D03), with the HTML beside it for comparison (D04)."""
    plain: list[Segment] = []
    html: list[Segment] = []
    for child in part.children:
        found = segments(child)
        if not plain and any(s.plain for s in found) and not any(s.html for s in found):
            plain = found
        elif not html and any(s.html for s in found):
            html = found
    if not plain or not html:
        return plain or html
    beside = next(s.html for s in html if s.html)
    return [Segment(plain[0].plain, beside), *plain[1:]]


def text_of(part: Part) -> tuple[str, tuple[str, ...]]:
    """Decode the transfer encoding and the charset of a text part, and unflow it (C07-C22).

    Gives clean text and defect codes. In flowed text a line that goes on ends in one space (a soft break);
    all other lines end in none. Raises Unreadable for base64 that was cut off (C15).
    """
    data, defect = _transfer_decoded(part)
    text, charset_defect = decode(data, part.parameters.get("charset"))
    if _BROKEN in text:
        text = text.replace(_BROKEN, "\ufffd")
    defects = tuple(d for d in (defect, charset_defect, "nul" if "\0" in text else None) if d)
    text = clean(text)
    if part.media == "text/plain" and part.parameters.get("format", "").lower() == "flowed":
        return _unflowed(text, part.parameters.get("delsp", "").lower() == "yes"), defects
    if part.media == "text/plain":
        text = "\n".join(line.rstrip(" ") for line in text.split("\n"))
    return text, defects


def _transfer_decoded(part: Part) -> tuple[bytes, str | None]:
    words = part.headers.raw("content-transfer-encoding").lower().split()
    # Only the first word counts: some programs add to it (C16).
    encoding = words[0].rstrip(b";") if words else b"7bit"
    if encoding == b"base64":
        return _base64(part.body)
    if encoding == b"quoted-printable":
        broken = _BROKEN_ESCAPE.search(part.body) is not None
        body = _BROKEN_ESCAPE.sub(_BROKEN.encode() + b"=", part.body) if broken else part.body
        return binascii.a2b_qp(body), "quoted_printable_broken" if broken else None
    known = encoding in (b"7bit", b"8bit", b"binary")
    return part.body, None if known else "encoding_unknown"


def _base64(body: bytes) -> tuple[bytes, str | None]:
    """Decode block by block, a padding ends a block (C14); a block that stops in the middle is refused (C15).

    Lines with blanks inside are no base64 (a footer that a list glued on) and are left out; other foreign
    bytes are dropped, as RFC 2045 6.8 says.
    """
    junk = False
    kept: list[bytes] = []
    for line in body.split(b"\n"):
        line = line.strip()
        if not line or _BASE64_LINE.match(line):
            kept.append(line)
        else:
            junk = True
            if not re.search(rb"[ \t_]", line):
                kept.append(line.translate(None, _NOT_BASE64))
    out: list[bytes] = []
    blocks = re.findall(rb"[^=]+=*|=+", b"".join(kept))
    for block in blocks:
        letters = block.rstrip(b"=")
        if len(letters) % 4 == 1 or (len(letters) + len(block) - len(letters)) % 4:
            raise Unreadable("base64_cut")
        out.append(binascii.a2b_base64(letters + b"=" * (-len(letters) % 4)))
    return b"".join(out), "base64_junk" if junk or len(blocks) > 1 else None


def _unflowed(text: str, delsp: bool) -> str:
    """Undo format=flowed as far as it is safe without knowing the grammar (RFC 3676; C19-C22).

    Space-stuffing is removed, except before a `>`, which would otherwise read as a quote. With DelSp the
    joints are closed here, because they may lie inside a word; without, they stay visible as a space at the
    line's end.
    """
    out: list[list[str]] = []
    glue = False
    for line in text.split("\n"):
        if line.startswith(" ") and not line.startswith(" >"):
            line = line[1:]
        soft = line.endswith(" ") and line.rstrip() not in ("--", "") and not line.startswith(">")
        bare = line.rstrip(" ") + (" " if soft and not delsp else "") if not line.startswith("-- ") else line
        bare = line[:-1] if soft and delsp else bare
        if glue:
            out[-1].append(bare)
        else:
            out.append([bare])
        glue = soft and delsp
    return "\n".join("".join(pieces) for pieces in out)
