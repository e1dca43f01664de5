"""Keep a received mail: the token that it carries is digested, and no text of a token is kept (T-15).

Every door hands its mails in here. The bytes that come in are masked before they touch the database, so that
neither it, nor its journal, nor a backup ever holds what would prove anything. What is not masked is not
accepted either: a token counts only if it was found in the bytes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from mailflow.proofs import digest
from parsers.letter import Letter, read_letter
from parsers.masking import masked, tokens_in
from store import inbox, mailboxes, tokens
from store.database import Database

SHAPES_MAX = 200
"""Of a mail that holds more texts with the shape of a token, all are masked without a look."""

MASK = "x" * 27


def keep(db: Database, club_id: int, source: str, raw: bytes, received_at: datetime) -> int:
    """Keep a mail within the caller's transaction and return its id; see `inbox.keep`."""
    return inbox.keep(db, club_id, source, raw, received_at, *sealed(db, raw))


def keep_from_mailbox(
    db: Database, club_id: int, mailbox_id: int, uid: int, raw: bytes, received_at: datetime
) -> int:
    """Keep a mail of a mailbox and put its UID on record; see `mailboxes.keep`."""
    return mailboxes.keep(db, club_id, mailbox_id, uid, raw, received_at, *sealed(db, raw))


def sealed(db: Database, raw: bytes) -> tuple[bytes, str | None]:
    """Return the bytes without any token of ours, and the digest of the token that the mail carries."""
    shapes = {digest(text): text for text in tokens_in(raw)}
    if not shapes:
        return raw, None
    known = tokens.known(db, shapes) if len(shapes) <= SHAPES_MAX else shapes
    token = read_letter(raw).token
    carried = digest(token) if token is not None and digest(token) in shapes else None
    return masked(raw, frozenset(shapes[one] for one in known)), carried


def veiled(db: Database, letter: Letter) -> Letter:
    """Return a letter whose words show no token of ours, however its bytes hid it.

    What is read of a mail goes on into answers, motives and mails to others, and is kept with them (T-15).
    """
    words = (letter.text, letter.subject, letter.html_text or "")
    shapes = {digest(found): found.lower() for one in words for found in _SHAPE.findall(one)}
    if not shapes:
        return letter
    secrets = {shapes[one] for one in (tokens.known(db, shapes) if len(shapes) <= SHAPES_MAX else shapes)}

    def veil(text: str) -> str:
        return _SHAPE.sub(
            lambda found: "x" * len(found[0]) if found[0].lower() in secrets else found[0], text
        )

    html = None if letter.html_text is None else veil(letter.html_text)
    return replace(letter, text=veil(letter.text), subject=veil(letter.subject), html_text=html)


_SHAPE = re.compile(r"(?<![0-9a-z])[a-z][0-9a-hjkmnp-tv-z]{26}(?![0-9a-z])", re.IGNORECASE | re.ASCII)
