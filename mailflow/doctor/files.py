"""The folder: its key, who else can read it, the disk that it lies on."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from mailflow.app import KEY_BYTES_MIN
from mailflow.disks import NETWORK_DISKS, disk_of
from mailflow.doctor.findings import Found, Patient, bad, left_out, note, well

ROOM_BYTES_MIN = 50_000_000
ROOM_BYTES_NOTED = 500_000_000


def key_is_secret(patient: Patient) -> Found:
    """T-15: whoever reads the key can answer in any member's name."""
    path = patient.settings.key_file
    try:
        mode, text = path.stat().st_mode, path.read_text("ascii")
        size = len(bytes.fromhex(text.strip()))
    except (OSError, ValueError) as error:
        return bad(f"{path} cannot be read: {error}")
    if size < KEY_BYTES_MIN:
        return bad(f"{path} holds {size} bytes: too short")
    if mode & 0o077:
        return bad(f"{path} can be read by others (mode {stat.S_IMODE(mode):04o})")
    return well(f"{path.name}: {size} bytes, for its owner alone")


def folder_is_ours(patient: Patient) -> Found:
    """T-15: books and outbox hold members' mails and live tokens."""
    folder = patient.settings.folder
    if not os.access(folder, os.W_OK | os.X_OK):
        return bad(f"{folder} cannot be written by this user")
    closed = not _open_to_others(folder)
    kept = (patient.settings.database, patient.settings.outbox)
    seen = [path.name for path in kept if path.exists() and _open_to_others(path)]
    if seen and not closed:
        return bad(f"{' and '.join(seen)} in {folder} can be read by others")
    return well(f"{folder.resolve()} can be written, and its secrets are closed to others")


def _open_to_others(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o077)


def disk_has_room(patient: Patient) -> Found:
    """P-7: on a full disk mail is refused until there is room."""
    free = shutil.disk_usage(patient.settings.folder).free
    said = f"{free // 1_000_000:,} MB free".replace(",", " ")
    if free < ROOM_BYTES_MIN:
        return bad(said)
    return note(said) if free < ROOM_BYTES_NOTED else well(said)


def disk_is_local(patient: Patient) -> Found:
    """TRUST § 5: SQLite on a network disk can lose what was committed."""
    kind = disk_of(patient.settings.folder)
    if patient.settings.server is not None:
        return left_out("the books are kept by PostgreSQL")
    if kind is None:
        return left_out("this system does not tell what kind of disk it is")
    return bad(f"{kind}: a network disk") if kind in NETWORK_DISKS else well(kind or "a local disk")
