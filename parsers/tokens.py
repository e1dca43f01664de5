"""A line's words and signs, and what can be seen of them from where one stands.

The line is cut once; all questions after that are about an index, so that reading never goes back over text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from parsers import values
from parsers.characters import folded
from parsers.grammar import Argument, Kind, Verb
from parsers.limits import ARGUMENT_WORDS_MAX

_TOKEN = re.compile(r"[€$£+−–-]?[0-9][0-9.]*(?:,[0-9]++)+(?![0-9]*\s*=)[^\s,;=:]*|[^\s,;=:]+|[,;=:]")
MINUS = ("-", "−", "–", "—")
AND = {"ET", "AND", "UND", "E", "Y", "&", "PLUS"}
POLITE = {
    "MERCI", "SVP", "STP", "S'IL", "TE", "VOUS", "PLAIT", "PLEASE", "THANKS", "THX", "BITTE", "DANKE",
    "GRAZIE",
    "D'AVANCE", "BEAUCOUP",
}  # fmt: skip
_AMOUNT_FILLERS = {
    "DE", "D'UN", "A", "POUR", "MONTANT", "LA", "SOMME", "OF", "FOR", "VON", "UBER", "FUR", "ZU", "DI", "DA",
    "PER",
}  # fmt: skip
_FILLERS_MAX = 4
_PLACES_MAX = 10
_SOUND = re.compile("[^\\s.!?…;«»\"'()*_,:|\u2190-\U0010ffff]")


def is_silent(text: str) -> bool:
    """Whether nothing but punctuation and pictures stands there."""
    return _SOUND.search(text) is None


def is_polite(text: str) -> bool:
    """Whether nothing but punctuation and words of courtesy stands there."""
    return all(is_silent(w) or folded(w).strip(".,!;:()") in POLITE for w in text.replace(",", " ").split())


class Token:
    """A word or a sign, where it stands in the line, and its folded form."""

    __slots__ = ("end", "is_sign", "key", "start", "text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.is_sign = text in ",;=:"
        self.key = folded(text)


@lru_cache(maxsize=256)
def _name_parts(names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The folded words of each of an argument's names."""
    return tuple(tuple(folded(name).split()) for name in names)


class Tokens:
    """The tokens of the words after one verb, and that verb's names for its arguments; names of `money`."""

    def __init__(self, verb: Verb, words: str, money: frozenset[str]) -> None:
        self.verb, self.words, self.money = verb, words, money
        self.names = [(parts, a) for a in verb.arguments for parts in _name_parts(a.names)]
        self.first_words = frozenset(parts[0] for parts, _ in self.names)
        found = islice(_TOKEN.finditer(words), ARGUMENT_WORDS_MAX + 1)
        self.tokens = [Token(m[0], m.start(), m.end()) for m in found]

    def names_at(self, i: int) -> list[tuple[Argument, int]]:
        """The arguments whose name stands here, each with the index after the name."""
        if i >= len(self.tokens) or self.tokens[i].key not in self.first_words:
            return []
        found = []
        for parts, argument in self.names:
            after = i + len(parts)
            if all(
                t.key == part for t, part in zip(self.tokens[i:after], parts, strict=False)
            ) and after <= len(self.tokens):
                found.append((argument, after))
        return found

    def sign_at(self, i: int, sign: str) -> bool:
        return i < len(self.tokens) and self.tokens[i].text == sign

    def is_key(self, i: int) -> bool:
        """Whether `name=` or `name:` stands here; `20:15` is a time."""
        return self.sign_at(i + 1, "=") or (self.sign_at(i + 1, ":") and self.tokens[i].text[0].isalpha())

    def argument(self, kind: Kind) -> Argument | None:
        return next((a for a in self.verb.arguments if a.kind is kind), None)

    def number_at(self, i: int) -> bool:
        return i < len(self.tokens) and self.tokens[i].text[0].isdigit()

    def money_at(self, i: int) -> bool:
        """Whether the currency is named here, before its amount: `€ 15`, `Fr. 15`."""
        return self.number_at(i + 1) and self.tokens[i].key.rstrip(".") in self.money

    def marked_address_at(self, i: int, marks: tuple[str, ...]) -> bool:
        """Whether an address stands here with one of these marks before it, perhaps as a word of its own."""
        word = self.tokens[i].text.lstrip("<(\"'")
        if not word.startswith(marks):
            return False
        return "@" in word or (len(word) == 1 and i + 1 < len(self.tokens) and "@" in self.tokens[i + 1].text)

    def before_amount(self, i: int) -> int | None:
        """If words that lead up to an amount stand here, « d'un montant de », the index of its number."""
        for at in range(i, i + _FILLERS_MAX):
            if at > i and (self.number_at(at) or self.money_at(at)):
                return at
            key = self.tokens[at].key if at < len(self.tokens) else ""
            if key not in _AMOUNT_FILLERS or any(a.kind is not Kind.AMOUNT for a, _ in self.names_at(at)):
                return None
        return None

    def game_at(self, i: int) -> bool:
        """Whether a game's number stands here, perhaps after « n° ». A word like `2e` or `12=` is none."""
        if i < len(self.tokens) and is_number_sign(self.tokens[i].key):
            i += 1
        if i >= len(self.tokens) or values.game_number(self.tokens[i].text) is None:
            return False
        return not self.sign_at(i + 1, "=") and not (
            self.argument(Kind.PLACES) and values.rank(self.tokens[i].text) is not None
        )

    def starts_place(self, i: int) -> bool:
        """`1=`, `1er`, `1.`; `1:` only where a name follows at once, else it is the game and a colon."""
        if i >= len(self.tokens) or self.tokens[i].is_sign:
            return False
        if values.rank(self.tokens[i].text) is not None:
            return True
        bare = self.tokens[i].text
        if not (bare.isascii() and bare.isdigit()) or len(bare) > 2 or int(bare) == 0:
            return False
        return self.sign_at(i + 1, "=") or self.is_colon_place(i)

    def is_colon_place(self, i: int) -> bool:
        """Whether `1:` and a name stand here; a greater number is a game's, there are no such places."""
        if not self.argument(Kind.PLACES) or not self.sign_at(i + 1, ":") or i + 2 >= len(self.tokens):
            return False
        if values.game_number(self.tokens[i].text) not in range(1, _PLACES_MAX + 1):
            return False
        return self.tokens[i + 2].text[0].isalpha()


def is_number_sign(key: str) -> bool:
    return key in ("#", "N°", "Nº", "NO", "NO.", "NR", "NR.", "NUMERO", "N", "NUMBER")
