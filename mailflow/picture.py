"""Take a picture of a club as its books stand now, for rules and handlers to look at."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from mailflow.catalogue import grammar_of
from mailflow.model import Club
from mailflow.rulebook import from_json
from mailflow.sections.digest import Digest
from mailflow.sections.trust import Caution
from store import snapshot
from store.database import Database
from store.records import ClubRow, fold_handle


def picture(
    db: Database, row: ClubRow, now: datetime, caution: Caution | None = None, digest: Digest | None = None
) -> Club:
    """Return the club at `now`; what it looks up later comes from the same transaction.

    `caution`, `digest`: the club's own, where what is done depends on it.
    """
    books = snapshot.Books(db, row.id)
    version = books.rulebook()
    return Club(
        name=row.name,
        address=row.address,
        timezone=ZoneInfo(row.timezone),
        currency=row.currency,
        language=row.language,
        forum=row.forum,
        now=now,
        rulebook=from_json(version.values),
        rulebook_version=version.number,
        grammar=grammar_of(row.currency),
        members={fold_handle(m.handle): m for m in snapshot.members(db, row.id)},
        books=books,
        epoch=row.epoch,
        caution=caution or Caution(),
        digest=digest or Digest(),
    )
