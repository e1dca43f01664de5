"""What the machine gives at this moment: a bare durable commit, taken in turn with what is measured."""

from __future__ import annotations

import os
import sqlite3
import statistics
from pathlib import Path

from mailflow.ambient import stopwatch

COMMITS = 60


class Yardstick:
    """Commits one row by sqlite3 alone, synced, in the folder that is measured."""

    def __init__(self, folder: Path) -> None:
        self._taken: list[float] = []
        self._db = sqlite3.connect(folder / "yardstick.db", isolation_level=None)
        self._db.execute("PRAGMA journal_mode=PERSIST")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("CREATE TABLE IF NOT EXISTS bare (text TEXT)")

    def commit(self) -> None:
        """Take the time of one commit: as often as what is measured, for the disk's mood changes quickly."""
        begun = stopwatch()
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("INSERT INTO bare VALUES (?)", ("x" * 500,))
        self._db.execute("COMMIT")
        self._taken.append(stopwatch() - begun)

    def tell(self) -> None:
        """Print the median and the least of them, and the machine's load."""
        middle, least = statistics.median(self._taken) * 1000, min(self._taken) * 1000
        print(
            f"  (yardstick: a bare durable commit, median {middle:.2f} ms, min {least:.2f} ms;"
            f" load of the machine {os.getloadavg()[0]:.1f})",
            flush=True,
        )
        self._db.close()


def yardstick(folder: Path) -> None:
    """Print what some commits take now, for what cannot be measured in turn with them."""
    bare = Yardstick(folder)
    for _ in range(COMMITS):
        bare.commit()
    bare.tell()
