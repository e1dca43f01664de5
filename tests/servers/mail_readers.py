"""Programs that members read mails with: neomutt shows a mailbox of a real IMAP server, w3m shows a page."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from imapclient import IMAPClient

from .dovecot import PASSWORD, Dovecot
from .ground import BOUND_SECONDS, program

SETTINGS = """\
set folder = "{folder}"
set imap_user = "{user}"
set imap_pass = "{password}"
set ssl_starttls = no
set ssl_force_tls = no
set header_cache = ""
set sort = mailbox-order
set charset = utf-8
set mail_check_recent = no
set wait_key = no
set prompt_after = no
set quit = yes
set pager = "{folder}/pager"
set mailcap_path = "{folder}/mailcap"
ignore *
unignore subject
macro index X "<display-message>"
macro index Y "<next-entry><display-message>"
"""
PAGER = """\
#!/bin/sh
# What a pager is given to show, kept in the order of showing.
cp "$1" "{folder}/shown/$(printf %05d "$(ls '{folder}/shown' | wc -l)")"
"""
BY_W3M = "text/html; w3m -I utf-8 -O utf-8 -cols 400 -dump -T text/html %s; copiousoutput\n"
_USERS = count(1)
AT_ONCE = 100
"""Mails that one neomutt shows: so many keys it takes at once."""


@dataclass
class Neomutt:
    """A member's neomutt. `page`: whether he has it show the HTML part, by w3m, and not the text."""

    dovecot: Dovecot
    folder: Path
    page: bool = False

    def __post_init__(self) -> None:
        (self.folder / "shown").mkdir(parents=True)
        pager = self.folder / "pager"
        pager.write_text(PAGER.format(folder=self.folder), "utf-8")
        pager.chmod(0o700)
        (self.folder / "mailcap").write_text(BY_W3M, "utf-8")

    def shows(self, mails: Sequence[bytes]) -> list[str]:
        """What its pager shows of each mail, as its server has it: the subject, an empty line, the words."""
        return [
            one
            for start in range(0, len(mails), AT_ONCE)
            for one in self._shows(mails[start : start + AT_ONCE])
        ]

    def _shows(self, mails: Sequence[bytes]) -> Iterator[str]:
        user = f"reader{next(_USERS)}"
        with IMAPClient("127.0.0.1", self.dovecot.imap_port, ssl=False, timeout=BOUND_SECONDS) as imap:
            imap.login(user, PASSWORD)
            for raw in mails:
                imap.append("INBOX", raw)
        text = SETTINGS.format(user=user, password=PASSWORD, folder=self.folder)
        text += "auto_view text/html\nalternative_order multipart/related text/html\n" if self.page else ""
        (self.folder / "neomuttrc").write_text(text, "utf-8")
        self._run(
            f"imap://127.0.0.1:{self.dovecot.imap_port}/INBOX",
            f"<first-entry><display-message>{'<next-entry><display-message>' * (len(mails) - 1)}<quit>",
        )
        shown = sorted((self.folder / "shown").iterdir())
        assert len(shown) == len(mails)
        for path in shown:
            yield path.read_text("utf-8")
            path.unlink()

    def _run(self, mailbox: str, keys: str) -> None:
        command = f"{program('neomutt')} -n -F {self.folder}/neomuttrc -f {mailbox} -e 'push \"{keys}\"'"
        silent, end = os.pipe()
        try:  # a keyboard at which nobody is; were it closed, `script` would type ^D
            done = subprocess.run(
                [program("script"), "-qec", command, "/dev/null"],
                stdin=silent,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "HOME": str(self.folder)},
                timeout=4 * BOUND_SECONDS,
                check=False,
            )
        finally:
            os.close(silent)
            os.close(end)
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]


def shown_by_w3m(page: bytes, folder: Path) -> str:
    """What w3m shows of a page of HTML whose letters are told by nothing but the page itself."""
    command = [program("w3m"), "-O", "utf-8", "-cols", "400", "-dump", "-T", "text/html"]
    done = subprocess.run(
        command,
        input=page,
        capture_output=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(folder)},
        timeout=BOUND_SECONDS,
        check=True,
    )
    return done.stdout.decode("utf-8")
