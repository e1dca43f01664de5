"""How mails were read, kept with them."""

from store import inbox, readings
from store.database import unit_of_work

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
