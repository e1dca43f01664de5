"""Where the books of a play are kept: in a file beside its settings, or in a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from mailflow.settings import load
from store.database import Server
from tests.servers.postgres import Postgres, running

BOOKS = ("file", "postgres")

NO_URL = 'url = ""'


class Files:
    """A copy of the folder has all."""

    def new(self, folder: Path) -> Path:
        """Where the books of the template in a folder are to be made."""
        return folder / "mailflow.db"

    def copied(self, template: Path, case: Path) -> None:
        """The books of the copy of a template are the copy of its books."""

    def removed(self, case: Path) -> None:
        """They go with their folder."""


class Databases(Files):
    """Each template has a database, and each copy of it a copy of that."""

    def __init__(self, server: Postgres) -> None:
        self._server = server
        self._made = 0

    def new(self, folder: Path) -> Server:  # type: ignore[override]
        """Make a database for a template and name it in its settings."""
        name = self._name()
        self._administer(f"CREATE DATABASE {name}")
        place = Server(self._server.url_of(name))
        self._rewrite(folder, NO_URL, f'url = "{place.url}"')
        return place

    def copied(self, template: Path, case: Path) -> None:
        """Copy a template's database, and name the copy in the settings of the case."""
        old, name = load(template).server, self._name()
        assert old is not None
        source = old.url.rpartition("/")[2]
        self._administer(f"CREATE DATABASE {name} TEMPLATE {source} STRATEGY file_copy")
        self._rewrite(case, old.url, self._server.url_of(name))

    def removed(self, case: Path) -> None:
        """Drop it, whoever is still connected."""
        server = load(case).server
        assert server is not None
        self._administer(f"DROP DATABASE {server.url.rpartition('/')[2]} WITH (FORCE)")

    def _name(self) -> str:
        self._made += 1
        return f"books{self._made}"

    def _rewrite(self, folder: Path, old: str, new: str) -> None:
        settings = folder / "club.toml"
        text = settings.read_text("utf-8")
        assert old in text
        settings.write_text(text.replace(old, new, 1), "utf-8")

    def _administer(self, text: str) -> None:
        with psycopg.connect(self._server.url, autocommit=True) as admin:
            admin.execute(text)


@contextmanager
def books(kind: str) -> Iterator[Files]:
    """Start the server that the books need, if they need one."""
    if kind == "file":
        yield Files()
        return
    with running() as server:
        yield Databases(server)
