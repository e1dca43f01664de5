"""Words at the place of a command that are none: are they meant as one (hazards H11, C25)?

Only for telling and for holding back: nothing here ever becomes a command.
"""

from __future__ import annotations

import re

from parsers.characters import folded, likeness
from parsers.grammar import Grammar
from parsers.line_start import GREETINGS
from parsers.values import looks_like_amount

HARMLESS = GREETINGS | {
    "MERCI", "CORDIALEMENT", "AMITIES", "AMICALEMENT", "BISES", "BISOUS", "URGENT", "MERCI BEAUCOUP",
    "BIEN", "TOUS",
    "THANKS", "REGARDS", "DANKE", "GRUSS", "GRUESSE", "LG", "MFG", "VG", "GRAZIE", "SALUTI", "PS", "NB",
    "PPS", "SVP", "STP",
    "INFO", "IMPORTANT", "ATTENTION", "TEST", "CHER", "CHERE", "CHERS", "MONSIEUR", "MADAME", "BRAVO",
    "DESOLE", "DESOLEE",
}  # fmt: skip


def looks_like_arguments(rest: str) -> bool:
    """Whether words can only be arguments: they begin with a number, or with a key and a sign."""
    first = rest.split(" ", 1)[0] if rest else ""
    return (
        looks_like_amount(first)
        or first.startswith(("#", "n°"))
        or ("=" in rest and re.match(r"[^\s=]{1,20}=", rest) is not None)
    )


def is_near(word: str, grammar: Grammar) -> bool:
    """Whether the word is nearly a verb: foreign letters that look alike, or one or two letters off."""
    if likeness(word) in grammar.by_word:
        return True
    key = folded(word)
    if not 4 <= len(key) <= 20:
        return False
    most = 2 if len(key) >= 8 or (len(key) == 7 and word.isupper()) else 1
    return any(
        abs(len(verb) - len(key)) <= most and len(verb) >= 4 and _distance(key, verb, most) <= most
        for verb in grammar.by_word
    )


def _distance(one: str, other: str, most: int) -> int:
    """Edits between two words, neighbours swapped counting one; only as far as `most` matters."""
    above: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, above, row = above, row, [i]
        for j, b in enumerate(other, 1):
            step = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                step = min(step, before[j - 2] + 1)
            row.append(step)
        if min(row) > most:
            return most + 1
    return row[-1]
