"""The words after a verb -> its arguments, in any order, or what is wrong (hazards H01-H10).

The line is cut into words and signs once; then one pass from left to right gives each word to the first
argument that claims it: by name (`buyin=2`, `à carl`), by shape (`12`, `+carl`, `1er anna`), or as free text
to the end. What nobody claims is a trouble: an unread word might have been a « ne … pas ».
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from parsers import values
from parsers.characters import folded
from parsers.grammar import Argument, Kind, Verb
from parsers.limits import ARGUMENT_WORDS_MAX

_TOKEN = re.compile(r"[€$£+−–-]?[0-9][0-9.]*(?:,[0-9]+)+(?![0-9]*\s*=)[^\s,;=:]*|[^\s,;=:]+|[,;=:]")
_THOUSANDS = re.compile(r"[0-9]{3}(?:[.,][0-9]+)?€?[.!?]?\Z")
_MINUS = ("-", "−", "–", "—")
_AND = {"ET", "AND", "UND", "E", "Y", "&", "PLUS"}
_CURRENCY = {"€", "EUR", "EURO", "EUROS"}
_OTHER_MONEY = {
    "$",
    "£",
    "CHF",
    "USD",
    "GBP",
    "DOLLAR",
    "DOLLARS",
    "FRANC",
    "FRANCS",
    "CENT",
    "CENTS",
    "CENTIMES",
    "%",
}
_FILLERS = {"LA", "LE", "DE", "DU", "THE", "OF", "DER", "DEM", "DES", "DELLA", "POUR"}
POLITE = {
    "MERCI", "SVP", "STP", "S'IL", "TE", "VOUS", "PLAIT", "PLEASE", "THANKS", "THX", "BITTE", "DANKE",
    "GRAZIE",
    "D'AVANCE", "BEAUCOUP",
}  # fmt: skip
_PUNCTUATION = set(".!?…;«»\"'()*_,:|")
_STRONG = {
    Kind.AMOUNT,
    Kind.GAME,
    Kind.PLACES,
    Kind.ADDED,
    Kind.REMOVED,
    Kind.AMOUNTS,
    Kind.SETTINGS,
    Kind.ADDRESS,
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


def parse_arguments(verb: Verb, words: str, keywords: frozenset[str]) -> Parsed:
    """Read the words after `verb`; `keywords` (folded) are never handles. A missing free text is no trouble
    yet: `open_text` names it, and the caller knows the lines below.
    """
    reader = _Reader(verb, words, keywords)
    reader.run()
    return reader.parsed


def is_silent(text: str) -> bool:
    """Whether nothing but punctuation and pictures stands there."""
    return all(c.isspace() or c in _PUNCTUATION or ord(c) >= 0x2190 for c in text)


def is_polite(text: str) -> bool:
    """Whether nothing but punctuation and words of courtesy stands there."""
    return all(is_silent(w) or folded(w).strip(".,!;:") in POLITE for w in text.replace(",", " ").split())


class _Token:
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


class _Reader:
    """One pass over the tokens of one line. Every `_read_…` gives (value or trouble code, next index)."""

    def __init__(self, verb: Verb, words: str, keywords: frozenset[str]) -> None:
        self.verb, self.words = verb, words
        self.names = [(parts, a) for a in verb.arguments for parts in _name_parts(a.names)]
        self.first_words = {parts[0] for parts, _ in self.names}
        self.keywords = keywords | self.first_words
        found = islice(_TOKEN.finditer(words), ARGUMENT_WORDS_MAX + 1)
        self.tokens = [_Token(m[0], m.start(), m.end()) for m in found]
        self.parsed = Parsed()
        self.left: list[_Token] = []
        self.free_text = next((a for a in verb.arguments if a.kind is Kind.TEXT and a.positional), None)
        self.by_kind: dict[Kind, Callable[[int], tuple[object, int]]] = {
            Kind.GAME: self._read_game,
            Kind.AMOUNT: self._read_amount,
            Kind.HANDLE: self._read_handle,
            Kind.HANDLES: self._read_handles,
            Kind.ADDED: self._read_marked,
            Kind.REMOVED: self._read_marked,
            Kind.PLACES: self._read_places,
            Kind.AMOUNTS: self._read_amounts,
            Kind.SETTINGS: self._read_settings,
            Kind.DATE: self._read_date,
            Kind.ADDRESS: self._read_address,
            Kind.WORD: self._read_word,
            Kind.TEXT: self._read_text,
        }

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
        if word in _MINUS:
            return not any(self._argument(kind) for kind in (Kind.AMOUNT, Kind.AMOUNTS, Kind.REMOVED))
        return is_polite(word)

    # --- which argument claims a word -------------------------------------------------------------

    def _named(self, i: int) -> int | None:
        for argument, after in self._names_at(i):
            signed = after < len(self.tokens) and self.tokens[after].text in "=:"
            if argument is self.free_text and not signed:
                continue
            start = after + 1 if signed else after
            if argument.kind is Kind.GAME and not signed and not self._game_at(start):
                continue
            self.parsed.strong |= signed
            return self._take(argument, start, i)
        return None

    def _filler(self, i: int) -> int | None:
        """« la », « de la » before « partie 12 »; where free text may follow they are words like others."""
        argument = self._argument(Kind.GAME)
        if argument is None or self.free_text or self.tokens[i].key not in _FILLERS:
            return None
        for after in (i + 1, i + 2):
            if any(a is argument and self._game_at(end) for a, end in self._names_at(after)):
                return after
            if after >= len(self.tokens) or self.tokens[after].key not in _FILLERS:
                return None
        return None

    def _names_at(self, i: int) -> list[tuple[Argument, int]]:
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

    def _keyed(self, i: int) -> int | None:
        """A word before `=` that is no argument's name: a place, a person's amount, a setting, a mistake."""
        if not self._sign_at(i + 1, "="):
            return None
        self.parsed.strong = True
        for kind in (Kind.PLACES, Kind.AMOUNTS, Kind.SETTINGS):
            argument = self._argument(kind)
            if argument and (kind is not Kind.PLACES or self._starts_place(i)):
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
            return self._game_at(i) and not self._is_colon_place(i)
        if kind is Kind.AMOUNT:
            return values.looks_like_amount(word) or (word in _CURRENCY and self._number_at(i + 1))
        if kind is Kind.ADDED:
            return word.startswith("+")
        if kind is Kind.REMOVED:
            return word.startswith(_MINUS)
        if kind is Kind.PLACES:
            return self._starts_place(i)
        if kind is Kind.ADDRESS:
            return "@" in word
        if kind is Kind.DATE:
            return values.iso_date(word) is not None
        if kind is Kind.WORD:
            # « Aide moi » asks for help, but not about a subject called MOI.
            return word.isupper() or self.tokens[i].key.strip(".,!?") in self.keywords
        if kind in (Kind.HANDLE, Kind.HANDLES):
            return "@" not in word and not is_silent(word)
        if kind is Kind.AMOUNTS:
            return self._sign_at(i + 1, ":")
        return kind is Kind.TEXT and (not is_silent(word) or word[0] in "«“„\"'(")

    def _take(self, argument: Argument, start: int, first: int) -> int:
        """Read the argument's value at `start`; `first` is where its words begin. Gives the next index."""
        value, after = self.by_kind[argument.kind](start)
        self.parsed.recognised = True
        if isinstance(value, _Bad):
            self._trouble(value.code, argument.key, start if start < after else first, max(after, start))
        else:
            words = self.words[self.tokens[start].start : self.tokens[after - 1].end] if start < after else ""
            # « Partie 5 terminée » is about a game: a bare number is a certain amount only where one is
            # needed.
            sure = argument.kind is not Kind.AMOUNT or argument.required or not words.isdecimal()
            self.parsed.strong |= argument.kind in _STRONG and sure
            self._keep(argument, value, first, after)
        return max(after, first + 1)

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

    # --- values -----------------------------------------------------------------------------------

    def _read_game(self, i: int) -> tuple[object, int]:
        if i < len(self.tokens) and _is_number_sign(self.tokens[i].key):
            i += 1
        number = values.game_number(self.tokens[i].text) if i < len(self.tokens) else None
        return (number, i + 1) if number else (_Bad("game_unreadable"), i + 1)

    def _read_amount(self, i: int) -> tuple[object, int]:
        start = i
        if i < len(self.tokens) and self.tokens[i].key in _CURRENCY:
            i += 1
        if i >= len(self.tokens) or self.tokens[i].is_sign:
            return _Bad("amount_unreadable"), i
        i += 1
        while (
            i < len(self.tokens)
            and _THOUSANDS.match(self.tokens[i].text)
            and self.tokens[i - 1].text.isdecimal()
        ):
            i += 1
        if i < len(self.tokens) and self.tokens[i].key.rstrip(".!?") in _CURRENCY | _OTHER_MONEY:
            i += 1
        words = " ".join(t.text for t in self.tokens[start:i])
        cents = values.amount_cents(words)
        return (_Bad(cents) if isinstance(cents, str) else cents), i

    def _read_handle(self, i: int) -> tuple[object, int]:
        if i >= len(self.tokens) or self.tokens[i].is_sign:
            return _Bad("handle_expected"), i
        found = values.handle(self.tokens[i].text, self.keywords)
        return found or _Bad("handle_unreadable"), i + 1

    def _read_handles(self, i: int) -> tuple[object, int]:
        """Names parted by commas, blanks or « et », up to a key, an argument, a place or an amount."""
        names: list[str] = []
        apart = True
        while i < len(self.tokens):
            token = self.tokens[i]
            if token.text in (",", ";") or token.key in _AND:
                apart = True
                i += 1
                continue
            if token.is_sign or self._ends_list(i, apart):
                break
            found = values.handle(token.text, self.keywords, length_min=1)
            if found is None:
                return _Bad("handle_unreadable"), i + 1
            names.append(found)
            i, apart = i + 1, False
        return (names, i) if names else (_Bad("handle_expected"), i)

    def _ends_list(self, i: int, apart: bool) -> bool:
        word = self.tokens[i].text
        if self._sign_at(i + 1, "=") or word.startswith(("+", *_MINUS)) or is_polite(word):
            return True
        if self._argument(Kind.PLACES) and self._starts_place(i):
            return True
        if self._names_at(i):
            return True
        return values.looks_like_amount(word) and not apart

    def _read_marked(self, i: int) -> tuple[object, int]:
        """`+carl,dora` or, after a name, a plain list."""
        if i < len(self.tokens) and self.tokens[i].text[:1] in ("+", *_MINUS):
            token = self.tokens[i]
            if len(token.text) == 1:
                return self._read_handles(i + 1)
            self.tokens[i] = _Token(token.text[1:], token.start + 1, token.end)
        return self._read_handles(i)

    def _read_places(self, i: int) -> tuple[object, int]:
        places: dict[str, list[str]] = {}
        while i < len(self.tokens):
            while (self.tokens[i].text in (",", ";") or self.tokens[i].key in _AND) and i + 1 < len(
                self.tokens
            ):
                i += 1
            if not self._starts_place(i):
                break
            number = values.rank(self.tokens[i].text) or int(self.tokens[i].text)
            i += 1
            while i < len(self.tokens) and self.tokens[i].text in "=:":
                i += 1
            names, i = self._names_of_place(i)
            if not names:
                return _Bad("places_unreadable"), i
            if str(number) in places:
                return _Bad("place_twice"), i
            places[str(number)] = names
        return (places, i) if places else (_Bad("places_unreadable"), i)

    def _names_of_place(self, i: int) -> tuple[list[str], int]:
        """The people on one place, parted by commas or « et » only: a blank ends the place."""
        names: list[str] = []
        while i < len(self.tokens) and not self.tokens[i].is_sign:
            found = values.handle(self.tokens[i].text, self.keywords, length_min=1)
            if found is None:
                return [], i + 1
            names.append(found)
            i += 1
            more = i < len(self.tokens) and (self.tokens[i].text in (",", ";") or self.tokens[i].key in _AND)
            if not more or i + 1 >= len(self.tokens) or self._ends_list(i + 1, True):
                break
            i += 1
        return names, i

    def _read_amounts(self, i: int) -> tuple[object, int]:
        amounts: dict[str, int] = {}
        while i + 1 < len(self.tokens) and self.tokens[i + 1].text in "=:":
            name = values.handle(self.tokens[i].text, self.keywords)
            if name is None:
                return _Bad("handle_unreadable"), i + 2
            value, i = self._read_amount(i + 2)
            if isinstance(value, _Bad):
                return value, i
            if name in amounts or not isinstance(value, int):
                return _Bad("argument_twice"), i
            amounts[name] = value
            while i < len(self.tokens) and (self.tokens[i].text in (",", ";") or self.tokens[i].key in _AND):
                i += 1
        return (amounts, i) if amounts else (_Bad("amount_unreadable"), i + 1)

    def _read_settings(self, i: int) -> tuple[object, int]:
        """`name=value` pairs; a value goes up to the next key and is kept as written."""
        settings: dict[str, str] = {}
        while self._sign_at(i + 1, "=") and not self._names_at(i):
            key, start = self.tokens[i].text, i + 2
            end = start
            while end < len(self.tokens) and not self._sign_at(end + 1, "="):
                end += 1
            value = self.words[self.tokens[start].start : self.tokens[end - 1].end] if end > start else ""
            value = value.strip(" ,;")
            if not value or key in settings:
                return _Bad("setting_unreadable"), max(end, start)
            settings[key] = value
            i = end
        return (settings, i) if settings else (_Bad("setting_unreadable"), i + 1)

    def _read_date(self, i: int) -> tuple[object, int]:
        found = values.iso_date(self.tokens[i].text) if i < len(self.tokens) else None
        return found or _Bad("date_unreadable"), i + 1

    def _read_address(self, i: int) -> tuple[object, int]:
        found = values.address(self.tokens[i].text) if i < len(self.tokens) else None
        return found or _Bad("address_unreadable"), i + 1

    def _read_word(self, i: int) -> tuple[object, int]:
        word = folded(self.tokens[i].text).strip(".,;:!?\"'()«»") if i < len(self.tokens) else ""
        return word or _Bad("word_unreadable"), i + 1

    def _read_text(self, i: int) -> tuple[object, int]:
        text = self.words[self.tokens[i].start :].strip() if i < len(self.tokens) else ""
        text = text.removeprefix("- ").removeprefix("– ").strip()
        argument = next(a for a in self.verb.arguments if a.kind is Kind.TEXT)
        self.parsed.open_text = argument
        return text, len(self.tokens)

    # --- looking at tokens ------------------------------------------------------------------------

    def _sign_at(self, i: int, sign: str) -> bool:
        return i < len(self.tokens) and self.tokens[i].text == sign

    def _argument(self, kind: Kind) -> Argument | None:
        return next((a for a in self.verb.arguments if a.kind is kind), None)

    def _number_at(self, i: int) -> bool:
        return i < len(self.tokens) and self.tokens[i].text[0].isdigit()

    def _game_at(self, i: int) -> bool:
        """Whether a game's number stands here, perhaps after « n° ». A word like `2e` or `12=` is none."""
        if i < len(self.tokens) and _is_number_sign(self.tokens[i].key):
            i += 1
        if i >= len(self.tokens) or values.game_number(self.tokens[i].text) is None:
            return False
        return not self._sign_at(i + 1, "=") and not (
            self._argument(Kind.PLACES) and values.rank(self.tokens[i].text) is not None
        )

    def _starts_place(self, i: int) -> bool:
        """`1=`, `1er`, `1.`; `1:` only where a name follows at once, else it is the game and a colon."""
        if i >= len(self.tokens) or self.tokens[i].is_sign:
            return False
        if values.rank(self.tokens[i].text) is not None:
            return True
        bare = self.tokens[i].text
        if not (bare.isascii() and bare.isdigit()) or len(bare) > 2 or int(bare) == 0:
            return False
        return self._sign_at(i + 1, "=") or self._is_colon_place(i)

    def _is_colon_place(self, i: int) -> bool:
        if not self._argument(Kind.PLACES) or not self._sign_at(i + 1, ":") or i + 2 >= len(self.tokens):
            return False
        return self.tokens[i + 2].text[0].isalpha()

    def _trouble(self, code: str, key: str | None, first: int, after: int) -> None:
        last = min(max(after, first + 1), len(self.tokens))
        words = self.words[self.tokens[first].start : self.tokens[last - 1].end] if first < last else ""
        self.parsed.troubles.append(Trouble(code, key, words))


@dataclass(frozen=True)
class _Bad:
    """In the place of a value: the code of what is wrong with it."""

    code: str


_UNREADABLE = {
    Kind.AMOUNT: "amount_unreadable",
    Kind.HANDLE: "handle_unreadable",
    Kind.GAME: "game_unreadable",
    Kind.PLACES: "places_unreadable",
    Kind.DATE: "date_unreadable",
    Kind.ADDRESS: "address_unreadable",
}


def _is_number_sign(key: str) -> bool:
    return key in ("#", "N°", "Nº", "NO", "NO.", "NR", "NR.", "NUMERO", "N", "NUMBER")
