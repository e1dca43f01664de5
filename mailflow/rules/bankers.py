"""R-TRA-5: who can lend a hand, and how far. Used by transfers, accounts, reminders, inactivity."""

from __future__ import annotations

from mailflow.model import Club
from store.records import Member

BANKERS_MAX = 50


def bankers(club: Club, besides: str = "") -> tuple[tuple[Member, int], ...]:
    """R-TRA-5: active members above the reserve threshold with their capacity in cents.

    The greatest capacity first, equal ones by handle. `besides` leaves one member out.
    """
    able = [
        (m, capacity)
        for m in club.active
        if m.handle != besides and (capacity := capacity_cents(m, club)) > 0
    ]
    return tuple(sorted(able, key=lambda pair: -pair[1]))


def capacity_cents(member: Member, club: Club) -> int:
    """What a banker can give: available less the reserve threshold; negative for who is none."""
    return member.available_cents - club.rulebook.reserve_threshold_cents


def bankers_shown(club: Club, reader: Member) -> list[dict[str, object]]:
    """R-TRA-5: the bankers' list as it is shown: handle, and capacity down to the whole euro.

    Whoever has less than a euro to give is left out, and no more than BANKERS_MAX are shown.
    """
    return [
        {"handle": m.handle, "capacity_cents": capacity // 100 * 100}
        for m, capacity in bankers(club, besides=reader.handle)[:BANKERS_MAX]
        if capacity >= 100
    ]
