"""P-4, T-38: what a mail carries is the same at each try, and goes when the mail is over."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from mailflow.compose import compose
from store import delivery, outbox, sql
from store.database import unit_of_work
from store.former import OMITTED
from store.records import CloseAccount, Forget, NewMail
from tests.letters.test_headers import CLUB
from tests.letters.test_parts import FILE, PICTURE
from tests.store.scene import START, Scene


def test_each_try_sends_the_same_bytes_and_a_mail_that_is_over_keeps_none(bare: Scene) -> None:
    mail = NewMail(
        "mail:1", "answer", "bela", "bela@example.org", "", "S", "Bonjour\n", parts=(FILE, PICTURE)
    )
    with unit_of_work(bare.db):
        outbox.queue(bare.db, bare.id, (mail, replace(mail, cause="mail:2", parts=())), START)
    tries = []
    for minutes in (0, 60):
        now = START + timedelta(minutes=minutes)
        with unit_of_work(bare.db):
            first, second = delivery.claim(bare.db, bare.id, "me", now, now + timedelta(minutes=1), 20)
        assert (first.parts, second.parts) == ((FILE, PICTURE), ())
        tries.append(compose(first, CLUB, None))
    assert tries[0] == tries[1]
    assert outbox.listing(bare.db, bare.id)[0].parts == (FILE, PICTURE)
    with unit_of_work(bare.db):
        delivery.mark_sent(bare.db, first.id, now)
    assert outbox.listing(bare.db, bare.id)[0].parts == ()
    assert sql.value(bare.db, "SELECT count(*) FROM outbox_part") == 0


def test_a_mail_that_carries_something_is_emptied_when_somebody_is_forgotten(club: Scene) -> None:
    """What it carries is not searched for his name, so it goes, unless it is still on its way."""
    failed = NewMail("mail:1", "answer", "anna", "anna@example.org", "", "Relevé", "Bonjour\n", parts=(FILE,))
    queued = NewMail("mail:2", "answer", "anna", "anna@example.org", "", "Relevé", "Bonjour\n", parts=(FILE,))
    with unit_of_work(club.db):
        first, _ = outbox.queue(club.db, club.id, (failed, queued), START)
    club.raw("UPDATE outbox SET state = 'failed', failed_at = 1 WHERE id = ?", first)
    club.do(CloseAccount("bela"))
    club.do(Forget("bela", 1))
    one, two = outbox.listing(club.db, club.id)
    assert (one.subject, one.parts) == (OMITTED, ())
    assert (two.subject, two.parts) == ("Relevé", (FILE,))
