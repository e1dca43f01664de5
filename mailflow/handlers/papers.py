"""What a manager does with papers that wait: CLASSE and REFAIRE; and the card that shows him such mails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mailflow.model import Club, Notice, Outcome, Refusal, Request, Wish, refused
from mailflow.rules.papers import (
    REDONE,
    application_waits,
    complaint_waits,
    mail_can_be_redone,
    unhandled,
)
from mailflow.suggestions import nearest_verbs
from parsers.letter import Letter, read_letter
from store.records import (
    ApplicationState,
    Change,
    CloseComplaint,
    DecideApplication,
    Offer,
    SettleUnhandled,
    TellUnhandled,
    Unhandled,
)

CARDS_MAX = 10
"""So many mails are shown in a day, the oldest; the others come the day after."""
LINES_MAX, CHARACTERS_MAX = 12, 600
"""So much of each is shown."""


def file_away(request: Request, club: Club) -> Outcome:
    """CLASSE: what waits for a manager waits no more. Nobody else is told."""
    named = {key: request.get(key) for key in _FILED if request.get(key)}
    refusals = [no for key, number in named.items() if (no := _FILED[key][0](number, club)) is not None]
    if refusals:
        return refused(*refusals)
    changes = tuple(_FILED[key][1](number, request.author.handle) for key, number in named.items())
    return Outcome(
        changes=changes, answer={"filed": [{"what": key, "number": number} for key, number in named.items()]}
    )


def _mail_waits(number: int, club: Club) -> Refusal | None:
    found = mail_can_be_redone(number, club)
    return found if isinstance(found, Refusal) else None


_FILED: Mapping[str, tuple[Callable[[int, Club], Refusal | None], Callable[[int, str], Change]]] = {
    "complaint": (complaint_waits, CloseComplaint),
    "application": (
        application_waits,
        lambda number, by: DecideApplication(number, ApplicationState.DECLINED, by),
    ),
    "mail": (_mail_waits, lambda number, by: SettleUnhandled(number, by, redone=False)),
}
"""What can be laid aside: whether it waits, and the change that ends its waiting."""


def redo(request: Request, club: Club) -> Outcome:
    """REFAIRE: the writer of a mail that nobody could handle is asked whether he meant this (R-SEC-1).

    The manager's word moves nothing: what is asked waits for the OUI of him in whose name it is done.
    """
    number, inner = request.arguments["mail"], request.arguments["read"]
    mail = mail_can_be_redone(number, club)
    if isinstance(mail, Refusal):
        return refused(mail)
    if inner["verb"] not in REDONE:
        return refused(Refusal("R-SEC-1", "not_to_be_redone", {"verb": inner["verb"]}))
    wish = Wish(mail.member or "", inner, number, mail.received_at, request.author.handle)
    facts = {"mail": number, "handle": mail.member, "command": inner["text"]}
    done = SettleUnhandled(number, request.author.handle, redone=True)
    return Outcome(changes=(done,), answer=facts, wish=wish)


# ---------------------------------------------------------------- the card


KIND = "mail.unhandled"


def report(club: Club) -> Outcome:
    """Show the managers the mails that nobody could handle, each once, all of a day in one mail."""
    new = [one for one in unhandled(club) if not one.told]
    shown = new[:CARDS_MAX]
    if not shown or not club.managers:
        return Outcome()
    to = tuple(m.handle for m in club.managers)
    facts = {"cards": [card(one, club) for one in shown], "more": len(new) - len(shown)}
    offers = tuple(offer for one in shown for offer in offers_about(one.number))
    notice = Notice(KIND, to, None, facts, offers=dict.fromkeys(to, offers))
    return Outcome(changes=(TellUnhandled(tuple(one.number for one in shown)),), notices=(notice,))


def offers_about(mail: int) -> tuple[Offer, ...]:
    """What a manager may do about such a mail by answering the one that shows it."""
    return Offer("REFAIRE", {"mail": mail}), Offer("CLASSE", {"mail": mail})


def card(one: Unhandled, club: Club) -> dict[str, Any]:
    """One such mail: its own words, and what was wrong with them."""
    return {
        "number": one.number,
        "member": one.member,
        "received_at": one.received_at,
        "text": _own_words(read_letter(club.books.raw(one.number)), one),
        "unreadable": one.reason if one.record["reason"] else "",
        "problems": [_problem(problem, club) for problem in one.record["problems"]],
    }


def _own_words(letter: Letter, one: Unhandled) -> str:
    """The subject and the lines that counted, or the first ones; tokens were masked when it was kept."""
    lines = letter.text.split("\n")
    kept = [line for span in one.record["kept"] for line in lines[span["first"] - 1 : span["last"]]]
    said = [letter.subject, *(kept or lines)]
    shown = [line.strip() for line in said if line.strip()]
    text = "\n".join(shown[:LINES_MAX])
    return text[:CHARACTERS_MAX] + ("…" if len(text) > CHARACTERS_MAX or len(shown) > LINES_MAX else "")


def _problem(problem: dict[str, Any], club: Club) -> dict[str, Any]:
    verb = club.grammar.by_word.get(problem["verb"] or "")
    near = nearest_verbs(problem["words"], club.grammar) if verb is None else ()
    return {
        **problem,
        "form": "" if verb is None else verb.form,
        "nearest": [v.name for v in near],
        "shown": [v.form for v in (*near, *((verb,) if verb else ()))],
    }
