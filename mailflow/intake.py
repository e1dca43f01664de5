"""Keep a received mail: the token that it carries is digested, and no text of a token is kept (T-15).

Every door hands its mails in here. The bytes that come in are masked before they touch the database, so that
neither it, nor its journal, nor a backup ever holds what would prove anything. What is not masked is not
accepted either: a token counts only if it was found in the bytes.
"""

from __future__ import annotations

from datetime import datetime

from mailflow.proofs import digest
from parsers.letter import read_letter
from parsers.masking import masked, tokens_in
from store import inbox, mailboxes, tokens
from store.database import Database

SHAPES_MAX = 200
"""Of a mail that holds more texts with the shape of a token, all are masked without a look."""


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
