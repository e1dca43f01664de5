"""R-REG: REGLEMENT, REGLE, PLAINTE, ANNONCE, AIDE, and what OUI, NON, JETON and FIN come to."""

from __future__ import annotations

from mailflow.model import Club, Notice, Outcome, Refusal, Request, refused
from mailflow.rules.lookups import member_named
from mailflow.rules.regulation import amended, differences
from mailflow.suggestions import nearest_verbs
from store.records import AmendRulebook, FileComplaint, Offer


def rulebook(_: Request, club: Club) -> Outcome:
    """REGLEMENT: the rules in short, with the numbers that are in force."""
    version = club.books.rulebook_version(club.rulebook_version)
    return Outcome(answer={"version": version.number, "since": version.since, "reason": version.reason})


def amend(request: Request, club: Club) -> Outcome:
    """R-REG-1: a new version of the rulebook; everybody is told what changed, from what to what."""
    book = amended(club.rulebook, request.get("settings", {}))
    if isinstance(book, Refusal):
        return refused(book)
    changed = differences(club.rulebook, book)
    if not changed:
        return refused(Refusal("R-REG-1", "nothing_to_amend", {}))
    number, reason = club.rulebook_version + 1, request.get("reason", "")
    facts = {"version": number, "by": request.author.handle, "reason": reason, "changed": changed}
    notice = Notice("rulebook.changed", tuple(m.handle for m in club.account_holders), None, facts)
    done = AmendRulebook(number, book.to_json(), request.author.handle, reason)
    return Outcome(changes=(done,), notices=(notice,))


def complain(request: Request, club: Club) -> Outcome:
    """R-REG-2: a complaint goes to the managers only; its author gets its number."""
    about = member_named(request.get("member", ""), club, "R-REG-2")
    if isinstance(about, Refusal):
        return refused(about)
    number = club.books.next_complaint_number()
    text = request.get("reason", "")
    facts = {"number": number, "author": request.author.handle, "about": about.handle, "text": text}
    to = tuple(m.handle for m in club.managers)
    offers = dict.fromkeys(to, (Offer("CLASSE", {"complaint": number}),))
    notice = Notice("complaint.received", to, None, facts, offers=offers)
    done = FileComplaint(number, request.author.handle, about.handle, text)
    return Outcome(changes=(done,), notices=(notice,), answer=facts)


def announce(request: Request, club: Club) -> Outcome:
    """ANNONCE: the manager's words to all members."""
    facts = {"by": request.author.handle, "text": request.get("letter") or request.get("text", "")}
    to = tuple(m.handle for m in club.account_holders if m.handle != request.author.handle)
    return Outcome(
        notices=(Notice("club.announcement", to, None, facts),), answer={**facts, "count": len(to)}
    )


def explain(request: Request, club: Club) -> Outcome:
    """AIDE: the commands, or one of them; R-REG-3: questions belong to the club's forum."""
    topic = request.get("topic")
    near = [] if topic is None else [v.name for v in nearest_verbs(topic, club.grammar)]
    return Outcome(answer={"topic": topic, "nearest": near})
