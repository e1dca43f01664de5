"""Reports that a mail of ours could not be delivered: counted on its address, and nothing else (T-32, P-6).

A report counts only if it came to the return path of a mail that we sent: that names the mail, and nobody
else can make one. Each mail counts once, whatever comes in about it. Nothing here touches a member's
commands or what is still to be sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mailflow.reasons import reason_of
from mailflow.register import Handled, Register
from mailflow.return_paths import mail_returned_to
from parsers.bounces import BounceReport, Fate
from parsers.letter import Letter
from store import delivery
from store.records import Fault, InboxMail, InboxState

NOT_OURS, DELAYED, DELIVERED, COUNTED, KNOWN = (
    "bounce",
    "bounce: delayed",
    "bounce: delivered",
    "bounce: counted",
    "bounce: known",
)
"""What became of a report, as it is kept with it."""


@dataclass(frozen=True)
class Bounces:
    """`register` writes. Works within the caller's transaction."""

    register: Register

    def handle(self, mail: InboxMail, letter: Letter, now: datetime) -> Handled:
        """Take a report to its end: it is never answered."""
        return self.register.end(mail, InboxState.IGNORED, self._became(mail, letter), now)

    def _became(self, mail: InboxMail, letter: Letter) -> str:
        mail_id, report = self._returned(letter), letter.bounce
        if mail_id is None or report is None:
            return NOT_OURS
        if report.fate is not Fate.FAILED:
            return DELAYED if report.fate is Fate.DELAYED else DELIVERED
        fault = Fault.HARD if report.hard else Fault.SOFT
        db, club = self.register.db, self.register.club
        noted = delivery.mark_returned(db, club.id, mail_id, mail.received_at, _said(report), fault)
        return KNOWN if noted is None else COUNTED

    def _returned(self, letter: Letter) -> int | None:
        """The mail to whose return path the report came; None where it came elsewhere, or to two."""
        keyring = self.register.keyring
        paths = {mail_returned_to(keyring, address) for address in letter.recipients} - {None}
        return paths.pop() if len(paths) == 1 else None


def _said(report: BounceReport) -> str:
    """What the manager is shown of it."""
    status = report.status if report.status not in report.diagnostic else ""
    return reason_of(f"{status} {report.diagnostic}") or "came back without a reason"
