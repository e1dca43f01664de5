"""The shape of a grammar: which verbs there are and what may follow each.

Only types live here. The words themselves come from the table of commands of whoever calls the
parser, so that adding a command never touches this package.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from parsers.characters import folded


class Kind(Enum):
    """What an argument looks like, and the Python value it becomes."""

    GAME = "game"
    """A game's number: `12`, `n°12`, `#12`, `partie 12` -> int."""
    AMOUNT = "amount"
    """Money: `15`, `15,50 €`, `1 234,50 euros` -> int, in cents."""
    HANDLE = "handle"
    """One handle, as written but lower case -> str."""
    HANDLES = "handles"
    """A list of handles parted by commas, spaces or « et » -> list[str]."""
    ADDED = "added"
    """Handles marked with `+` -> list[str]."""
    REMOVED = "removed"
    """Handles marked with `-` -> list[str]."""
    PLACES = "places"
    """`1=anna 2=bela,carl`, `1er anna, 2e bela` -> dict[str, list[str]], keyed by the place."""
    AMOUNTS = "amounts"
    """`anna=20 bela=12,50` -> dict[str, int], handle to cents."""
    SETTINGS = "settings"
    """`name=value` pairs kept as written -> dict[str, str]."""
    DATE = "date"
    """A calendar day, `2026-01-31` or `31/01/2026` -> str, ISO 8601."""
    ADDRESS = "address"
    """An e-mail address (RFC 5322 addr-spec) -> str."""
    ADDED_ADDRESS = "added_address"
    """An address marked with `+` -> str."""
    REMOVED_ADDRESS = "removed_address"
    """An address marked with `-` -> str."""
    WORD = "word"
    """One word, upper case without accents -> str. Where it is required, any word at its place is taken;
    else only one that cannot be prose."""
    TEXT = "text"
    """Free text up to the next blank line or command; always the last argument -> str."""
    LETTER = "letter"
    """Free text like TEXT -> str; and under the key `letter` the same text going on over the blank lines
    below it, up to the next command, with its lines and paragraphs -> str."""
    COMMAND = "command"
    """One command, to the end of its text -> str; and under the key `read` what it says: its verb, its
    arguments, its text (`nested`)."""


FREE_TEXT = frozenset({Kind.TEXT, Kind.LETTER, Kind.COMMAND})


@dataclass(frozen=True)
class Argument:
    """One argument of a verb.

    `key` names the value in the result. An argument with `names` may be introduced by one of them
    (`buyin=2`, `joueurs: a, b`, `à carl`, `avec anna et bela`); a `positional` one may also stand
    bare. `required` makes its absence a problem; any other is simply absent from the result. Of a WORD with
    `choices`, upper case, one of them is taken wherever it stands, and no other word.
    """

    key: str
    kind: Kind
    names: tuple[str, ...] = ()
    positional: bool = True
    required: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verb:
    """One verb with its other forms and its arguments in their usual order.

    `name` is the canonical French form, upper case without accents; `aliases` are further forms
    (other moods, other languages), written likewise. `form` is the right form as people type it,
    for error messages. `reply` is None for commands proper, "confirm" for OUI/NON and "arbitration"
    for a decision: they decide the class of the mail. Of the arguments whose keys `one_of` lists, at
    least one has to be given: a change without anything to change says nothing.
    """

    name: str
    aliases: tuple[str, ...] = ()
    arguments: tuple[Argument, ...] = ()
    form: str = ""
    reply: str | None = None
    one_of: tuple[str, ...] = ()

    @property
    def stands_alone(self) -> bool:
        """Whether the verb may be a whole line: nothing after it is required."""
        return not self.one_of and not any(a.required for a in self.arguments)


RUN_WORDS = 5
"""So many words in a row that a member would hardly hit upon those of a sentence of ours (`our_mails`)."""
SHORT_WORDS_MIN = 3


@dataclass(frozen=True)
class Grammar:
    """All verbs, the words that announce a mere simulation, and limits on one mail.

    `currency` is the one whose name may stand beside an amount (ISO 4217); any other is refused.
    `sentences` are those of the mails that the caller sends, without what is filled in: a text that shows
    them was pasted (`our_mails`). Of them come `runs`: five words in a row, and whole sentences of three or
    four.
    """

    verbs: tuple[Verb, ...]
    simulate: tuple[str, ...] = ("SIMULE",)
    commands_max: int = 40
    currency: str = "EUR"
    sentences: tuple[str, ...] = field(default=(), repr=False)
    by_word: dict[str, Verb] = field(init=False, repr=False, compare=False)
    runs: frozenset[str] = field(init=False, repr=False, compare=False)
    run_words: frozenset[str] = field(init=False, repr=False, compare=False)
    openers: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        words = {w: v for v in self.verbs for w in (v.name, *v.aliases)}
        object.__setattr__(self, "by_word", words)
        object.__setattr__(self, "openers", frozenset((*words, *self.simulate)))
        object.__setattr__(self, "runs", frozenset(r for s in self.sentences for r in runs_of(s)))
        object.__setattr__(self, "run_words", frozenset(w for s in self.sentences for w in words_of(s)))


WORDS = re.compile(r"[^\W\d_]+")
"""The words of a folded text."""


def words_of(text: str) -> list[str]:
    """The folded words of a text; numbers and signs are none."""
    return WORDS.findall(folded(text))


def runs_of(sentence: str) -> Iterable[str]:
    """Every run of RUN_WORDS words of the sentence; a shorter one as a whole, if it has three words."""
    words = words_of(sentence)
    if len(words) < RUN_WORDS:
        return [" ".join(words)] if len(words) >= SHORT_WORDS_MIN else []
    return (" ".join(words[i : i + RUN_WORDS]) for i in range(len(words) - RUN_WORDS + 1))
