"""Nearest words, for suggestions only: nothing is ever carried out on a guess (hazard H11)."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from parsers.grammar import Grammar, Verb
from store.records import fold_handle

NEAR_ENOUGH = 60
"""Percent of likeness from which a handle is suggested."""
VERY_NEAR = 76
"""The same for verbs: ordinary words must not be taken for them."""
SUGGESTIONS_MAX = 3


def nearest(word: str, known: Iterable[str], near_enough: int = NEAR_ENOUGH) -> list[str]:
    """Return up to three known words that look like `word`, best first."""
    folded = {fold_handle(k): k for k in known}
    found = process.extract(
        fold_handle(word), list(folded), scorer=fuzz.ratio, limit=SUGGESTIONS_MAX, score_cutoff=near_enough
    )
    return [folded[key] for key, _, _ in found]


def nearest_verbs(words: str, grammar: Grammar) -> list[Verb]:
    """Return the verbs that the first of some words may have been meant for, best first."""
    first = words.partition(" ")[0]
    found = nearest(first, grammar.by_word, VERY_NEAR) if first else []
    return list(dict.fromkeys(grammar.by_word[word] for word in found))
