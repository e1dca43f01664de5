"""Mails to send: unique, the same at every retry, delivered in turn."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from store import outbox, tokens
from store.database import unit_of_work
from store.errors import DuplicateEffect, SchemaRefused
from store.records import NewMail, NewToken, OutboxMail, OutboxState
from tests.store.scene import START, Scene, found

MAIL = NewMail("mail:1", "game.result", "bela", "bela@example.org", "1", "Partie 1", "Bonjour")
LATER = START + timedelta(hours=1)


def queue(club: Scene, *mails: NewMail) -> tuple[int, ...]:
    with unit_of_work(club.db):
        return outbox.queue(club.db, club.id, mails, START)


def only(club: Scene) -> OutboxMail:
    (mail,) = outbox.listing(club.db, club.id)
    return mail


def test_a_queued_mail_is_read_as_it_was_written(club: Scene) -> None:
    with unit_of_work(club.db):
        at = (START, LATER)
        new = NewToken("confirm", "bela", "b@example.org", "n", "d", {}, *at)
        token = tokens.issue(club.db, club.id, new)
    (mail_id,) = queue(club, replace(MAIL, game=1, in_reply_to="<a@example.org>", token=token))
    mail = only(club)
    assert mail == OutboxMail(
        id=mail_id,
        kind="game.result",
        recipient="bela",
        address="bela@example.org",
        subject="Partie 1",
        text="Bonjour",
        game=1,
        in_reply_to="<a@example.org>",
        token=token,
        message_id=mail.message_id,
        created_at=START,
        state=OutboxState.QUEUED,
        attempts=0,
        last_error="",
    )
    assert mail.message_id.startswith("<")
    assert mail.message_id.endswith("@example.org>")


def test_ids_come_in_the_order_given(bare: Scene) -> None:
    queue(bare, MAIL)
    found(bare.db, "autre@example.org")
    mails = [replace(MAIL, recipient=handle) for handle in ("zoe", "anna", "max")]
    ids = queue(bare, *mails)
    listed = outbox.listing(bare.db, bare.id, after_id=ids[0] - 1)
    assert [(mail.id, mail.recipient) for mail in listed] == list(
        zip(ids, ("zoe", "anna", "max"), strict=True)
    )
    assert queue(bare) == ()


@pytest.mark.parametrize("part", ["cause", "kind", "recipient", "about"])
def test_a_mail_is_unique_on_its_identity(bare: Scene, part: str) -> None:
    queue(bare, MAIL)
    with pytest.raises(DuplicateEffect):
        queue(bare, replace(MAIL, subject="other", text="other", address="o@example.org"))
    queue(bare, replace(MAIL, **{part: "other"}))
    first, second = outbox.listing(bare.db, bare.id)
    assert first.message_id != second.message_id


def test_the_message_id_follows_from_the_identity(bare: Scene, club: Scene) -> None:
    other = found(bare.db, "autre@example.net")
    queue(bare, MAIL)
    queue(other, MAIL)
    assert only(bare).message_id.endswith("@example.org>")
    assert only(other).message_id.endswith("@example.net>")
    assert only(bare).message_id.partition("@")[0] != only(other).message_id.partition("@")[0]


def test_a_mail_with_a_token_that_is_not_there_is_refused(bare: Scene) -> None:
    with pytest.raises(SchemaRefused, match=r"(?i)foreign key"):
        queue(bare, replace(MAIL, token=9))


def test_a_mail_is_found_by_its_message_id(bare: Scene) -> None:
    queue(bare, MAIL)
    mail = only(bare)
    for written in (mail.message_id, mail.message_id.strip("<>"), f" {mail.message_id} "):
        assert outbox.by_message_id(bare.db, bare.id, written) == mail
    assert outbox.by_message_id(bare.db, bare.id, "<other@example.org>") is None
    other = found(bare.db, "autre@example.org")
    assert outbox.by_message_id(bare.db, other.id, mail.message_id) is None


def test_the_latest_is_the_newest_of_its_kind_to_a_recipient(bare: Scene) -> None:
    queue(bare, MAIL, replace(MAIL, about="2"), replace(MAIL, recipient="carl"), replace(MAIL, kind="x"))
    latest = outbox.latest(bare.db, bare.id, "game.result", "bela")
    assert latest is not None
    assert latest.id == 2
    assert outbox.latest(bare.db, bare.id, "game.result", "dora") is None
