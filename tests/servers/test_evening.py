"""An evening by real mail: Postfix in, Dovecot, `mailflow run`, Postfix out, the members' inboxes."""

from __future__ import annotations

from pathlib import Path

import pytest

from .dovecot import Dovecot
from .evening_scene import Town
from .ground import until
from .mail_program import MailProgram
from .postfix import Postfix


@pytest.fixture
def town(dovecot: Dovecot, postfix: Postfix, tmp_path: Path) -> Town:
    made = Town(dovecot, postfix, tmp_path / "club")
    made.found("anna", "bela", "carl")
    return made


def confirm(town: Town, name: str) -> None:
    """Answer OUI to the confirmation that asks for it."""
    town.answer(name, town.mail(name, "OUI"), "OUI")


def test_an_evening_is_played_by_mail(town: Town) -> None:
    with town.served():
        town.write("anna", "PARTIE buyin=5 joueurs=bela,carl")
        confirm(town, "anna")
        town.mail("bela", "partie")
        town.mail("carl", "partie")
        town.write("anna", "RESULTAT 1 1=bela")
        confirm(town, "anna")
        town.mail("bela", "gagn")
        town.write("bela", "VIREMENT 2,50 à carl")
        confirm(town, "bela")
        town.mail("carl", "2,50")
        town.write("carl", "COMPTE")
        town.mail("carl", "ompte", "197,50")
    assert {name: town.balances()[name] for name in ("anna", "bela", "carl")} == {
        "anna": "195,00",
        "bela": "207,50",
        "carl": "197,50",
    }
    until(lambda: town.dovecot.subjects(town.club) == [], "an empty inbox")
    assert len(town.dovecot.subjects(town.club, "mailflow-done")) == 7


def test_a_member_writes_and_answers_with_his_mail_program(town: Town, tmp_path: Path) -> None:
    """neomutt: its own headers, its own quoting, its own way to use Reply-To."""
    ports = town.dovecot.imap_port, town.postfix.smtp_port
    mutt = MailProgram(town.address("anna"), "Anna Éluard", *ports, tmp_path / "mutt")
    with town.served():
        mutt.write(town.club, "", "PARTIE buyin=5 joueurs=bela")
        town.mail("anna", "OUI")
        mutt.answer_newest("OUI")
        town.mail("bela", "partie")
    assert town.games() == 1


def test_servers_and_service_die_in_the_middle_and_each_mail_is_answered_once(town: Town) -> None:
    """P-1, P-4: the mailbox away, mailflow killed with SIGKILL, mail coming in all the while."""
    asked = {name: [] for name in ("anna", "bela", "carl")}

    def ask(first: int, last: int) -> None:
        for number in range(first, last):
            for name, ids in asked.items():
                ids.append(town.write(name, "COMPTE", subject=f"n{number}"))

    try:
        with town.started() as process:
            ask(0, 3)
            until(lambda: answered(town, "anna"), "a first answer")
            town.dovecot.kill()
            ask(3, 4)
            town.dovecot.start()
            ask(4, 5)
            until(lambda: len(answered(town, "anna")) > 3, "some answers")
            process.kill()
        ask(5, 6)
        with town.served():
            for name, ids in asked.items():
                until(
                    lambda name=name, ids=ids: set(ids) <= answered(town, name).keys(), f"answers to {name}"
                )
            until(lambda: town.dovecot.subjects(town.club) == [], "an empty inbox")
    finally:
        town.dovecot.kill()
        town.dovecot.start()
    for name, ids in asked.items():
        found = answered(town, name)
        assert {len(found[one]) for one in ids} == {1}  # twice at most on the wire, and then the same mail
    assert len(town.dovecot.subjects(town.club, "mailflow-done")) == 18


def answered(town: Town, name: str) -> dict[str, set[str]]:
    """Which mail of a member was answered by which mails of ours: their Message-IDs."""
    found: dict[str, set[str]] = {}
    for _, mail in town.mails(name):
        if mail["In-Reply-To"]:
            found.setdefault(mail["In-Reply-To"], set()).add(mail["Message-ID"])
    return found
