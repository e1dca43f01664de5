"""In from Postfix by LMTP and out through it: answers arrive, what it sends back counts (P-1, P-6, T-32)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import dkim

from mailflow.ambient import stopwatch
from mailflow.app import Office, make_key, open_office
from mailflow.doors.smtp import Entry, Keep, SmtpDoor
from mailflow.founding import Founder, open_account
from mailflow.founding_file import NewClub, write_settings
from mailflow.identify import Trust
from mailflow.picture import picture
from mailflow.return_paths import mail_returned_to
from mailflow.sending import sender_of
from mailflow.service import keeper
from mailflow.settings import load
from store import delivery, inbox, outbox, sql
from store.database import unit_of_work
from store.records import NewMail
from tests.answers.test_signing import KEY, PUBLIC
from tests.command_line.cli_scene import letter

from .dovecot import PASSWORD, Dovecot
from .ground import free_ports, until
from .postfix import Postfix
from .postfix import postfix as a_postfix

NOW = datetime(2026, 1, 6, 9, 30, tzinfo=UTC)
CLUB = "club@example.org"
SENT_MAX = 40


def club(folder: Path, relay: str, smtp: str = "") -> Path:
    """A club whose member anna manages."""
    path = write_settings(folder, NewClub("Le club", CLUB, port=0))
    text = path.read_text("utf-8").replace('[relay]\nhost = ""\nport = 25', f"[relay]\n{relay}")
    path.write_text(text.replace("port = 0\n", f"port = 0\n{smtp}", 1), "utf-8")
    make_key(load(folder), b"the key of a test is no secret..")
    return folder


@contextmanager
def opened(folder: Path) -> Iterator[Office]:
    with open_office(load(folder), Trust.EVERYBODY, NOW) as office:
        with unit_of_work(office.db):
            seen = picture(office.db, office.club, NOW)
            anna = Founder("anna", "anna@example.org", manager=True)
            open_account(office.db, office.club, anna, seen.rulebook, seen.rulebook_version, NOW)
        yield office


def run_once(office: Office, later: timedelta = timedelta(0)) -> int:
    """Have the desk work, and send what it wrote."""
    now = NOW + later
    office.desk.work(now)
    return sender_of(office, office.db, stopwatch, lambda: now, "test").run()


def sent_in_the_end(office: Office) -> int:
    """Send, and try again a while later as the service does: a busy server may ask for it (454, RFC 4954)."""
    return sum(run_once(office, timedelta(minutes=minutes)) for minutes in (0, 2, 5, 20))


def states(office: Office) -> list[tuple[str, str]]:
    return sql.rows(office.db, "SELECT state, reason FROM inbox ORDER BY id")


# ---------------------------------------------------------------- in by LMTP, and back


@contextmanager
def lmtp_club(folder: Path, postfix: Postfix, port: int) -> Iterator[Office]:
    """A club to which Postfix hands all mail of the domain, its members' too: it refuses theirs."""
    made = club(folder, f'host = "127.0.0.1"\nport = {postfix.smtp_port}')
    text = (made / "club.toml").read_text("utf-8").replace("port = 0\n", f"port = {port}\n", 1)
    (made / "club.toml").write_text(text.replace('protocol = "smtp"', 'protocol = "lmtp"'), "utf-8")
    with opened(made) as office:
        yield office


@contextmanager
def listening(office: Office, keep: Keep) -> Iterator[None]:
    door = SmtpDoor(Entry(CLUB, keep, lambda: NOW, office.db.close), office.settings.listen)
    door.start()
    try:
        yield
    finally:
        door.stop()


def test_a_mail_comes_in_by_lmtp_and_its_answer_which_bounces_counts(tmp_path: Path) -> None:
    """A real report of a real server: to the answer's own return path, back through LMTP."""
    port, nobody = free_ports(2)
    with a_postfix(port, nobody) as postfix, lmtp_club(tmp_path / "club", postfix, port) as office:
        with listening(office, keeper(office, lambda: None)):
            postfix.send(letter("anna@example.org", "COMPTE", "club+any@example.org"), "club+any@example.org")
            until(lambda: len(states(office)) == 1, "the mail")
            raw = inbox.fetch(office.db, 1).raw
            assert raw.startswith(
                b"Return-Path: <anna@example.org>\r\nDelivered-To: club+any@example.org\r\n"
            )
            assert run_once(office) == 1
            until(lambda: len(states(office)) == 2, "the report")
        office.desk.work(NOW)
        assert [state for state, _ in states(office)] == ["answered", "ignored"]
        assert states(office)[1][1] == "bounce: counted"
        (lost,) = delivery.failed_since(office.db, office.club.id, NOW, 9)
        assert (lost.recipient, lost.address) == ("anna", "anna@example.org")
        assert "5.1.1 no such mailbox here" in lost.error
        (bad,) = delivery.bouncing(office.db, office.club.id, NOW)
        assert (bad.hard, bad.soft) == (1, 0)


def test_while_the_disk_is_full_postfix_keeps_the_mail(tmp_path: Path) -> None:
    """P-1, P-7: with a 451 it comes again by itself."""
    port, nobody = free_ports(2)
    failed: list[bytes] = []
    with a_postfix(port, nobody) as postfix, lmtp_club(tmp_path / "club", postfix, port) as office:
        real = keeper(office, lambda: None)

        def keep(raw: bytes, at: datetime) -> int:
            if not failed:
                failed.append(raw)
                raise OSError(28, "No space left on device")
            return real(raw, at)

        postfix.send(letter("anna@example.org", "COMPTE", CLUB), CLUB)
        with listening(office, keep):
            until(lambda: len(states(office)) == 1, "the mail, at the second try")
        assert len(failed) == 1


# ---------------------------------------------------------------- out by submission


def test_many_answers_go_out_in_tls_with_a_login_signed_and_each_once(
    dovecot: Dovecot, postfix: Postfix, tmp_path: Path
) -> None:
    """As at a provider: port 587, a password, and the member finds a mail whose signature holds."""
    relay = (
        f'host = "localhost"\nport = {postfix.submission_port}\ntls = "starttls"\n'
        f'tls_ca = "{postfix.ca_file}"\nuser = "club@example.org"\npassword_file = "relay.password"'
    )
    folder = tmp_path / "club"
    folder.mkdir()
    (folder / "relay.password").write_text(PASSWORD)
    (folder / "dkim.pem").write_text(KEY)
    member = f"signed{postfix.submission_port}@example.org"
    path = write_settings(folder, NewClub("Le club", CLUB, port=0))
    text = path.read_text("utf-8").replace('[relay]\nhost = ""\nport = 25', f"[relay]\n{relay}")
    for line in ('tls_ca = ""\n', 'user = ""\n', 'password_file = ""\nlogin'):
        text = text.replace(line, "login" if line.endswith("login") else "", 1)
    text = text.replace('domain = ""\nselector = ""', 'domain = "example.org"\nselector = "mail2026"')
    path.write_text(text.replace('key_file = ""', 'key_file = "dkim.pem"'), "utf-8")
    make_key(load(folder), b"the key of a test is no secret..")
    with opened(folder) as office:
        mails = [
            NewMail(f"test:{n}", "answer", "anna", member, "", f"sujet {n}", "# Bonjour\n\n..été\n")
            for n in range(SENT_MAX)
        ]
        with unit_of_work(office.db):
            ids = outbox.queue(office.db, office.club.id, mails, NOW)
        assert sent_in_the_end(office) == SENT_MAX
        until(lambda: len(dovecot.subjects(member)) == SENT_MAX, "all mails")
        assert sorted(dovecot.subjects(member)) == sorted(f"sujet {n}" for n in range(SENT_MAX))
        with dovecot.client(member) as client:
            raws = [said[b"BODY[]"] for said in client.fetch(client.search("ALL"), ["BODY.PEEK[]"]).values()]
        paths = set()
        for raw in raws:
            mail = message_from_bytes(raw, policy=policy.default)
            assert isinstance(mail, EmailMessage)
            paths.add(mail_returned_to(office.desk.keyring, str(mail["Return-Path"]).strip("<>")))
            assert dkim.verify(raw, dnsfunc=lambda name, timeout=5: f"v=DKIM1; k=rsa; p={PUBLIC}".encode())
            assert "..été" in mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
        assert paths == set(ids)
