"""Received mails: none lost, none twice, each with one end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store import inbox
from store.database import unit_of_work
from store.errors import UnknownName
from store.records import InboxMail, InboxState
from tests.store.scene import START, Scene, found

RAW = b"From: anna\r\n\r\nCOMPTE\xff\x00"


def keep(club: Scene, source: str = "imap:1", raw: bytes = RAW, minutes: int = 0) -> int:
    with unit_of_work(club.db):
        return inbox.keep(club.db, club.id, source, raw, START + timedelta(minutes=minutes))


def test_a_mail_is_kept_byte_for_byte(bare: Scene) -> None:
    mail_id = keep(bare)
    assert inbox.fetch(bare.db, mail_id) == InboxMail(mail_id, 1, RAW, START, InboxState.RECEIVED, "", 0)


def test_the_same_offer_is_kept_once(bare: Scene) -> None:
    assert keep(bare) == keep(bare)
    others = {keep(bare, source="imap:2"), keep(bare, raw=RAW + b"."), keep(bare, minutes=1)}
    assert len(others | {keep(bare)}) == 4
    assert keep(found(bare.db, "autre@example.org")) not in others
    assert inbox.counts(bare.db, bare.id)["received"] == 4


def test_mails_wait_in_the_order_received(bare: Scene) -> None:
    late, first, second = keep(bare, minutes=5), keep(bare), keep(bare, source="imap:2")
    order = []
    while (mail := inbox.waiting(bare.db, bare.id)) is not None:
        order.append(mail.id)
        inbox.finish(bare.db, mail.id, InboxState.ANSWERED)
    assert order == [first, second, late]


def test_attempts_are_counted(bare: Scene) -> None:
    mail_id = keep(bare)
    inbox.begin(bare.db, mail_id)
    inbox.begin(bare.db, mail_id)
    mail = inbox.waiting(bare.db, bare.id)
    assert mail is not None
    assert mail.attempts == 2


def test_a_fingerprint_belongs_to_one_mail_of_the_club(bare: Scene) -> None:
    first, second = keep(bare), keep(bare, source="imap:2")
    assert inbox.note_fingerprint(bare.db, bare.id, first, "f")
    assert not inbox.note_fingerprint(bare.db, bare.id, second, "f")
    assert inbox.note_fingerprint(bare.db, bare.id, first, "f")  # at its second attempt
    assert inbox.note_fingerprint(bare.db, bare.id, second, "g")
    other = found(bare.db, "autre@example.org")
    assert inbox.note_fingerprint(bare.db, other.id, keep(other), "f")


def test_every_mail_is_counted_in_one_state(bare: Scene) -> None:
    for number, state in enumerate(InboxState):
        mail_id = keep(bare, source=f"imap:{number}")
        inbox.finish(bare.db, mail_id, state, "because")
    assert inbox.counts(bare.db, bare.id) == {state.value: 1 for state in InboxState}
    (mail,) = inbox.quarantined(bare.db, bare.id)
    assert (mail.state, mail.reason, mail.raw) == (InboxState.QUARANTINED, "because", RAW)


def test_a_mail_that_is_not_there_is_an_error(bare: Scene) -> None:
    with pytest.raises(UnknownName, match="no mail 7"):
        inbox.fetch(bare.db, 7)
    assert inbox.waiting(bare.db, bare.id) is None


def test_what_is_kept_is_masked_and_still_the_same_offer(club: Scene) -> None:
    """T-15, P-5."""
    with unit_of_work(club.db):
        number = inbox.keep(club.db, club.id, "test", b"To: club+c1@x", START, b"To: club+xx@x", "digest")
        assert inbox.keep(club.db, club.id, "test", b"To: club+c1@x", START) == number
    mail = inbox.fetch(club.db, number)
    assert (mail.raw, mail.carried) == (b"To: club+xx@x", "digest")


def test_mails_kept_after_one_are_found_in_their_order_whatever_became_of_them(club: Scene) -> None:
    other = found(club.db, "autre@example.org")
    assert inbox.newest(club.db, club.id) == 0
    with unit_of_work(club.db):
        first, second, third = (inbox.keep(club.db, club.id, "test", b"%d" % n, START) for n in range(3))
        inbox.keep(other.db, other.id, "test", b"not ours", START)
        inbox.finish(club.db, third, InboxState.IGNORED, "own")
    assert inbox.newest(club.db, club.id) == third
    assert [mail.id for mail in inbox.after(club.db, club.id, first)] == [second, third]
    assert inbox.after(club.db, club.id, third) == ()


@pytest.mark.parametrize(
    ("first", "second", "goes_on"),
    [(False, False, False), (True, False, False), (True, True, False), (False, True, True)],
)
def test_a_cold_copy_never_shadows_the_proved_one(
    bare: Scene, first: bool, second: bool, goes_on: bool
) -> None:
    """P-2."""
    one, two = keep(bare), keep(bare, source="imap:2")
    assert inbox.note_fingerprint(bare.db, bare.id, one, "f", first)
    assert inbox.note_fingerprint(bare.db, bare.id, two, "f", second) is goes_on
    assert inbox.proved_copies(bare.db, bare.id, ["f", "g"]) == ({"f"} if first or goes_on else set())
