"""What `mailflow balances` shows: every account, and the check of the journal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from mailflow.books import club_in, open_books
from mailflow.settings import Settings
from mailflow.words import money
from store import ledger, snapshot


def balances(settings: Settings, now: datetime) -> Iterator[str]:
    """Show every account with balance, committed and available, and the sum of all. Raises SettingsError."""
    db = open_books(settings)
    try:
        club = club_in(db, settings, now)
        members, in_all = snapshot.members(db, club.id), ledger.journal_sum(db, club.id)
    finally:
        db.close()

    def amount(cents: int) -> str:
        return money(cents, club.currency, "fr").rjust(12)

    yield f"{'':24} {'balance':>12} {'committed':>12} {'available':>12}"
    for m in members:
        note = "" if m.active else f"  ({m.status.value})"
        cells = " ".join(map(amount, (m.balance_cents, m.committed_cents, m.available_cents)))
        yield f"{m.handle:24} {cells}{note}"
    yield f"journal: {money(in_all, club.currency, 'fr')} in all"
