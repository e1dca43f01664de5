"""R-SEC-1, TRUST § 2 class identity: ADRESSE, TRANSMET, NOMME, and LANGUE.

A change of addresses or of the manager goes through three gates: the member's own OUI, the OUI of the new
address or of the other person, and a wait in which whoever is told can stop it. Removing an address has no
second person to ask, so it goes from the first gate to the third.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mailflow.model import Club, Notice, Outcome, Refusal, Request, broken, refused
from mailflow.rules.identity import (
    ADDRESS_CHECKS,
    ADDRESS_IN_FORCE,
    ROLE_CHECKS,
    ROLE_IN_FORCE,
    AddressChange,
    RoleChange,
)
from mailflow.rules.lookups import member_named
from store.records import (
    AgreeToIdentityChange,
    EndIdentityChange,
    IdentityChange,
    IdentityKind,
    IdentityState,
    ProposeIdentityChange,
    SetLanguage,
    TakeIdentityEffect,
    fold_handle,
)

ASKED = {"add": IdentityKind.ADD, "remove": IdentityKind.REMOVE, "primary": IdentityKind.PRIMARY}
"""The arguments of ADRESSE."""

LANGUAGES = {
    "FR": "fr", "FRANCAIS": "fr", "FRENCH": "fr", "FRANZOSISCH": "fr", "FRANZOESISCH": "fr", "FRANCESE": "fr",
    "EN": "en", "ANGLAIS": "en", "ENGLISH": "en", "ENGLISCH": "en", "INGLESE": "en",
    "DE": "de", "ALLEMAND": "de", "GERMAN": "de", "DEUTSCH": "de", "TEDESCO": "de",
    "IT": "it", "ITALIEN": "it", "ITALIAN": "it", "ITALIENISCH": "it", "ITALIANO": "it",
}  # fmt: skip
"""What a language may be called, in upper case without accents, and its ISO 639-1 code."""


def address(request: Request, club: Club) -> Outcome:
    """ADRESSE: the author's addresses, or a change of one of them."""
    wanted = [(kind, request.get(key)) for key, kind in ASKED.items() if request.get(key)]
    if not wanted:
        return Outcome(answer=_shown(request.author.handle, club))
    if len(wanted) > 1:
        return refused(Refusal("R-SEC-1", "one_address_change", {}))
    kind, written = wanted[0]
    refusals = broken(ADDRESS_CHECKS, AddressChange(kind, request.author, written), club)
    if refusals:
        return refused(*refusals)
    return _begin(kind, request.author.handle, written, None, club)


def hand_over(request: Request, club: Club) -> Outcome:
    """TRANSMET: another member manages the club in the author's place."""
    return _role(IdentityKind.HAND_OVER, request, club)


def appoint(request: Request, club: Club) -> Outcome:
    """NOMME: another member manages the club beside the author."""
    return _role(IdentityKind.APPOINT, request, club)


def language(request: Request, club: Club) -> Outcome:
    """LANGUE: in which language the author is written to."""
    code = LANGUAGES.get(request.get("language", ""))
    if code is None:
        return refused(Refusal("R-SEC-2", "language_unknown", {"words": request.get("language", "")}))
    done = SetLanguage(request.author.handle, code)
    return Outcome(changes=(done,), answer={"language": code, "before": request.author.language})


def _role(kind: IdentityKind, request: Request, club: Club) -> Outcome:
    taker = member_named(request.get("member", ""), club, "R-SEC-1")
    if isinstance(taker, Refusal):
        return refused(taker)
    refusals = broken(ROLE_CHECKS, RoleChange(kind, request.author, taker), club)
    if refusals:
        return refused(*refusals)
    return _begin(kind, request.author.handle, "", taker.handle, club)


def _begin(kind: IdentityKind, member: str, address: str, other: str | None, club: Club) -> Outcome:
    """The first OUI; always asked for, however fresh the author is."""
    asks = kind is not IdentityKind.REMOVE
    state = IdentityState.ASKED if asks else IdentityState.WAITING
    due_at = club.now + (_answer(club) if asks else _wait(club))
    number = club.books.next_identity_number()
    change = IdentityChange(number, kind, member, address, other, state, club.now, due_at)
    if asks:
        to, about = (other or member,), str(number)
        notices: tuple[Notice, ...] = (
            Notice("identity.asked", to, None, _facts(change, club), address=address, about=about),
        )
    else:
        notices = _told("identity.pending", change, club)
    done = ProposeIdentityChange(number, kind, member, address, other, state, due_at)
    return Outcome(
        changes=(done,), notices=notices, answer={"shown": False, **_facts(change, club)}, ask=True
    )


# ---------------------------------------------------------------- later


def agree(change: IdentityChange, club: Club) -> Outcome:
    """The second OUI: from now on it waits, and everybody concerned is told how to stop it."""
    if _refusals(change, club):
        return _ended(change, IdentityState.LAPSED, "rules", club)
    due_at = club.now + _wait(club)
    waiting = replace(change, state=IdentityState.WAITING, due_at=due_at)
    done = AgreeToIdentityChange(change.number, due_at)
    return Outcome(changes=(done,), notices=_told("identity.pending", waiting, club))


def stop(change: IdentityChange, by: str, club: Club) -> Outcome:
    """A NON while it is asked for or waits: nothing is changed. `by`: a handle, "" for the new address."""
    return _ended(change, IdentityState.STOPPED, "no", club, by)


def fall_due(number: int, club: Club) -> Outcome:
    """The clock: what was not answered lapses; what has waited takes effect, if the rules still allow it."""
    change = club.books.identity_change(number)
    if change is None or not change.state.is_open:
        return Outcome()
    if change.state is IdentityState.ASKED:
        return _ended(change, IdentityState.LAPSED, "silence", club)
    if _refusals(change, club):
        return _ended(change, IdentityState.LAPSED, "rules", club)
    done = TakeIdentityEffect(change.number)
    return Outcome(changes=(done,), notices=_told("identity.done", change, club))


def may_stop(change: IdentityChange, handle: str, club: Club) -> bool:
    """Whether a member may stop a change: whom it concerns, and every manager."""
    member = club.members[fold_handle(handle)]
    return handle in (change.member, change.other) or member.manages


def _answer(club: Club) -> timedelta:
    """How long the second OUI may take."""
    return timedelta(hours=club.caution.identity_answer_hours)


def _wait(club: Club) -> timedelta:
    """TRUST § 2: how long a change can be stopped before it takes effect."""
    return timedelta(hours=club.caution.identity_effect_hours)


def _refusals(change: IdentityChange, club: Club) -> tuple[Refusal, ...]:
    member = club.members[fold_handle(change.member)]
    if change.other is None:
        return broken(ADDRESS_IN_FORCE, AddressChange(change.kind, member, change.address), club)
    taker = club.members[fold_handle(change.other)]
    return broken(ROLE_IN_FORCE, RoleChange(change.kind, member, taker), club)


def _ended(change: IdentityChange, state: IdentityState, why: str, club: Club, by: str = "") -> Outcome:
    more = {"why": why, "by": by}
    notices = _told("identity.stopped", change, club, more, was_told=change.state is IdentityState.WAITING)
    return Outcome(changes=(EndIdentityChange(change.number, state),), notices=notices)


def _told(
    kind: str,
    change: IdentityChange,
    club: Club,
    more: dict[str, Any] | None = None,
    was_told: bool = True,
) -> tuple[Notice, ...]:
    """TRUST § 2: all the member's addresses and the managers; the new address, and the other person, too.

    `was_told`: whether the managers and the new address know of it; else it is between the member and us.
    """
    facts = {**_facts(change, club), **(more or {})}
    where = [(change.member, a) for a in club.books.addresses(change.member)]
    if change.other is not None:
        where += [(change.other, a) for a in club.books.addresses(change.other)]
    if was_told:
        if change.kind is IdentityKind.ADD:
            where.append((change.member, change.address))
        known = {handle for handle, _ in where}
        where += [(m.handle, m.address) for m in club.managers if m.handle not in known]
    return tuple(_notices(kind, where, facts, change.number))


def _notices(
    kind: str, where: Iterable[tuple[str, str]], facts: dict[str, Any], number: int
) -> Iterable[Notice]:
    for position, (handle, address) in enumerate(where, 1):
        yield Notice(kind, (handle,), None, facts, address=address, about=f"{number}.{position}")


def _facts(change: IdentityChange, club: Club) -> dict[str, Any]:
    return {
        "number": change.number,
        "kind": change.kind.value,
        "member": change.member,
        "address": change.address,
        "other": change.other,
        "state": change.state.value,
        "due_at": change.due_at,
        "hours": club.caution.identity_effect_hours,
        "primary": club.members[fold_handle(change.member)].address,
    }


def _shown(handle: str, club: Club) -> dict[str, Any]:
    return {
        "shown": True,
        "addresses": club.books.addresses(handle),
        "under_way": [_facts(one, club) for one in club.books.identity_changes_of(handle)],
        "hours": club.caution.identity_effect_hours,
    }
