"""The mailbox door at a real Dovecot: what is taken, kept and moved, and what it lives through (P-1, P-5)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mailflow.doors import imap, imap_session
from mailflow.doors.looks import GRACE, known_until
from mailflow.sections.imap import Folders, Imap
from parsers.letter import LetterKind, read_letter
from parsers.limits import SIZE_BYTES_MAX
from store import inbox
from store.records import InboxState

from .dovecot import Dovecot
from .dovecot import dovecot as a_dovecot
from .ground import until
from .mailbox_scene import Post, mail, wire
from .mailbox_scene import post as a_post


@pytest.fixture
def post(dovecot: Dovecot, tmp_path: Path) -> Iterator[Post]:
    made = a_post(dovecot, tmp_path)
    yield made
    made.db.close()


def test_what_lies_in_the_mailbox_is_kept_byte_for_byte_and_marked_in_no_way(post: Post) -> None:
    mails = [mail("un"), mail("deux", "é\r\n.\r\n..\r\nFrom here")]
    post.deliver(*mails)
    with post.reading():
        kept = post.until_kept(2)
    assert all(raw.endswith(sent) for raw, sent in zip(kept, mails, strict=True))
    with post.dovecot.client(post.user) as client:
        flags = client.get_flags(client.search("ALL"))
    assert {flag for each in flags.values() for flag in each} <= {b"\\Recent"}


def test_the_reception_time_is_that_of_the_mailbox(post: Post) -> None:
    """R-DIS-5: what counts is when the mailbox received a mail, not when we read it."""
    at = datetime(2026, 1, 6, 9, 30, 15, tzinfo=UTC)
    with post.dovecot.client(post.user) as client:
        client.append("INBOX", mail("tard"), msg_time=at)
    with post.reading():
        post.until_kept(1)
    (waiting,) = [inbox.waiting(post.db, post.club.id)]
    assert waiting is not None
    assert waiting.received_at == at


def test_mails_that_somebody_has_read_already_are_taken_all_the_same(post: Post) -> None:
    """G08: a flag is no queue."""
    post.deliver(mail("lu"))
    with post.dovecot.client(post.user) as client:
        client.add_flags(client.search("ALL"), [b"\\Seen"])
    with post.reading():
        post.until_kept(1)


def test_new_mail_is_told_by_the_server(post: Post) -> None:
    with post.reading(poll_seconds=600) as door:
        until(lambda: door.known_until(datetime.now(UTC)) > datetime(2026, 1, 1, tzinfo=UTC), "a first look")
        post.deliver(mail("un"))
        post.until_kept(1)
        post.deliver(mail("deux"))
        post.until_kept(2)


def test_mail_told_of_with_an_answer_to_another_command_is_news_as_well(post: Post) -> None:
    """The server tells once: who has listed the folder and then moves a mail hears of the next one there."""
    session = imap_session.open_session(post.imap())
    try:
        assert session.uids() == []
        assert not session.grown
        post.deliver(mail("un"))
        post.until_in("INBOX", "un")
        session.move([4711], session.make_folder("elsewhere"))
        assert session.grown
        assert len(session.uids()) == 1
        session.uids()
        assert not session.grown
    finally:
        session.close()


def test_without_idle_it_looks_every_so_often(post: Post) -> None:
    with post.reading(idle=False, poll_seconds=1):
        post.deliver(mail("un"))
        post.until_kept(1)


@pytest.mark.parametrize(
    ("state", "folder"),
    [
        (InboxState.EXECUTED, "mailflow-done"),
        (InboxState.ANSWERED, "mailflow-done"),
        (InboxState.PENDING, "mailflow-done"),
        (InboxState.IGNORED, "mailflow-ignored"),
        (InboxState.QUARANTINED, "mailflow-quarantine"),
    ],
)
def test_a_mail_is_moved_when_it_has_come_to_its_end(post: Post, state: InboxState, folder: str) -> None:
    post.deliver(mail("un"), mail("deux"))
    with post.reading() as door:
        post.until_kept(2)
        assert post.subjects() == ["un", "deux"]
        post.handle(state)
        door.wake()
        post.until_in(folder, "un", "deux")
        post.until_in("INBOX")


def test_a_folder_without_a_name_leaves_them_where_they_are(post: Post) -> None:
    post.deliver(mail("un"))
    with post.reading(folders=Folders(done="")) as door:
        post.until_kept(1)
        post.handle()
        door.wake()
        post.deliver(mail("deux"))
        post.until_kept(2)
    assert post.subjects() == ["un", "deux"]


def test_another_folder_than_the_inbox_may_be_read(post: Post) -> None:
    with post.dovecot.client(post.user) as client:
        client.create_folder("Club été")
        client.append("Club été", mail("un"))
    with post.reading(folder="Club été"):
        post.until_kept(1)


def test_without_move_they_are_copied_and_removed(tmp_path: Path) -> None:
    """And of what others have marked as deleted, nothing is removed."""
    with a_dovecot(capability="IMAP4rev1 LITERAL+ IDLE UIDPLUS") as server:
        post = a_post(server, tmp_path)
        post.deliver(mail("un"), mail("marked"))
        with post.reading() as door:
            post.until_kept(2)
            with server.client(post.user) as client:
                marked = client.search(["SUBJECT", "marked"])
                client.delete_messages(marked)
                client.append("INBOX", mail("later"), flags=[b"\\Deleted"])
            post.until_kept(3)
            post.handle()
            door.wake()
            post.until_in("mailflow-done", "un", "marked", "later")
        post.db.close()


def test_a_bare_server_without_idle_move_and_uidplus_will_do(tmp_path: Path) -> None:
    with a_dovecot(capability="IMAP4rev1") as server:
        post = a_post(server, tmp_path)
        post.deliver(mail("un"))
        with post.reading(poll_seconds=1) as door:
            post.until_kept(1)
            post.handle()
            door.wake()
            post.until_in("mailflow-done", "un")
            post.deliver(mail("deux"))
            post.until_kept(2)
        post.db.close()


def test_folders_are_made_under_the_prefix_that_the_server_wants(tmp_path: Path) -> None:
    with a_dovecot(namespace="prefix = INBOX.\n  separator = .") as server:
        post = a_post(server, tmp_path)
        post.deliver(mail("un"))
        with post.reading() as door:
            post.until_kept(1)
            post.handle()
            door.wake()
            post.until_in("INBOX.mailflow-done", "un")
        post.db.close()


def test_a_mail_that_is_too_large_is_kept_by_its_headers(post: Post) -> None:
    """T-23: 30 MB are never fetched; the reader sees why, and who wrote."""
    post.deliver(mail("petit"), mail("gros", "x" * 70 + "\r\n" + ("y" * 76 + "\r\n") * 20_000), mail("fin"))
    with post.reading():
        kept = post.until_kept(3)
    (large,) = [raw for raw in kept if b"Subject: gros" in raw]
    assert len(large) < 2_000
    letter = read_letter(large)
    assert (letter.kind, letter.reason, letter.sender) == (
        LetterKind.MALFORMED,
        "too_large",
        "anna@example.org",
    )


def test_a_mail_of_exactly_the_limit_is_kept_whole(post: Post) -> None:
    with post.dovecot.client(post.user) as client:
        for name, size in (("just", SIZE_BYTES_MAX), ("over", SIZE_BYTES_MAX + 1)):
            raw = mail(name)
            client.append("INBOX", raw + b"z" * (size - len(raw)))
    with post.reading():
        just, over = sorted(post.until_kept(2), key=len, reverse=True)
    assert (len(just), b"Subject: just" in just) == (SIZE_BYTES_MAX, True)
    assert b"Subject: over" in over
    assert len(over) < 1_000


def test_a_folder_made_anew_with_the_same_mails_changes_nothing(post: Post) -> None:
    """P-2, G10: a new UIDVALIDITY, new UIDs, the same mails."""
    mails = [mail("un"), mail("deux")]

    def fill() -> None:
        with post.dovecot.client(post.user) as client:
            if client.folder_exists("Club"):
                client.delete_folder("Club")
            client.create_folder("Club")
            for raw in mails:
                client.append("Club", raw)

    fill()
    with post.reading(folder="Club"):
        post.until_kept(2)
    with post.dovecot.client(post.user, "Club") as client:
        before = client.folder_status("Club", ["UIDVALIDITY"])
    fill()
    with post.dovecot.client(post.user, "Club") as client:
        assert client.folder_status("Club", ["UIDVALIDITY"]) != before
    mails.append(mail("trois"))
    with post.dovecot.client(post.user) as client:
        client.append("Club", mails[2])
    with post.reading(folder="Club"):
        post.until_kept(3)
    assert post.kept() == mails


def test_a_mail_put_back_is_moved_away_again_and_not_taken_twice(post: Post) -> None:
    """P-2: the same mail under a new UID."""
    post.deliver(mail("un"))
    with post.reading() as door:
        post.until_kept(1)
        post.handle()
        door.wake()
        post.until_in("mailflow-done", "un")
        with post.dovecot.client(post.user, "mailflow-done") as client:
            client.move(client.search("ALL"), "INBOX")
        post.until_in("mailflow-done", "un")
        post.deliver(mail("deux"))
        post.until_kept(2)
    assert len(post.kept()) == 2


def test_a_mail_that_vanishes_before_it_is_moved_disturbs_nothing(post: Post) -> None:
    post.deliver(mail("un"), mail("deux"))
    with post.reading() as door:
        post.until_kept(2)
        with post.dovecot.client(post.user) as client:
            client.delete_messages(client.search(["SUBJECT", "un"]))
            client.expunge()
        post.handle()
        door.wake()
        post.until_in("mailflow-done", "deux")


def test_of_two_readers_one_reads_and_the_other_takes_over(post: Post) -> None:
    """P-5."""
    with post.reading("one") as one:
        post.deliver(mail("un"))
        post.until_kept(1)
        with post.reading("two", poll_seconds=5) as two:
            until(lambda: two._told == "other", "the second waits")
            post.deliver(mail("deux"))
            post.until_kept(2)
            assert two._told == "other"
        assert one._told == "here"
    with post.reading("two"):
        post.deliver(mail("trois"))
        post.until_kept(3)
    assert len(post.kept()) == 3


def test_a_reader_that_was_put_out_writes_nothing(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """P-5: suspended too long, its lease has passed to another; its fencing number no longer stands."""
    slow = post.door("slow")
    slow._turn.take()
    monkeypatch.setattr("mailflow.doors.turns.HELD", timedelta(0))
    other = post.door("other")
    monkeypatch.setattr(other._turn, "_clock", lambda: datetime.now(UTC) + timedelta(hours=1))
    other._turn.take()
    post.deliver(mail("un"))
    monkeypatch.setattr(slow._turn, "take", lambda: None)
    assert slow._attempt() == imap.OTHER_SECONDS
    assert post.kept() == []
    slow.stop()
    other.stop()


def test_a_server_that_goes_away_and_comes_back_is_two_lines(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "mailflow.imap")
    with a_dovecot() as server:
        post = a_post(server, tmp_path)
        post.deliver(mail("un"))
        with post.reading() as door:
            post.until_kept(1)
            until(lambda: door._told == "here", "reading")
            server.kill()
            until(lambda: door._failures >= 3, "three attempts")
            server.start()
            post.deliver(mail("deux"))
            post.until_kept(2)
            until(lambda: door._told == "here", "reading again")
        post.db.close()
    said = [r.message.partition(":")[0] for r in caplog.records if r.name == "mailflow.imap"]
    account = post.settings.account
    assert said[0] == said[-1] == f"reading INBOX of {account}".partition(":")[0]
    assert [line for line in said[1:-1] if line != "the mailbox is away"] == []
    assert len(said) <= 4  # it may fail at two things: the open connection, and a new one


def test_a_connection_that_is_cut_during_idle_is_opened_again(post: Post) -> None:
    with wire(post.dovecot.imap_port) as cable, post.reading(port=cable.port, poll_seconds=600) as door:
        until(lambda: door._told == "here", "reading")
        cable.cut()
        until(lambda: cable.connections == 2, "a second connection")
        post.deliver(mail("un"))
        post.until_kept(1)


def test_a_connection_that_is_dead_during_idle_is_found_out(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mjs/imapclient#449: no waiting for ever for an answer to DONE."""
    monkeypatch.setattr(imap_session, "READ_SECONDS", 1)
    with wire(post.dovecot.imap_port) as cable, post.reading(port=cable.port, poll_seconds=5) as door:
        until(lambda: door._told == "here", "reading")
        cable.go_dead()
        post.deliver(mail("un"))
        cable.come_alive()
        door.wake()
        post.until_kept(1)
        assert cable.connections == 2


def test_the_watchdog_cuts_a_conversation_that_does_not_go_on(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    with wire(post.dovecot.imap_port) as cable, post.reading(port=cable.port, poll_seconds=600) as door:
        until(lambda: door._told == "here", "reading")
        cable.go_dead()
        door.wake()
        cable.come_alive()
        monkeypatch.setattr(imap, "STUCK_SECONDS", -1)
        door.watch()
        until(lambda: cable.connections >= 2, "a second connection")


def test_it_ends_soon_even_if_the_server_is_dead(post: Post) -> None:
    with wire(post.dovecot.imap_port) as cable:
        door = post.door(port=cable.port, poll_seconds=600)
        door.start()
        until(lambda: door._told == "here", "reading")
        cable.go_dead()
        door.stop()
        assert not door._thread.is_alive()


def test_idle_that_keeps_silent_about_mail_is_given_up(
    post: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """mjs/imapclient#349: the server lets it be, and tells nothing."""
    seen = []

    def silent(self: imap_session.Session, seconds: float, *rest: object) -> bool:
        seen.append(seconds)
        post.deliver(mail(f"mail {len(seen)}"))
        return False

    monkeypatch.setattr(imap_session.Session, "wait", silent)
    with post.reading(poll_seconds=1):
        until(lambda: "looking every 1 s" in caplog.text, "a word in the log")
        idled = len(seen)
        post.deliver(mail("by polling"))
        post.until_kept(idled + 1)
    assert set(seen[:idled]) == {1}
    assert len(seen) == idled


def test_another_process_learns_up_to_when_all_mail_is_known(post: Post) -> None:
    """R-DIS-5: a window is not closed by a process that cannot see the mailbox."""
    since = datetime.now(UTC)

    def known(now: datetime) -> datetime:
        return known_until(post.db, post.club.id, post.settings, since, now)

    assert known(since) < since
    assert known(since + GRACE) < since
    assert known(since + GRACE + timedelta(seconds=1)) > since  # away for long: waited for no more
    with post.reading(shared=True):
        until(lambda: known(since) >= since, "a look")
    assert known_until(post.db, post.club.id, Imap(), since, since) == since
