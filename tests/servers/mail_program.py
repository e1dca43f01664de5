"""neomutt, a real mail program, set up for a member: it writes and answers with nobody at the keyboard."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .dovecot import PASSWORD
from .ground import BOUND_SECONDS, program

SETTINGS = """\
set from = "{address}"
set realname = "{name}"
set use_envelope_from = yes
set spoolfile = "imap://127.0.0.1:{imap}/INBOX"
set folder = "imap://127.0.0.1:{imap}/"
set imap_user = "{address}"
set imap_pass = "{password}"
set smtp_url = "smtp://127.0.0.1:{smtp}/"
set ssl_starttls = no
set ssl_force_tls = no
set record = ""
set copy = no
set header_cache = ""
set sort = date-received
set editor = "{folder}/editor"
set autoedit = yes
set fast_reply = yes
set include = yes
set reply_to = yes
set recall = no
set abort_nosubject = no
set abort_unmodified = no
set attribution = "Le %d, %n a écrit :"
set mail_check = 1
set wait_key = no
set quit = yes
set confirmappend = no
set locale = "C"
"""

EDITOR = """\
#!/bin/sh
# What a member does in his editor: he writes above the history.
{{ cat '{folder}/words'; cat "$1"; }} > "$1.new" && mv "$1.new" "$1"
"""


@dataclass
class MailProgram:
    """neomutt as one member has set it up."""

    address: str
    name: str
    imap_port: int
    smtp_port: int
    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir()
        values = {"imap": self.imap_port, "smtp": self.smtp_port, "password": PASSWORD, "folder": self.folder}
        text = SETTINGS.format(address=self.address, name=self.name, **values)
        (self.folder / "neomuttrc").write_text(text, "utf-8")
        editor = self.folder / "editor"
        editor.write_text(EDITOR.format(folder=self.folder))
        editor.chmod(0o700)

    def write(self, to: str, subject: str, text: str) -> None:
        """Send a new mail, as from a script or a shell."""
        self._run(["-s", subject, "--", to], text)

    def answer_newest(self, text: str) -> None:
        """Open the mailbox, take the newest mail, answer it above its history, send, quit."""
        (self.folder / "words").write_text(f"{text}\n\n", "utf-8")
        keys = "<last-entry><reply><send-message><quit>"
        self._run(["-e", f'push "{keys}"'], "", screen=True)

    def _run(self, options: list[str], text: str, screen: bool = False) -> None:
        command = [program("neomutt"), "-F", str(self.folder / "neomuttrc"), "-n", *options]
        if screen:
            command = [program("script"), "-qec", " ".join(map(_quoted, command)), "/dev/null"]
        done = subprocess.run(
            command,
            input=text.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "HOME": str(self.folder)},
            timeout=BOUND_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"
