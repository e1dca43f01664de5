"""`mailflow migrate-to`: move a club's books from its file into a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import cast

from mailflow.errors import MailflowError, SettingsError
from mailflow.service import only_one
from mailflow.settings import Settings
from store import clubs, moving
from store.database import Database, Server, moved_to, open_database
from store.errors import StoreError
from store.handles import Postgresql
from store.records import ClubRow


class MoveError(MailflowError):
    """Books that were not moved: they are where they were."""


def migrate_to(settings: Settings, server: Server, now: datetime) -> Iterator[str]:
    """Move the books and tell about it. Raises MoveError, or SettingsError while the club is served.

    Taken up again after it was cut off, it goes on where it stopped.
    """
    if settings.server is not None:
        raise SettingsError(f"the books of {settings.address} are kept in {settings.server} already")
    if not settings.database.is_file():
        raise SettingsError(f"there is no {settings.database}: nothing was kept yet")
    with only_one(settings.lock_file):
        try:
            with closing(cast(Postgresql, open_database(server))) as target:
                yield from _moved(settings, target, now)
        except StoreError as error:
            raise MoveError(f"the books were not moved: {error}") from error


def _moved(settings: Settings, target: Postgresql, now: datetime) -> Iterator[str]:
    before = moved_to(settings.database)
    if before == str(target.server):
        moving.finish(target, settings.address)
        yield f"{settings.address}: moved before"
    else:
        with closing(open_database(settings.database)) as source:
            seen = moving.move(source, target, _only_club(source, settings), now)
        yield f"{settings.address}: {sum(seen.rows.values())} rows moved and compared"
        yield f"  journal {seen.journal}"
        yield f"  head of the audit chain {seen.chain_head}"
    yield f"{settings.database} is kept as it was, and is not served any more. Now write into club.toml:"
    yield "[database]"
    yield f'url = "{target.server}"'


def _only_club(source: Database, settings: Settings) -> ClubRow:
    kept = clubs.clubs(source)
    if [club.address for club in kept] != [settings.address]:
        names = ", ".join(club.address for club in kept) or "no club"
        raise SettingsError(f"{settings.database} keeps {names}, not {settings.address} alone")
    return kept[0]
