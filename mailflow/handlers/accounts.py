"""R-ACC: COMPTE, JOUEURS, INVITE, J'ACCEPTE, QUITTE."""

from __future__ import annotations

from datetime import date, datetime, time

from mailflow.calendar import bounded, end_of_day, instant
from mailflow.model import Club, Notice, Outcome, Refusal, Request, broken, refused
from mailflow.rules.accounts import INVITE_CHECKS, LEAVE_CHECKS, Newcomer, keywords
from mailflow.rules.bankers import bankers_shown
from store.records import CloseAccount, Invitation, Invite, OpenAccount

STATEMENT_LINES_MAX = 200
FILE_LINES_MAX = 1000
"""A PDF of so many lines has about 25 pages."""


def statement(request: Request, club: Club) -> Outcome:
    """COMPTE: the author's account, R-TRA-5: with the bankers where he is below the reserve."""
    author = request.author
    since = _start(request.get("since"), club)
    until = _end(request.get("until"), club)
    if since is not None and until is not None and since >= until:
        figures = {"since": request.get("since"), "until": request.get("until")}
        return refused(Refusal("R-ACC-2", "period_is_empty", figures))
    running = [
        {"number": g.number, "buyin_cents": g.buyin_cents} for g in club.books.running_games_of(author.handle)
    ]
    form = request.get("form")
    lines_max = STATEMENT_LINES_MAX if form is None else FILE_LINES_MAX
    needs_bankers = author.balance_cents < club.rulebook.reserve_threshold_cents
    facts = {
        "statement": club.books.statement(author.handle, since, until, lines_max),
        "form": form,
        "file": None,
        "running": running,
        "bankers": bankers_shown(club, author) if needs_bankers else None,
        "injunctions": [
            {"line": one, "due_at": injunction.due_at}
            for injunction in club.books.injunctions()
            for one in injunction.lines
            if injunction.due_at is not None
            and author.handle in (one.giver, one.beneficiary)
            and one.outstanding_cents > 0
        ],
    }
    return Outcome(answer=facts)


def _start(day: str | None, club: Club) -> datetime | None:
    return None if day is None else instant(bounded(date.fromisoformat(day)), time(0), club.timezone)


def _end(day: str | None, club: Club) -> datetime | None:
    return None if day is None else end_of_day(bounded(date.fromisoformat(day)), club.timezone)


def players(_: Request, club: Club) -> Outcome:
    """JOUEURS: who is in the club and who could play now; what anybody has is not shown."""
    needed = club.rulebook.eligibility_cents
    listed = [
        {
            "handle": m.handle,
            "manager": m.manages,
            "banned": not m.active,
            "eligible": m.active and m.available_cents >= needed,
        }
        for m in club.account_holders
    ]
    return Outcome(answer={"players": listed})


def invite(request: Request, club: Club) -> Outcome:
    """R-ACC-3: the manager invites somebody, who gets the essentials and how to accept."""
    handle, address = request.get("member", ""), request.get("address", "")
    newcomer = Newcomer(handle, address, keywords(club.grammar))
    refusals = broken(INVITE_CHECKS, newcomer, club)
    if refusals:
        return refused(*refusals)
    facts = {"handle": handle, "address": address, "by": request.author.handle, "applied": False}
    notice = Notice("member.invited", (handle,), None, facts, address=address)
    done = Invite(handle, address, request.author.handle)
    return Outcome(changes=(done,), notices=(notice,), answer=facts)


def join(invitation: Invitation, club: Club, how: str = "invitation") -> Outcome:
    """R-ACC-1, R-ACC-2: the invited accepts the rulebook as it stands, and the account is opened.

    `how` he accepted is kept with the version and the instant.
    """
    newcomer = Newcomer(invitation.handle, invitation.address, keywords(club.grammar))
    refusals = broken(INVITE_CHECKS, newcomer, club)
    if refusals:
        return refused(*refusals)
    credit = club.rulebook.initial_credit_cents
    done = OpenAccount(
        handle=invitation.handle,
        name=invitation.handle,
        address=invitation.address,
        language=club.language,
        manager=False,
        initial_credit_cents=credit,
        rulebook_version=club.rulebook_version,
        how=how,
    )
    facts = {"handle": invitation.handle, "invited_by": invitation.invited_by, "credit_cents": credit}
    own = {invitation.handle: {"is_me": True}}
    to = (invitation.handle, *(m.handle for m in club.managers))
    notice = Notice("member.opened", to, None, facts, own)
    return Outcome(changes=(done,), notices=(notice,))


def invitation_notice(invitation: Invitation) -> Notice:
    """The invitation once more, with the essentials of the rulebook as it stands now."""
    facts = {
        "handle": invitation.handle,
        "address": invitation.address,
        "by": invitation.invited_by,
        "applied": False,
    }
    return Notice("member.invited", (invitation.handle,), None, facts, address=invitation.address)


def forget_first_leave(request: Request, club: Club) -> Outcome:
    """OUBLIEZ-MOI of a member: who is in the club cannot be forgotten by it; he leaves first (T-38)."""
    return refused(Refusal("R-ACC-6", "still_a_member", {}))


def leave(request: Request, club: Club) -> Outcome:
    """R-ACC-6: the author leaves with everything even; his history stays."""
    refusals = broken(LEAVE_CHECKS, request.author, club)
    if refusals:
        return refused(*refusals)
    facts = {"handle": request.author.handle}
    to = tuple(m.handle for m in club.managers if m.handle != request.author.handle)
    notice = Notice("member.closed", to, None, facts)
    return Outcome(changes=(CloseAccount(request.author.handle),), notices=(notice,), answer=facts)
