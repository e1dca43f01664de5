"""Nearest words, for suggestions only: nothing is ever carried out on a guess (hazard H11)."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from store.records import fold_handle

NEAR_ENOUGH = 60
SUGGESTIONS_MAX = 3


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """Return up to three known words that look like `word`, best first."""
    folded = {fold_handle(k): k for k in known}
    found = process.extract(
        fold_handle(word), list(folded), scorer=fuzz.ratio, limit=SUGGESTIONS_MAX, score_cutoff=NEAR_ENOUGH
    )
    return [folded[key] for key, _, _ in found]
