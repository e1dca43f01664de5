"""The record of what was taken from mailboxes: by UID and UIDVALIDITY, and by bytes (P-2, P-5)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import peewee

from store import inbox, mailboxes, migrations, sql
from store.database import open_database, unit_of_work
from store.instants import to_micros
from store.migrations import migrate, shipped
from store.records import InboxState
from tests.store.scene import START, Scene, found

RAW = b"From: anna\r\n\r\nCOMPTE\r\n"


def mailbox(club: Scene, uidvalidity: int = 1, folder: str = "INBOX", account: str = "club@imap") -> int:
    with unit_of_work(club.db):
        return mailboxes.mailbox(club.db, club.id, account, folder, uidvalidity)


def keep(club: Scene, box: int, uid: int, raw: bytes = RAW, minutes: int = 0) -> int:
    with unit_of_work(club.db):
        return mailboxes.keep(club.db, club.id, box, uid, raw, START + timedelta(minutes=minutes))


def end(club: Scene, mail_id: int, state: InboxState) -> None:
    with unit_of_work(club.db):
        inbox.finish(club.db, mail_id, state)


def test_a_folder_is_itself_as_long_as_its_uidvalidity_stays(bare: Scene) -> None:
    first = mailbox(bare)
    assert mailbox(bare) == first
    others = {mailbox(bare, 2), mailbox(bare, folder="Club"), mailbox(bare, account="other")}
    assert len(others | {first}) == 4
    assert mailbox(found(bare.db, "autre@example.org")) not in others | {first}


def test_a_mail_is_kept_with_the_time_at_which_the_mailbox_received_it(bare: Scene) -> None:
    mail = inbox.fetch(bare.db, keep(bare, mailbox(bare), 7, minutes=3))
    assert (mail.raw, mail.received_at) == (RAW, START + timedelta(minutes=3))


def test_what_is_on_record_is_not_taken_again_however_it_is_listed(bare: Scene) -> None:
    box = mailbox(bare)
    keep(bare, box, 7)
    assert mailboxes.not_taken(bare.db, box, [9, 7, 8, 7, 9]) == [8, 9]
    assert mailboxes.not_taken(bare.db, box, []) == []
    assert mailboxes.not_taken(bare.db, mailbox(bare, 2), [7]) == [7]


def test_the_same_bytes_under_another_uid_are_the_same_mail(bare: Scene) -> None:
    """P-2: moved by somebody, restored with another date, listed under a new UIDVALIDITY."""
    mail_id = keep(bare, mailbox(bare), 7)
    assert keep(bare, mailbox(bare), 8) == mail_id
    assert keep(bare, mailbox(bare, 2), 1, minutes=60) == mail_id
    assert keep(bare, mailbox(bare), 9, RAW + b".") != mail_id
    assert inbox.counts(bare.db, bare.id)["received"] == 2


def test_keeping_a_uid_twice_changes_nothing(bare: Scene) -> None:
    box = mailbox(bare)
    mail_id = keep(bare, box, 7)
    assert keep(bare, box, 7) == mail_id
    assert sql.value(bare.db, "SELECT count(*) FROM mailbox_mail") == 1


def test_bytes_of_another_club_are_another_mail(bare: Scene) -> None:
    other = found(bare.db, "autre@example.org")
    assert keep(bare, mailbox(bare), 7) != keep(other, mailbox(other), 7)


def test_what_has_come_to_an_end_is_to_be_moved_once(bare: Scene) -> None:
    box = mailbox(bare)
    ids = [keep(bare, box, uid, RAW + bytes([uid])) for uid in (1, 2, 3)]
    assert mailboxes.to_settle(bare.db, box, 10) == []
    end(bare, ids[2], InboxState.QUARANTINED)
    end(bare, ids[0], InboxState.EXECUTED)
    assert mailboxes.to_settle(bare.db, box, 10) == [
        (1, InboxState.EXECUTED),
        (3, InboxState.QUARANTINED),
    ]
    assert mailboxes.to_settle(bare.db, box, 1) == [(1, InboxState.EXECUTED)]
    with unit_of_work(bare.db):
        mailboxes.mark_settled(bare.db, box, [1, 3])
    assert mailboxes.to_settle(bare.db, box, 10) == []


def test_a_copy_that_comes_later_is_moved_along(bare: Scene) -> None:
    box = mailbox(bare)
    end(bare, keep(bare, box, 1), InboxState.IGNORED)
    with unit_of_work(bare.db):
        mailboxes.mark_settled(bare.db, box, [1])
    keep(bare, box, 5)
    assert mailboxes.to_settle(bare.db, box, 10) == [(5, InboxState.IGNORED)]


def test_a_look_is_told_to_the_other_processes(bare: Scene) -> None:
    """R-DIS-5; a folder that was made anew is the same folder."""

    def seen(folder: str = "INBOX") -> object:
        return mailboxes.looked_at(bare.db, bare.id, "club@imap", folder)

    first, second = mailbox(bare), mailbox(bare, 2)
    assert seen() is None
    with unit_of_work(bare.db):
        mailboxes.mark_looked(bare.db, first, START)
    assert (seen(), seen("Club")) == (START, None)
    with unit_of_work(bare.db):
        mailboxes.mark_looked(bare.db, second, START + timedelta(hours=1))
    assert seen() == START + timedelta(hours=1)


def test_a_file_from_before_mailboxes_is_migrated_with_its_mails(tmp_path: Path) -> None:
    path = tmp_path / "club.db"
    before_mailboxes(path)
    db = open_database(path)
    assert migrations.version(db) == len(shipped())
    assert inbox.fetch(db, 1).raw == RAW
    club = Scene(db, 1)
    assert keep(club, mailbox(club), 1, RAW + b".") == 2
    db.close()


def before_mailboxes(path: Path) -> None:
    """Make a file as it was before there was a record of mailboxes, with a mail in it."""
    db = peewee.SqliteDatabase(str(path), pragmas={"foreign_keys": "ON"})
    (own,) = (step.number for step in shipped() if step.name == "mailbox")
    migrate(db, [step for step in shipped() if step.number < own])
    at = to_micros(START)
    with unit_of_work(db):
        sql.run(db, "INSERT INTO club VALUES (1, 'c', 'c@x.org', 'Europe/Paris', 'EUR', 'fr', '', ?)", (at,))
        columns = "(id, club_id, source, offered, received_at, state)"
        sql.run(db, f"INSERT INTO inbox {columns} VALUES (1, 1, 'smtp', 'o', ?, 'received')", (at,))
        sql.run(db, "INSERT INTO inbox_raw VALUES (1, ?)", (RAW,))
    db.close()
