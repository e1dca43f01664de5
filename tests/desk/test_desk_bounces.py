"""Reports on our own mails: those to a mail's return path count once, all others do nothing (T-32, P-6)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mailflow.return_paths import return_path
from store import delivery, sql
from store.database import unit_of_work
from store.records import OutboxMail
from tests.parsers.bounce_mails import CASES, plain, report

from .desk_scene import CLUB, Scene

DEAD = (
    "Final-Recipient: rfc822; anna@example.org\nAction: failed\nStatus: 5.1.1\n"
    "Diagnostic-Code: smtp; 550 no such"
)
FULL = DEAD.replace("5.1.1", "5.2.2").replace("no such", "full")
DELAYED = DEAD.replace("failed", "delayed").replace("5.1.1", "4.4.1")
OLD_PATH = b"club+b000000000000000000000000000@example.org"


def sent(scene: Scene) -> OutboxMail:
    """A mail of ours that a server has taken."""
    scene.write("anna", "COMPTE")
    mail = scene.told()[-1]
    with unit_of_work(scene.db):
        delivery.mark_sent(scene.db, mail.id, scene.now)
    return mail


def path_of(scene: Scene, mail: OutboxMail) -> bytes:
    return return_path(scene.desk.keyring, CLUB, mail.id).encode()


def came_back(scene: Scene, mail: OutboxMail, fields: str = DEAD) -> str:
    """What becomes of a report to a mail's return path."""
    return scene.receive(report("words", fields).replace(OLD_PATH, path_of(scene, mail))).reason


def faults(scene: Scene) -> list[Any]:
    return sql.rows(scene.db, "SELECT id, state, fault, last_error FROM outbox WHERE failed_at IS NOT NULL")


def test_a_report_to_the_return_path_counts_on_the_address(club: Scene) -> None:
    mail = sent(club)
    assert came_back(club, mail) == "bounce: counted"
    assert faults(club) == [(mail.id, "sent", "hard", "5.1.1 550 no such")]
    ((one),) = delivery.bouncing(club.db, club.club.id, club.now - timedelta(days=1))
    assert (one.address, one.recipient, one.hard, one.soft) == ("anna@example.org", "anna", 1, 0)
    assert club.told() == []


def test_the_same_mail_counts_once_whatever_comes_in_about_it(club: Scene) -> None:
    mail = sent(club)
    assert [came_back(club, mail, fields) for fields in (FULL, FULL, DEAD, DEAD, FULL)] == [
        "bounce: counted",
        "bounce: known",
        "bounce: counted",
        "bounce: known",
        "bounce: known",
    ]
    assert [fault for _, _, fault, _ in faults(club)] == ["hard"]


def test_a_delay_counts_nothing(club: Scene) -> None:
    """F10."""
    assert came_back(club, sent(club), DELAYED) == "bounce: delayed"
    assert faults(club) == []


@pytest.mark.parametrize("name", CASES)
def test_a_forged_report_does_nothing(club: Scene, name: str) -> None:
    """T-32: to the plain address, or to a return path that we never made."""
    sent(club)
    for to in (CLUB.encode(), OLD_PATH, b"club+b1@example.org"):
        assert club.receive(CASES[name].raw.replace(OLD_PATH, to)).reason == "bounce"
    assert faults(club) == []
    assert club.told() == []


def test_a_report_to_two_return_paths_does_nothing(club: Scene) -> None:
    one, other = sent(club), sent(club)
    both = path_of(club, one) + b", " + path_of(club, other)
    raw = report("words", DEAD).replace(b"To: " + OLD_PATH, b"To: " + both)
    assert club.receive(raw.replace(OLD_PATH, path_of(club, one))).reason == "bounce"
    assert faults(club) == []


def test_a_return_path_of_another_club_does_nothing(club: Scene) -> None:
    """Two clubs may have one key by mistake: the mail must be this club's own."""
    raw = report("words", DEAD)
    path = return_path(club.desk.keyring, CLUB, 10_000).encode()
    assert club.receive(raw.replace(OLD_PATH, path)).reason == "bounce: known"
    assert faults(club) == []


def test_a_mail_of_a_person_to_a_return_path_is_read_as_any_other(club: Scene) -> None:
    """Some programs answer there; it proves nothing."""
    mail = sent(club)
    handled = club.write("anna", "PARTIE joueurs=bela", to=path_of(club, mail).decode())
    assert handled.state == "pending"


def test_bounces_block_no_command_and_disturb_no_queue(fresh: Scene) -> None:
    """T-32."""
    for _ in range(6):
        mail = sent(fresh)
        came_back(fresh, mail)
    assert fresh.write("anna", "PARTIE joueurs=bela").state == "executed"
    assert [mail.recipient for mail in fresh.told()] == ["anna", "bela"]
    assert delivery.is_due(fresh.db, fresh.club.id, "sender", fresh.now)


def test_no_address_of_a_report_is_kept(club: Scene) -> None:
    """T-38: who is forgotten leaves none behind in what servers said."""
    mail = sent(club)
    words = "<anna@example.org>: 550 5.1.1 <anna@example.org> unknown\nFinal-Recipient: x"
    raw = plain(words, "MAILER-DAEMON@mx.example.net", "failure notice")
    assert club.receive(raw.replace(OLD_PATH, path_of(club, mail))).reason == "bounce: counted"
    ((_, _, _, said),) = faults(club)
    assert said == "550 5.1.1 (address) unknown"


def test_the_manager_hears_of_it_the_next_morning(club: Scene) -> None:
    """P-6: once, with the address in his digest from the second one on."""
    for _ in range(2):
        came_back(club, sent(club))
    club.told()
    club.now = club.now.replace(hour=8, minute=31) + timedelta(days=1)  # 09:31 in Paris
    club.work()
    (notice,) = [mail for mail in club.told() if mail.kind == "delivery.failed"]
    assert notice.recipient == "anna"
    assert "2 mails" in notice.subject
    club.now += timedelta(days=1)
    club.work()
    assert [mail for mail in club.told() if mail.kind == "delivery.failed"] == []
