"""Copies of a database in a file: made whole beside a working program, checked before they count (P-11).

Never by copying the file: what SQLite is just writing would tear the copy. `VACUUM INTO` reads one
consistent state through a connection of its own.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from store.errors import StoreError, StoreUnavailable
from store.handles import BUSY_SECONDS

UNFINISHED = ".unfinished"
"""The ending of a copy that is being made: whatever bears it may be thrown away."""


def make(source: Path, target: Path) -> None:
    """Copy the database into a new file: complete, checked, on the disk, and only then under its name.

    Raises StoreError when the target exists or the copy is not sound, StoreUnavailable when the source
    cannot be read or the disk is full. What was begun is removed.
    """
    if target.exists():
        raise StoreError(f"{target} exists already")
    draft = target.with_name(target.name + UNFINISHED)
    draft.unlink(missing_ok=True)
    try:
        with closing(_connected(source, "rw")) as connection:
            connection.execute("VACUUM INTO ?", (str(draft),))
        check(draft)
        put_in_place(draft, target)
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailable(f"{source} could not be copied: {error}") from error
    finally:
        draft.unlink(missing_ok=True)


def duplicate(copy: Path, draft: Path) -> None:
    """Copy a finished copy, which nobody writes to, so that it can be worked on. Raises StoreUnavailable."""
    try:
        shutil.copyfile(copy, draft)
    except OSError as error:
        raise StoreUnavailable(f"{copy} could not be copied: {error}") from error


def check(copy: Path) -> None:
    """Look whether a copy is a sound database whose references all hold. Raises StoreError."""
    try:
        with closing(_connected(copy, "ro")) as connection:
            (said,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            broken = connection.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as error:
        raise StoreError(f"{copy} is not a sound database: {error}") from error
    if said != "ok" or broken is not None:
        raise StoreError(f"{copy} is not a sound database: {said if broken is None else broken}")


def put_in_place(draft: Path, target: Path) -> None:
    """Give a file its name once it is wholly on the disk; a power cut leaves the old state or the new."""
    _sync(draft)
    draft.replace(target)
    _sync(target.parent)


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    """Open for reading; a missing file is an error and not a new database.

    Books whose program was killed within a transaction can be read only by one who may take that back, so
    they are opened "rw"; a finished copy "ro".
    """
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=BUSY_SECONDS)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
