"""How mails were read, kept with them."""

from datetime import datetime, timedelta

from store import inbox, readings
from store.database import unit_of_work
from store.records import FORGED, Forged, InboxState

from .scene import START, Scene


def kept(club: Scene) -> int:
    with unit_of_work(club.db):
        return inbox.keep(club.db, club.id, "test", b"raw", START)


def test_a_reading_is_found_by_the_number_of_its_mail(club: Scene) -> None:
    number = kept(club)
    with unit_of_work(club.db):
        readings.keep(club.db, club.id, number, "anna", {"class": "command"})
    reading = club.books.reading(number)
    assert reading is not None
    assert (reading.number, reading.member, reading.received_at) == (number, "anna", START)
    assert reading.record == {"class": "command"}


def test_a_mail_that_is_read_again_keeps_the_latest(club: Scene) -> None:
    number = kept(club)
    with unit_of_work(club.db):
        readings.keep(club.db, club.id, number, None, {"class": "empty"})
        readings.keep(club.db, club.id, number, "anna", {"class": "command"})
    reading = club.books.reading(number)
    assert reading is not None
    assert (reading.member, reading.record) == ("anna", {"class": "command"})


def test_what_was_not_kept_is_not_found(club: Scene) -> None:
    assert club.books.reading(kept(club)) is None
    assert club.books.reading(99) is None


def forged(club: Scene, member: str | None, at: datetime, reason: str = FORGED) -> int:
    with unit_of_work(club.db):
        number = inbox.keep(club.db, club.id, "test", f"{member} {at}".encode(), at)
        readings.keep(club.db, club.id, number, member, {})
        inbox.finish(club.db, number, InboxState.IGNORED, reason)
    return number


def test_forged_mails_are_counted_for_whom_they_named_and_when_they_came(club: Scene) -> None:
    """T-2."""
    hour = timedelta(hours=1)
    forged(club, "bela", START - timedelta(microseconds=1))
    forged(club, "bela", START + hour, reason="duplicate")
    assert club.books.forged_since(START) == ()
    last = forged(club, "bela", START)
    nobody = forged(club, None, START + hour)
    forged(club, "anna", START + hour)
    newest = forged(club, "anna", START + 2 * hour)
    assert club.books.forged_since(START) == (
        Forged(None, 1, nobody, START + hour),
        Forged("anna", 2, newest, START + 2 * hour),
        Forged("bela", 1, last, START),
    )
