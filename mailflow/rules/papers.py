"""What waits on a manager's desk: complaints, applications, and mails that nobody could handle."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from mailflow.model import Club, Refusal
from store.records import ApplicationState, InboxState, MailReading, Unhandled

MENDED_WITHIN = timedelta(days=1)
"""So long a member has to mend a mail himself before a manager is asked to."""
KEPT_FOR = timedelta(days=14)
"""After so long a mail that nobody could handle is not worth anybody's time any more."""
PER_MEMBER_MAX = 3
"""Of one member only the latest few wait for a manager: the others are the same try, most likely."""

REDONE = frozenset({
    "PARTIE", "MODIFIE", "ANNULE", "RESULTAT", "CONTESTE", "RETIRE", "VIREMENT", "QUITTE", "LANGUE",
    "PLAINTE",
})  # fmt: skip
"""What may be asked for in a member's place: what acts and is any member's; he confirms it himself."""


def unhandled(club: Club) -> tuple[Unhandled, ...]:
    """The mails that wait for a manager, the oldest first: their writers were told, and mended nothing since.

    Words without anything like a command are no business of his: whoever chats has had his answer.
    """
    until = club.now - MENDED_WITHIN
    found = [one for one in club.books.unhandled(until - KEPT_FOR, until) if _meant_something(one)]
    seen: Counter[str] = Counter()
    latest = []
    for one in reversed(found):
        seen[one.member] += 1
        if seen[one.member] <= PER_MEMBER_MAX:
            latest.append(one)
    return tuple(reversed(latest))


def _meant_something(one: Unhandled) -> bool:
    return one.state is InboxState.QUARANTINED or bool(one.record["problems"])


def mail_can_be_redone(number: int, club: Club) -> MailReading | Refusal:
    """R-SEC-1: a member's mail of which nothing came, and that no manager has dealt with."""
    mail = club.books.reading(number)
    if mail is None or mail.member is None or club.member(mail.member) is None:
        return Refusal("R-SEC-1", "mail_unknown", {"mail": number})
    nothing_came = mail.state is InboxState.QUARANTINED or (
        mail.state is InboxState.ANSWERED and mail.reason in NOTHING_CAME
    )
    if not nothing_came:
        return Refusal("R-SEC-1", "mail_was_handled", {"mail": number})
    if club.books.is_settled(number):
        return Refusal("R-SEC-1", "settled_already", {"what": "mail", "number": number})
    return mail


NOTHING_CAME = frozenset({"malformed", "unknown-command", "empty", "refused"})
"""The reasons with which a mail is answered that changed nothing; what a rule refused may be put anew."""


def complaint_waits(number: int, club: Club) -> Refusal | None:
    """R-REG-2."""
    found = next((one for one in club.books.complaints() if one.number == number), None)
    if found is None:
        return Refusal("R-REG-2", "paper_unknown", {"what": "complaint", "number": number})
    if found.closed:
        return Refusal("R-REG-2", "settled_already", {"what": "complaint", "number": number})
    return None


def application_waits(number: int, club: Club) -> Refusal | None:
    """R-ACC-3."""
    found = club.books.application(number)
    if found is None:
        return Refusal("R-ACC-3", "paper_unknown", {"what": "application", "number": number})
    if found.state is not ApplicationState.OPEN:
        return Refusal("R-ACC-3", "settled_already", {"what": "application", "number": number})
    return None
