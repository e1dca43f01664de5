"""Open databases: SQLite in a file or in memory, PostgreSQL on a server. `store.database` makes them.

A handle may be bound to one club (`for_club`): what it writes then takes the right to write for this club
alone, and with a lease only as long as nobody has taken that over. A handle that is not bound writes for
all clubs at once. Handles of one database share each thread's connection.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import peewee
import psycopg
from psycopg.adapt import Loader
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8Dumper

BUSY_SECONDS = 10
"""How long a writer waits for another before it gives up."""

IDLE_SECONDS = 60
"""After so long without a word, PostgreSQL ends a transaction: a host that is cut off frees its club."""

CONNECT_SECONDS = 10


@dataclass(frozen=True)
class Fence:
    """The number under which a lease was given: a later holder has a greater one (`store.leases`)."""

    lease: str
    number: int


@dataclass(frozen=True)
class Server:
    """A PostgreSQL database: `url` is postgresql://user@host:port/name, without the password.

    The password is read anew for each connection from `password_file`; without one libpq looks for it where
    it always does (PGPASSFILE, ~/.pgpass).
    """

    url: str
    password_file: Path | None = None

    def __str__(self) -> str:
        return self.url


@dataclass
class _Unit(threading.local):
    """Whether this thread is within a unit of work: then a lost connection is not replaced."""

    begun: bool = False


class _Bound:
    """What a handle is bound to. `club_id` is None for one that writes for all clubs."""

    club_id: int | None = None
    fence: Fence | None = None


class Sqlite(_Bound, peewee.SqliteDatabase):
    """A file, or a database in memory."""


class Postgresql(_Bound, peewee.PostgresqlDatabase):
    """A database on a server. A connection that was lost is replaced when the next unit of work begins."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.unit = _Unit()
        super().__init__(server.url, prefer_psycopg3=True)

    def _connect(self) -> Any:
        given: dict[str, Any] = {}
        if self.server.password_file is not None:
            given["password"] = _password(self.server.password_file)
        conn = psycopg.connect(
            self.server.url,
            autocommit=True,
            connect_timeout=CONNECT_SECONDS,
            application_name="mailflow",
            client_encoding="UTF8",
            keepalives_idle=30,
            keepalives_interval=10,
            keepalives_count=3,
            **given,
        )
        try:
            _prepare(conn)
        except BaseException:
            conn.close()
            raise
        return conn

    def cursor(self, named_cursor: Any = None) -> Any:
        """Return a cursor, of a new connection if the last was lost outside of a unit of work."""
        if not self.unit.begun and not self.is_closed() and self._present().closed:
            self.close()
        return super().cursor()  # type: ignore[no-untyped-call]

    def within(self) -> bool:
        """Tell whether this thread's connection is within a transaction, one that failed included."""
        if self.is_closed():
            return False
        status = self._present().info.transaction_status
        return status in (TransactionStatus.INTRANS, TransactionStatus.INERROR, TransactionStatus.ACTIVE)

    def _present(self) -> psycopg.Connection[Any]:
        return cast("psycopg.Connection[Any]", self.connection())  # type: ignore[no-untyped-call]


Handle: TypeAlias = Sqlite | Postgresql

D = TypeVar("D", bound=peewee.Database)


def for_club(db: D, club_id: int, fence: Fence | None = None) -> D:
    """Return a handle of the same database, bound to a club and, with `fence`, to a lease."""
    bound = copy.copy(db)
    handle = cast(Handle, bound)
    handle.club_id, handle.fence = club_id, fence
    return bound


@contextmanager
def under(db: peewee.Database, fence: Fence) -> Iterator[None]:
    """Bind a club's handle to a lease for what is done within."""
    handle = cast(Handle, db)
    handle.fence = fence
    try:
        yield
    finally:
        handle.fence = None


def connect_file(path: Path | None, journal_mode: str) -> Sqlite:
    """Return a handle of a file, or of a new database in memory for None; nothing is opened yet."""
    return Sqlite(
        ":memory:" if path is None else str(path),
        pragmas={
            "journal_mode": journal_mode,
            "journal_size_limit": 4_000_000,
            "synchronous": "FULL",
            "foreign_keys": "ON",
            "trusted_schema": "OFF",
            "temp_store": "MEMORY",
            "cache_size": -16_000,
        },
        timeout=BUSY_SECONDS,
        cached_statements=512,
        thread_safe=path is not None,
    )


def _password(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise psycopg.OperationalError(f"the password in {path} cannot be read") from error


class _WholeNumber(Loader):
    """A sum of whole numbers is numeric to PostgreSQL, and is a whole number to us."""

    def load(self, data: Any) -> int:
        return int(bytes(data))


def _prepare(conn: psycopg.Connection[Any]) -> None:
    """Settings that keep promises, whatever the server's own are.

    Numbers all go as the same type: else each size of a number would make a prepared statement of its own.
    """
    conn.prepared_max = 400
    conn.adapters.register_dumper(int, Int8Dumper)
    conn.adapters.register_loader("numeric", _WholeNumber)
    conn.execute(
        "SELECT set_config('synchronous_commit', 'on', false),"
        " set_config('default_transaction_isolation', 'read committed', false),"
        " set_config('default_transaction_deferrable', 'off', false),"
        " set_config('standard_conforming_strings', 'on', false),"
        " set_config('lock_timeout', %s, false),"
        " set_config('idle_in_transaction_session_timeout', %s, false)",
        (f"{int(BUSY_SECONDS * 1000)}ms", f"{IDLE_SECONDS}s"),
    )
