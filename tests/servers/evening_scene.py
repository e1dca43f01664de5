"""A club on a real mail server: `mailflow run` reads its mailbox and sends through Postfix, as in life."""

from __future__ import annotations

import itertools
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

from tests.command_line.cli_scene import ROOT, command, letter, mailflow

from .dovecot import PASSWORD, Dovecot
from .ground import BOUND_SECONDS, until
from .postfix import Postfix

_numbers = itertools.count(1)


@dataclass
class Town:
    """A club, its members and the mail server that serves them all. Names are this town's own."""

    dovecot: Dovecot
    postfix: Postfix
    folder: Path
    number: int = field(default_factory=lambda: next(_numbers))
    _seen: set[tuple[str, int]] = field(default_factory=set)

    @property
    def club(self) -> str:
        return self.address("club")

    def address(self, name: str) -> str:
        return f"{name}.t{self.number}@example.org"

    def found(self, *names: str, idle: bool = True) -> None:
        """Make the club with these members, the first its manager; its mailbox is its only entry."""
        said = mailflow("init", self.folder, "--name", "Les amis", "--address", self.club)
        assert said.code == 0, said
        (self.folder / "imap.password").write_text(PASSWORD)
        settings = self.folder / "club.toml"
        text = settings.read_text("utf-8")
        text = text.replace('[smtp]\nhost = "127.0.0.1"', '[smtp]\nhost = ""')
        mailbox = (
            '[imap]\nhost = "127.0.0.1"',
            f"port = {self.dovecot.imaps_port}",
            f'ca_file = "{self.dovecot.ca_file}"',
            f'user = "{self.club}"',
            'password_file = "imap.password"',
            f"idle = {str(idle).lower()}",
            "poll_seconds = 5",
        )
        text = text.replace('[imap]\nhost = ""', "\n".join(mailbox))
        relay = f'[relay]\nhost = "127.0.0.1"\nport = {self.postfix.smtp_port}'
        text = text.replace('[relay]\nhost = ""\nport = 25', relay)
        settings.write_text(text, "utf-8")
        for number, name in enumerate(names):
            options = ["--manager"] if number == 0 else []
            said = mailflow("member", "add", name, self.address(name), *options, "--dir", self.folder)
            assert said.code == 0, said

    def write(self, name: str, text: str, to: str | None = None, subject: str = "") -> str:
        """A member writes from his mail program; return his mail's Message-ID."""
        mail = letter(self.address(name), text, to or self.club, subject)
        self.postfix.send(mail)
        return str(mail["Message-ID"])

    def answer(self, name: str, mail: EmailMessage, text: str) -> None:
        """A member answers: to where the mail says, with its subject and the history below his words."""
        quoted = "\n".join(f"> {line}" for line in body(mail).splitlines())
        to = mail["Reply-To"] or mail["From"]
        words = f"{text}\n\nLe club a écrit :\n{quoted}\n"
        reply = letter(self.address(name), words, to, f"Re: {mail['Subject']}")
        reply["In-Reply-To"] = mail["Message-ID"]
        self.postfix.send(reply, to.addresses[0].addr_spec)

    def mail(self, name: str, *words: str) -> EmailMessage:
        """Wait for a member's next mail whose subject or text has these words; each is given once."""
        return until(lambda: self._next(name, words), f"a mail to {name} with {words}")

    def _next(self, name: str, words: tuple[str, ...]) -> EmailMessage | None:
        for uid, mail in self.mails(name):
            text = f"{mail['Subject']}\n{body(mail)}"
            if (name, uid) not in self._seen and all(word in text for word in words):
                self._seen.add((name, uid))
                return mail
        return None

    def mails(self, name: str) -> list[tuple[int, EmailMessage]]:
        """All mails in a member's inbox, oldest first."""
        with self.dovecot.client(self.address(name)) as client:
            found = client.fetch(client.search("ALL"), ["BODY.PEEK[]"])
        parsed = [(uid, message_from_bytes(said[b"BODY[]"], policy=default)) for uid, said in found.items()]
        return sorted((uid, mail) for uid, mail in parsed if isinstance(mail, EmailMessage))

    @contextmanager
    def served(self) -> Iterator[subprocess.Popen[str]]:
        """`mailflow run`, ended as an operator ends it; it must end well."""
        with self.started() as process:
            yield process
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=BOUND_SECONDS)
            assert process.returncode == 0, err
            assert out.splitlines()[-1:] == ["stopped"], err
            assert "Traceback" not in err

    @contextmanager
    def started(self) -> Iterator[subprocess.Popen[str]]:
        """`mailflow run`, to be ended by the test, or else killed."""
        process = subprocess.Popen(
            command("run", "--dir", self.folder),
            cwd=ROOT,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            assert self.club in first, first + process.communicate(timeout=BOUND_SECONDS)[1]
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def games(self) -> int:
        """How many games there are."""
        with closing(sqlite3.connect(self.folder / "mailflow.db")) as db:
            return int(db.execute("SELECT count(*) FROM game").fetchone()[0])

    def balances(self) -> dict[str, str]:
        """What `mailflow balances` shows, by handle; the books are verified first."""
        assert mailflow("verify", "--dir", self.folder).code == 0
        lines = [line.split() for line in mailflow("balances", "--dir", self.folder).out[1:]]
        return {line[0]: line[1] for line in lines if len(line) > 1}


def body(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    return part.get_content().replace("\xa0", " ") if part is not None else ""
