"""R-RES-2, R-RES-3: paid places and gains. Used by results and by games born with theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mailflow.model import Check, Club, Refusal
from mailflow.rulebook import Rulebook
from store.records import fold_handle


@dataclass(frozen=True)
class Ranking:
    """Places as a member wrote them, for a game of these participants under this rulebook."""

    places: Mapping[str, Sequence[str]]
    participants: tuple[str, ...]
    rulebook: Rulebook

    @property
    def paid(self) -> int:
        return len(self.rulebook.shares_percent(len(self.participants)))


def exactly_the_paid_places(ranking: Ranking, _: Club) -> Refusal | None:
    """R-RES-2: exactly the paid places are given, each with one participant."""
    wanted = [str(p) for p in range(1, ranking.paid + 1)]
    if sorted(ranking.places) == sorted(wanted) and all(len(h) == 1 for h in ranking.places.values()):
        return None
    figures = {
        "participants": len(ranking.participants),
        "paid": ranking.paid,
        "given": {place: list(handles) for place, handles in sorted(ranking.places.items())},
    }
    return Refusal("R-RES-2", "places_not_exact", figures)


def paid_players_took_part(ranking: Ranking, _: Club) -> Refusal | None:
    """R-RES-2: only participants are paid. The refusal names all who are not."""
    present = {fold_handle(p) for p in ranking.participants}
    strangers = [h for hs in ranking.places.values() for h in hs if fold_handle(h) not in present]
    if not strangers:
        return None
    figures = {"handles": strangers, "participants": list(ranking.participants)}
    return Refusal("R-RES-2", "paid_without_playing", figures)


def nobody_is_paid_twice(ranking: Ranking, _: Club) -> Refusal | None:
    """R-RES-2: no participant holds two places."""
    handles = [fold_handle(h) for hs in ranking.places.values() for h in hs]
    twice = sorted({h for h in handles if handles.count(h) > 1})
    return Refusal("R-RES-2", "paid_twice", {"handles": twice}) if twice else None


RANKING_CHECKS: tuple[Check[Ranking], ...] = (
    exactly_the_paid_places,
    paid_players_took_part,
    nobody_is_paid_twice,
)


def ranked(ranking: Ranking) -> dict[int, str]:
    """Return the places of a ranking that passed, with the handles as the participants bear them."""
    bearers = {fold_handle(p): p for p in ranking.participants}
    return {int(place): bearers[fold_handle(handles[0])] for place, handles in sorted(ranking.places.items())}


def gains_cents(
    buyin_cents: int, participants: int, places: Mapping[int, str], rulebook: Rulebook
) -> dict[str, int]:
    """R-RES-3: each paid player's gain, best place first; the gains sum to the pot.

    A share is rounded down to the cent; the cents left over go one each to the best places. So
    nothing is left for anybody else (R-ACC-4).
    """
    pot_cents = buyin_cents * participants
    shares = [pot_cents * percent // 100 for percent in rulebook.shares_percent(participants)]
    for place in range(pot_cents - sum(shares)):
        shares[place] += 1
    return {places[place]: share for place, share in enumerate(shares, start=1)}
