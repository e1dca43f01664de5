"""Find what has the shape of a token in a raw mail, in whatever encoding, and put x in its place (T-15).

A mail is masked before it is kept, so the search is in bytes: as they are (folded headers, soft line ends and
escapes of quoted-printable, tags and references of HTML included), in encoded-words, and within lines of
base64, which may be a text, an attached mail or a picture. Sizes change only in encoded-words and where a
character was written as an escape, so the rest stays readable.
One pass each, no look back: linear in the size of the mail.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from parsers.addresses import TOKEN

Hide = Callable[[str], bool]
"""Told each text with the shape of a token, in lower case; says whether it is to be masked."""

_DEPTH_MAX = 2
"""An attached mail in base64 may hold a text in base64."""
_BASE64_LETTERS_MIN = 36
"""Fewer cannot hold a token."""

_FOLD = (
    rb"(?:=[ \t]*\r?\n| ?\r?\n[ \t]*| |\x00{1,3}"
    rb"|<[^<>]{0,80}>"  # a tag in the middle of a word
    rb"|\xe2\x80[\x8b-\x8d]|\xe2\x81\xa0|\xef\xbb\xbf|\xc2[\xa0\xad]"  # signs that nobody sees
    rb"|=e2=80=8[b-d]|=e2=81=a0|=ef=bb=bf|=c2=a[0d])"
)
_REFERENCE = rb"&#(?:x0{0,4}[3-7][0-9a-f]|0{0,4}[0-9]{2,3});"
_CHARACTER = rb"(?:[0-9a-hjkmnp-tv-z]|=[3-7][0-9a-f]|" + _REFERENCE + rb")"
_SHAPE = re.compile(
    rb"(?:(?<![0-9a-z])|(?<=[=%][0-9a-f]{2}))(?:[a-z]|=[67][0-9a-f]|" + _REFERENCE + rb")"
    rb"(?:" + _FOLD + rb"?" + _CHARACTER + rb"){26}(?![0-9a-z])",
    re.IGNORECASE,
)
_FOLDS = re.compile(_FOLD, re.IGNORECASE)
_ESCAPE = re.compile(rb"=([3-7][0-9a-f])|&#(?:x0*([0-9a-f]+)|0*([0-9]+));", re.IGNORECASE)
_PIECES = re.compile(_FOLD + rb"|.", re.DOTALL | re.IGNORECASE)
_WORDS = re.compile(
    rb"=\?[^?\s]{1,60}\?[bq]\?[^?\n]*\?=(?:[ \t\r\n]+=\?[^?\s]{1,60}\?[bq]\?[^?\n]*\?=)*", re.I
)
_WORD = re.compile(rb"=\?([^?\s]{1,60})\?([bq])\?([^?\n]*)\?=", re.I)
_BASE64 = re.compile(
    rb"^[ \t]*[A-Za-z0-9+/=]{4,}[ \t]*(?:\r?\n[ \t]*[A-Za-z0-9+/=]+[ \t]*)*(?=\r?$)", re.MULTILINE
)


def tokens_in(raw: bytes) -> frozenset[str]:
    """Return every text in the mail that has the shape of a token, in lower case."""
    found: set[str] = set()

    def look(text: str) -> bool:
        found.add(text)
        return False

    _swept(raw, look, 0)
    return frozenset(found)


def masked(raw: bytes, secrets: frozenset[str]) -> bytes:
    """Return the mail with x in the place of these tokens, which are given in lower case."""
    return _swept(raw, secrets.__contains__, 0) if secrets else raw


def _swept(data: bytes, hide: Hide, depth: int) -> bytes:
    data = _SHAPE.sub(lambda found: _hidden(found[0], hide), data)
    if b"=?" in data:
        data = _WORDS.sub(lambda found: _words(found[0], hide), data)
    if depth < _DEPTH_MAX:
        data = _BASE64.sub(lambda found: _base64(found[0], hide, depth + 1), data)
    return data


def _hidden(shape: bytes, hide: Hide) -> bytes:
    """Mask one text, if it is a token; folds stay where they are."""
    text = _ESCAPE.sub(_meant, _FOLDS.sub(b"", shape))
    token = text.decode("latin-1").lower()
    if not TOKEN.match(token) or not hide(token):
        return shape
    return b"".join(b"x" if len(piece) == 1 and piece not in b" \0" else piece for piece in _unescaped(shape))


def _meant(escape: re.Match[bytes]) -> bytes:
    """The character that an escape of quoted-printable or a reference of HTML stands for."""
    quoted, hexadecimal, decimal = escape.groups()
    return chr(int(decimal) if decimal else int(quoted or hexadecimal, 16)).encode("latin-1", "replace")


def _unescaped(shape: bytes) -> list[bytes]:
    return _PIECES.findall(_ESCAPE.sub(b"x", shape))


def _words(run: bytes, hide: Hide) -> bytes:
    """Mask within encoded-words (RFC 2047), between which a token may be cut in two; they become base64."""
    words = [(found[1], _word_bytes(found[2], found[3])) for found in _WORD.finditer(run)]
    joined = b"".join(data for _, data in words)
    clean = _SHAPE.sub(lambda found: _hidden(found[0], hide), joined)
    if clean == joined:
        return run
    out, start = [], 0
    for charset, data in words:
        out.append(b"=?%s?b?%s?=" % (charset, base64.b64encode(clean[start : start + len(data)])))
        start += len(data)
    return b"\r\n ".join(out)


def _word_bytes(encoding: bytes, text: bytes) -> bytes:
    if encoding in b"qQ":
        return binascii.a2b_qp(text, header=True)
    return _decoded(_NO_LETTER.sub(b"", text))  # as readers do, who skip what is none


_NO_LETTER = re.compile(rb"[^A-Za-z0-9+/]")


def _base64(run: bytes, hide: Hide, depth: int) -> bytes:
    """Mask within lines of base64: decoded block by block (C14), masked, put back in the same places."""
    if len(run) < _BASE64_LETTERS_MIN:
        return run
    stream = run.translate(None, b" \t\r\n")
    blocks = [found[0] for found in re.finditer(rb"[^=]+=*|=+", stream)]
    decoded = [_decoded(block.rstrip(b"=")) for block in blocks]
    joined = b"".join(decoded)
    clean = _swept(joined, hide, depth)
    if clean == joined or len(clean) != len(joined):
        return run if clean == joined else b"x" * len(run)
    out, start = [], 0
    for block, data in zip(blocks, decoded, strict=True):
        letters = base64.b64encode(clean[start : start + len(data)]).rstrip(b"=")
        out.append(letters + block[len(letters) :])
        start += len(data)
    letters_left = iter(b"".join(out))
    return bytes(c if c in b" \t\r\n" else next(letters_left) for c in run)


def _decoded(letters: bytes) -> bytes:
    """Decode as much of a block as there is; what is cut off holds no whole token."""
    whole = letters[:-1] if len(letters) % 4 == 1 else letters
    return binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))
