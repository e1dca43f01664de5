"""`mailflow status`, `balances`, `verify`: what the operator sees, and what he is warned of."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from mailflow import ambient, intake
from mailflow.app import open_office
from mailflow.identify import Trust
from mailflow.settings import load
from store import audit, inbox, outbox, tokens
from store.database import unit_of_work
from store.records import TokenState

from .cli_scene import mailflow, program


def tamper(club: Path, *statements: str, without: Sequence[str] = ()) -> None:
    """Change the file behind our back, with the triggers named taken away first."""
    with closing(sqlite3.connect(club / "mailflow.db")) as db, db:
        for trigger in without:
            db.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            db.execute(statement)


def test_status_tells_of_members_games_mails_and_what_is_next(club: Path) -> None:
    said = program("status", "--dir", club)
    assert (said.code, said.err) == (0, [])
    assert said.out[0] == "Le club <club@example.org>, Europe/Paris, EUR"
    assert "  members active: 2" in said.out
    assert "  mails in: none" in said.out
    assert [line.split(":")[0] for line in said.out if "next" in line] == [
        "  next digest.weekly",
        "  next reminder.weekly",
        "  next reminder.daily",
        "  next delivery",
        "  next unhandled",
        "  next inactivity",
    ]


def test_status_tells_of_forged_mails_and_in_whose_name(club: Path) -> None:
    """T-2: what our border refused is counted for the operator."""
    (club / "border.toml").write_text('[border]\nauthserv_ids = ["mx.club"]\n')
    forged = b"Authentication-Results: mx.club; dmarc=fail header.from=example.org\r\nFrom: %s\r\n\r\n%d"
    with open_office(load(club), Trust.CONFIRM, ambient.now()) as office:
        for number, sender in enumerate((b"bela@example.org", b"bela@example.org", b"x@example.org")):
            with unit_of_work(office.db):
                inbox.keep(office.db, office.club.id, "test", forged % (sender, number), ambient.now())
        office.desk.work(ambient.now())
    lines = [line for line in mailflow("status", "--dir", club).out if "forged" in line]
    assert [line.partition(", the last on ")[0] for line in lines] == [
        "  refused as forged within a week, in the name of no member: 1",
        "  refused as forged within a week, in the name of bela: 2",
    ]


def test_status_counts_only_questions_that_wait(club: Path) -> None:
    """A mail that was asked about ended so for good; its question is over with the OUI."""
    write, last = b"From: bela@example.org\r\nMessage-ID: <q@x>\r\n\r\nPARTIE joueurs=anna\r\n", ambient.now()
    with open_office(load(club), Trust.CONFIRM, last) as office:
        with unit_of_work(office.db):
            inbox.keep(office.db, office.club.id, "test", write, last)
        office.desk.work(last)
        (token,) = tokens.waiting(office.db, office.club.id, "confirm", last)
    waits = "  questions that wait for OUI: {}".format
    assert {waits(1), "  mails in: asked to confirm 1"} <= set(mailflow("status", "--dir", club).out)
    with open_office(load(club), Trust.CONFIRM, last) as office, unit_of_work(office.db):
        tokens.close(office.db, token.id, TokenState.USED)
    assert {waits(0), "  mails in: asked to confirm 1"} <= set(mailflow("status", "--dir", club).out)


def test_status_says_when_nobody_manages(tmp_path: Path) -> None:
    mailflow("init", tmp_path)
    said = mailflow("status", "--dir", tmp_path)
    assert said.code == 0
    assert any("no manager yet" in line for line in said.out)


def test_balances_show_every_account_and_that_all_sums_to_zero(club: Path) -> None:
    said = mailflow("balances", "--dir", club)
    assert said.code == 0
    assert [line.split()[0] for line in said.out[1:]] == ["anna", "bela", "journal:"]
    assert said.out[1].count("200,00") == 2
    assert "0,00" in said.out[-1]


def test_a_sound_club_verifies(club: Path) -> None:
    """P-10."""
    said = mailflow("verify", "--dir", club)
    assert (said.code, len(said.out)) == (0, 1)
    assert "all is well" in said.out[0]


@pytest.mark.parametrize(
    ("statement", "triggers", "names"),
    [
        ("UPDATE posting SET amount_cents = 30000 WHERE amount_cents = 20000", ["posting_keeps"], "entry 1"),
        (
            "UPDATE account SET balance_cents = balance_cents + 1 WHERE code = 'member:anna'",
            [],
            "member:anna",
        ),
        ("DELETE FROM seal WHERE entry_id = 1", ["seal_stays"], "entry 1"),
    ],
)
def test_a_row_that_was_tampered_with_is_found_and_named(
    club: Path, statement: str, triggers: list[str], names: str
) -> None:
    """T-36."""
    tamper(club, "PRAGMA foreign_keys = OFF", statement, without=triggers)
    said = mailflow("verify", "--dir", club)
    assert said.code == 1
    assert any(names in line for line in said.out), said.out
    assert "Traceback" not in "".join(said.err)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET payload_json = replace(payload_json, 'executed', 'ignored') WHERE kind = 'mail'",
        "UPDATE audit SET at = at + 1 WHERE number = 1",
        "DELETE FROM audit WHERE number = 1",
    ],
)
def test_a_chain_that_was_rewritten_is_found(club: Path, statement: str) -> None:
    """T-36, P-10."""
    now = ambient.now()
    with open_office(load(club), Trust.CONFIRM, now) as office, unit_of_work(office.db):
        for n in range(2):
            audit.record(office.db, office.club.id, now, f"mail:{n}", "mail", {"state": "executed"})
    assert mailflow("verify", "--dir", club).code == 0
    tamper(club, statement, without=["audit_keeps", "audit_stays"])
    said = mailflow("verify", "--dir", club)
    assert said.code == 1
    assert "audit" in said.out[0]


def test_a_finding_is_a_sentence_and_no_programmers_notation(club: Path) -> None:
    tamper(club, "UPDATE account SET balance_cents = 0 WHERE code = 'member:anna'")
    said = mailflow("verify", "--dir", club)
    assert not [line for line in said.out if "Finding(" in line]


def test_a_file_that_is_no_database_is_one_line(club: Path) -> None:
    (club / "mailflow.db").write_bytes(b"this is no database, but it is long enough to look like one" * 100)
    for name in ("status", "balances", "verify", "run"):
        said = mailflow(name, "--dir", club)
        assert (said.code, len(said.err)) == (2, 1), name


def test_a_club_may_not_change_its_currency_or_zone(club: Path) -> None:
    settings = club / "club.toml"
    for name, value in (("timezone", "Europe/London"), ("currency", "GBP")):
        text = settings.read_text("utf-8")
        old = "Europe/Paris" if name == "timezone" else "EUR"
        settings.write_text(text.replace(f'{name} = "{old}"', f'{name} = "{value}"'), "utf-8")
        said = mailflow("status", "--dir", club)
        assert (said.code, len(said.err)) == (2, 1)
        assert name in said.err[0]
        settings.write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ('name = "Le club"', "name = ", "club.toml"),
        ("port = 2525", "port = -1", "port"),
        ("port = 2525", 'port = "2525"', "port"),
        ('protocol = "smtp"', 'protocol = "pop"', "protocol"),
        ('tls_key = ""', 'tls_key = "club.toml"', "tls_certificate"),
        ('tls_key = ""', 'tls_key = "nowhere.pem"', "nowhere.pem"),
        ("# connections_max = 100", "connections_max = 0", "connections_max"),
        ("# timeout_seconds = 300", 'timeout_seconds = "5 min"', "timeout_seconds"),
        ("# errors_max = 20", "errors_max = true", "errors_max"),
        ("# errors_max = 20", "error_max = 20", "error_max"),
        ('# tls = "starttls"', 'tls = "yes"', "tls"),
        ('tls_ca = ""', 'tls_ca = "nowhere.pem"', "nowhere.pem"),
        ('login = "password"', 'login = "kerberos"', "login"),
        ('user = ""', 'user = "club"', "password_file"),
        ('domain = ""', 'domain = "example.net"', "domain"),
        ('domain = ""', 'domain = "example.org"', "selector"),
        ('domain = ""\nselector = ""', 'domain = "example.org"\nselector = "a b"', "selector"),
        ('domain = ""\nselector = ""', 'domain = "example.org"\nselector = "a"', "key_file"),
        ("bounce_address = true", 'bounce_address = "yes"', "bounce_address"),
        ('forum = ""', 'froum = ""', "froum"),
        ("# dispute_window_days = 7", "dispute_window_days = 0", "dispute_window_days"),
        ("# dispute_window_days = 7", "dispute_widnow = 7", "dispute_widnow"),
    ],
)
def test_a_mistake_in_the_settings_is_one_line_that_names_it(
    club: Path, old: str, new: str, names: str
) -> None:
    settings = club / "club.toml"
    text = settings.read_text("utf-8")
    assert old in text
    settings.write_text(text.replace(old, new), "utf-8")
    said = mailflow("status", "--dir", club)
    assert (said.code, said.out, len(said.err)) == (2, [], 1)
    assert names in said.err[0]


def test_without_a_command_it_shows_how_it_is_used() -> None:
    said = mailflow()
    assert said.code == 2
    assert "usage" in said.err[0]


def test_the_version_is_told() -> None:
    assert mailflow("--version").out[0].startswith("mailflow ")


# ---------------------------------------------------------------- who is not heard


def written(club: Path, who: str, *texts: str, to: str = "club@example.org") -> None:
    with open_office(load(club), Trust.CONFIRM, ambient.now()) as office:
        for number, text in enumerate(texts):
            head = f"From: {who}\r\nTo: {to}\r\nMessage-ID: <{to}{number}@mail.example>\r\n\r\n"
            with unit_of_work(office.db):
                intake.keep(office.db, office.club.id, "test", (head + text).encode(), ambient.now())
        office.desk.work(ambient.now())


def counts(club: Path) -> dict[str, int]:
    with open_office(load(club), Trust.CONFIRM, ambient.now()) as office:
        return dict(outbox.counts(office.db, office.club.id))


@pytest.mark.parametrize("named", ["bela", "BELA", "bela@example.org", "Bela@Example.org"])
def test_who_is_met_with_silence_is_told_by_status_and_heard_again(club: Path, named: str) -> None:
    """T-30."""
    written(club, "bela@example.org", *(f"bonjour {n}" for n in range(7)))
    shown = [line for line in mailflow("status", "--dir", club).out if "not heard" in line]
    assert shown == ["  not heard: bela@example.org: got enough answers this hour"]
    before = counts(club)
    said = mailflow("unmute", named, "--dir", club)
    assert (said.code, said.out) == (0, [f"6 things that counted against {named} are forgotten"])
    assert [line for line in mailflow("status", "--dir", club).out if "not heard" in line] == []
    written(club, "bela@example.org", "et maintenant ?")
    assert counts(club)["queued"] == before["queued"] + 1


def test_a_stranger_who_guessed_is_named_and_forgiven(club: Path) -> None:
    """T-7."""
    for n in range(10):
        written(club, "evil@example.net", "OUI", to=f"club+c{n:026d}@example.org")
    shown = [line for line in mailflow("status", "--dir", club).out if "not heard" in line]
    assert shown == ["  not heard: evil@example.net: guessed at tokens"]
    assert mailflow("unmute", "evil@example.net", "--dir", club).code == 0
    assert [line for line in mailflow("status", "--dir", club).out if "not heard" in line] == []
    assert mailflow("unmute", "evil@example.net", "--dir", club).out == [
        "nothing counted against evil@example.net"
    ]


def test_nobody_cannot_be_heard_again(club: Path) -> None:
    said = mailflow("unmute", "zoe", "--dir", club)
    assert (said.code, said.err) == (2, ["mailflow: 'zoe' is neither a member nor an address"])
