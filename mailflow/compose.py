"""A row of the outbox becomes the bytes of a mail: its text, its HTML and its headers.

Made when it is sent, not when it is written: then the token is at hand, and whoever waits for the desk does
not wait for this. The same row and token always give the same bytes (P-4).
"""

from __future__ import annotations

import hashlib
from binascii import b2a_qp
from functools import lru_cache

from mailflow.catalogue import GRAMMAR
from mailflow.html_part import Desk, html_of
from mailflow.mail_headers import HEADER_MAX, headers_of
from mailflow.markup import Block, blocks
from mailflow.text_part import text_of
from mailflow.words import one_line
from store.records import ClubRow, OutboxMail


def compose(mail: OutboxMail, club: ClubRow, token: str | None, plus: bool = True) -> bytes:
    """Return the bytes of a mail to be sent.

    The token stands where one client or another keeps it: in the plus part of Reply-To, as a reference at
    the end of both parts, which are quoted, and in the subjects of the mails that buttons open (T-14).
    `plus`: whether our server delivers plus addresses; where it does not, an answer to one would never come,
    and our own subject carries the token too.
    """
    desk = _desk(club.address, token, plus)
    boundary = _boundary(mail.message_id)
    read = _read(mail.text)
    page = html_of(
        read, one_line(mail.subject, HEADER_MAX), mail.language, one_line(club.name, HEADER_MAX), desk
    )
    head = (*headers_of(mail, club, desk), "MIME-Version: 1.0", _FORM.format(boundary))
    return _CRLF.join((
        *(line.encode() for line in head),
        b"",
        *_part("plain", _plain(mail.text) + (f"\n{desk.tag}\n" if desk.tag else ""), boundary),
        *_part("html", page, boundary),
        f"--{boundary}--".encode(),
        b"",
    ))  # fmt: skip


def _desk(address: str, token: str | None, plus: bool) -> Desk:
    """Where answers go."""
    if token is None:
        return Desk(address)
    local, _, domain = address.rpartition("@")
    return Desk(f"{local}+{token}@{domain}" if plus else address, f"[#{token}]")


def text_part(mail: OutboxMail) -> str:
    """Return the words of a mail as its plain text part shows them."""
    return _plain(mail.text)


_KEYWORDS = frozenset(GRAMMAR.by_word)


@lru_cache(maxsize=512)
def _read(source: str) -> tuple[Block, ...]:
    return blocks(source, _KEYWORDS)


@lru_cache(maxsize=512)
def _plain(source: str) -> str:
    return text_of(_read(source))


_CRLF = b"\r\n"
_FORM = 'Content-Type: multipart/alternative; boundary="{}"'


def _part(kind: str, text: str, boundary: str) -> tuple[bytes, ...]:
    """One alternative, its lines no longer than 76 octets whatever stands in it."""
    return (
        f"--{boundary}".encode(),
        f'Content-Type: text/{kind}; charset="utf-8"'.encode(),
        b"Content-Transfer-Encoding: quoted-printable",
        b"",
        b2a_qp(text.encode("utf-8", "replace"), istext=True).replace(b"\n", _CRLF),
    )


def _boundary(message_id: str) -> str:
    """Return a boundary that no part can hold: in quoted-printable no `=` stands before a `_`."""
    return f"=_{hashlib.sha256(message_id.encode()).hexdigest()[:32]}"
