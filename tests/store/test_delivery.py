"""Mails on their way out: one sender has each, none is lost or forgotten, and what failed is counted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import delivery, outbox, sql
from store.database import Database, open_database, unit_of_work
from store.migrations import migrate, shipped
from store.records import Fault, NewMail, OutboxMail, OutboxState
from tests.store.scene import START, Scene, found

from .old import old_file

MAIL = NewMail("mail:1", "game.result", "bela", "bela@example.org", "1", "Partie 1", "Bonjour")
MINUTE = timedelta(minutes=1)
LATER = START + 60 * MINUTE


def queue(club: Scene, *abouts: str, address: str = "bela@example.org") -> tuple[int, ...]:
    mails = [replace(MAIL, about=about, address=address) for about in abouts]
    with unit_of_work(club.db):
        return outbox.queue(club.db, club.id, mails, START)


def claim(club: Scene, holder: str, now: datetime = START, limit: int = 9) -> list[int]:
    with unit_of_work(club.db):
        mails = delivery.claim(club.db, club.id, holder, now, now + 10 * MINUTE, limit)
    return [mail.id for mail in mails]


def mail_of(club: Scene, mail_id: int) -> OutboxMail:
    return next(mail for mail in outbox.listing(club.db, club.id) if mail.id == mail_id)


# ---------------------------------------------------------------- one sender at a time


def test_mails_are_claimed_in_turn_and_by_one_alone(bare: Scene) -> None:
    ids = queue(bare, "a", "b", "c")
    assert claim(bare, "one", START - MINUTE) == []
    assert claim(bare, "one", limit=2) == list(ids[:2])
    assert claim(bare, "two") == [ids[2]]
    assert claim(bare, "three") == []


def test_what_a_dead_sender_held_is_free_when_its_time_is_over(bare: Scene) -> None:
    ids = queue(bare, "a")
    assert claim(bare, "one") == list(ids)
    assert claim(bare, "two", START + 10 * MINUTE - timedelta(microseconds=1)) == []
    assert claim(bare, "two", START + 10 * MINUTE) == list(ids)


def test_a_sender_that_comes_again_under_its_name_has_its_mails_at_once(bare: Scene) -> None:
    ids = queue(bare, "a", "b")
    claim(bare, "one", limit=1)
    assert claim(bare, "one", START + MINUTE) == list(ids)


def test_what_is_let_go_is_free_at_once(bare: Scene) -> None:
    ids = queue(bare, "a", "b")
    claim(bare, "one")
    with unit_of_work(bare.db):
        delivery.mark_sent(bare.db, ids[0], START)
        delivery.let_go(bare.db, bare.id, "one")
    assert claim(bare, "two") == [ids[1]]


def test_each_club_has_its_own_mails(bare: Scene) -> None:
    queue(bare, "a")
    other = found(bare.db, "autre@example.net")
    assert claim(other, "one") == []
    assert not delivery.is_due(other.db, other.id, "one", START)
    assert delivery.is_due(bare.db, bare.id, "one", START)
    assert not delivery.is_due(bare.db, bare.id, "one", START - MINUTE)


def test_what_another_has_in_hand_is_not_due(bare: Scene) -> None:
    """Or senders would turn in circles around it."""
    queue(bare, "a")
    claim(bare, "one")
    due = {name: delivery.is_due(bare.db, bare.id, name, START) for name in ("one", "two")}
    assert due == {"one": True, "two": False}
    assert delivery.is_due(bare.db, bare.id, "two", START + 10 * MINUTE)


def test_senders_at_the_same_time_share_the_mails_out(file_db: Database) -> None:
    """Four of them, each with a connection of its own."""
    club = found(file_db, "club@example.org")
    ids = queue(club, *map(str, range(60)))

    def work(name: str) -> list[int]:
        mine: list[int] = []
        while got := [i for i in claim(club, name, limit=7 + len(mine)) if i not in mine]:
            mine += got
        file_db.close()
        return mine

    with ThreadPoolExecutor(4) as pool:
        shares = list(pool.map(work, "ABCD"))
    assert sorted(i for share in shares for i in share) == list(ids)


@pytest.mark.only_sqlite
@given(
    st.lists(
        st.tuples(
            st.sampled_from("ABC"), st.sampled_from(["claim", "sent", "retry", "go"]), st.integers(0, 20)
        )
    )
)
@settings(max_examples=60, deadline=None)
def test_no_two_senders_ever_hold_the_same_mail(steps: list[tuple[str, str, int]]) -> None:
    """Whatever three senders do, in any order, with a clock that goes forward."""
    club = found(open_database(None), "club@example.org")
    queue(club, *"abcd")
    held: dict[str, dict[int, datetime]] = {name: {} for name in "ABC"}
    now = START
    for name, what, minutes in steps:
        now += minutes * MINUTE
        mine = [i for i, until in held[name].items() if until > now]
        if what == "claim":
            for mail_id in claim(club, name, now, 2):
                others = [n for n in "ABC" if n != name and held[n].get(mail_id, START) > now]
                assert others == []
                held[name][mail_id] = now + 10 * MINUTE
        elif what == "go":
            with unit_of_work(club.db):
                delivery.let_go(club.db, club.id, name)
            held[name] = {}
        elif mine:
            with unit_of_work(club.db):
                if what == "sent":
                    delivery.mark_sent(club.db, mine[0], now)
                else:
                    delivery.mark_retry(club.db, mine[0], name, now + MINUTE, "later")
            del held[name][mine[0]]
    assert sum(outbox.counts(club.db, club.id).values()) == 4
    club.db.close()


# ---------------------------------------------------------------- what becomes of a mail


def test_marks_say_what_became_of_it(bare: Scene) -> None:
    first, second, third, fourth = queue(bare, *"abcd")
    claim(bare, "one")
    with unit_of_work(bare.db):
        delivery.mark_sent(bare.db, first, START)
        delivery.mark_retry(bare.db, second, "one", LATER, "451 plus tard")
        delivery.mark_failed(bare.db, third, "one", START, "550 inconnu", Fault.HARD)
        delivery.put_off(bare.db, fourth, "one", LATER, "away")
    assert outbox.counts(bare.db, bare.id) == {"queued": 2, "sent": 1, "failed": 1}
    marked = [(m.state, m.attempts, m.last_error) for m in outbox.listing(bare.db, bare.id)]
    assert marked == [
        (OutboxState.SENT, 1, ""),
        (OutboxState.QUEUED, 1, "451 plus tard"),
        (OutboxState.FAILED, 1, "550 inconnu"),
        (OutboxState.QUEUED, 0, "away"),
    ]
    assert claim(bare, "two", LATER - MINUTE) == []
    assert claim(bare, "two", LATER) == [second, fourth]


def test_a_sender_that_lost_a_mail_to_another_marks_only_that_it_was_sent(bare: Scene) -> None:
    """It was too slow: what it knows of failures is the other's to say now."""
    (mail_id,) = queue(bare, "a")
    claim(bare, "one")
    claim(bare, "two", LATER)
    with unit_of_work(bare.db):
        delivery.mark_retry(bare.db, mail_id, "one", LATER, "later")
        delivery.put_off(bare.db, mail_id, "one", LATER, "later")
        delivery.mark_failed(bare.db, mail_id, "one", LATER, "no", Fault.HARD)
    assert (mail_of(bare, mail_id).attempts, mail_of(bare, mail_id).state) == (0, OutboxState.QUEUED)
    with unit_of_work(bare.db):
        delivery.mark_sent(bare.db, mail_id, LATER)
        delivery.mark_failed(bare.db, mail_id, "two", LATER, "no", Fault.HARD)
    assert mail_of(bare, mail_id).state is OutboxState.SENT


# ---------------------------------------------------------------- what came to nothing


def refuse(club: Scene, mail_id: int, at: datetime = START, fault: Fault = Fault.HARD) -> None:
    claim(club, "one", LATER + MINUTE)
    with unit_of_work(club.db):
        delivery.mark_failed(club.db, mail_id, "one", at, "550 no", fault)


def come_back(club: Scene, mail_id: int, at: datetime = START, fault: Fault = Fault.HARD) -> bool:
    with unit_of_work(club.db):
        delivery.mark_sent(club.db, mail_id, START)
        return delivery.mark_returned(club.db, club.id, mail_id, at, "5.1.1 unknown", fault) is not None


def test_what_failed_or_came_back_is_told_once(bare: Scene) -> None:
    first, second, third = queue(bare, *"abc")
    refuse(bare, first, START + MINUTE)
    come_back(bare, second, START)
    untold = delivery.untold(bare.db, bare.id)
    assert [(one.id, one.error) for one in untold] == [(second, "5.1.1 unknown"), (first, "550 no")]
    with unit_of_work(bare.db):
        delivery.tell(bare.db, bare.id, [one.id for one in untold])
        delivery.tell(bare.db, bare.id, [])
    assert delivery.untold(bare.db, bare.id) == ()
    come_back(bare, third)
    assert [one.id for one in delivery.untold(bare.db, bare.id)] == [third]
    assert [one.id for one in delivery.failed_since(bare.db, bare.id, START, 2)] == [first, second]
    assert delivery.failed_since(bare.db, bare.id, START + 2 * MINUTE, 9) == ()


def test_a_mail_comes_back_once_and_a_hard_fault_mends_a_soft_one(bare: Scene) -> None:
    (mail_id,) = queue(bare, "a")
    assert come_back(bare, mail_id, fault=Fault.SOFT)
    assert not come_back(bare, mail_id, fault=Fault.SOFT)
    assert come_back(bare, mail_id, fault=Fault.HARD)
    assert not come_back(bare, mail_id, fault=Fault.HARD)
    assert not come_back(bare, mail_id, fault=Fault.SOFT)
    ((_, _, hard, soft, _),) = [
        (b.address, b.recipient, b.hard, b.soft, b.last_at)
        for b in delivery.bouncing(bare.db, bare.id, START)
    ]
    assert (hard, soft) == (1, 0)


def test_only_a_mail_that_was_sent_comes_back(bare: Scene) -> None:
    """T-32: a report on a mail that waits, or on another club's, is a forged one."""
    waiting, sent = queue(bare, "a", "b")
    other = found(bare.db, "autre@example.net")
    with unit_of_work(bare.db):
        delivery.mark_sent(bare.db, sent, START)
        for club_id, mail_id in ((bare.id, waiting), (other.id, sent), (bare.id, 999)):
            assert delivery.mark_returned(bare.db, club_id, mail_id, START, "no", Fault.HARD) is None
    assert delivery.untold(bare.db, bare.id) == ()


def test_bouncing_addresses_come_worst_first(bare: Scene) -> None:
    for about, address, faults in (
        ("a", "anna@example.org", [Fault.SOFT]),
        ("b", "bela@example.org", [Fault.HARD, Fault.HARD, Fault.SOFT]),
        ("c", "carl@example.org", [Fault.HARD, Fault.SOFT, Fault.SOFT]),
    ):
        ids = queue(bare, *(f"{about}{n}" for n in range(len(faults))), address=address)
        for n, (mail_id, fault) in enumerate(zip(ids, faults, strict=True)):
            come_back(bare, mail_id, START + n * MINUTE, fault)
    shown = [(b.address, b.hard, b.soft, b.last_at) for b in delivery.bouncing(bare.db, bare.id, START)]
    assert shown == [
        ("bela@example.org", 2, 1, START + 2 * MINUTE),
        ("carl@example.org", 1, 2, START + 2 * MINUTE),
        ("anna@example.org", 0, 1, START),
    ]
    late = delivery.bouncing(bare.db, bare.id, START + 2 * MINUTE)
    assert [(b.address, b.hard, b.soft) for b in late] == [
        ("bela@example.org", 0, 1),
        ("carl@example.org", 0, 1),
    ]


def test_what_was_given_up_is_sent_again_as_the_same_mail(bare: Scene) -> None:
    """P-4: with the Message-ID and the date that it had."""
    first, second, third = queue(bare, *"abc")
    for mail_id in (first, second):
        refuse(bare, mail_id)
    before = mail_of(bare, first)
    with unit_of_work(bare.db):
        assert delivery.send_again(bare.db, bare.id, [first, third, 999], LATER) == (first,)
    after = mail_of(bare, first)
    assert after == replace(before, state=OutboxState.QUEUED, attempts=0, tried_since=LATER)
    assert [one.id for one in delivery.untold(bare.db, bare.id)] == [second]
    with unit_of_work(bare.db):
        assert delivery.send_again(bare.db, bare.id, None, LATER) == (second,)
    assert claim(bare, "two", LATER + 20 * MINUTE) == [third, first, second]


def test_the_queue_is_summed_up(bare: Scene) -> None:
    assert delivery.waiting(bare.db, bare.id) == delivery.Outgoing(0, 0, None, None, "")
    first, second, _ = queue(bare, *"abc")
    claim(bare, "one")
    with unit_of_work(bare.db):
        delivery.mark_retry(bare.db, first, "one", LATER, "451 plus tard")
        delivery.mark_sent(bare.db, second, START)
    stands = delivery.waiting(bare.db, bare.id)
    assert (stands.waiting, stands.retried, stands.oldest_at) == (2, 1, START)
    assert (stands.next_at, stands.last_error) == (START, "451 plus tard")


@pytest.mark.only_sqlite
def test_what_an_older_file_gave_up_is_known_and_told_to_nobody_anew(tmp_path: Path) -> None:
    number = next(step.number for step in shipped() if step.name == "delivery")
    db = old_file(tmp_path / "old.db", number - 1)
    sql.run(db, "UPDATE outbox SET state = 'failed', last_error = '550' WHERE id = 2")
    assert number in migrate(db)
    states = sql.rows(
        db, "SELECT id, fault, told, failed_at = next_at FROM outbox WHERE failed_at IS NOT NULL"
    )
    assert states == [(2, "hard", 1, 1)]
    assert delivery.untold(db, 1) == ()
    db.close()
