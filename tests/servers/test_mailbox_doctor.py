"""`mailflow doctor` at a real mailbox: whether it opens, and a mail's way out and back by IMAP."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mailflow.doctor.findings import Patient, State
from mailflow.doctor.ways import mailbox_opens
from mailflow.settings import load
from tests.command_line.cli_scene import mailflow

from .dovecot import Dovecot
from .evening_scene import Town
from .mailbox_scene import mail
from .postfix import Postfix


@pytest.fixture
def town(dovecot: Dovecot, postfix: Postfix, tmp_path: Path) -> Town:
    made = Town(dovecot, postfix, tmp_path / "club")
    made.found("anna")
    return made


def test_a_mailbox_that_opens_is_well(town: Town) -> None:
    town.dovecot.deliver(mail("un"), to=town.club)
    settings = load(town.folder)
    found = mailbox_opens(Patient(settings, datetime.now(UTC)))
    assert found.state is State.WELL
    assert "mails that lie there: 1; the server tells of new ones" in found.said
    slow = replace(settings, imap=replace(settings.imap, idle=False))
    assert mailbox_opens(Patient(slow, datetime.now(UTC))).state is State.NOTE
    assert town.dovecot.subjects(town.club) == ["un"]


def test_one_that_does_not_open_is_said_to_be_bad(town: Town) -> None:
    (town.folder / "imap.password").write_text("wrong")
    said = mailflow("doctor", "--dir", town.folder)
    (line,) = [line for line in said.out if line.split()[1:2] == ["mailbox"] or " mailbox " in line[:24]]
    assert (said.code, "BAD" in line, "login" in line) == (1, True, True)


def test_a_mail_to_itself_comes_back_by_the_mailbox(town: Town) -> None:
    said = mailflow("doctor", "--mail", "--dir", town.folder)
    plus = [line for line in said.out if " plus " in line[:24]]
    assert len(plus) == 1, said
    assert "ok" in plus[0], said
