"""What the operator sees at the command line: status, balances, members, findings, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from mailflow.app import Office
from mailflow.arrivals import arrivals
from mailflow.handlers.digest import WEEK
from mailflow.jobs import JOBS
from mailflow.model import Club
from mailflow.picture import picture
from mailflow.rules.delivery import keep_bouncing
from mailflow.silence import not_heard
from store import delivery, inbox, outbox, tokens
from store.database import unit_of_work
from store.records import MemberStatus, Undelivered
from store.verify import Finding, verify

LOST_SHOWN_MAX, LISTED_MAX = 20, 1000
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def status(office: Office, now: datetime) -> Iterator[str]:
    """Say how the club and its mails stand, and what falls due next."""
    club = picture(office.db, office.club, now)
    zone = ZoneInfo(office.club.timezone)
    yield f"{office.club.name} <{office.club.address}>, {office.club.timezone}, {office.club.currency}"
    yield from arrivals(office)
    members = list(club.members.values())
    for state in MemberStatus:
        yield f"  members {state.value}: {sum(m.status is state for m in members)}"
    if not club.managers:
        yield "  no manager yet: mailflow member add HANDLE ADDRESS --manager"
    yield f"  games open: {len(club.books.open_games())}"
    for name, counts in (("in", inbox.counts), ("out", outbox.counts)):
        shown = ", ".join(
            f"{_SHOWN.get(state, state)} {n}" for state, n in counts(office.db, office.club.id).items() if n
        )
        yield f"  mails {name}: {shown or 'none'}"
    yield f"  questions that wait for OUI: {_questions(office, now)}"
    yield f"  applications that wait for a manager: {len(club.books.open_applications())}"
    yield from outgoing(office, club, now, zone)
    for forged in club.books.forged_since(now - WEEK):
        name = forged.member or "no member"
        last = _local(forged.latest_at, zone)
        yield f"  refused as forged within a week, in the name of {name}: {forged.count}, the last on {last}"
    yield from (f"  quarantined: {line}" for line in quarantined(office))
    yield from (f"  not heard: {line}" for line in not_heard(office, now))
    for job in JOBS:
        yield f"  next {job.name}: {_local(job.next_after(now, zone), zone)}"


_SHOWN = {"pending": "asked to confirm"}
"""An end of a mail that reads as though it still waited; what waits is counted by itself."""


def _questions(office: Office, now: datetime) -> int:
    """Count what somebody can still say OUI to: an answered question, or a late one, is none any more."""
    return sum(
        len(tokens.waiting(office.db, office.club.id, purpose, now)) for purpose in ("confirm", "forget")
    )


def outgoing(office: Office, club: Club, now: datetime, zone: ZoneInfo) -> Iterator[str]:
    """P-6: say what waits to be sent and why, what was lost within a week, which addresses are dead."""
    queue = delivery.waiting(office.db, office.club.id)
    if queue.oldest_at is not None and queue.next_at is not None:
        since, again = _local(queue.oldest_at, zone), _local(max(queue.next_at, now), zone)
        tried = f", {queue.retried} tried before" if queue.retried else ""
        yield f"  to be sent: {queue.waiting}, the oldest of {since}{tried}, again at {again}"
    if queue.last_error:
        yield f"    the last answer: {queue.last_error}"
    for one in delivery.failed_since(office.db, office.club.id, now - WEEK, LOST_SHOWN_MAX):
        yield f"  not delivered: {lost(one, zone)}"
    for bad in keep_bouncing(club):
        whose = f"{bad.recipient} " if bad.recipient else ""
        counted = f"{bad.hard} for good, {bad.soft} for other reasons"
        yield f"  keeps bouncing: {whose}<{bad.address}>: {counted}, the last on {_local(bad.last_at, zone)}"


def lost(one: Undelivered, zone: ZoneInfo) -> str:
    """Show a mail that was given up or came back."""
    whose = f"{one.recipient} " if one.recipient else ""
    return f"mail {one.id} ({one.kind}) to {whose}<{one.address}>, {_local(one.failed_at, zone)}: {one.error}"


def lost_mails(office: Office) -> Iterator[str]:
    """List all mails that were given up or came back, the latest first."""
    zone = ZoneInfo(office.club.timezone)
    for one in delivery.failed_since(office.db, office.club.id, BEGINNING, LISTED_MAX):
        yield lost(one, zone)


def send_again(office: Office, mail_ids: Sequence[int] | None, now: datetime) -> tuple[int, ...]:
    """Queue mails that were given up once more, all of them for None; return which."""
    with unit_of_work(office.db):
        return delivery.send_again(office.db, office.club.id, mail_ids, now)


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
