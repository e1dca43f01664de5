"""Mails made of real ones by chance: bits turned, lines lost, parts spliced, words thrown in."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from tests.parsers.test_more_clients import blocks

SAMPLES = Path(__file__).resolve().parents[2] / "sample_mails"
SIZE_MAX = 40_000
CHANGES_MAX = 8

WORDS = (
    b"From: ", b"To: a@b.org\r\n", b"Subject: ", b"Content-Type: multipart/mixed; boundary=b\r\n",
    b"Content-Type: text/html; charset=", b"Content-Type: text/plain; format=flowed; delsp=yes\r\n",
    b"Content-Type: message/rfc822\r\n", b"Content-Transfer-Encoding: base64\r\n",
    b"Content-Transfer-Encoding: quoted-printable\r\n", b"charset=utf-16", b"charset=utf-7",
    b"charset=rot13", b"charset=\"\x00\"", b"=?utf-8?q?", b"=?utf-8?b?4oKs?=", b"?=", b"*0*=utf-8''%C3",
    b"--b\r\n", b"--b--\r\n", b"\r\n\r\n", b"\n", b"\r", b"\r\r\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf",
    b"\xe2\x80\xae", b"\xe2\x80\xaf", b"\xc2\xa0", b"\xed\xa0\x80", b"=\r\n", b"=00", b"=ZZ", b"> ", b">",
    b"-- \r\n", b"(", b"\"", b"<", b">;,", b"<div style='display:none'>", b"<blockquote>", b"</blockquote>",
    b"<table><tr><td>", b"<!--", b"-->", b"<style>", b"<pre>", b"&#x0;", b"&nbsp;", b"<br>",
    b"VIREMENT 10 \xc3\xa0 bela\r\n", b"OUI\r\n", b"RESULTAT 1 ", b"1=anna 2=", b"CONTESTE 5 ", b"SIMULE ",
    b"PARTIE buyin=", b"99999999999999999999", b"1e3", b"-15,505",
    b"Le 3 nov. 2026 \xc3\xa0 19:05, Club <club@example.org> a \xc3\xa9crit :\r\n",
    b"De : Club\r\nEnvoy\xc3\xa9 : lundi\r\nObjet : x\r\n", b"-----Message d'origine-----\r\n",
    b"Envoy\xc3\xa9 de mon iPhone\r\n", b"-----BEGIN PGP SIGNED MESSAGE-----\r\n",
    b"[#a0123456789abcdefghjkmnpqrs]",
)  # fmt: skip


@cache
def seeds() -> tuple[bytes, ...]:
    """The real mails to begin with."""
    return (*(path.read_bytes() for path in sorted(SAMPLES.glob("*.eml"))), *(b[3] for b in blocks()))


def mutated(chance: random.Random, originals: Sequence[bytes]) -> bytes:
    """One mail with some changes; the same chance gives the same mail."""
    raw = chance.choice(originals)
    for _ in range(chance.randint(1, CHANGES_MAX)):
        raw = chance.choice(_CHANGES)(chance, raw, originals)[:SIZE_MAX]
    return raw


def _turn(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    data = bytearray(raw)
    for _i in range(chance.randint(1, 8)):
        if data:
            data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def _insert(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    at = chance.randint(0, len(raw))
    return raw[:at] + chance.choice(WORDS) * chance.choice((1, 1, 1, 2, 30)) + raw[at:]


def _remove(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    at, size = chance.randint(0, len(raw)), chance.choice((1, 2, 10, 100, 1000))
    return raw[:at] + raw[at + size :]


def _cut(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    return raw[: chance.randint(0, len(raw))]


def _repeat(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    at, size = chance.randint(0, len(raw)), chance.randint(1, 200)
    return raw[:at] + raw[at : at + size] * chance.choice((2, 3, 50)) + raw[at:]


def _splice(chance: random.Random, raw: bytes, originals: Sequence[bytes]) -> bytes:
    other = chance.choice(originals)
    return raw[: chance.randint(0, len(raw))] + other[chance.randint(0, len(other)) :]


def _shuffle_lines(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    lines = raw.split(b"\r\n")
    a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    if chance.random() < 0.3:
        del lines[chance.randrange(len(lines))]
    return b"\r\n".join(lines)


def _other_line_ends(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    return raw.replace(b"\r\n", chance.choice((b"\n", b"\r", b"\r\r\n", b"\n\n")))


_CHANGES: tuple[Callable[[random.Random, bytes, Sequence[bytes]], bytes], ...] = (
    _turn, _insert, _insert, _insert, _remove, _cut, _repeat, _splice, _shuffle_lines, _other_line_ends,
)  # fmt: skip
