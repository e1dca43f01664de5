"""Tokens -> the values of arguments, one reader for each kind (hazards H01-H10).

Each reader starts at an index and gives the value, or a `Bad` in its place, and the next index.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from parsers import values
from parsers.characters import folded
from parsers.currencies import ALL, names_of
from parsers.grammar import Kind, Verb
from parsers.tokens import AND, MINUS, Token, Tokens, is_number_sign, is_polite

_THOUSANDS = re.compile(r"[0-9]{3}(?:[.,][0-9]+)?€?[.!?]?\Z")
_DATE_FILLERS = {"LE", "AU", "THE", "DEM", "DEN", "IL"}


@dataclass(frozen=True)
class Bad:
    """In the place of a value: the code of what is wrong with it."""

    code: str


class ValueReader(Tokens):
    """The readers of one line's tokens; neither `keywords` (folded) nor the verb's names are handles."""

    def __init__(self, verb: Verb, words: str, keywords: frozenset[str], currency: str) -> None:
        super().__init__(verb, words, names_of(currency))
        self.keywords = keywords | self.first_words
        self.currency = currency
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
            Kind.ADDED_ADDRESS: self._read_marked_address,
            Kind.REMOVED_ADDRESS: self._read_marked_address,
            Kind.WORD: self._read_word,
            Kind.TEXT: self._read_text,
            Kind.LETTER: self._read_text,
            Kind.COMMAND: self._read_text,
        }

    def _read_game(self, i: int) -> tuple[object, int]:
        if i < len(self.tokens) and is_number_sign(self.tokens[i].key):
            i += 1
        number = values.game_number(self.tokens[i].text) if i < len(self.tokens) else None
        return (number, i + 1) if number else (Bad("game_unreadable"), i + 1)

    def _read_amount(self, i: int) -> tuple[object, int]:
        i = start = self.before_amount(i) or i
        if self.money_at(i):
            i += 1
        if i >= len(self.tokens) or self.tokens[i].is_sign:
            return Bad("amount_unreadable"), i
        i += 1
        while (
            i < len(self.tokens)
            and _THOUSANDS.match(self.tokens[i].text)
            and self.tokens[i - 1].text.isdecimal()
        ):
            i += 1
        if i < len(self.tokens) and self.tokens[i].key.rstrip(".!?") in self.money | ALL:
            i += 1
        words = " ".join(t.text for t in self.tokens[start:i])
        cents = values.amount_cents(words, self.currency)
        return (Bad(cents) if isinstance(cents, str) else cents), i

    def _read_handle(self, i: int) -> tuple[object, int]:
        if i >= len(self.tokens) or self.tokens[i].is_sign:
            return Bad("handle_expected"), i
        found = values.handle(self.tokens[i].text, self.keywords)
        return found or Bad("handle_unreadable"), i + 1

    def _read_handles(self, i: int) -> tuple[object, int]:
        """Names parted by commas, blanks or « et », up to a key, an argument, a place or an amount."""
        names: list[str] = []
        apart = True
        while i < len(self.tokens):
            token = self.tokens[i]
            if token.text in (",", ";") or token.key in AND:
                apart = True
                i += 1
                continue
            if token.is_sign or self._ends_list(i, apart):
                break
            found = values.handle(token.text, self.keywords, length_min=1)
            if found is None:
                return Bad("handle_unreadable"), i + 1
            names.append(found)
            i, apart = i + 1, False
        return (names, i) if names else (Bad("handle_expected"), i)

    def _ends_list(self, i: int, apart: bool) -> bool:
        word = self.tokens[i].text
        if self.sign_at(i + 1, "=") or word.startswith(("+", *MINUS)) or is_polite(word):
            return True
        if self.argument(Kind.PLACES) and self.starts_place(i):
            return True
        if self.names_at(i):
            return True
        if not values.looks_like_amount(word):
            return self.before_amount(i) is not None
        return not apart or values.handle(word, self.keywords, length_min=1) is None

    def _read_marked(self, i: int) -> tuple[object, int]:
        """`+carl,dora` or, after a name, a plain list."""
        if i < len(self.tokens) and self.tokens[i].text[:1] in ("+", *MINUS):
            token = self.tokens[i]
            if len(token.text) == 1:
                return self._read_handles(i + 1)
            self.tokens[i] = Token(token.text[1:], token.start + 1, token.end)
        return self._read_handles(i)

    def _read_places(self, i: int) -> tuple[object, int]:
        places: dict[str, list[str]] = {}
        while i < len(self.tokens):
            while (self.tokens[i].text in (",", ";") or self.tokens[i].key in AND) and i + 1 < len(
                self.tokens
            ):
                i += 1
            if not self.starts_place(i):
                break
            number = values.rank(self.tokens[i].text) or int(self.tokens[i].text)
            i += 1
            while i < len(self.tokens) and self.tokens[i].text in "=:":
                i += 1
            names, i = self._names_of_place(i)
            if not names:
                return Bad("places_unreadable"), i
            if str(number) in places:
                return Bad("place_twice"), i
            places[str(number)] = names
        return (places, i) if places else (Bad("places_unreadable"), i)

    def _names_of_place(self, i: int) -> tuple[list[str], int]:
        """The people on one place, parted by commas or « et » only: a blank ends the place."""
        names: list[str] = []
        while i < len(self.tokens) and not self.tokens[i].is_sign:
            found = values.handle(self.tokens[i].text, self.keywords, length_min=1)
            if found is None:
                return [], i + 1
            names.append(found)
            i += 1
            more = i < len(self.tokens) and (self.tokens[i].text in (",", ";") or self.tokens[i].key in AND)
            if not more or i + 1 >= len(self.tokens) or self._ends_list(i + 1, True):
                break
            i += 1
        return names, i

    def _read_amounts(self, i: int) -> tuple[object, int]:
        amounts: dict[str, int] = {}
        while i + 1 < len(self.tokens) and self.tokens[i + 1].text in "=:":
            name = values.handle(self.tokens[i].text, self.keywords)
            if name is None:
                return Bad("handle_unreadable"), i + 2
            value, i = self._read_amount(i + 2)
            if isinstance(value, Bad):
                return value, i
            if name in amounts or not isinstance(value, int):
                return Bad("argument_twice"), i
            amounts[name] = value
            while i < len(self.tokens) and (self.tokens[i].text in (",", ";") or self.tokens[i].key in AND):
                i += 1
        return (amounts, i) if amounts else (Bad("amount_unreadable"), i + 1)

    def _read_settings(self, i: int) -> tuple[object, int]:
        """`name=value` pairs; a value goes up to the next key and is kept as written."""
        settings: dict[str, str] = {}
        while self.is_key(i) and not self.names_at(i):
            key, start = self.tokens[i].text, i + 2
            end = start
            while end < len(self.tokens) and not self.is_key(end):
                end += 1
            value = self.words[self.tokens[start].start : self.tokens[end - 1].end] if end > start else ""
            value = value.strip(" ,;")
            if not value or key in settings:
                return Bad("setting_unreadable"), max(end, start)
            settings[key] = value
            i = end
        return (settings, i) if settings else (Bad("setting_unreadable"), i + 1)

    def _read_date(self, i: int) -> tuple[object, int]:
        if i < len(self.tokens) and self.tokens[i].key in _DATE_FILLERS:
            i += 1
        found = values.iso_date(self.tokens[i].text) if i < len(self.tokens) else None
        return found or Bad("date_unreadable"), i + 1

    def _read_address(self, i: int) -> tuple[object, int]:
        found = values.address(self.tokens[i].text) if i < len(self.tokens) else None
        return found or Bad("address_unreadable"), i + 1

    def _read_marked_address(self, i: int) -> tuple[object, int]:
        """`+dora@example.org`, or the mark and the address as two words."""
        word = self.tokens[i].text if i < len(self.tokens) else ""
        if word in ("+", *MINUS) and i + 1 < len(self.tokens):
            return self._read_address(i + 1)
        found = values.address(word.lstrip("<(\"'")[1:])
        return found or Bad("address_unreadable"), i + 1

    def _read_word(self, i: int) -> tuple[object, int]:
        word = folded(self.tokens[i].text).strip(".,;:!?\"'()«»") if i < len(self.tokens) else ""
        return word or Bad("word_unreadable"), i + 1

    def _read_text(self, i: int) -> tuple[object, int]:
        text = self.words[self.tokens[i].start :].strip() if i < len(self.tokens) else ""
        text = text.removeprefix("- ").removeprefix("– ").strip()
        return text, len(self.tokens)
