"""Put a copy of the books back in their place, and have them catch up from a mailbox archive (P-11, T-37).

All is done on a draft beside the books; one rename at the end makes it count, so that a restore killed
half-way has changed nothing. What the archive holds is handled as of the time at which it was received, so
that the same ledger comes of it. Nothing that may have been sent before is sent again: what the draft would
still send is held back, unless an archive of sent mail tells which of it went out. Then a new epoch begins,
and every token issued before is dead.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.parser import BytesHeaderParser
from pathlib import Path

from mailflow.app import Office, office_on
from mailflow.backups import BackupError, findings
from mailflow.identify import Trust
from mailflow.intake import keep, sealed
from mailflow.settings import Settings
from parsers.letter import read_letter
from store import audit, backup, clubs, delivery, inbox
from store.database import open_database, unit_of_work
from store.errors import StoreError

SIZE_BYTES_MAX = 35_000_000
"""A file of an archive that is larger is no mail."""


@dataclass(frozen=True)
class Restored:
    """What came of it. `before`: where the books that stood there are now, if there were any."""

    handled: int
    sent: int
    held: int
    queued: int
    before: Path | None


def restore(
    settings: Settings, copy: Path, archive: Path | None, sent: Path | None, now: datetime
) -> Restored:
    """Restore the books from a copy. `archive`, `sent`: folders of mails received, and of mails sent.

    The caller holds the folder's lock. Raises BackupError, with the present books untouched.
    """
    if settings.server is not None:
        raise BackupError("these books are kept by a server: restore them with pg_restore")
    wrong = [finding for found in findings(copy).values() for finding in found]
    if wrong:
        raise BackupError(f"{copy} holds wrong books: mailflow backup --verify {copy}")
    for folder in (archive, sent):
        if folder is not None and not folder.is_dir():
            raise BackupError(f"there is no folder {folder}")
    draft = settings.database.with_name(settings.database.name + backup.UNFINISHED)
    _remove(draft)
    try:
        backup.duplicate(copy, draft)
        handled, counts = _caught_up(settings, draft, archive, sent, now)
        before = _kept_aside(settings.database, now)
        backup.put_in_place(draft, settings.database)
    except (OSError, StoreError) as error:
        raise BackupError(f"nothing was restored: {error}") from error
    finally:
        _remove(draft)
    return Restored(handled, *counts, before)


def _caught_up(
    settings: Settings, draft: Path, archive: Path | None, sent: Path | None, now: datetime
) -> tuple[int, tuple[int, int, int]]:
    db = open_database(draft)
    try:
        if settings.address not in {club.address for club in clubs.clubs(db)}:
            raise BackupError(f"the copy holds no books of {settings.address}")
        office = office_on(settings, db, Trust.CONFIRM, now)
        handled = _replayed(office, archive, now)
        with unit_of_work(office.db):
            counts = _settled(office, sent, now)
            clubs.raise_epoch(office.db, office.club.id, now)
            values = {"handled": handled, "held": counts[1]}
            audit.record(
                office.db, office.club.id, now, f"operator:restore:{now.isoformat()}", "restore", values
            )
        return handled, counts
    finally:
        db.close()


def _replayed(office: Office, archive: Path | None, now: datetime) -> int:
    """Handle the archive's mails in the order in which they were received, and all that fell due."""
    handled = 0
    for received_at, path in sorted(_received(archive)):
        raw, at = path.read_bytes(), min(received_at, now)
        # What the copy knows is not kept again: mails are numbered as they were, and so is what answers them.
        letter = read_letter(sealed(office.db, raw)[0], frozenset({office.club.address}))
        if not inbox.knows(office.db, office.club.id, letter.fingerprint):
            with unit_of_work(office.db):
                keep(office.db, office.club.id, "archive", raw, at)
            handled += len(office.desk.work(at))
    office.desk.work(now)
    return handled


def _settled(office: Office, sent: Path | None, now: datetime) -> tuple[int, int, int]:
    """Say of each mail still to be sent that it went out, or hold it; return (sent, held, queued)."""
    db, club_id = office.db, office.club.id
    if sent is None:
        return 0, delivery.hold(db, club_id, f"held by the restore of {now:%Y-%m-%d %H:%M} UTC"), 0
    went = delivery.note_sent(db, club_id, tuple(_message_ids(sent)), now)
    return went, 0, delivery.waiting(db, club_id).waiting


def _received(folder: Path | None) -> Iterator[tuple[datetime, Path]]:
    """Give each mail of a folder with the time of its file: what copies a mailbox keeps the reception's."""
    for path in _mails(folder):
        yield datetime.fromtimestamp(path.stat().st_mtime, UTC), path


def _message_ids(folder: Path) -> Iterator[str]:
    for path in _mails(folder):
        with path.open("rb") as file:
            found = str(BytesHeaderParser().parse(file).get("Message-ID", "")).strip()
        if found:
            yield found


def _mails(folder: Path | None) -> Iterable[Path]:
    """All files of a Maildir, or of a plain folder, whatever is below it."""
    if folder is None:
        return ()
    files = (p for p in folder.rglob("*") if p.is_file() and "tmp" not in p.relative_to(folder).parts[:-1])
    return [
        p for p in files if p.stat().st_size <= SIZE_BYTES_MAX and not p.name.startswith(("dovecot", "."))
    ]


def _kept_aside(database: Path, now: datetime) -> Path | None:
    """Give the present books a second name; they stay under the first until the draft takes it."""
    if not database.exists():
        return None
    _settle(database)
    before = database.with_name(f"{database.name}.before-{now.astimezone(UTC):%Y%m%dT%H%M%S}Z")
    before.unlink(missing_ok=True)
    os.link(database, before)
    return before


def _settle(database: Path) -> None:
    """Have no journal beside the books that the next opener would play back into others."""
    with suppress(StoreError):  # damaged, perhaps: that is why they are replaced
        open_database(database).close()
    for ending in ("-journal", "-wal", "-shm"):
        left = database.with_name(database.name + ending)
        if left.exists():
            left.replace(database.with_name(f"{database.name}.before{ending}"))


def _remove(draft: Path) -> None:
    for ending in ("", "-journal", "-wal", "-shm"):
        draft.with_name(draft.name + ending).unlink(missing_ok=True)
