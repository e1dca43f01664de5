"""What kind of disk a folder lies on: SQLite cannot rely on the locks of those in a network."""

from __future__ import annotations

from pathlib import Path

NETWORK_DISKS = frozenset(
    ("9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "nfs", "nfs4",
     "smb3", "smbfs", "virtiofs")
)  # fmt: skip
"""File systems whose locks SQLite cannot rely on."""
MOUNTS = Path("/proc/self/mounts")


def disk_of(folder: Path) -> str | None:
    """Return the file system that a folder lies on; None where the machine does not tell."""
    if not MOUNTS.exists():
        return None
    return disk_kind(folder.resolve(), MOUNTS.read_text("utf-8", "replace"))


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
