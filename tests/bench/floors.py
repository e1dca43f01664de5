"""What the bare libraries need to read a mailbox and answer: the floor that mailflow is measured against.

Both floors fetch in batches with imapclient, commit each mail to SQLite with synchronous=FULL before
answering, send through one kept SMTP connection, mark what was sent fifty to a commit, move in batches. They
check nothing, know no rules, and send no HTML part. `ordinary` uses the libraries as their manuals show:
EmailMessage and its policies. `lean` reads one header and formats its answers as strings.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import smtplib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import jinja2
from imapclient import IMAPClient

from tests.bench.mailbox_clubs import Served, statements
from tests.bench.worlds import ADDRESS, handle
from tests.servers.dovecot import PASSWORD, Dovecot

BATCH = 100
MARKED_AT_ONCE = 50
POSTINGS = 10
TABLES = """
CREATE TABLE mail (message_id TEXT PRIMARY KEY, raw BLOB NOT NULL);
CREATE TABLE posting (
    id INTEGER PRIMARY KEY, mail INTEGER NOT NULL, account INTEGER NOT NULL, cents INTEGER NOT NULL
);
CREATE INDEX posting_account ON posting (account);
CREATE TABLE audit (id INTEGER PRIMARY KEY, actor TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL);
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY, recipient TEXT NOT NULL, body BLOB NOT NULL, sent INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_open ON outbox (sent) WHERE sent = 0;
"""
WORDS = jinja2.Environment(autoescape=False).from_string(
    "Bonjour {{ name }},\n\nla partie {{ game }} est enregistrée.\n\n"
    "{% for who, cents in lines %}{{ '%-12s'|format(who) }} {{ '%9.2f'|format(cents / 100) }} €\n"
    "{% endfor %}\n"
    + "Ce mail est écrit par le club. Pour corriger une ligne, réponds et garde l'objet.\n"
    * 12
)

MIME = "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n"

Compose = Callable[[bytes, int, int], Sequence[tuple[str, str, bytes]]]
"""From a raw mail, its number and how many replies, to (Message-ID, recipient, body) of each."""


@dataclass(frozen=True)
class Floor:
    """One way to need little; `replies`: how many mails each mail brings."""

    compose: Compose
    replies: int

    @contextlib.contextmanager
    def __call__(self, server: Dovecot, folder: Path, port: int, count: int) -> Iterator[Served]:
        """Serve the mailbox in a process of its own."""
        place = (server.imap_port, folder, port)
        process = multiprocessing.get_context("spawn").Process(target=self.serve, args=place, daemon=True)
        process.start()
        try:
            assert process.pid is not None
            yield Served(process.pid, statements(count))
        finally:
            process.terminate()
            process.join()

    def serve(self, imap_port: int, folder: Path, relay_port: int) -> None:
        """Work off the mailbox, and wait for more, until the process is ended."""
        name = f"floor-{self.compose.__name__}-{self.replies}"
        db = sqlite3.connect(folder / f"{name}.db", isolation_level=None)
        db.executescript(f"PRAGMA synchronous=FULL; PRAGMA journal_mode=PERSIST; {TABLES}")
        mailbox = IMAPClient("127.0.0.1", imap_port, ssl=False)
        with smtplib.SMTP("127.0.0.1", relay_port) as relay, mailbox as client:
            client.login(ADDRESS, PASSWORD)
            client.create_folder(name)
            client.select_folder("INBOX")
            while True:
                uids = client.search("ALL")
                for start in range(0, len(uids), BATCH):
                    batch = uids[start : start + BATCH]
                    for uid, said in client.fetch(batch, ["BODY.PEEK[]", "INTERNALDATE"]).items():
                        self._book(db, uid, said[b"BODY[]"])
                    client.move(batch, name)
                    _send(db, relay)
                client.idle()
                client.idle_check(timeout=1)
                client.idle_done()

    def _book(self, db: sqlite3.Connection, uid: int, raw: bytes) -> None:
        replies = self.compose(raw, uid, self.replies)
        postings = [(uid, (uid + n) % 60, 100 if n % 2 else -100) for n in range(POSTINGS)]
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO mail VALUES (?, ?)", (replies[0][0], raw))
        if self.replies > 1:
            db.executemany("INSERT INTO posting (mail, account, cents) VALUES (?, ?, ?)", postings)
        db.execute(
            "INSERT INTO audit (actor, action, detail) VALUES ('m', 'book', ?)", (f'{{"game": {uid}}}',)
        )
        rows = [(to, body) for _, to, body in replies]
        db.executemany("INSERT INTO outbox (recipient, body) VALUES (?, ?)", rows)
        db.execute("COMMIT")


def _send(db: sqlite3.Connection, relay: smtplib.SMTP) -> None:
    rows = db.execute("SELECT id, recipient, body FROM outbox WHERE sent = 0 ORDER BY id").fetchall()
    for start in range(0, len(rows), MARKED_AT_ONCE):
        some = rows[start : start + MARKED_AT_ONCE]
        for _, recipient, body in some:
            relay.sendmail(ADDRESS, [recipient], body)
        db.execute("BEGIN IMMEDIATE")
        db.executemany("UPDATE outbox SET sent = 1 WHERE id = ?", [(row[0],) for row in some])
        db.execute("COMMIT")


def _words(number: int, reply: int) -> str:
    lines = [(handle((number + n) % 60), 100 * n - 250) for n in range(6)]
    return WORDS.render(name=handle(reply), game=number, lines=lines)


def ordinary(raw: bytes, number: int, replies: int) -> Sequence[tuple[str, str, bytes]]:
    """Read and write with the email package's present API."""
    asked = message_from_bytes(raw, policy=policy.default)
    body = asked.get_body(("plain", "html"))
    assert body is not None
    assert body.get_content()
    message_id = str(asked["Message-ID"])
    return [(message_id, *_ordinary(message_id, number, reply)) for reply in range(replies)]


def _ordinary(message_id: str, number: int, reply: int) -> tuple[str, bytes]:
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"], mail["To"] = f"Le club <{ADDRESS}>", f"{handle(reply)}@example.org"
    mail["Subject"] = f"Partie {number} enregistrée – merci"
    mail["Date"] = "Mon, 02 Jan 2023 20:00:00 +0100"
    mail["Message-ID"] = f"<{number}.{reply}@example.org>"
    mail["In-Reply-To"] = mail["References"] = message_id
    mail["Auto-Submitted"] = "auto-replied"
    mail.set_content(_words(number, reply))
    return f"{handle(reply)}@example.org", mail.as_bytes()


def lean(raw: bytes, number: int, replies: int) -> Sequence[tuple[str, str, bytes]]:
    """Read and write as little as will do."""
    message_id = str(message_from_bytes(raw)["Message-ID"])
    head = f"From: {ADDRESS}\r\nSubject: Partie {number}\r\nIn-Reply-To: {message_id}\r\n"
    out = []
    for reply in range(replies):
        to = f"{handle(reply)}@example.org"
        text = _words(number, reply).replace("\n", "\r\n")
        out.append((message_id, to, f"{head}To: {to}\r\n{MIME}\r\n{text}".encode()))
    return out
