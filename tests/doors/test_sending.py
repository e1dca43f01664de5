"""The sender's thread: woken, ended, and never silently dead."""

from __future__ import annotations

import threading
from typing import Any

import peewee
import pytest

from mailflow import sending
from mailflow.doors.sender import Sender
from mailflow.doors.transport import NotTaken
from store.errors import StoreUnavailable
from store.records import ClubRow

from .door_scene import BOUND, NOW, plainly, queue, states
from .test_sender import LATER, Recorder


def sender_with(db: peewee.Database, club: ClubRow, transport: Any) -> Sender:
    return Sender(db, club.id, plainly, transport, lambda: LATER, "here")


def until(db: peewee.Database, wanted: str) -> None:
    for _ in range(BOUND * 100):
        if set(states(db).values()) == {wanted}:
            return
        threading.Event().wait(0.01)
    raise AssertionError(states(db))


def test_it_sends_at_once_and_when_woken(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, "anna@example.org")
    with sending.sending(sender_with(db, club, Recorder()), pytest.fail) as wake:
        until(db, "sent")
        queue(db, club.id, "bela@example.org", at=NOW.replace(second=1))
        wake()
        until(db, "sent")


def test_a_bug_ends_the_service_and_not_the_thread_alone(
    db: peewee.Database, club: ClubRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or mails would lie there and nobody would know."""
    broken = threading.Event()
    sender = sender_with(db, club, Recorder())
    monkeypatch.setattr(sender, "run", lambda: {}["a bug"])
    with sending.sending(sender, broken.set):
        assert broken.wait(BOUND)


def test_a_database_that_is_away_is_waited_for(
    db: peewee.Database, club: ClubRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-7."""
    queue(db, club.id, "anna@example.org")
    sender = sender_with(db, club, Recorder())
    real, tries = sender.run, [0]

    def run() -> int:
        tries[0] += 1
        if tries[0] == 1:
            raise StoreUnavailable("database or disk is full")
        return real()

    monkeypatch.setattr(sender, "run", run)
    with sending.sending(sender, pytest.fail) as wake:
        while not tries[0]:
            threading.Event().wait(0.01)
        wake()
        until(db, "sent")


def test_a_stop_ends_after_the_mail_in_hand_and_frees_the_rest(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, *(f"m{n}@example.org" for n in range(9)))
    in_hand, goes_on = threading.Event(), threading.Event()

    class Slow(Recorder):
        def send(self, mail: Any, raw: bytes) -> None:
            in_hand.set()
            assert goes_on.wait(BOUND)
            super().send(mail, raw)

    slow = Slow()
    sender = sender_with(db, club, slow)
    with sending.sending(sender, pytest.fail):
        assert in_hand.wait(BOUND)
        sender.stop()
        goes_on.set()
    assert len(slow.sent) == 1
    assert sorted(states(db).values()) == ["queued"] * 8 + ["sent"]
    other = Recorder()
    assert Sender(db, club.id, plainly, other, lambda: LATER, "other").run() == 8


def test_a_relay_that_is_away_ends_nothing(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, "anna@example.org")
    transport = Recorder(anna=NotTaken("away", closed=True))
    with sending.sending(sender_with(db, club, transport), pytest.fail) as wake:
        wake()
    assert states(db) == {"anna@example.org": "queued"}
