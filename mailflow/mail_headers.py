"""The headers of a mail of ours: who, about what, in which thread, and that a program wrote it.

* The subject says the news, and nothing else: no prefix, and the token's tag only where plus addresses do
  not reach us (T-14). So one mail can be told from another in a list.
* All mails about a game are one thread for each recipient (RFC 5322 3.6.4): they refer to one root, whose id
  is drawn from club, game and recipient and belongs to no mail. So it is known without looking for the first.
* Auto-Submitted (RFC 3834) and List-Id (RFC 2919) tell robots not to answer (RFC 5230 4.6);
  X-Auto-Response-Suppress tells Exchange. Precedence is left out: RFC 3834 3.1.8 recommends no value of it,
  and some take `bulk` for advertising.
* List-Unsubscribe (RFC 2369) stands in the weekly digest alone, for it is all that can be stopped: a mail to
  the digest's own reply address, whose command needs no OUI there. One click without a mail (RFC 8058) takes
  a page behind https, which we have not, so List-Unsubscribe-Post is left out.

No value can end its header or be decoded into another one (T-26).
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from email.utils import format_datetime, formataddr
from functools import lru_cache

from mailflow.html_part import Desk, mailto
from mailflow.markup import Button
from mailflow.words import one_line
from store.records import ClubRow, OutboxMail, fold_handle

DIGEST, STOP = "digest.weekly", "BILAN non"
"""What can be stopped, and by which command."""
MESSAGE_ID_MAX = 250
HEADER_MAX = 250
"""Characters of a name, an address or a subject."""
_WORD_OCTETS_MAX = 39
"""Of one encoded word, so that it fits its line with `Subject: ` before it (RFC 2047 2)."""


def headers_of(mail: OutboxMail, club: ClubRow, desk: Desk) -> Iterator[str]:
    """Give the header lines, folded, without those of the body's form. `desk`: where answers go."""
    yield f"From: {_mailbox(club.name, club.address)}"
    yield f"To: {one_line(mail.address, HEADER_MAX)}"
    if desk.address != club.address:
        yield f"Reply-To: {desk.address}"
    tag = desk.tag if desk.address == club.address else ""
    yield f"Subject: {encoded(f'{one_line(mail.subject, HEADER_MAX)} {tag}'.rstrip())}"
    yield f"Date: {format_datetime(mail.created_at)}"
    yield f"Message-ID: {mail.message_id}"
    answered = _fit(mail.in_reply_to)
    thread = [message_id for message_id in (_root(mail, club), answered) if message_id is not None]
    if thread:
        yield f"In-Reply-To: {thread[-1]}"
        yield "References: " + "\r\n ".join(thread)
    yield f"Auto-Submitted: {'auto-generated' if answered is None else 'auto-replied'}"
    yield "X-Auto-Response-Suppress: All"
    yield f"List-Id: <{club.address.replace('@', '.')}>"
    if mail.kind == DIGEST:
        yield f"List-Unsubscribe:\r\n <{mailto(Button(STOP, '', False), desk)}>"


@lru_cache(maxsize=256)
def _mailbox(name: str, address: str) -> str:
    shown = one_line(name, HEADER_MAX)
    plain = shown.isascii() and "=?" not in shown
    return formataddr((shown, address)) if plain else f"{encoded(shown)}\r\n <{address}>"


def encoded(text: str) -> str:
    """Return a header value that reads back as exactly this text: an encoded word in it stays text.

    RFC 2047 5 (3): each encoded word holds whole characters and stands on a line of its own.
    """
    if text.isascii() and "=?" not in text:
        return text
    words: list[bytes] = [b""]
    for character in text:
        octets = character.encode("utf-8", "replace")
        if len(words[-1]) + len(octets) > _WORD_OCTETS_MAX:
            words.append(b"")
        words[-1] += octets
    return "\r\n ".join(f"=?utf-8?b?{b64encode(word).decode()}?=" for word in words)


def _root(mail: OutboxMail, club: ClubRow) -> str | None:
    """The id that all mails about a game to one recipient refer to."""
    if mail.game is None:
        return None
    identity = f"{club.id}\0game\0{mail.game}\0{fold_handle(mail.recipient)}"
    return f"<{hashlib.sha256(identity.encode()).hexdigest()[:40]}@{club.address.rpartition('@')[2]}>"


def _fit(value: str | None) -> str | None:
    """Return somebody else's message id if it can stand in a header of ours, else None."""
    if value is None or len(value) > MESSAGE_ID_MAX or not (value.isascii() and value.isprintable()):
        return None
    return value if " " not in value and value[:1] + value[-1:] == "<>" else None
