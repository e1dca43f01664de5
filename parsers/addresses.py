"""Who a mail is from, and to: addr-specs in one comparable form (RFC 5322 3.4, RFC 5890; hazards E01-E16).

The sender decides whose money moves, so From is read strictly: what two programs could read in two ways is
refused. Recipients are only looked through for tokens and are read leniently.
"""

from __future__ import annotations

import re
import unicodedata

from parsers.characters import clean, has_override
from parsers.charsets import decode
from parsers.headers import Headers, decoded
from parsers.limits import FOREIGN_RECIPIENTS_MAX, RECIPIENTS_MAX

_ATOM = re.compile(r"[^\s\"(),:;<>@\[\]\\.\x00-\x20\x7f]+(?:\.[^\s\"(),:;<>@\[\]\\.\x00-\x20\x7f]+)*\Z")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\Z")
_BETWEEN_ADDRESSES = re.compile(r"[\s<>,;:\"()]+")
_RECIPIENTS = ("to", "cc", "delivered-to", "x-original-to", "envelope-to")
_ENCODED = re.compile(rb"=\?[^?\s]{1,60}\?[bBqQ]\?[^?\n]*\?=")
_SHELVED = re.compile(r"=([0-9]{1,4})=")
# A letter and 26 characters of Crockford's base32 (mails rule 7).
TOKEN = re.compile(r"[a-z][0-9a-hjkmnp-tv-z]{26}\Z")
_TAG = re.compile(r"\[#([0-9A-Za-z ]{27,60})\]")


def canonical(address: str) -> str | None:
    """Give the addr-spec in the form in which addresses are compared, or None if it is none.

    Lower case, NFC, domain in its ASCII (A-label) form; the local part is otherwise left alone, dots and plus
    parts included (E13-E16, TRUST 1). Quoted local parts and address literals are not accepted.
    """
    local, at, domain = clean(address).strip().rpartition("@")
    if not at or len(address) > 320 or has_override(address) or not _ATOM.match(local) or "@" in local:
        return None
    host = _ascii_domain(domain)
    return None if host is None else f"{unicodedata.normalize('NFC', local).lower()}@{host}"


def _ascii_domain(domain: str) -> str | None:
    domain = domain.lower().rstrip(".") if not domain.endswith("..") else ""
    if not domain.isascii():
        try:
            encoded = domain.encode("idna")
            # What IDNA 2003 maps to other letters (ß, wide letters) is another domain to others (T-6).
            if encoded.decode("idna") != domain:
                return None
            domain = encoded.decode("ascii")
        except UnicodeError:
            return None
    labels = domain.split(".")
    return domain if len(domain) <= 253 and len(labels) > 1 and all(map(_LABEL.match, labels)) else None


def sender_of(value: bytes) -> tuple[str | None, str, str | None]:
    """Read a From value: canonical address, display name, and what is wrong with it (or None).

    Wrong is: `from_missing` (no mailbox at all), `from_many` (a list or a group), `from_unreadable` (anything
    that programs could disagree about: `boss@club <evil@x>`, an open comment, two @).
    """
    words: list[bytes] = []

    def shelve(found: re.Match[bytes]) -> bytes:
        # An encoded-word is one atom whatever characters it holds; some programs leave commas in them.
        words.append(found[0])
        return b"=%d=" % (len(words) - 1)

    text = clean(decode(_ENCODED.sub(shelve, value.replace(b"\n", b" ")), None)[0]).replace("\n", " ").strip()
    if not text:
        return None, "", "from_missing"
    pieces = _pieces(text)
    if pieces is None:
        return None, "", "from_unreadable"
    phrase, angle, wrong = pieces
    if wrong:
        return None, "", wrong
    if angle is None:
        address = canonical(phrase)
        return (
            (address, "", None)
            if address
            else (None, "", "from_unreadable" if "@" in phrase else "from_missing")
        )
    address = canonical(angle)
    if address is None:
        return None, "", "from_unreadable" if angle.strip() else "from_missing"
    phrase = _SHELVED.sub(lambda m: decoded(words[int(m[1])]) if int(m[1]) < len(words) else m[0], phrase)
    return address, " ".join(phrase.split())[:200], None


def _pieces(text: str) -> tuple[str, str | None, str | None] | None:
    """Cut a From value into display name and the inside of < >; None if it breaks the grammar.

    One pass, character by character (T-24); quoted strings may hold anything, comments are dropped.
    """
    name: list[str] = []
    angle: list[str] | None = None
    state, depth, at_sign = "", 0, False
    characters = iter(text)
    for c in characters:
        if state == "(":
            depth += (c == "(") - (c == ")")
            state = "" if depth == 0 else "("
            if c == "\\":
                next(characters, "")
        elif state == '"':
            if c == "\\":
                name.append(next(characters, ""))
            elif c == '"':
                state = ""
            else:
                name.append(c)
        elif state == "<":
            if c == ">":
                state = ">"
            elif c in '<"(':
                return None
            elif angle is not None:
                angle.append(c)
        elif c == "(":
            state, depth = "(", 1
        elif c in ",;:":
            return "", None, "from_many"
        elif c == "<" and angle is None:
            state, angle = "<", []
        elif angle is not None and not c.isspace():
            return ("", None, "from_many") if c == "<" or c.isalnum() else None
        elif c == '"':
            state = '"'
        elif c in ">\\":
            return None
        else:
            at_sign |= c == "@"
            name.append(c)
        if state == ">":
            state = ""
    if state or (angle is not None and at_sign):
        return None
    return "".join(name).strip(), None if angle is None else "".join(angle), None


def recipients_of(headers: Headers) -> dict[str, list[str]] | None:
    """The addresses of each header that names recipients, canonical; None if there are too many (T-24)."""
    values = {name: headers.all(name) for name in _RECIPIENTS}
    if sum(value.count(b"@") for found in values.values() for value in found) > 2 * RECIPIENTS_MAX:
        return None
    pieces = {name: [p for value in found for p in _with_at(value)] for name, found in values.items()}
    every = [piece for found in pieces.values() for piece in found]
    if len(every) > RECIPIENTS_MAX or sum(not p.isascii() for p in every) > FOREIGN_RECIPIENTS_MAX:
        return None
    return {name: _canonical_once(found) for name, found in pieces.items()}


def addresses_in(value: bytes) -> list[str]:
    """All addr-specs of a short list, canonical, in order, without repeats; linear and lenient."""
    return _canonical_once(_with_at(value))


def written_to(headers: Headers) -> tuple[str, ...]:
    """Whom To and Cc name: canonical addr-specs, or as it is written what is none."""
    pieces = [p for name in ("to", "cc") for value in headers.all(name) for p in _with_at(value)]
    return tuple(dict.fromkeys(canonical(piece) or piece for piece in pieces))


def _with_at(value: bytes) -> list[str]:
    return [piece for piece in _BETWEEN_ADDRESSES.split(clean(decode(value, None)[0])) if "@" in piece]


def _canonical_once(pieces: list[str]) -> list[str]:
    found = map(canonical, dict.fromkeys(pieces))
    return list(dict.fromkeys(address for address in found if address))


def base_of(address: str) -> str:
    """The address without its plus part."""
    local, _, domain = address.rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def token_of(recipients: tuple[str, ...], subject: str, text: str = "") -> str | None:
    """The token that a mail carries; None if none, or if its carriers disagree (mails rule 7, T-14).

    Plus parts of the recipients and `[#…]` tags of the subject count; where there are none, the tags in the
    text, which is the reference line of our mail quoted below.
    """
    candidates = {a.rpartition("@")[0].partition("+")[2] for a in recipients} | _tagged(subject)
    tokens = {c for c in candidates if TOKEN.match(c)} or _tagged(text)
    return tokens.pop() if len(tokens) == 1 else None


def _tagged(text: str) -> set[str]:
    if "[#" not in text:
        return set()
    tags = ("".join(tag.split()).lower() for tag in _TAG.findall(text))
    return {tag for tag in tags if TOKEN.match(tag)}


def without_tags(subject: str) -> str:
    """The subject without its [#…] tags."""
    return " ".join(_TAG.sub(" ", subject).split())
