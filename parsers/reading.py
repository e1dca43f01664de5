"""What a letter says, as values: commands, problems, and the reading that holds both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from parsers.own_words import OwnWords

PROBLEM_CODES = (
    # an argument
    "argument_missing",
    "argument_twice",
    "unexpected_words",
    "unknown_key",
    "amount_unreadable",
    "amount_zero",
    "amount_too_large",
    "handle_expected",
    "handle_unreadable",
    "game_unreadable",
    "date_unreadable",
    "address_unreadable",
    "word_unreadable",
    "setting_unreadable",
    "places_unreadable",
    "place_twice",
    "place_missing",
    "player_twice",
    "text_too_long",
    # a line
    "unknown_verb",
    "direction_override",
    "undecodable_characters",
    # the mail
    "too_many_commands",
    "answers_disagree",
    "parts_disagree",
)
"""Every code of a Problem. Only `unknown_verb` also occurs in a reading of class unknown-command."""


@dataclass(frozen=True)
class Command:
    """One command as the member meant it.

    verb        canonical name
    arguments   by key, with the values that the grammar's kinds promise; what was not given is absent
    line        line of the letter's text where it begins, from 1; 0 for the subject
    text        the words as written, continuation lines joined
    simulate    only to be shown, not carried out
    """

    verb: str
    arguments: Mapping[str, object]
    line: int
    text: str
    simulate: bool = False


@dataclass(frozen=True)
class Problem:
    """Why a line cannot be carried out. No sentence for people stands here: `code` is one of PROBLEM_CODES.

    verb        canonical name, or None if it is unknown
    argument    key of the argument concerned, if it is one
    words       the words at fault; empty if something is missing
    line        as in Command
    good        the arguments of that line that were understood
    rest        of an unknown verb: what is written after it on its line
    """

    code: str
    verb: str | None
    argument: str | None
    words: str
    line: int
    good: Mapping[str, object]
    rest: str = ""


@dataclass(frozen=True)
class Reading:
    """What a letter says.

    mail_class  one of the classes of CONTRACTS.md
    commands    what may run, in order; of a malformed mail, what was understood, for the answer only
    problems    if there is one of them, nothing runs
    token       the letter's
    doubt       a second reader would run other commands, or the other alternative cannot be read: ask before
                acting
    own         the lines that counted, and those that were cut; nothing where the text was not looked at
    """

    mail_class: str
    commands: tuple[Command, ...] = ()
    problems: tuple[Problem, ...] = ()
    token: str | None = None
    doubt: bool = False
    own: OwnWords = field(default=OwnWords((), ()), repr=False, compare=False)
