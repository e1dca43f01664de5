"""When something of ours breaks: nothing is lost, nothing is half done, the others go on (P-7, P-8)."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mailflow import agenda, catalogue, performing
from mailflow.desk import Desk
from mailflow.identify import Trust
from mailflow.model import Club, Outcome, Request
from mailflow.proofs import Keyring
from store import inbox, sql
from store.errors import StoreUnavailable, WrongState
from store.records import InboxState

from .desk_scene import KEY, Scene, kinds


class Broken(Exception):
    """What a handler of these tests raises."""


def broken_handler(request: Request, club: Club) -> Outcome:
    raise Broken("secret words of " + request.text)


@pytest.fixture
def transfers_break(monkeypatch: pytest.MonkeyPatch) -> None:
    """A VIREMENT raises, every other command works."""
    row = replace(catalogue.BY_NAME["VIREMENT"], handler=broken_handler)
    monkeypatch.setitem(performing.BY_NAME, "VIREMENT", row)


# ---------------------------------------------------------------- a mail that breaks us


@pytest.mark.usefixtures("transfers_break")
def test_a_mail_that_breaks_us_is_set_aside_after_three_tries_and_the_next_goes_on(fresh: Scene) -> None:
    """P-8."""
    poison = fresh.keep(fresh.written("anna", "VIREMENT 5 à bela"))
    good = fresh.keep(fresh.written("anna", "PARTIE joueurs=bela"))
    handled = {h.mail_id: h for h in fresh.work()}
    assert (handled[poison].state, handled[poison].reason) == ("quarantined", "failed")
    assert handled[good].state == "executed"
    assert fresh.work() == []
    fresh.is_sound()


@pytest.mark.usefixtures("transfers_break")
def test_of_a_mail_that_broke_midway_nothing_is_left(fresh: Scene) -> None:
    """P-3: the game of its first line is not there, and nobody was told of it."""
    fresh.write("anna", "PARTIE joueurs=bela\nVIREMENT 5 à bela")
    assert sql.rows(fresh.db, "SELECT * FROM game") == []
    assert fresh.told() == []
    fresh.write("anna", "PARTIE joueurs=bela")
    assert fresh.game(1).number == 1


@pytest.mark.usefixtures("transfers_break")
def test_the_bytes_of_a_mail_that_was_set_aside_are_kept(fresh: Scene) -> None:
    raw = fresh.written("anna", "VIREMENT 5 à bela")
    handled = fresh.receive(raw)
    assert sql.rows(fresh.db, "SELECT content FROM inbox_raw WHERE inbox_id = ?", (handled.mail_id,)) == [
        (raw,)
    ]
    assert [payload["reason"] for _, kind, payload in fresh.audited() if kind == "mail"] == ["failed"]


def test_a_mail_that_works_at_the_second_try_is_carried_out_once(
    fresh: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = performing.write, []

    def fails_once(*args: Any) -> None:
        calls.append(args)
        real(*args)
        if len(calls) == 1:
            raise Broken

    monkeypatch.setattr(performing, "write", fails_once)
    assert fresh.write("anna", "PARTIE joueurs=bela").state == "executed"
    assert len(sql.rows(fresh.db, "SELECT * FROM game")) == 1
    assert kinds(fresh.told()) == [("answer", "anna"), ("game.created", "bela")]


def test_an_oui_that_breaks_us_uses_up_no_token(club: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """P-3: the token and its effects are one transaction."""
    club.write("anna", "PARTIE joueurs=bela")
    mail = club.latest("confirm", "anna")

    def breaks(*args: Any) -> None:
        raise Broken

    with monkeypatch.context() as patch:
        patch.setattr(performing, "write", breaks)
        assert club.answer(mail, "OUI").state == "quarantined"
    assert club.answer(mail, "OUI").state == "executed"


@pytest.mark.usefixtures("transfers_break")
def test_a_failure_is_logged_without_the_members_words(
    fresh: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    """T-28: for the operator the number of the mail, not what is in it."""
    with caplog.at_level(logging.DEBUG):
        fresh.write("anna", "VIREMENT 5 à bela note=un secret de famille")
    assert "mail 1 " in caplog.text
    assert "famille" not in caplog.text


# ---------------------------------------------------------------- a database that is away


def unavailable(*args: Any, **kwargs: Any) -> None:
    raise StoreUnavailable("database is locked")


def works_without(scene: Scene, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Have the desk work while this part of the store is away: it says so and gives up for now."""
    with monkeypatch.context() as patch:
        patch.setattr(what, unavailable)
        with pytest.raises(StoreUnavailable):
            scene.work()


def test_a_mail_waits_until_the_database_is_back(fresh: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """P-7: not this mail's fault, however often it happens."""
    mail_id = fresh.keep(fresh.written("anna", "PARTIE joueurs=bela"))
    for _ in range(5):
        works_without(fresh, monkeypatch, "mailflow.performing.write")
        assert fresh.states() == {"received": 1}
    assert [(h.mail_id, h.state) for h in fresh.work()] == [(mail_id, "executed")]


def test_what_the_database_did_not_take_is_told_to_nobody(
    fresh: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh.keep(fresh.written("anna", "PARTIE joueurs=bela"))
    works_without(fresh, monkeypatch, "store.outbox.queue")
    assert fresh.told() == []
    assert sql.rows(fresh.db, "SELECT * FROM game") == []


@pytest.mark.usefixtures("transfers_break")
def test_an_outage_takes_none_of_a_mails_three_tries(fresh: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mail is set aside for what it does to us, not for what the database did."""
    tries: list[int] = []

    def counts(request: Request, club: Club) -> Outcome:
        tries.append(1)
        raise Broken

    fresh.keep(fresh.written("anna", "VIREMENT 5 à bela"))
    for _ in range(3):
        works_without(fresh, monkeypatch, "mailflow.register.picture")
    monkeypatch.setitem(
        performing.BY_NAME, "VIREMENT", replace(catalogue.BY_NAME["VIREMENT"], handler=counts)
    )
    fresh.work()
    assert len(tries) == 3


# ---------------------------------------------------------------- a job that breaks


def test_a_job_that_breaks_stops_neither_mails_nor_the_other_jobs(
    fresh: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STYLE § 9: roll back, tell the operator, go on with the next."""

    def breaks(club: Club) -> Outcome:
        raise Broken

    jobs = tuple(
        replace(job, handler=breaks) if job.name == "reminder.weekly" else job for job in agenda.JOBS
    )
    monkeypatch.setattr(agenda, "JOBS", jobs)
    fresh.now += timedelta(days=7)
    mail_id = fresh.keep(fresh.written("anna", "PARTIE joueurs=bela"))
    assert [(h.mail_id, h.state) for h in fresh.work()] == [(mail_id, "executed")]
    assert {mail.kind for mail in fresh.told()} >= {"digest.weekly", "game.created"}


def test_a_mail_that_came_to_its_end_is_not_ended_again(fresh: Scene) -> None:
    """P-1, P-2: whoever still holds it as waiting changes nothing."""
    fresh.keep(fresh.written("anna", "AIDE"))
    mail = inbox.waiting(fresh.db, fresh.club.id)
    assert mail is not None
    assert fresh.desk.handle(mail, fresh.now) is not None
    before = fresh.dump(frozenset())
    other = Desk(fresh.db, fresh.club, Keyring(KEY), Trust.CONFIRM)
    assert other.handle(mail, fresh.now) is None
    with pytest.raises(WrongState):
        other.register.end(mail, InboxState.QUARANTINED, "failed", fresh.now)
    assert fresh.dump(frozenset()) == before
