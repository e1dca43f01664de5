"""Two mails from the club to itself, out through the relay and back in through the club's own entry.

One carries a stand-in for a token in its subject, the other behind a plus: a server that knows no plus
addresses refuses or loses only the second. They are found again in the books, where every entry keeps what
comes in, so that it is all one who keeps them: `mailflow run` if it is at work, or else an entry opened for
the while.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP

from mailflow.app import Office
from mailflow.doctor.findings import Patient
from mailflow.doctor.study import Sent
from mailflow.doctor.ways import is_at_work, relay_of
from mailflow.doors.transport import NotTaken
from mailflow.proofs import CROCKFORD, TOKEN_CHARACTERS
from mailflow.service import mailbox_door, only_one, reading, smtp_entry
from store import inbox

WAIT_SECONDS = 60
LOOK_SECONDS = 0.5
"""How often the books are looked at while another process keeps the mails."""
RANDOM_BYTES = 16
NO_TOKEN = "doctor"
"""What a stand-in for a token begins with: base32 as tokens are written has no o."""

TEXT = """\
Ce mail vient de « mailflow doctor --mail » : le club se l'est envoyé à lui-même pour voir ce que devient un
mail en chemin. Il n'attend aucune réponse.

{mark}
"""


@dataclass(frozen=True)
class Traveller:
    """Sends and waits. `clock`, `stopwatch` and `random` are the machine's."""

    office: Office
    clock: Callable[[], datetime]
    stopwatch: Callable[[], float]
    random: Callable[[int], bytes]

    def travel(self, wait_seconds: float) -> tuple[Sent, Sent]:
        """Send both mails and wait for them; return the one with the tag and the one behind the plus.

        Raises SettingsError when the entry cannot be opened.
        """
        address = self.office.club.address
        local, _, domain = address.rpartition("@")
        mark = self.random(RANDOM_BYTES).hex()
        tag, plus = (_stand_in(self.random(RANDOM_BYTES)) for _ in range(2))
        newest = inbox.newest(self.office.db, self.office.club.id)
        with self._entrance() as arrived:
            tagged = self._sent(tag, address, f"Essai du club [#{tag}]", f"{mark}.1")
            plussed = self._sent(plus, f"{local}+{plus}@{domain}", "Essai du club", f"{mark}.2")
            marks = [f"{mark}.{n}" for n, sent in enumerate((tagged, plussed), 1) if not sent.refused]
            returned = self._await(marks, newest, arrived, wait_seconds)
        return (
            replace(tagged, raw=returned.get(f"{mark}.1")),
            replace(plussed, raw=returned.get(f"{mark}.2")),
        )

    @contextmanager
    def _entrance(self) -> Iterator[threading.Event]:
        """Have the club's entry open, by whom ever; the event is set when it has kept a mail for us."""
        arrived = threading.Event()
        if is_at_work(Patient(self.office.settings, self.clock())):
            yield arrived
            return
        office, then = self.office, arrived.set
        with only_one(office.settings.lock_file):
            mailbox = mailbox_door(office, self.clock, self.stopwatch, then)
            with smtp_entry(office, self.clock, then), reading(mailbox):
                yield arrived

    def _sent(self, token: str, recipient: str, subject: str, mark: str) -> Sent:
        transport = relay_of(self.office.settings)
        try:
            transport.hand_on(self.office.club.address, recipient, self._mail(recipient, subject, mark))
        except NotTaken as error:
            return Sent(token, refused=str(error))
        finally:
            transport.close()
        return Sent(token)

    def _mail(self, recipient: str, subject: str, mark: str) -> bytes:
        """From the club's own address, so that the desk lets it lie, and no robot answers (RFC 3834)."""
        club = self.office.club
        mail = EmailMessage(policy=SMTP)
        mail["From"], mail["To"], mail["Subject"] = club.address, recipient, subject
        mail["Date"] = self.clock()
        mail["Message-ID"] = f"<doctor.{mark}@{club.address.rpartition('@')[2]}>"
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(TEXT.format(mark=mark))
        return mail.as_bytes()

    def _await(
        self, marks: list[str], newest: int, arrived: threading.Event, wait_seconds: float
    ) -> dict[str, bytes]:
        """Look into the books until all have come, or the time is over."""
        returned: dict[str, bytes] = {}
        until = self.stopwatch() + wait_seconds
        while True:
            for mail in inbox.after(self.office.db, self.office.club.id, newest):
                newest = max(newest, mail.id)
                returned.update((mark, mail.raw) for mark in marks if mark.encode() in mail.raw)
            left = until - self.stopwatch()
            if len(returned) == len(marks) or left <= 0:
                return returned
            arrived.wait(min(LOOK_SECONDS, left))
            arrived.clear()


def _stand_in(random: bytes) -> str:
    """A text as long as a token, of its letters but for one: nobody takes it for a token, nor masks it."""
    bits = int.from_bytes(random, "big")
    letters = [CROCKFORD[bits >> 5 * i & 31] for i in range(TOKEN_CHARACTERS + 1 - len(NO_TOKEN))]
    return NO_TOKEN + "".join(letters)
