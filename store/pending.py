"""Which clubs of a database have something to do: a few look-ups in indexes for each, whatever they hold."""

from __future__ import annotations

from datetime import datetime

import peewee

from store import sql


def clubs_with_mail(db: peewee.Database, now: datetime) -> frozenset[int]:
    """Return the ids of the clubs with a mail to handle, or one to send that is due and in nobody's hand."""
    text = (
        "SELECT c.id FROM club c WHERE"
        " EXISTS (SELECT 1 FROM inbox i WHERE i.club_id = c.id AND i.state = 'received')"
        " OR EXISTS (SELECT 1 FROM outbox o WHERE o.club_id = c.id AND o.state = 'queued' AND o.next_at <= ?"
        " AND (o.held_by IS NULL OR o.held_until <= ?))"
    )
    return frozenset(club_id for (club_id,) in sql.rows(db, text, (now, now)))
