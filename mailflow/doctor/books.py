"""The books and the clock: the database opens, is ours and of a schema that we know; time goes forward."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from mailflow.doctor.findings import Found, Patient, bad, left_out, note, well
from store.condition import condition, damage, journal, sqlite_version
from store.errors import StoreError

BUILT = datetime(2026, 1, 1, tzinfo=UTC)
"""No clock that is right shows an earlier instant."""
BACKWARDS = timedelta(minutes=1)
SILENCE = timedelta(days=400)
"""After so long without a word in the books the clock is the more likely to be wrong."""


def sqlite_serves(patient: Patient) -> Found:
    if patient.settings.server is not None:
        return left_out("the books are kept by PostgreSQL")
    version, trouble = sqlite_version()
    return bad(f"SQLite {version}: {trouble}") if trouble else well(f"SQLite {version}, {journal()}")


def books_open(patient: Patient) -> Found:
    settings = patient.settings
    name = settings.database.name if settings.server is None else str(settings.server)
    if not patient.has_books:
        return left_out(f"no {name} yet: the first start makes it")
    try:
        found = condition(settings.books, settings.address)
    except StoreError as error:
        return bad(str(error))
    if found.schema > found.newest:
        return bad(f"{name} has schema {found.schema}, this program knows {found.newest}")
    if found.schema < found.newest:
        return note(f"{name} has schema {found.schema}: the next start brings it to {found.newest}")
    return well(f"{name} opens, schema {found.schema}")


def books_are_sound(patient: Patient) -> Found:
    """Have SQLite look through every page; what the sums say is for `mailflow verify`."""
    settings = patient.settings
    if settings.server is not None:
        return left_out("PostgreSQL looks after its own pages")
    if not patient.has_books:
        return left_out("no books yet")
    try:
        found = damage(settings.database)
    except StoreError as error:
        return bad(str(error))
    return bad(f"{settings.database.name} is damaged: {found}") if found else well("every page is sound")


def clock_is_sane(patient: Patient) -> Found:
    """P-9: what falls due is told by this clock alone."""
    now, zone = patient.now, ZoneInfo(patient.settings.timezone)
    said = f"{now.astimezone(zone):%a %d %b %Y %H:%M %Z}"
    if now < BUILT:
        return bad(f"{said}: before this program was written")
    settings = patient.settings
    try:
        written_at = condition(settings.books, settings.address).written_at if patient.has_books else None
    except StoreError:
        written_at = None
    if written_at is None:
        return well(said)
    last = f"{written_at.astimezone(zone):%a %d %b %Y %H:%M %Z}"
    if now < written_at - BACKWARDS:
        return bad(f"{said}: the books were written to at {last}, which is later")
    return note(f"{said}: nothing since {last}") if now > written_at + SILENCE else well(said)
