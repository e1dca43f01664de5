"""The table of notices: every kind of mail that is not a direct answer, who gets it, its template.

The kinds are those of CONTRACTS.md; a notice's template bears its kind as its name. Who gets one is
decided where the notice is made; here it is said in a line, for people.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NoticeKind:
    """A row. `verbs`: what its reply address lets the recipient do, with its game or apart (TRUST § 3).

    `unasked`: it comes though nothing happened; nobody gets two such mails on one day.
    """

    kind: str
    audience: str
    verbs: tuple[str, ...] = ()
    unasked: bool = False


DISPUTE = ("CONTESTE", "RETIRE")
DECIDE = ("ACCEPTE", "REJETTE")
STOP = ("BILAN",)

NOTICES: tuple[NoticeKind, ...] = (
    NoticeKind("member.invited", "the invited person"),
    NoticeKind("application.received", "every manager"),
    NoticeKind("member.opened", "the newcomer and the managers"),
    NoticeKind("member.closed", "the managers"),
    NoticeKind("identity.asked", "the new address, or the member whom the role goes to"),
    NoticeKind("identity.pending", "all addresses of those whom it concerns, old and new, and the managers"),
    NoticeKind("identity.stopped", "those who were told that it was asked for, or that it waits"),
    NoticeKind("identity.done", "those who were told that it waits"),
    NoticeKind("game.created", "participants but the creator"),
    NoticeKind("game.changed", "old and new participants but whoever did it"),
    NoticeKind("game.cancelled", "participants but whoever did it"),
    NoticeKind("game.result", "every participant", DISPUTE),
    NoticeKind("dispute.filed", "every participant but the disputer", DISPUTE),
    NoticeKind("dispute.changed", "every participant but the disputer", DISPUTE),
    NoticeKind("dispute.withdrawn", "every participant but the disputer", DISPUTE),
    NoticeKind("arbitration.opened", "the managers who may decide", DECIDE),
    NoticeKind("arbitration.decided", "every participant"),
    NoticeKind("transfer.received", "the beneficiary"),
    NoticeKind("member.banned", "every member whose account is open"),
    NoticeKind("member.reinstated", "every member whose account is open"),
    NoticeKind("reminder.daily", "the member", unasked=True),
    NoticeKind("reminder.weekly", "the member", unasked=True),
    NoticeKind("inactivity.nudge", "the inactive", unasked=True),
    NoticeKind("inactivity.proposal", "every manager"),
    NoticeKind("injunction.order", "the inactive and each counterpart"),
    NoticeKind("injunction.overdue", "every manager"),
    NoticeKind("solidarity.levied", "the contributors and the debtor"),
    NoticeKind("rulebook.changed", "every member whose account is open"),
    NoticeKind("digest.weekly", "active members who did not stop it", STOP, unasked=True),
    NoticeKind("delivery.failed", "every manager, at most once a day"),
    NoticeKind("complaint.received", "every manager"),
    NoticeKind("mail.unhandled", "every manager, at most once a day"),
    NoticeKind("club.announcement", "every member whose account is open but the author"),
)

KINDS = frozenset(n.kind for n in NOTICES)
VERBS = {n.kind: n.verbs for n in NOTICES if n.verbs}
UNASKED = frozenset(n.kind for n in NOTICES if n.unasked)
