"""The folder: its key, who else can read it, the disk that it lies on."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from mailflow.app import KEY_BYTES_MIN
from mailflow.doctor.findings import Found, Patient, bad, left_out, note, well

ROOM_BYTES_MIN = 50_000_000
ROOM_BYTES_NOTED = 500_000_000
NETWORK_DISKS = frozenset(
    ("9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "nfs", "nfs4",
     "smb3", "smbfs", "virtiofs")
)  # fmt: skip
"""File systems whose locks SQLite cannot rely on."""


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
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return left_out("this system does not tell what kind of disk it is")
    kind = disk_kind(patient.settings.folder.resolve(), mounts.read_text("utf-8", "replace"))
    return bad(f"{kind}: a network disk") if kind in NETWORK_DISKS else well(kind or "a local disk")


def disk_kind(folder: Path, mounts: str) -> str:
    """Return the file system that a folder lies on, by the longest mount point above it; later ones win."""
    best, kind = -1, ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = Path(fields[1].encode().decode("unicode_escape"))
        depth = len(point.parts)
        if folder.is_relative_to(point) and depth >= best:
            best, kind = depth, fields[2]
    return kind
