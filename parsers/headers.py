"""The header block: names, raw values, encoded-words and parameters (RFC 5322, 2047, 2231).

Values stay bytes until somebody needs them, so that a raw 8-bit subject is not lost (hazard C06).
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass

from parsers.characters import clean, one_line
from parsers.charsets import decode
from parsers.limits import HEADER_BYTES_MAX, HEADERS_MAX

_NAME = re.compile(rb"([!-9;-~]{1,100})[ \t]*:")
_ENCODED_WORD = re.compile(rb"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\n]*)\?=")


@dataclass(frozen=True)
class Headers:
    """The headers of a mail or of a part, in order.

    `fields` holds lower-case names and raw values without the line folds; `defect` names what is wrong with
    the block as a whole, or is None: `headers_unfinished`, `too_many_headers`, `header_too_long`.
    """

    fields: tuple[tuple[str, bytes], ...]
    defect: str | None = None

    def all(self, name: str) -> list[bytes]:
        """All raw values of that name."""
        return [value for key, value in self.fields if key == name]

    def raw(self, name: str) -> bytes:
        """The first raw value of that name, or nothing."""
        return next((value for key, value in self.fields if key == name), b"")

    def text(self, name: str) -> str:
        """The first value of that name as one clean line, encoded-words decoded."""
        return decoded(self.raw(name))

    def has(self, name: str) -> bool:
        return any(key == name for key, _ in self.fields)


def split_headers(raw: bytes) -> tuple[Headers, bytes]:
    """Part the (LF) bytes into header block and body at the first empty line.

    A line that is no header makes the block `headers_unfinished` (D22): the empty line is probably missing,
    and where the body begins is anybody's guess.
    """
    if raw.startswith(b"\n"):
        return Headers(()), raw[1:]
    end = raw.find(b"\n\n")
    block, body = (raw, b"") if end < 0 else (raw[:end], raw[end + 2 :])
    fields: list[tuple[str, list[bytes]]] = []
    defect = "too_many_headers" if len(block) > HEADERS_MAX * HEADER_BYTES_MAX else None
    for number, line in enumerate(block[: HEADERS_MAX * HEADER_BYTES_MAX].split(b"\n")):
        if line[:1] in (b" ", b"\t") and fields:
            fields[-1][1].append(line)
        elif found := _NAME.match(line):
            if len(fields) == HEADERS_MAX:
                defect = "too_many_headers"
                break
            fields.append((found[1].decode("ascii").lower(), [line[found.end() :]]))
        elif line and not (number == 0 and line.startswith(b"From ")):
            defect = "headers_unfinished"
            break
    values = [(name, b"".join(lines).strip()) for name, lines in fields]
    if defect is None and any(len(value) > HEADER_BYTES_MAX for _, value in values):
        defect = "header_too_long"
    # What is too long is not looked at by anybody (T-24).
    kept = tuple((name, value if len(value) <= HEADER_BYTES_MAX else b"") for name, value in values)
    return Headers(kept, defect), body


def decoded(value: bytes) -> str:
    """Decode the encoded-words of a header value into one clean line (RFC 2047; C01-C06, E12).

    White space between two encoded-words vanishes, and neighbours of one charset are joined before they are
    decoded, because some programs cut in the middle of a letter. Unreadable words stay as they are.
    """
    if b"=?" not in value:
        return one_line(clean(decode(value, None)[0]))
    out: list[str] = []
    run: list[bytes] = []
    charset = ""
    position = 0
    for found in _ENCODED_WORD.finditer(value):
        gap = value[position : found.start()]
        data = _word_bytes(found[2], found[3])
        if data is None:
            continue
        position = found.end()
        label = found[1].decode("ascii", "replace").split("*")[0].lower()
        if run and (gap.strip() or label != charset):
            out.append(decode(b"".join(run), charset)[0])
            run = []
        if gap.strip() or (gap and not out and not run):
            out.append(decode(gap, None)[0])
        run.append(data)
        charset = label
    if run:
        out.append(decode(b"".join(run), charset)[0])
    out.append(decode(value[position:], None)[0])
    return one_line(clean("".join(out)))


def _word_bytes(encoding: bytes, data: bytes) -> bytes | None:
    if encoding in b"qQ":
        return binascii.a2b_qp(data.replace(b"\n", b""), header=True)
    letters = data.translate(None, b" \t=")
    if len(letters) % 4 == 1:
        return None
    try:
        return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
    except binascii.Error:
        return None


def parameters(value: bytes) -> tuple[str, dict[str, str]]:
    """Split `text/plain; charset="x"` into its lower-case value and its parameters (RFC 2045 5.1, RFC 2231).

    Linear, lenient, never raises (C10, D25): what cannot be read is left out. The first of two equal names
    counts.
    """
    pieces = _semicolon_pieces(value.decode("latin-1"))
    found: dict[str, str] = {}
    continued: dict[str, dict[int, str]] = {}
    for piece in pieces[1:]:
        name, sign, text = piece.partition("=")
        name, text = name.strip().lower(), _unquoted(text.strip())
        if not sign or not name:
            continue
        if name.endswith("*"):
            name, text = name[:-1], _percent_decoded(text)
        base, star, number = name.partition("*")
        if star and number.isdecimal() and len(number) < 3:
            continued.setdefault(base, {}).setdefault(int(number), text)
        elif not star:
            found.setdefault(name, text)
    for base, parts in continued.items():
        found.setdefault(base, "".join(parts[k] for k in sorted(parts)))
    return pieces[0].strip().lower(), found


def _semicolon_pieces(text: str) -> list[str]:
    if '"' not in text:
        return text.split(";")
    pieces: list[str] = []
    quoted = escaped = False
    start = 0
    for i, c in enumerate(text):
        if escaped:
            escaped = False
        elif c == "\\" and quoted:
            escaped = True
        elif c == '"':
            quoted = not quoted
        elif c == ";" and not quoted:
            pieces.append(text[start:i])
            start = i + 1
    return [*pieces, text[start:]]


def _unquoted(text: str) -> str:
    """The inside of a quoted string; angle brackets belong to the value (D21)."""
    if not text.startswith('"'):
        return text.split(" ", 1)[0].split("(", 1)[0] if text else text
    inner = text[1 : text.rfind('"')] if text.rfind('"') > 0 else text[1:]
    return re.sub(r"\\(.)", r"\1", inner) if "\\" in inner else inner


def _percent_decoded(text: str) -> str:
    from urllib.parse import unquote_to_bytes

    charset, _, rest = text.partition("'")
    data = unquote_to_bytes(rest.partition("'")[2] if "'" in rest else text)
    return decode(data, charset if "'" in text else None)[0]
