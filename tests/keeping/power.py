"""A disk that loses power: of what was written to a file since its last sync, anything may be missing.

Each write since then is on the disk, or is not, or is there in some of its sectors; in no order. SQLite's own
assumption is that one sector is written as a whole.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.disk import DONE, Call, Fate

SECTOR = 512


@dataclass
class Kept:
    """A file as the disk has it. `since`: the calls after its last sync."""

    synced: bytes
    since: list[Call] = field(default_factory=list)

    def sync(self) -> None:
        self.synced = written(self.synced, self.since)
        self.since.clear()

    def after_a_cut(self, draw: random.Random) -> bytes:
        """What may be found when the power is back."""
        some = [one for call in self.since for one in _fate(call, draw)]
        return written(self.synced, some)


@dataclass
class Power:
    """Watches SQLite's files, and keeps at some moments what a cut would leave of them.

    `is_time` tells whether to cut before a call; `cut` is given what is left, by file name.
    """

    draw: random.Random
    is_time: Callable[[Call], bool]
    cut: Callable[[Mapping[str, bytes]], object]
    files: dict[str, Kept] = field(default_factory=dict)

    def __call__(self, call: Call) -> Fate:
        if call.kind == "lock":
            return DONE
        if self.is_time(call):
            self.cut({Path(path).name: kept.after_a_cut(self.draw) for path, kept in self.files.items()})
        if call.kind == "delete":
            self.files.pop(call.path, None)
            return DONE
        kept = self.files.setdefault(call.path, Kept(_read(call.path)))
        if call.kind == "sync":
            kept.sync()
        else:
            kept.since.append(call)
        return DONE


def written(content: bytes, calls: list[Call]) -> bytes:
    """Carry out writes and cuts on the bytes of a file."""
    now = bytearray(content)
    for call in calls:
        if call.kind == "truncate":
            del now[call.at :]
        else:
            now.extend(bytes(max(0, call.at - len(now))))
            now[call.at : call.at + len(call.data)] = call.data
    return bytes(now)


def _fate(call: Call, draw: random.Random) -> list[Call]:
    """The parts of a call that reach the disk."""
    whole = draw.choice((True, False, None))
    if whole is not None or call.kind == "truncate":
        return [call] if whole else []
    # The sectors are the disk's, not the write's.
    edges = [call.at, *range((call.at // SECTOR + 1) * SECTOR, call.at + len(call.data), SECTOR)]
    parts = zip(edges, [*edges[1:], call.at + len(call.data)], strict=True)
    return [
        Call("write", call.path, start, call.data[start - call.at : end - call.at])
        for start, end in parts
        if draw.random() < 0.5
    ]


def _read(path: str) -> bytes:
    return Path(path).read_bytes() if Path(path).exists() else b""
