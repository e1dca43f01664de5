"""What the operator sees at the command line: status, balances, members, findings, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from mailflow.app import Office
from mailflow.handlers.digest import WEEK
from mailflow.jobs import JOBS
from mailflow.picture import picture
from mailflow.words import money
from store import inbox, outbox
from store.records import MemberStatus
from store.verify import Finding, verify


def status(office: Office, now: datetime) -> Iterator[str]:
    """Say how the club and its mails stand, and what falls due next."""
    club = picture(office.db, office.club, now)
    zone = ZoneInfo(office.club.timezone)
    yield f"{office.club.name} <{office.club.address}>, {office.club.timezone}, {office.club.currency}"
    members = list(club.members.values())
    for state in MemberStatus:
        yield f"  members {state.value}: {sum(m.status is state for m in members)}"
    if not club.managers:
        yield "  no manager yet: mailflow member add HANDLE ADDRESS --manager"
    yield f"  games open: {len(club.books.open_games())}"
    for name, counts in (("in", inbox.counts), ("out", outbox.counts)):
        shown = ", ".join(f"{state} {n}" for state, n in counts(office.db, office.club.id).items() if n)
        yield f"  mails {name}: {shown or 'none'}"
    for forged in club.books.forged_since(now - WEEK):
        name = forged.member or "no member"
        last = _local(forged.latest_at, zone)
        yield f"  refused as forged within a week, in the name of {name}: {forged.count}, the last on {last}"
    yield from (f"  quarantined: {line}" for line in quarantined(office))
    for job in JOBS:
        yield f"  next {job.name}: {_local(job.next_after(now, zone), zone)}"


def balances(office: Office, now: datetime) -> Iterator[str]:
    """Show every account with balance, committed and available, and the check of the journal."""
    club = picture(office.db, office.club, now)

    def amount(cents: int) -> str:
        return money(cents, club.currency, "fr").rjust(12)

    yield f"{'':24} {'balance':>12} {'committed':>12} {'available':>12}"
    for m in club.members.values():
        note = "" if m.active else f"  ({m.status.value})"
        cells = " ".join(map(amount, (m.balance_cents, m.committed_cents, m.available_cents)))
        yield f"{m.handle:24} {cells}{note}"
    yield f"journal: {money(club.books.journal_sum(), club.currency, 'fr')} in all"


def members(office: Office, now: datetime) -> Iterator[str]:
    """List the members with their addresses."""
    for m in picture(office.db, office.club, now).members.values():
        role = ", manager" if m.manager else ""
        yield f"{m.handle:24} {m.address:32} {m.status.value}{role}"


def quarantined(office: Office) -> list[str]:
    """List the mails that are set aside, with their numbers and reasons."""
    zone = ZoneInfo(office.club.timezone)
    return [
        f"mail {mail.number} of {_local(mail.received_at, zone)}: {mail.reason}"
        for mail in inbox.quarantined(office.db, office.club.id)
    ]


def findings(office: Office) -> list[str]:
    """Recompute sums, balances and the audit chain; return what is wrong, nothing if all is well."""
    return [shown(finding) for finding in verify(office.db, office.club.id)]


def shown(finding: Finding) -> str:
    """Say on one line what is wrong."""
    detail = ", ".join(f"{name} {value}" for name, value in finding.detail.items())
    return f"{finding.where}: {finding.code.replace('_', ' ')} ({detail})"


def _local(at: datetime, zone: ZoneInfo) -> str:
    return at.astimezone(zone).strftime("%a %d %b %Y %H:%M %Z")
