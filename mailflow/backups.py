"""Keep copies of a club's books: make one, look whether one is sound, put one away when there are enough.

A copy is named by club and instant, so that a folder may hold the copies of several clubs.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from mailflow.errors import MailflowError, SettingsError
from store import backup, clubs
from store.database import open_database
from store.errors import StoreError
from store.records import ClubRow
from store.verify import Finding, verify


class BackupError(MailflowError):
    """A copy that could not be made, or cannot be used."""


def make(database: Path, address: str, folder: Path, now: datetime) -> Path:
    """Copy the books into a new file of the folder, made if missing, and return the file.

    What is wrong in the books is copied as it is. Raises BackupError; nothing half made is left under
    a copy's name. What earlier ones that were killed half-way left behind is removed.
    """
    if not database.is_file():
        raise BackupError(f"there is no {database}: nothing was kept yet")
    target = folder / f"{_club_part(address)}{now.astimezone(UTC):%Y%m%dT%H%M%S}Z.db"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        backup.make(database, target)
        _clear(address, target)
    except (OSError, StoreError) as error:
        raise BackupError(f"no copy was made: {error}") from error
    return target


def findings(copy: Path) -> dict[ClubRow, tuple[Finding, ...]]:
    """Look through a copy, without changing it: what is wrong in the books of each of its clubs.

    Raises BackupError for a file that is no sound database, or is newer than this program.
    """
    if not copy.is_file():
        raise BackupError(f"there is no file {copy}")
    draft = copy.with_name(f"{copy.name}.looked-at{backup.UNFINISHED}")
    try:
        backup.check(copy)
        backup.duplicate(copy, draft)  # looked at in a copy: an older one is migrated for it
        db = open_database(draft)
        try:
            return {club: verify(db, club.id) for club in clubs.clubs(db)}
        finally:
            db.close()
    except StoreError as error:
        raise BackupError(str(error)) from error
    finally:
        for name in (draft.name, f"{draft.name}-journal", f"{draft.name}-wal", f"{draft.name}-shm"):
            draft.with_name(name).unlink(missing_ok=True)


def put_away(address: str, folder: Path, keep: int) -> list[Path]:
    """Delete a club's oldest copies of the folder beyond the newest `keep`; return what was deleted.

    Only files whose names this program gives to this club's copies are touched.
    """
    if keep < 1:
        raise SettingsError("--keep must be 1 at least")
    name = _names(address)
    old = sorted(p for p in folder.iterdir() if name.fullmatch(p.name))[:-keep]
    for path in old:
        path.unlink()
    return old


def _clear(address: str, target: Path) -> None:
    """Remove the drafts of this club's copies that were begun before this one."""
    drafts = _names(address, re.escape(backup.UNFINISHED) + "(-journal)?")
    for path in list(target.parent.iterdir()):
        if drafts.fullmatch(path.name) and path.name < target.name:
            path.unlink(missing_ok=True)


def _names(address: str, ending: str = "") -> re.Pattern[str]:
    return re.compile(re.escape(_club_part(address)) + r"\d{8}T\d{6}Z\.db" + ending)


def _club_part(address: str) -> str:
    return f"{address}_"
