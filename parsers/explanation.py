"""How a mail was read, stage by stage, as one value to be shown or stored.

It says of every line whether it counted and why not, what the kept words came to, and what was doubtful. It
is kept with the mail for as long as its journal, so it holds no more of anybody's words than that takes: of a
cut its lines and reason, of a command the words it was read from, and never a token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parsers.characters import without_overrides
from parsers.letter import Letter
from parsers.own_words import Line
from parsers.reading import Command, Problem, Reading
from parsers.subjects import is_prefixed, own_subject

_WORDS_CHARACTERS_MAX = 200
_COMMANDS_MAX = 50
_CUTS_MAX = 100
_TOKEN = re.compile(r"[a-z][0-9a-hjkmnp-tv-z]{26}", re.IGNORECASE)
_HIDDEN = "…"


@dataclass(frozen=True)
class Span:
    """Lines `first` to `last` of the letter's text, from 1. `reason` and `mark` are those of a `Cut`, or
    empty for lines that counted.
    """

    first: int
    last: int
    reason: str = ""
    mark: str = ""


@dataclass(frozen=True)
class ReadCommand:
    """One command: its verb and arguments, the line where it begins (0: the subject), and the words read."""

    verb: str
    arguments: Mapping[str, Any]
    line: int
    words: str
    simulate: bool = False


@dataclass(frozen=True)
class ReadProblem:
    """One thing that was not understood, as in `Problem`."""

    code: str
    verb: str | None
    argument: str | None
    words: str
    line: int


@dataclass(frozen=True)
class Explanation:
    """What each stage decided, in their order.

    kind        who wrote it: a LetterKind's value
    reason      why the mail could not be read safely, or None
    defects     what was repaired or overlooked in its bytes
    source      where the text came from: `plain`, `flowed` or `html`
    lines       how many lines the text has
    kept        the lines that counted
    cuts        the lines that did not, and why
    subject     `own`: it counted; `prefixed`: a reply's or forward's; `too_long`; `empty`
    mail_class  class of CONTRACTS.md
    commands    what was understood; of a malformed mail too, though nothing of it runs
    problems    what was not
    token       whether the mail carries one
    doubt       whether a second reader would run other commands
    """

    kind: str
    reason: str | None
    defects: tuple[str, ...]
    source: str
    lines: int
    kept: tuple[Span, ...]
    cuts: tuple[Span, ...]
    subject: str
    mail_class: str
    commands: tuple[ReadCommand, ...]
    problems: tuple[ReadProblem, ...]
    token: bool
    doubt: bool

    def as_record(self) -> dict[str, Any]:
        """Give it as plain JSON values, for storing."""
        parts = ("kept", "cuts", "commands", "problems")
        return {**vars(self), **{name: [dict(vars(one)) for one in vars(self)[name]] for name in parts}}

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Explanation:
        """Make it again of what `as_record` gave, also after JSON made lists of its tuples."""
        values = dict(record)
        for name, kind in (
            ("kept", Span),
            ("cuts", Span),
            ("commands", ReadCommand),
            ("problems", ReadProblem),
        ):
            values[name] = tuple(kind(**one) for one in values[name])
        values["defects"] = tuple(values["defects"])
        return cls(**values)


def explain(letter: Letter, reading: Reading) -> Explanation:
    """Tell how the letter came to its reading. Pure; what `read_commands` decided is not decided again."""
    lines = letter.text.rstrip("\n").count("\n") + 1 if letter.text else 0
    source = "html" if letter.is_html else "flowed" if letter.is_flowed else "plain"
    return Explanation(
        kind=letter.kind.value,
        reason=letter.reason,
        defects=letter.defects,
        source=source,
        lines=lines,
        kept=tuple(_spans(reading.own.lines)),
        cuts=tuple(Span(c.first, min(c.last, lines), c.reason, c.mark) for c in reading.own.cuts[:_CUTS_MAX]),
        subject=_subject(letter),
        mail_class=reading.mail_class,
        commands=tuple(_command(c) for c in reading.commands[:_COMMANDS_MAX]),
        problems=tuple(_problem(p) for p in reading.problems[:_COMMANDS_MAX]),
        token=letter.token is not None,
        doubt=reading.doubt,
    )


def _spans(lines: tuple[Line, ...]) -> list[Span]:
    """The kept lines as runs; blank lines at a run's ends say nothing and are left out."""
    runs: list[list[int]] = []
    for line in lines:
        if not line.text or line.text.isspace():
            continue
        if runs and line.number - runs[-1][1] <= 2:
            runs[-1][1] = line.number
        elif len(runs) < _CUTS_MAX:
            runs.append([line.number, line.number])
    return [Span(first, last) for first, last in runs]


def _subject(letter: Letter) -> str:
    if "subject_cut" in letter.defects:
        return "too_long"
    if is_prefixed(letter.subject):
        return "prefixed"
    return "own" if own_subject(letter.subject) else "empty"


def _command(command: Command) -> ReadCommand:
    arguments = {key: _bounded(value) for key, value in command.arguments.items()}
    return ReadCommand(command.verb, arguments, command.line, _words(command.text), command.simulate)


def _problem(problem: Problem) -> ReadProblem:
    return ReadProblem(problem.code, problem.verb, problem.argument, _words(problem.words), problem.line)


def _bounded(value: object) -> Any:
    return _words(value) if isinstance(value, str) else value


def without_tokens(text: str) -> str:
    """The text without what could be a token, and without signs that would change how it is shown."""
    return without_overrides(_TOKEN.sub(_HIDDEN, text))


def _words(text: str) -> str:
    """The words, and not more of them than one reads."""
    shown = without_tokens(text)
    return shown if len(shown) <= _WORDS_CHARACTERS_MAX else shown[:_WORDS_CHARACTERS_MAX] + _HIDDEN
