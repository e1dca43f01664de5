"""Who is met with silence at present, and why; and how the operator ends it (T-7, T-16, T-30)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from mailflow.app import Office
from mailflow.errors import MailflowError
from mailflow.limits import Conduct, member_subject
from parsers.addresses import canonical
from store import identity_changes, people, tallies
from store.database import unit_of_work


class NobodyThere(MailflowError):
    """A name that is neither a member's handle nor an address."""


def not_heard(office: Office, now: datetime) -> Iterator[str]:
    """Say of each who is not heard why."""
    for subject, tallied in tallies.everybodys(office.db, office.club.id).items():
        conduct = Conduct(tallied, now, office.settings.caution)
        who = subject.removeprefix(member_subject(""))
        if conduct.muted:
            yield f"{who}: guessed at tokens"
        if conduct.answered_enough:
            yield f"{who}: got enough answers this {conduct.answered_enough}"
        if conduct.suspended:
            yield f"{who}: said NON too often, and is asked no more until he proves himself"


def unmute(office: Office, who: str) -> int:
    """Forget what is held against a member and all his addresses, or against an address that is no member's.

    Returns how much that was. Raises NobodyThere.
    """
    address = canonical(who)
    member = people.handle_at(office.db, office.club.id, address) if address else who
    known = None if member is None else people.look_up(office.db, office.club.id, member)
    if known is None and address is None:
        raise NobodyThere(f"{who!r} is neither a member nor an address")
    subjects = set() if address is None else {address}
    if known is not None:
        subjects |= {member_subject(known.handle)}
        subjects |= {*identity_changes.addresses_of(office.db, office.club.id, known.handle)}
    with unit_of_work(office.db):
        return tallies.drop(office.db, office.club.id, sorted(subjects))
