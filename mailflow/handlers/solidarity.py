"""R-SOL: SOLIDARITE."""

from __future__ import annotations

from mailflow.model import Club, Notice, Outcome, Refusal, Request, broken, refused
from mailflow.rules.lookups import member_named
from mailflow.rules.solidarity import SOLIDARITY_CHECKS, contributions_cents, debt_cents
from store.records import Levy


def levy(request: Request, club: Club) -> Outcome:
    """R-SOL-1 to R-SOL-4: the whole list is shown first; at the OUI it must still be the same."""
    debtor = member_named(request.get("member", ""), club, "R-SOL-1")
    if isinstance(debtor, Refusal):
        return refused(debtor)
    refusals = broken(SOLIDARITY_CHECKS, debtor, club)
    if refusals:
        return refused(*refusals)
    contributions = contributions_cents(debtor, club)
    listed = [[payer, cents] for payer, cents in contributions.items()]
    facts = {
        "debtor": debtor.handle,
        "debt_cents": debt_cents(debtor, club),
        "contributors": len(listed),
        "by": request.author.handle,
    }
    own = {payer: {"contribution_cents": cents} for payer, cents in contributions.items()}
    told = Notice("solidarity.levied", (*contributions, debtor.handle), None, facts, own)
    return Outcome(
        changes=(Levy(debtor.handle, contributions, request.author.handle),),
        notices=(told,),
        answer={**facts, "contributions": listed},
        ask=True,
    )
