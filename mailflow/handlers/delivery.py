"""P-6: what could not be delivered is told to the managers, at most once a day."""

from __future__ import annotations

from mailflow.model import Club, Notice, Outcome
from mailflow.rules.delivery import keep_bouncing
from store.records import TellUndelivered

KIND = "delivery.failed"
LISTED_MAX = 30
"""So many mails are named, the latest; of the others the number is told."""


def report(club: Club) -> Outcome:
    """Tell the managers of mails that were given up or came back since they were last told.

    Of such a report that did not arrive none is made: it would go the same way, day after day.
    """
    failed = club.books.undelivered()
    if not failed:
        return Outcome()
    shown = [one for one in failed if one.kind != KIND]
    changes = (TellUndelivered(tuple(one.id for one in failed)),)
    if not shown:
        return Outcome(changes=changes)
    facts = {
        "failed": shown[-LISTED_MAX:],
        "more": max(0, len(shown) - LISTED_MAX),
        "bouncing": list(keep_bouncing(club)),
    }
    return Outcome(
        changes=changes, notices=(Notice(KIND, tuple(m.handle for m in club.managers), None, facts),)
    )
