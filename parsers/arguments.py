"""The words after a verb -> its arguments, in any order, or what is wrong (hazards H01-H10).

One pass from left to right gives each word to the first argument that claims it: by name (`buyin=2`,
`à carl`), by shape (`12`, `+carl`, `1er anna`), or as free text to the end. What nobody claims is a trouble:
an unread word might have been a « ne … pas ».
"""

from __future__ import annotations

from dataclasses import dataclass, field

from parsers import values
from parsers.characters import folded
from parsers.grammar import FREE_TEXT, Argument, Kind, Verb
from parsers.limits import ARGUMENT_WORDS_MAX
from parsers.token_values import Bad, ValueReader
from parsers.tokens import MINUS, Token, is_polite, is_silent

_FILLERS = {
    "LA", "LE", "MA", "MON", "DE", "DU", "CONTESTATION", "THE", "MY", "OF", "DER", "DEM", "DES", "DAS",
    "MEIN", "MEINE", "IL", "MIA", "DELLA", "POUR",
}  # fmt: skip
_FILLERS_MAX = 4
_STRONG = {
    Kind.AMOUNT,
    Kind.GAME,
    Kind.PLACES,
    Kind.ADDED,
    Kind.REMOVED,
    Kind.AMOUNTS,
    Kind.SETTINGS,
    Kind.ADDRESS,
    Kind.ADDED_ADDRESS,
    Kind.REMOVED_ADDRESS,
}


_MINUS_MATTERS = (Kind.AMOUNT, Kind.AMOUNTS, Kind.REMOVED, Kind.REMOVED_ADDRESS)

_UNREADABLE = {
    Kind.AMOUNT: "amount_unreadable",
    Kind.HANDLE: "handle_unreadable",
    Kind.GAME: "game_unreadable",
    Kind.PLACES: "places_unreadable",
    Kind.DATE: "date_unreadable",
    Kind.ADDRESS: "address_unreadable",
}


@dataclass(frozen=True)
class Trouble:
    """One thing wrong: code, key of the argument or None, the words at fault."""

    code: str
    argument: str | None
    words: str


@dataclass
class Parsed:
    """What the words after a verb came to.

    good       arguments understood
    troubles   in the order found
    open_text  the free text that goes on in the lines below, or still has to begin there
    strong     whether a word can only have been meant as an argument; tells a bad command from prose
    recognised whether any argument was
    """

    good: dict[str, object] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)
    open_text: Argument | None = None
    strong: bool = False
    recognised: bool = False


def parse_arguments(verb: Verb, words: str, keywords: frozenset[str], currency: str = "EUR") -> Parsed:
    """Read the words after `verb`; `keywords` (folded) are never handles, amounts are of the `currency`.

    A missing free text is no trouble yet: `open_text` names it, and the caller knows the lines below.
    """
    reader = _Reader(verb, words, keywords, currency)
    reader.run()
    return reader.parsed


class _Reader(ValueReader):
    """One pass over the tokens of one line."""

    def __init__(self, verb: Verb, words: str, keywords: frozenset[str], currency: str) -> None:
        super().__init__(verb, words, keywords, currency)
        self.parsed = Parsed()
        self.left: list[Token] = []
        self.free_text = next((a for a in verb.arguments if a.kind in FREE_TEXT and a.positional), None)

    def run(self) -> None:
        i = 0
        if len(self.tokens) > ARGUMENT_WORDS_MAX and not self.free_text:
            self._trouble("unexpected_words", None, ARGUMENT_WORDS_MAX, ARGUMENT_WORDS_MAX + 1)
            self.parsed.strong = self.parsed.recognised = True
            return
        while i < len(self.tokens):
            if self.tokens[i].is_sign:
                i += 1
                continue
            after = self._filler(i) or self._named(i) or self._keyed(i) or self._positional(i)
            if after is None and not self._is_idle(self.tokens[i].text):
                self.left.append(self.tokens[i])
            i = after or i + 1
        self._look_for_missing()

    def _is_idle(self, word: str) -> bool:
        """Whether a word says nothing; where there are amounts, a dash alone might be a minus."""
        if word in MINUS:
            return not any(self.argument(kind) for kind in _MINUS_MATTERS)
        return is_polite(word)

    # --- which argument claims a word -------------------------------------------------------------

    def _text_begins(self, i: int) -> bool:
        """Whether a game's number ends here for good, and a free text begins: « … 12 : », « … 12 car »."""
        above = self.tokens[i - 1].text if i <= len(self.tokens) else ""
        return (
            i >= len(self.tokens) or above.endswith(".") or self.tokens[i].is_sign or bool(self.names_at(i))
        )

    def _named(self, i: int) -> int | None:
        for argument, after in self.names_at(i):
            signed = after < len(self.tokens) and self.tokens[after].text in "=:"
            if argument is self.free_text and not signed:
                continue
            start = after + 1 if signed else after
            if argument.kind is Kind.GAME and not signed and not self.game_at(start):
                continue
            self.parsed.strong |= signed
            return self._take(argument, start, i)
        return None

    def _filler(self, i: int) -> int | None:
        """« la », « de la » before « partie 12 », « de », « d'un montant de » before an amount.

        Where free text may follow they are words like others, but for « Conteste la partie 12 : … ».
        """
        if not self.free_text and self.argument(Kind.AMOUNT) and (amount := self.before_amount(i)):
            return amount
        if self.argument(Kind.GAME) is None or (self.free_text and i) or self.tokens[i].key not in _FILLERS:
            return None
        for after in range(i + 1, i + 1 + _FILLERS_MAX):
            if any(a.kind is Kind.GAME and self.game_at(end) for a, end in self.names_at(after)):
                return after if not self.free_text or self._text_begins(after + 2) else None
            if after >= len(self.tokens) or self.tokens[after].key not in _FILLERS:
                return None
        return None

    def _keyed(self, i: int) -> int | None:
        """A word before `=` that is no argument's name: a place, a person's amount, a setting, a mistake."""
        if not self.sign_at(i + 1, "="):
            return None
        self.parsed.strong = True
        for kind in (Kind.PLACES, Kind.AMOUNTS, Kind.SETTINGS):
            argument = self.argument(kind)
            if argument and (kind is not Kind.PLACES or self.starts_place(i)):
                return self._take(argument, i, i)
        if self.free_text and self.free_text.key not in self.parsed.good:
            return None
        self._trouble("unknown_key", None, i, i + 2)
        return i + 3 if i + 2 < len(self.tokens) and not self.tokens[i + 2].is_sign else i + 2

    def _positional(self, i: int) -> int | None:
        word = self.tokens[i].text
        for argument in self.verb.arguments:
            if not argument.positional or not self._claims(argument, i, word):
                continue
            if argument.key in self.parsed.good and argument.kind not in (
                Kind.ADDED,
                Kind.REMOVED,
                Kind.PLACES,
            ):
                continue
            return self._take(argument, i, i)
        return None

    def _claims(self, argument: Argument, i: int, word: str) -> bool:
        kind = argument.kind
        if kind is Kind.GAME:
            return self.game_at(i) and not self.is_colon_place(i)
        if kind is Kind.AMOUNT:
            return values.looks_like_amount(word) or self.money_at(i)
        if kind is Kind.ADDED:
            return word.startswith("+")
        if kind is Kind.REMOVED:
            return word.startswith(MINUS)
        if kind is Kind.PLACES:
            return self.starts_place(i)
        if kind is Kind.ADDRESS:
            return "@" in word
        if kind in (Kind.ADDED_ADDRESS, Kind.REMOVED_ADDRESS):
            return self.marked_address_at(i, ("+",) if kind is Kind.ADDED_ADDRESS else MINUS)
        if kind is Kind.DATE:
            return values.iso_date(word) is not None
        if kind is Kind.WORD and argument.choices:
            return folded(word).strip(".,;:!?") in argument.choices
        if kind is Kind.WORD:
            # « Aide moi » asks for help, but not about a subject called MOI.
            return argument.required or word.isupper() or self.tokens[i].key.strip(".,!?") in self.keywords
        if kind in (Kind.HANDLE, Kind.HANDLES):
            return "@" not in word and not is_silent(word)
        if kind in (Kind.AMOUNTS, Kind.SETTINGS):
            return self.is_key(i)
        return kind in FREE_TEXT and (not is_silent(word) or word[0] in "«“„\"'(")

    def _take(self, argument: Argument, start: int, first: int) -> int:
        """Read the argument's value at `start`; `first` is where its words begin. Gives the next index."""
        value, after = self.by_kind[argument.kind](start)
        self.parsed.recognised = True
        if argument.kind in FREE_TEXT:
            self.parsed.open_text = argument
        if isinstance(value, Bad):
            self._trouble(value.code, argument.key, start if start < after else first, max(after, start))
            self.parsed.strong |= self._was_certain(argument, start, after)
        else:
            words = self.words[self.tokens[start].start : self.tokens[after - 1].end] if start < after else ""
            # « Partie 5 terminée » is about a game: a bare number is a certain amount only where one is
            # needed.
            sure = argument.kind is not Kind.AMOUNT or argument.required or not words.isdecimal()
            self.parsed.strong |= argument.kind in _STRONG and sure
            self._keep(argument, value, first, after)
        return max(after, first + 1)

    def _was_certain(self, argument: Argument, start: int, after: int) -> bool:
        """Whether words that are no such argument were surely meant as one: « Virement 1.500 à bela »."""
        if argument.kind is Kind.AMOUNT:
            words = [token.text for token in self.tokens[start:after]]
            signed = any(sign in word for word in words for sign in self.money if not sign.isalpha())
            return (argument.required or signed) and any(map(values.looks_like_amount, words))
        return argument.kind is Kind.PLACES

    def _keep(self, argument: Argument, value: object, first: int, after: int) -> None:
        good, key = self.parsed.good, argument.key
        if key not in good:
            good[key] = value
            return
        before = good[key]
        if (
            isinstance(before, list)
            and isinstance(value, list)
            and argument.kind in (Kind.ADDED, Kind.REMOVED)
        ):
            before.extend(value)
        elif isinstance(before, dict) and isinstance(value, dict):
            twice = before.keys() & value.keys()
            before.update(value)
            if twice:
                self._trouble(
                    "place_twice" if argument.kind is Kind.PLACES else "argument_twice", key, first, after
                )
        else:
            self._trouble("argument_twice", key, first, after)

    # --- what is left at the end ------------------------------------------------------------------

    def _look_for_missing(self) -> None:
        blamed = {t.argument for t in self.parsed.troubles}
        missing = [
            a
            for a in self.verb.arguments
            if a.required and a.key not in self.parsed.good and a.key not in blamed
        ]
        if self.free_text in missing:
            self.parsed.open_text = self.free_text
            missing.remove(self.free_text)
        self._check_places()
        left = " ".join(t.text for t in self.left)
        if left and len(missing) == 1 and missing[0].kind in _UNREADABLE:
            # The unclaimed words are most likely what was meant to be the missing argument.
            self.parsed.troubles.append(Trouble(_UNREADABLE[missing[0].kind], missing[0].key, left))
            return
        if left:
            self.parsed.troubles.append(Trouble("unexpected_words", None, left))
        for argument in missing:
            self.parsed.troubles.append(Trouble("argument_missing", argument.key, ""))
        one_of = self.verb.one_of
        if one_of and not any(key in self.parsed.good or key in blamed for key in one_of):
            self.parsed.troubles.append(Trouble("argument_missing", one_of[0], ""))

    def _check_places(self) -> None:
        """H10: no place skipped, nobody on two places. Two on one place leave the next one free or not."""
        for argument in self.verb.arguments:
            places = self.parsed.good.get(argument.key)
            if argument.kind is not Kind.PLACES or not isinstance(places, dict):
                continue
            names = [folded(name) for people in places.values() for name in people]
            twice = [name for n, name in enumerate(names) if name in names[:n]]
            if twice:
                self.parsed.troubles.append(Trouble("player_twice", argument.key, " ".join(twice).lower()))
            expected, above = 1, 0
            for rank in sorted(map(int, places)):
                if rank not in (expected, above + 1):
                    self.parsed.troubles.append(Trouble("place_missing", argument.key, str(expected)))
                    break
                above += len(places[str(rank)])
                expected = rank + 1
            good = {k: places[k] for k in sorted(places, key=int)}
            self.parsed.good[argument.key] = good

    def _trouble(self, code: str, key: str | None, first: int, after: int) -> None:
        last = min(max(after, first + 1), len(self.tokens))
        words = self.words[self.tokens[first].start : self.tokens[last - 1].end] if first < last else ""
        self.parsed.troubles.append(Trouble(code, key, words))
