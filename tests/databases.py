"""Where tests open databases: SQLite, or PostgreSQL throughout when MAILFLOW_TEST_DATABASE=postgres.

`open_database` stands in for that of the store and takes the same: a path names a database of the server
then, the same one each time. What a test has opened is closed and dropped when it has ended.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
from functools import cache
from pathlib import Path

import psycopg

from store import database
from store.database import Database, Server

from .servers.ground import missing
from .servers.postgres import NotHere, Postgres, running

ON_POSTGRES = os.environ.get("MAILFLOW_TEST_DATABASE") == "postgres"

_TEMPLATE = "club_template"
_numbers = itertools.count(1)
_opened: list[Database] = []
_made: dict[str, str] = {}
"""What a test named -> the database made for it."""


def open_database(place: Path | Server | None) -> Database:
    """Open what a test names, in the kind of database that this run is about."""
    if ON_POSTGRES and not isinstance(place, Server):
        place = new_place("" if place is None else str(place))
    opened = database.open_database(place)
    _opened.append(opened)
    return opened


def new_place(name: str = "") -> Server:
    """Return a PostgreSQL database, already migrated: a new one, or the one that was made for `name`."""
    server = postgres()
    if not name or name not in _made:
        made = f"club_{os.getpid()}_{next(_numbers)}"
        _administer(f"CREATE DATABASE {made} TEMPLATE {_template()} STRATEGY file_copy")
        name = name or made
        _made[name] = made
    return Server(server.url_of(_made[name]))


def empty_place() -> Server:
    """Return a PostgreSQL database that holds nothing at all."""
    name = f"club_{os.getpid()}_{next(_numbers)}"
    _administer(f"CREATE DATABASE {name}")
    _made[name] = name
    return Server(postgres().url_of(name))


def postgres() -> Postgres:
    """Return this process's server, started when first asked for; without one the test is left out."""
    server = _server()
    if isinstance(server, str):
        missing(server)
    return server


@cache
def _server() -> Postgres | str:
    stack = contextlib.ExitStack()
    try:
        server = stack.enter_context(running())
    except NotHere as reason:
        return str(reason)
    atexit.register(stack.close)
    return server


@cache
def _template() -> str:
    _administer(f"CREATE DATABASE {_TEMPLATE}")
    database.open_database(Server(postgres().url_of(_TEMPLATE))).close()
    return _TEMPLATE


def _administer(text: str) -> None:
    with psycopg.connect(postgres().url, autocommit=True) as connection:
        connection.execute(text)


def forget() -> None:
    """Close and drop all that the test which has just ended had opened."""
    while _opened:
        opened = _opened.pop()
        if not opened.is_closed():
            opened.close()
    while _made:
        _, name = _made.popitem()
        _administer(f"DROP DATABASE {name} WITH (FORCE)")
