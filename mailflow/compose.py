"""A row of the outbox becomes the bytes of a mail: its text, its HTML and its headers.

Made when it is sent, not when it is written: then the token is at hand, and whoever waits for the desk does
not wait for this. The same row and token always give the same bytes (P-4).
"""

from __future__ import annotations

import hashlib
from binascii import b2a_qp
from email.header import Header
from email.utils import format_datetime, formataddr
from functools import lru_cache

from mailflow.catalogue import GRAMMAR
from mailflow.html_part import Desk, html_of
from mailflow.markup import Block, blocks
from mailflow.text_part import text_of
from mailflow.words import one_line
from store.records import ClubRow, OutboxMail

MESSAGE_ID_MAX = 250
HEADER_MAX = 250
"""Characters of a name, an address or a subject."""


def compose(mail: OutboxMail, club: ClubRow, token: str | None, plus: bool = True) -> bytes:
    """Return the bytes of a mail to be sent.

    RFC 5322 message, RFC 3834 Auto-Submitted so that no robot answers us, and the token where one client or
    another keeps it: in the plus part of Reply-To, in the subject, and as a reference at the end of the
    text, which is quoted (T-14). No value can end its header or be decoded into another one (T-26).
    `plus`: whether our server delivers plus addresses; where it does not, an answer to one would never come.
    """
    local, _, domain = club.address.rpartition("@")
    answer_to = f"{local}+{token}@{domain}" if token is not None and plus else club.address
    desk = Desk(club.address) if token is None else Desk(answer_to, f"[#{token}]")
    answered = _message_id(mail.in_reply_to)
    boundary = _boundary(mail.message_id)
    headers = {
        "From": formataddr((_literal(club.name), club.address), "utf-8"),
        "To": one_line(mail.address, HEADER_MAX),
        "Reply-To": None if desk.address == club.address else desk.address,
        "Subject": _subject(f"{mail.subject} {desk.tag}".rstrip()),
        "Date": format_datetime(mail.created_at),
        "Message-ID": mail.message_id,
        "In-Reply-To": answered,
        "References": answered,
        "Auto-Submitted": "auto-generated" if answered is None else "auto-replied",
        "X-Auto-Response-Suppress": "All",
        "List-Id": f"<{local}.{domain}>",
        "MIME-Version": "1.0",
        "Content-Type": f'multipart/alternative; boundary="{boundary}"',
    }
    read = _read(mail.text)
    title, name = one_line(mail.subject, HEADER_MAX), one_line(club.name, HEADER_MAX)
    page = html_of(read, title, club.language, name, desk)
    return _CRLF.join((
        *(f"{name}: {value}".encode() for name, value in headers.items() if value is not None),
        b"",
        *_part("plain", _plain(mail.text) + (f"\n{desk.tag}\n" if desk.tag else ""), boundary),
        *_part("html", page, boundary),
        f"--{boundary}--".encode(),
        b"",
    ))  # fmt: skip


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


def _subject(value: str) -> str:
    """Return a header value that reads back as exactly this text: an encoded word in it stays text."""
    plain = one_line(value, HEADER_MAX)
    if plain.isascii() and "=?" not in plain:
        return plain
    return Header(plain, "utf-8", header_name="Subject").encode(linesep="\r\n")


def _literal(name: str) -> str:
    return one_line(name, HEADER_MAX).replace("=?", "= ?")


def _message_id(value: str | None) -> str | None:
    """Return somebody else's message id if it can stand in a header of ours, else None."""
    fit = value is not None and len(value) <= MESSAGE_ID_MAX and value.isascii() and value.isprintable()
    return (
        value if fit and value is not None and " " not in value and value[:1] + value[-1:] == "<>" else None
    )
