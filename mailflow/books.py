"""Open a club's books by its settings. Nothing of the desk is needed for that, so that to look is quick."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from mailflow.errors import SettingsError
from mailflow.founding import found
from mailflow.settings import Settings
from store import clubs, moving
from store.database import Database, open_database
from store.errors import RowExists, StoreError
from store.records import ClubRow


def open_books(settings: Settings) -> Database:
    """Open the database that the settings name. Raises SettingsError."""
    try:
        return open_database(settings.books)
    except StoreError as error:
        raise SettingsError(str(error)) from error


def club_in(db: Database, settings: Settings, now: datetime) -> ClubRow:
    """Find the club by its address, or found it. Name and forum may change in club.toml at any time."""
    kept = clubs.clubs(db)
    row = next((c for c in kept if c.address == settings.address), None)
    if row is not None and moving.arriving(db, row.address) is not None:
        raise SettingsError(f"{row.address} has not wholly arrived: run 'mailflow migrate-to' again")
    if row is None:
        if kept and settings.server is None:
            raise SettingsError(f"{settings.database} keeps {kept[0].address}, not {settings.address}")
        try:
            return found(db, settings, (), now)
        except RowExists:  # another process has just founded it
            return club_in(db, settings, now)
    for name in ("timezone", "currency"):
        if getattr(row, name) != getattr(settings, name):
            raise SettingsError(f"the club was founded with {name} {getattr(row, name)}: it cannot change")
    return replace(row, name=settings.name, forum=settings.forum)
