"""R-ACC-3: ADHESION, and the manager's answer to it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from mailflow.model import Club, Notice, Outcome, broken, refused
from mailflow.rules.accounts import INVITE_CHECKS, Newcomer, handle_is_well_formed, keywords
from store.records import Application, ApplicationState, Apply, DecideApplication, Invite


def apply_to_join(handle: str, address: str, club: Club) -> Outcome:
    """Somebody asks to join: every manager gets a card. A handle that nobody could bear is refused.

    Whether the handle or the address is taken only the managers are told: a stranger learns from no answer
    of ours who is a member.
    """
    newcomer = Newcomer(handle, address, keywords(club.grammar))
    refusal = handle_is_well_formed(newcomer, club)
    if refusal is not None:
        return refused(refusal)
    number = club.books.next_application_number()
    asked = Application(number, handle, address, club.now, ApplicationState.OPEN, None)
    carded = card(asked, tuple(m.handle for m in club.managers), club)
    return replace(carded, changes=(Apply(number, handle, address),))


def card(application: Application, to: tuple[str, ...], club: Club) -> Outcome:
    """Show managers an application, with what stands against it."""
    newcomer = Newcomer(application.handle, application.address, keywords(club.grammar))
    facts = {
        "number": application.number,
        "handle": application.handle,
        "address": application.address,
        "wrong": [r.code for r in broken(INVITE_CHECKS, newcomer, club)],
        "days": club.caution.application_days,
    }
    notice = Notice("application.received", to, None, facts, about=str(application.number))
    return Outcome(notices=(notice,))


def cards_are_few(club: Club) -> bool:
    """T-31: whatever strangers write, the managers get only so many cards in a day."""
    return club.books.applications_since(club.now - timedelta(days=1)) < club.caution.applications_per_day_max


def approve(application: Application, manager: str, club: Club) -> Outcome:
    """R-ACC-3: an approved application counts as invited; the invitation goes out."""
    newcomer = Newcomer(application.handle, application.address, keywords(club.grammar))
    refusals = broken(INVITE_CHECKS, newcomer, club)
    if refusals:
        return refused(*refusals)
    facts = {"handle": application.handle, "address": application.address, "by": manager, "applied": True}
    notice = Notice("member.invited", (application.handle,), None, facts, address=application.address)
    done = Invite(application.handle, application.address, manager)
    decided = DecideApplication(application.number, ApplicationState.APPROVED, manager)
    return Outcome(changes=(decided, done), notices=(notice,), answer=facts)


def decline(application: Application, manager: str) -> Outcome:
    """A manager says NON: the applicant hears nothing, for he is a stranger still (T-31)."""
    return Outcome(changes=(DecideApplication(application.number, ApplicationState.DECLINED, manager),))
