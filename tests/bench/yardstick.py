"""What the machine gives at this moment: a bare durable commit, beside every figure."""

from __future__ import annotations

import os
import sqlite3
import statistics
from pathlib import Path

from mailflow.ambient import stopwatch

COMMITS = 60


def commit_seconds(folder: Path) -> float:
    """Return the median of a commit of one row by sqlite3 alone, synced, in this folder."""
    path = folder / "yardstick.db"
    taken: list[float] = []
    db = sqlite3.connect(path, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode=PERSIST")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("CREATE TABLE IF NOT EXISTS bare (text TEXT)")
        for _ in range(COMMITS):
            begun = stopwatch()
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO bare VALUES (?)", ("x" * 500,))
            db.execute("COMMIT")
            taken.append(stopwatch() - begun)
    finally:
        db.close()
    return statistics.median(taken)


def yardstick(folder: Path) -> None:
    """Print the yardstick and the machine's load."""
    print(
        f"  (yardstick: a bare durable commit takes {commit_seconds(folder) * 1000:.2f} ms;"
        f" load of the machine {os.getloadavg()[0]:.1f})",
        flush=True,
    )
