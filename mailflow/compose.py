"""A row of the outbox becomes the bytes of a mail: its text, its HTML and its headers.

Made when it is sent, not when it is written: then the token is at hand, and whoever waits for the desk does
not wait for this. The same row and token always give the same bytes (P-4).
"""

from __future__ import annotations

import hashlib
from binascii import b2a_qp
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mailflow.catalogue import GRAMMAR
from mailflow.drawing import png_of
from mailflow.html_part import Desk, closing, has_buttons, opening, with_title, words_of
from mailflow.mail_headers import HEADER_MAX, headers_of
from mailflow.mail_parts import Lines, attached
from mailflow.markup import Block, Picture, blocks, pieces
from mailflow.text_part import text_of
from mailflow.words import one_line
from store.records import ClubRow, OutboxMail, Part


def compose(mail: OutboxMail, club: ClubRow, token: str | None, plus: bool = True) -> bytes:
    """Return the bytes of a mail to be sent.

    The token stands where one client or another keeps it: in the plus part of Reply-To, as a reference at
    the end of both parts, which are quoted, and in the subjects of the mails that buttons open (T-14).
    `plus`: whether our server delivers plus addresses; where it does not, an answer to one would never come,
    and our own subject carries the token too.
    """
    desk = _desk(club.address, token, plus)
    head = (*headers_of(mail, club, desk), "MIME-Version: 1.0")
    words = (_text("plain", _plain(mail, desk)), _shown(mail, _text("html", _page(mail, club, desk))))
    body = _several("alternative", words, mail.message_id)
    files = [attached(part) for part in mail.parts if part.content_id is None]
    if files:
        body = _several("mixed", (body, *files), f"{mail.message_id}:mixed")
    return _CRLF.join((*(line.encode() for line in head), *body))


def _shown(mail: OutboxMail, page: Lines) -> Lines:
    """The page with the pictures that stand in it: those that it carries, and those that it has drawn."""
    kept = [part for part in mail.parts if part.content_id is not None]
    pictures = [attached(part) for part in (*kept, *_drawn(mail))]
    return _several("related", (page, *pictures), f"{mail.message_id}:related") if pictures else page


def _plain(mail: OutboxMail, desk: Desk) -> bytes:
    reference = (_octets(f"{desk.tag}\n"),) if desk.tag else ()
    return _CRLF.join((*(piece.text for piece in _pieces(mail.text) if piece.text), *reference)) or _CRLF


def _page(mail: OutboxMail, club: ClubRow, desk: Desk) -> bytes:
    before, title, after = opening(one_line(mail.subject, HEADER_MAX), mail.language)
    end = closing(one_line(club.name, HEADER_MAX), desk)
    words = (piece.page or _octets(words_of(piece.blocks, desk)) for piece in _pieces(mail.text))
    return b"".join((_kept_octets(before), _octets(title), _kept_octets(after), *words, _octets(end)))


def _desk(address: str, token: str | None, plus: bool) -> Desk:
    """Where answers go."""
    if token is None:
        return Desk(address)
    local, _, domain = address.rpartition("@")
    return Desk(f"{local}+{token}@{domain}" if plus else address, f"[#{token}]")


def text_part(mail: OutboxMail) -> str:
    """Return the words of a mail as its plain text part shows them."""
    return text_of(blocks(mail.text, _KEYWORDS))


_KEYWORDS = frozenset(GRAMMAR.by_word)


@dataclass(frozen=True)
class _Piece:
    """Some blocks of a mail and what becomes of them, encoded; `page`: None where it depends on the desk."""

    blocks: Sequence[Block]
    text: bytes
    page: bytes | None


def _pieces(source: str) -> list[_Piece]:
    """Make or find the pieces of a mail: both parts of it are whole lines, so they are put together again."""
    made = [_piece(text, number == 0) for number, text in enumerate(pieces(source))]
    return [piece for piece in made if piece.blocks]


@lru_cache(maxsize=1024)
def _piece(source: str, first: bool) -> _Piece:
    read = blocks(source, _KEYWORDS)
    shown = with_title(read) if first else read
    page = None if has_buttons(read) else _octets(words_of(shown, Desk("")))
    text = b"" if all(isinstance(block, Picture) for block in read) else _octets(text_of(read))
    return _Piece(shown, text, page)


def _drawn(mail: OutboxMail) -> list[Part]:
    """The pictures that the mail keeps as figures, each once."""
    found = (block for piece in _pieces(mail.text) for block in piece.blocks if isinstance(block, Picture))
    return [
        Part("image/png", "balances.png", png_of(one.source), one.content_id) for one in dict.fromkeys(found)
    ]


_CRLF = b"\r\n"


def _several(kind: str, parts: Sequence[Lines], identity: str) -> Lines:
    """One part of several (RFC 2046 5.1)."""
    boundary = _boundary(identity)
    between = f"--{boundary}".encode()
    return (
        f'Content-Type: multipart/{kind}; boundary="{boundary}"'.encode(),
        b"",
        *(line for part in parts for line in (between, *part)),
        between + b"--",
        b"",
    )


def _text(kind: str, content: bytes) -> Lines:
    return (
        f'Content-Type: text/{kind}; charset="utf-8"'.encode(),
        b"Content-Transfer-Encoding: quoted-printable",
        b"",
        content,
    )


def _octets(lines: str) -> bytes:
    """Return whole lines as they are sent, none longer than 76 octets whatever stands in it."""
    return b2a_qp(lines.encode("utf-8", "replace"), istext=True).replace(b"\n", _CRLF)


_kept_octets = lru_cache(maxsize=16)(_octets)


def _boundary(identity: str) -> str:
    """Return a boundary that no part can hold: `=_` stands neither in quoted-printable nor in base64."""
    return f"=_{hashlib.sha256(identity.encode()).hexdigest()[:32]}"
