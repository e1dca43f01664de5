"""DKIM signatures looked at without the key (RFC 6376): do they cover the mail that is in hand?

Whether a signature holds is the border's to say; that takes the DNS. What it covers can be seen from the
mail alone, and a valid one that leaves room for words of somebody else is worth nothing (E27, E28).
"""

from __future__ import annotations

from parsers.headers import Headers

SIGNATURES_MAX = 20
_NEEDED = (b"v", b"a", b"b", b"bh", b"d", b"h", b"s")


def flaw_of(headers: Headers, body: bytes) -> str | None:
    """Name what is wrong with the first signature that does not cover the mail; None where all do.

    `dkim_partial`: its `l=` ends before the body does (E27). `dkim_uncovered`: From or Subject is not signed
    (E28). `dkim_unreadable`: it cannot be read, or there are too many (E29). `body` has LF line ends.
    """
    signatures = headers.all("dkim-signature")
    if len(signatures) > SIGNATURES_MAX:
        return "dkim_unreadable"
    return next((flaw for one in signatures if (flaw := _flaw(one, headers, body))), None)


def _flaw(signature: bytes, headers: Headers, body: bytes) -> str | None:
    from dkim.canonicalization import CanonicalizationPolicy
    from dkim.util import parse_tag_value

    try:
        tags = parse_tag_value(signature)
        if any(not tags.get(name) for name in _NEEDED) or tags[b"v"] != b"1":
            return "dkim_unreadable"
        signed = {name.strip().lower() for name in tags[b"h"].split(b":")}
        if any(name.encode() not in signed for name in ("from", "subject") if headers.has(name)):
            return "dkim_uncovered"
        if b"l" not in tags:
            return None
        if not tags[b"l"].isdigit():
            return "dkim_unreadable"
        policy = CanonicalizationPolicy.from_c_value(tags.get(b"c"))
        whole = len(policy.canonicalize_body(body.replace(b"\n", b"\r\n")))
        return "dkim_partial" if len(tags[b"l"]) < 12 and int(tags[b"l"]) < whole else None
    except Exception:  # whatever the library raises, the signature proves nothing (E29)
        return "dkim_unreadable"
