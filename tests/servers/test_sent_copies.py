"""Copies of what went out, in the club's own mailbox at a real Dovecot."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mailflow.doors.imap_session import open_session
from mailflow.doors.sent import SentCopies
from mailflow.doors.transport import NotTaken
from store.records import OutboxMail
from tests.desk.desk_scene import open_scene

from .dovecot import Dovecot
from .mailbox_scene import Post
from .mailbox_scene import post as a_post


@pytest.fixture
def post(dovecot: Dovecot, tmp_path: Path) -> Iterator[Post]:
    made = a_post(dovecot, tmp_path)
    yield made
    made.db.close()


class Relay:
    """Takes all mails but those for one address."""

    def __init__(self, refused: str = "") -> None:
        self.refused = refused
        self.taken: list[bytes] = []

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        if mail.address == self.refused:
            raise NotTaken("550 no", for_good=True)
        self.taken.append(raw)

    def close(self) -> None:
        """Nothing is kept open."""


def question() -> tuple[OutboxMail, bytes, str]:
    """A mail that carries a token, and the token."""
    scene = open_scene()
    scene.write("anna", "PARTIE joueurs=bela")
    mail = scene.latest("confirm", "anna")
    token = scene.token_of(mail)
    assert token is not None
    return mail, scene.bytes_of(mail), token


def test_what_was_taken_lies_in_the_folder_without_its_token(post: Post) -> None:
    mail, raw, token = question()
    relay = Relay()
    copies = SentCopies(relay, "mailflow-sent", lambda: open_session(post.settings))
    copies.send(mail, raw)
    copies.close()
    copies.close()
    assert relay.taken == [raw]
    assert token.encode() in raw
    with post.dovecot.client(post.user, "mailflow-sent") as client:
        (found,) = client.fetch(client.search("ALL"), ["BODY[]", "FLAGS"]).values()
    kept = found[b"BODY[]"]
    assert mail.message_id.encode() in kept
    assert token.encode() not in kept.lower()
    assert b"\\Seen" in found[b"FLAGS"]


def test_what_was_refused_is_not_copied(post: Post) -> None:
    mail, raw, _ = question()
    copies = SentCopies(Relay(mail.address), "mailflow-sent", lambda: open_session(post.settings))
    with pytest.raises(NotTaken):
        copies.send(mail, raw)
    copies.close()
    assert post.dovecot.subjects(post.user, "mailflow-sent") == []


def test_a_mailbox_that_is_away_keeps_no_mail_back(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    mail, raw, token = question()
    relay, away = Relay(), replace(post.settings, port=1)
    copies = SentCopies(relay, "mailflow-sent", lambda: open_session(away))
    with caplog.at_level(logging.WARNING):
        copies.send(mail, raw)
        copies.close()
    assert relay.taken == [raw]
    assert "1 copies could not be laid" in caplog.text
    assert token not in caplog.text
