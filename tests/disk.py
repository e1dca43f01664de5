"""The disk under SQLite: whoever watches it sees each write and sync, and may have it fail, or die there.

SQLite calls the system through a table of functions, its VFS. Ours hands everything on to the real one, and
asks the watcher before it writes, syncs, cuts, deletes or locks a file. So what fails is what fails in life,
and SQLite itself finds its way out of it.
"""

from __future__ import annotations

import _sqlite3
import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p, cast
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from tests.servers.ground import missing

BUSY, FULL, BROKEN_WRITE, BROKEN_SYNC = 5, 13, 778, 1034
"""What SQLite calls them: SQLITE_BUSY, SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC."""


@dataclass(frozen=True)
class Call:
    """What SQLite is about to do. `kind`: write, sync, truncate, delete, lock; `at`: an offset, or a size."""

    kind: str
    path: str
    at: int = 0
    data: bytes = b""


class Fate(NamedTuple):
    """What comes of a call: 0 is done as asked; another code fails, after `written` bytes of a write."""

    code: int
    written: int = 0


DONE = Fate(0)

Watcher = Callable[[Call], Fate]


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Have all that is opened within, by whatever thread, watched. It is to be closed within, too."""
    disk = _disk()
    disk.watcher = watcher
    disk.is_default(True)
    try:
        yield
    finally:
        disk.is_default(False)
        disk.watcher = _nobody


def _nobody(call: Call) -> Fate:
    return DONE


# ---------------------------------------------------------------- what SQLite's own header says

_OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
"""The name goes on as it came: SQLite keeps the pointer, and has more behind the name."""
_DELETE = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
_WITH_FLAG = CFUNCTYPE(c_int, c_void_p, c_int)
_POINTERS_OF_VFS = ("xAccess", "xFullPathname", "xDlOpen", "xDlError", "xDlSym", "xDlClose", "xRandomness")
_MORE_OF_VFS = ("xSleep", "xCurrentTime", "xGetLastError", "xCurrentTimeInt64", "xSet", "xGet", "xNext")
_REST_OF_FILE = ("xUnlock", "xReserved", "xControl", "xSectorSize", "xCharacteristics")
_MORE_OF_FILE = ("xShmMap", "xShmLock", "xShmBarrier", "xShmUnmap", "xFetch", "xUnfetch")


class _Vfs(Structure):
    _fields_ = [
        ("iVersion", c_int),
        ("szOsFile", c_int),
        ("mxPathname", c_int),
        ("pNext", c_void_p),
        ("zName", c_char_p),
        ("pAppData", c_void_p),
        ("xOpen", _OPEN),
        ("xDelete", _DELETE),
        *[(name, c_void_p) for name in _POINTERS_OF_VFS + _MORE_OF_VFS],
    ]


class _Methods(Structure):
    _fields_ = [
        ("iVersion", c_int),
        ("xClose", c_void_p),
        ("xRead", c_void_p),
        ("xWrite", _WRITE),
        ("xTruncate", _TRUNCATE),
        ("xSync", _WITH_FLAG),
        ("xFileSize", c_void_p),
        ("xLock", _WITH_FLAG),
        *[(name, c_void_p) for name in _REST_OF_FILE + _MORE_OF_FILE],
    ]


class _File(Structure):
    _fields_ = [("pMethods", POINTER(_Methods))]


class _Disk:
    """Our VFS. What SQLite holds a pointer to must never be collected: there is one, for good."""

    def __init__(self) -> None:
        self._sqlite = _library()
        self._real = cast(self._sqlite.sqlite3_vfs_find(None), POINTER(_Vfs)).contents
        self.watcher: Watcher = _nobody
        self._paths: dict[int, str] = {}
        self._methods: dict[int, _Methods] = {}
        self._vfs = _copied(self._real)
        self._vfs.zName = b"watched"
        self._vfs.xOpen, self._vfs.xDelete = _OPEN(self._open), _DELETE(self._delete)

    def is_default(self, ours: bool) -> None:
        self._sqlite.sqlite3_vfs_register(byref(self._vfs if ours else self._real), 1)

    def _open(self, vfs: int, name: int | None, file: int, flags: int, out: int | None) -> int:
        code = int(self._real.xOpen(vfs, name, file, flags, out))
        opened = cast(file, POINTER(_File)).contents
        if opened.pMethods and name is not None:  # a nameless file is a temporary one
            self._paths[file] = ctypes.string_at(name).decode()
            real = ctypes.addressof(opened.pMethods.contents)
            if real not in self._methods:
                self._methods[real] = self._watching(opened.pMethods.contents)
            opened.pMethods = ctypes.pointer(self._methods[real])
        return code

    def _delete(self, vfs: int, name: bytes, sync: int) -> int:
        fate = self.watcher(Call("delete", name.decode()))
        return fate.code or int(self._real.xDelete(vfs, name, sync))

    def _watching(self, real: _Methods) -> _Methods:
        def write(file: int, data: int, size: int, at: int) -> int:
            fate = self.watcher(Call("write", self._paths[file], at, ctypes.string_at(data, size)))
            if fate.code and fate.written:
                real.xWrite(file, data, fate.written, at)
            return fate.code or int(real.xWrite(file, data, size, at))

        def truncate(file: int, size: int) -> int:
            return self.watcher(Call("truncate", self._paths[file], size)).code or int(
                real.xTruncate(file, size)
            )

        def sync(file: int, flags: int) -> int:
            return self.watcher(Call("sync", self._paths[file])).code or int(real.xSync(file, flags))

        def lock(file: int, level: int) -> int:
            return self.watcher(Call("lock", self._paths[file], level)).code or int(real.xLock(file, level))

        ours = _copied(real)
        ours.xWrite, ours.xTruncate = _WRITE(write), _TRUNCATE(truncate)
        ours.xSync, ours.xLock = _WITH_FLAG(sync), _WITH_FLAG(lock)
        return ours


@cache
def _disk() -> _Disk:
    return _Disk()


def _library() -> Any:
    """The very SQLite that Python's module uses."""
    found = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    if not hasattr(found, "sqlite3_vfs_find"):
        missing("this Python hides its SQLite")
    found.sqlite3_vfs_find.restype = c_void_p
    return found


def _copied(one: Any) -> Any:
    return type(one).from_buffer_copy(one)
