"""Files as earlier schemas left them, written out as SQL: what a migration must be able to take up."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from store.database import Database
from store.handles import connect_file
from store.migrations import migrate, shipped

FOLDER = Path(__file__).parent


def old_file(path: Path, schema: int = 1) -> Database:
    """Make a club's file as it was at a schema, and return a handle of it, not migrated further.

    The club has four members, a game whose result was taken back and given again, a running one, a
    transfer, nine mails and a weekly digest.
    """
    with closing(sqlite3.connect(path)) as db:
        db.executescript((FOLDER / "schema-1.sql").read_text("utf-8"))
    handle = connect_file(path, "PERSIST")
    migrate(handle, shipped()[:schema])
    return handle
