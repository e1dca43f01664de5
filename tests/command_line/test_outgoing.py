"""`mailflow status` and `outbox`: what waits, what was lost, and sending it once more."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from mailflow import ambient
from mailflow.app import open_office
from mailflow.identify import Trust
from mailflow.settings import load
from store import delivery, outbox
from store.database import unit_of_work
from store.records import Fault, NewMail

from .cli_scene import Said, mailflow


@pytest.fixture
def lossy(club: Path) -> Path:
    """Of four mails one waits, one was put off, and two were refused."""
    now = ambient.now()
    with open_office(load(club), Trust.CONFIRM, now) as office, unit_of_work(office.db):
        club_id = office.club.id
        mails = [
            NewMail(f"test:{n}", "answer", "bela", "bela@example.org", "", f"sujet {n}", "…")
            for n in range(4)
        ]
        _, second, third, fourth = outbox.queue(office.db, club_id, mails, now)
        delivery.claim(office.db, club_id, "test", now, now, 100)
        delivery.mark_retry(office.db, second, "test", now + timedelta(hours=1), "450 later")
        for mail_id in (third, fourth):
            delivery.mark_failed(office.db, mail_id, "test", now, "550 no such user", Fault.HARD)
        delivery.let_go(office.db, club_id, "test")
    return club


def about(said: Said, word: str) -> list[str]:
    return [line for line in said.out if word in line]


def test_status_tells_what_waits_and_what_was_lost(lossy: Path) -> None:
    said = mailflow("status", "--dir", lossy)
    (waits,) = about(said, "to be sent:")
    assert "1 tried before" in waits
    assert about(said, "the last answer:") == ["    the last answer: 450 later"]
    assert len(about(said, "not delivered: mail ")) == 2
    assert about(said, "550 no such user")[0].endswith(": 550 no such user")
    (bad,) = about(said, "keeps bouncing")
    assert bad.startswith("  keeps bouncing: bela <bela@example.org>: 2 for good, 0 for other reasons")


def test_status_of_a_club_whose_mails_all_arrive_says_nothing_of_it(club: Path) -> None:
    said = mailflow("status", "--dir", club)
    assert about(said, "not delivered") == about(said, "bouncing") == about(said, "last answer") == []


def test_what_was_lost_is_listed_and_sent_again(lossy: Path) -> None:
    listed = mailflow("outbox", "lost", "--dir", lossy)
    numbers = [line.split()[1] for line in listed.out]
    assert (listed.code, len(numbers)) == (0, 2)
    again = mailflow("outbox", "retry", numbers[0], "--dir", lossy)
    assert (again.code, again.out) == (0, ["1 mails wait to be sent again"])
    assert len(mailflow("outbox", "lost", "--dir", lossy).out) == 1
    rest = mailflow("outbox", "retry", "--all", "--dir", lossy)
    assert (rest.code, rest.out) == (0, ["1 mails wait to be sent again"])
    assert mailflow("outbox", "lost", "--dir", lossy).out == ["no mail was lost"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "name the mails"),
        (("3", "--all"), "name the mails"),
        (("99",), "mail 99 was not given up"),
        (("1",), "mail 1 was not given up"),
    ],
)
def test_what_cannot_be_sent_again_is_told(lossy: Path, words: tuple[str, ...], says: str) -> None:
    said = mailflow("outbox", "retry", *words, "--dir", lossy)
    assert said.code == 1
    assert says in said.err[0]
