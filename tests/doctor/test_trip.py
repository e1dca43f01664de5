"""`mailflow doctor --mail`: a real conversation, out through a relay that stamps and back in by the entry."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mailflow import ambient
from mailflow.app import open_office
from mailflow.identify import Trust
from mailflow.sections.border import LEARNT_FILE, Border
from mailflow.settings import load
from store import inbox
from tests.command_line.cli_scene import Said, mailflow, running

from .doctor_scene import CLUB, RECEIVED, amended, club_behind, new_club


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


def doctor(folder: Path, *options: object) -> Said:
    return mailflow("doctor", "--mail", "--dir", folder, *options)


def states(said: Said) -> dict[str, str]:
    """Name -> state of what was found by mail."""
    start = next(n for n, line in enumerate(said.out) if "under way" in line)
    lines = [line.split() for line in said.out[start + 1 :] if not line.startswith(("  ", "kept"))]
    return {words[1]: words[0] for words in lines}


def kept(folder: Path) -> list[tuple[str, str]]:
    """State and reason of every mail in the books, once the desk has been at work."""
    with open_office(load(folder), Trust.CONFIRM, ambient.now()) as office:
        office.desk.work(ambient.now())
        return [(mail.state.value, mail.reason) for mail in inbox.after(office.db, office.club.id, 0)]


def test_both_mails_come_back_and_what_they_show_is_kept(folder: Path) -> None:
    with club_behind(folder) as relay:
        said = doctor(folder, "--record")
    assert said.code == 0, said
    assert states(said) == {"way": "ok", "subject": "ok", "plus": "ok", "stamp": "ok", "border": "note"}
    assert load(folder).border == Border(frozenset({"mx.example.org"}), (), plus=True)
    recipients = [recipient for recipient, _ in relay.taken]
    assert recipients[0] == CLUB
    assert recipients[1].startswith("club+doctor")
    assert len(recipients[1].partition("@")[0]) == len("club+") + 27
    assert "".join(said.out).count(recipients[1][5:32]) == 0


def test_what_was_kept_agrees_the_next_time(folder: Path) -> None:
    with club_behind(folder):
        doctor(folder, "--record")
        said = doctor(folder)
    assert said.code == 0
    assert states(said)["border"] == "ok"


def test_the_clubs_own_mails_are_left_lying_and_answered_by_nobody(folder: Path) -> None:
    """F07: it is our own mail coming back."""
    with club_behind(folder):
        doctor(folder)
    assert kept(folder) == [("ignored", "own")] * 2
    with open_office(load(folder), Trust.CONFIRM, ambient.now()) as office:
        assert office.db.execute_sql("SELECT count(*) FROM outbox").fetchone() == (0,)


def test_without_record_nothing_is_kept(folder: Path) -> None:
    with club_behind(folder):
        doctor(folder)
    assert not (folder / LEARNT_FILE).exists()


@pytest.mark.parametrize("how", [{"takes_plus": False}, {"loses_plus": True}, {"drops_plus": True}])
def test_t14_a_server_that_knows_no_plus_is_found_out(folder: Path, how: dict[str, bool]) -> None:
    with club_behind(folder, **how):
        said = doctor(folder, "--record", "--wait", 2)
    assert said.code == 0
    assert states(said)["plus"] == "note"
    assert load(folder).border.plus is False


def test_a_subject_that_is_rewritten_is_found_out(folder: Path) -> None:
    with club_behind(folder, renames=("[#doctor", "[#")):
        said = doctor(folder)
    assert (said.code, states(said)["subject"]) == (1, "BAD")


def test_a_stamp_below_servers_of_ours_teaches_their_names(folder: Path) -> None:
    headers = [
        "Received: from mx by imap.example.org with LMTP id 1; Tue",
        "Authentication-Results: mx.example.org; dmarc=fail header.from=example.org",
        RECEIVED,
    ]
    with club_behind(folder, headers=headers):
        assert doctor(folder, "--record").code == 0
        said = doctor(folder)
    assert load(folder).border.hosts == ("imap.example.org",)
    assert (said.code, states(said)["border"]) == (1, "BAD")  # the club's own mail fails DMARC
    assert kept(folder) == [("ignored", "own")] * 4


def test_a_mail_that_is_lost_ends_the_waiting_and_keeps_nothing(folder: Path) -> None:
    with club_behind(folder, drops_all=True):
        said = doctor(folder, "--record", "--wait", 1)
    assert (said.code, states(said)) == (1, {"way": "BAD"})
    assert not (folder / LEARNT_FILE).exists()


def test_while_mailflow_is_at_work_it_takes_the_mails_in(folder: Path) -> None:
    """`running` starts the service on a port of its own; the relay is told of it."""
    with club_behind(folder) as relay, running(folder) as run:
        relay.club_port = run.port
        said = doctor(folder, "--record")
        assert said.code == 0, said
        assert states(said)["plus"] == "ok"
        assert run.stop()[0] == 0
    assert kept(folder) == [("ignored", "own")] * 2


def test_without_a_relay_no_mail_is_sent(folder: Path) -> None:
    said = doctor(new_club(folder))
    assert said.code == 1
    assert said.out[-1] == "no mail was sent: [relay] in club.toml names no server"


def test_what_is_bad_is_mended_first(folder: Path) -> None:
    with club_behind(folder) as relay:
        (folder / "secret.key").chmod(0o644)
        said = doctor(folder)
    assert said.code == 1
    assert said.out[-1] == "no mail was sent: mend this first"
    assert relay.taken == []


@pytest.mark.parametrize("seconds", ["0", "-1", "3601", "x", "1.5"])
def test_the_wait_is_bounded(folder: Path, seconds: str) -> None:
    assert doctor(folder, "--wait", seconds).code == 2


def test_without_mail_nothing_is_sent(folder: Path) -> None:
    with club_behind(folder) as relay:
        said = mailflow("doctor", "--dir", folder)
    assert said.code == 0
    assert relay.taken == []


def test_the_file_is_closed_to_others(folder: Path) -> None:
    mask = os.umask(0o077)
    try:
        with club_behind(folder):
            doctor(folder, "--record")
    finally:
        os.umask(mask)
    assert (folder / LEARNT_FILE).stat().st_mode & 0o077 == 0


def test_a_setting_of_the_operators_goes_before_what_was_learnt(folder: Path) -> None:
    with club_behind(folder):
        doctor(folder, "--record")
    amended(folder, '# authserv_ids = ["mx.example.org"]', 'authserv_ids = ["mx.mine.example"]')
    assert load(folder).border.authserv_ids == frozenset({"mx.mine.example"})
