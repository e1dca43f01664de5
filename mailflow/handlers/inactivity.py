"""R-INA: the daily scan, and INJONCTION."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from mailflow.calendar import add_months, end_of_days, local_day, months_between
from mailflow.handlers.reminding import matters, taken
from mailflow.model import Club, Notice, Outcome, Refusal, Request, broken, refused
from mailflow.rules.inactivity import ORDER_CHECKS, Order, imbalance_cents, line, nudge_due, settlement
from mailflow.rules.lookups import member_named
from store.records import (
    Change,
    Injunction,
    InjunctionLine,
    InjunctionState,
    LaunchInjunction,
    Member,
    ProposeInjunction,
    SettleInjunction,
    TellOverdue,
)

Step = tuple[Change, Notice | None]


def scan(club: Club) -> Outcome:
    """R-INA-2, R-INA-3, R-INA-5: nudges, proposals and overdue orders that fall due today.

    R-INA-1: the months are counted from the latest result that stands, or from the opening.
    """
    played, elsewhere = club.books.last_participations(), taken(club)
    steps = [
        *(s for i in club.books.injunctions() for s in _follow(i, played[i.member], club)),
        *(
            s
            for m in club.active
            if imbalance_cents(m, club)
            for s in (
                *(() if m.handle in elsewhere else _ask(m, played[m.handle], club)),
                *_propose(m, played[m.handle], club),
            )
        ),
    ]
    notices = tuple(notice for _, notice in steps if notice is not None)
    return Outcome(changes=tuple(change for change, _ in steps), notices=notices)


def _ask(member: Member, last_played_at: datetime, club: Club) -> Iterator[Step]:
    """R-INA-2: a member who has had another mail today is asked tomorrow, or in tomorrow's."""
    if nudge_due(member, last_played_at, club) is None:
        return
    said = matters(member, last_played_at, weekly=False, club=club)
    for noted in said.noted:
        yield noted, Notice("inactivity.nudge", (member.handle,), None, said.facts)


def _propose(member: Member, last_played_at: datetime, club: Club) -> Iterator[Step]:
    """R-INA-3: one proposal per spell."""
    last_day, today = local_day(last_played_at, club.timezone), local_day(club.now, club.timezone)
    if add_months(last_day, club.rulebook.proposal_after_months) > today:
        return
    if club.books.injunction_of_spell(member.handle, last_played_at) is None:
        lines, unplaced = settlement(member, club)
        told = {
            "handle": member.handle,
            "since": last_played_at,
            "months": months_between(last_day, today),
            "imbalance_cents": imbalance_cents(member, club),
            "lines": lines,
            "unplaced_cents": unplaced,
        }
        to = tuple(m.handle for m in club.managers)
        notice = Notice("inactivity.proposal", to, None, told, about=member.handle)
        yield ProposeInjunction(member.handle, last_played_at, lines, unplaced), notice


def _follow(injunction: Injunction, last_played_at: datetime, club: Club) -> Iterator[Step]:
    """R-INA-3, R-INA-5: an order is over when the balance is even; overdue ones are told once."""
    member = club.member(injunction.member)
    played_again = (
        injunction.state is InjunctionState.PROPOSED and last_played_at > injunction.spell_started_at
    )
    if member is None or imbalance_cents(member, club) == 0 or played_again:
        yield SettleInjunction(injunction.id), None
    elif injunction.due_at is not None and injunction.due_at <= club.now and not injunction.overdue_told:
        facts = {
            "handle": member.handle,
            "lines": [one for one in injunction.lines if one.outstanding_cents > 0],
            "due_at": injunction.due_at,
        }
        to = tuple(m.handle for m in club.managers)
        yield TellOverdue(injunction.id), Notice("injunction.overdue", to, None, facts, about=member.handle)


def order(request: Request, club: Club) -> Outcome:
    """R-INA-4: the manager launches a proposal, as proposed or with amounts of his own."""
    member = member_named(request.get("member", ""), club, "R-INA-4")
    if isinstance(member, Refusal):
        return refused(member)
    opened = [i for i in club.books.injunctions() if i.member == member.handle]
    proposal = min(opened, key=lambda i: i.state is InjunctionState.LAUNCHED, default=None)
    if proposal is None:
        return refused(Refusal("R-INA-4", "no_proposal", {"handle": member.handle}))
    if proposal.state is InjunctionState.LAUNCHED:
        told = {"handle": member.handle, "due_at": proposal.due_at}
        return refused(Refusal("R-INA-4", "launched_already", told))
    amounts = request.get("amounts") or _as_proposed(proposal, member, club)
    refusals = broken(ORDER_CHECKS, Order(member, amounts), club)
    if refusals or not amounts:
        fresh, _ = settlement(member, club)
        figures = {"handle": member.handle, "lines": fresh}
        return refused(*refusals, Refusal("R-INA-4", "order_not_possible", figures))
    return _launch(request, member, proposal, amounts, club)


def _as_proposed(proposal: Injunction, member: Member, club: Club) -> dict[str, int]:
    """R-INA-4: the proposal's amounts; none when who owes whom has turned round since."""
    owed = imbalance_cents(member, club)
    gives = [one.giver == member.handle for one in proposal.lines]
    if any(gives) != (owed > 0):
        return {}
    return {_counterpart(one, member): one.amount_cents for one in proposal.lines}


def _launch(
    request: Request, member: Member, proposal: Injunction, amounts: dict[str, int], club: Club
) -> Outcome:
    lines = tuple(
        line(member, other, a, club) for h, a in amounts.items() if (other := club.member(h)) is not None
    )
    due_at = end_of_days(club.now, club.rulebook.injunction_due_days, club.timezone)
    done = LaunchInjunction(proposal.id, request.author.handle, lines, due_at)
    facts: dict[str, Any] = {"handle": member.handle, "due_at": due_at, "by": request.author.handle}
    counterparts = tuple(_counterpart(one, member) for one in lines)
    own: dict[str, dict[str, Any]] = {
        c: {"lines": [one], "counterpart": True} for c, one in zip(counterparts, lines, strict=True)
    }
    own[member.handle] = {"lines": list(lines), "counterpart": False}
    notice = Notice("injunction.order", (member.handle, *counterparts), None, facts, own)
    return Outcome(changes=(done,), notices=(notice,), answer={**facts, "lines": lines})


def _counterpart(one: InjunctionLine, member: Member) -> str:
    return one.beneficiary if one.giver == member.handle else one.giver
