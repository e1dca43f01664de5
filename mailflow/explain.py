"""`mailflow explain`: an Explanation in the words of people; also what POURQUOI tells of a mail.

What is said comes from `explanation.md` of the reader's language; here stands only in which order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from mailflow.catalogue import GRAMMAR
from mailflow.forms import named, spelled
from parsers.commands import read_commands
from parsers.explanation import Explanation, ReadCommand, ReadProblem, Span, explain, without_tokens
from parsers.letter import read_letter

Say: TypeAlias = Callable[[str, Any], str]
"""A macro of `explanation.md`, by its name, filled with a value."""

LINES_SHOWN_MAX = 4
"""Lines of one cut that are shown word for word; whoever wants the rest has the mail."""
STAGES = ("mail", "text", "subject", "understood", "not_understood", "sum")
_WIDTH = 76


def explain_mail(raw: bytes, say: Say) -> list[str]:
    """Read one raw mail as the desk would, and tell how, with the lines themselves."""
    letter = read_letter(raw)
    found = explain(letter, read_commands(letter, GRAMMAR))
    head = say("sender", {"sender": letter.sender, "subject": without_tokens(letter.subject)})
    return [*head.split("\n"), "", *told(found, say, letter.text.split("\n"))]


def told(found: Explanation, say: Say, text: Sequence[str] = ()) -> list[str]:
    """Tell an explanation, stage by stage; with the letter's lines at hand, those that were cut are shown."""
    stages: dict[str, Iterable[str]] = {
        "mail": _letter(found, say),
        "text": _text(found, say, text),
        "subject": [say("subject", found.subject)] if found.kind == "person" else [],
        "understood": [line for command in found.commands for line in _command(command, say)],
        "not_understood": [_problem(problem, say) for problem in found.problems],
        "sum": _sum(found, say),
    }
    titles = {name: say("stage", name) for name in STAGES}
    width = max(map(len, titles.values())) + 3
    return [
        f"{titles[name] if n == 0 else '':{width}}{line}".rstrip()
        for name in STAGES
        for n, line in enumerate(stages[name])
    ]


def _letter(found: Explanation, say: Say) -> list[str]:
    reason = [say("reason", found.reason)] if found.reason else []
    return [say("kind", found.kind), *reason, *(say("defect", defect) for defect in found.defects)]


def _text(found: Explanation, say: Say, text: Sequence[str]) -> list[str]:
    if found.kind != "person":
        return []
    out = [say("source", found)]
    for span in sorted((*found.kept, *found.cuts), key=lambda s: s.first):
        out += [say("span", span), *_shown(span, text)]
    return out


def _shown(span: Span, text: Sequence[str]) -> Iterable[str]:
    shown = text[span.first - 1 : min(span.last, span.first - 1 + LINES_SHOWN_MAX)]
    mark = "|" if span.reason else ">"
    yield from (f"    {mark} {without_tokens(line[:_WIDTH])}" for line in shown)
    if shown and span.last - span.first + 1 > len(shown):
        yield "    …"


def _command(command: ReadCommand, say: Say) -> list[str]:
    verb = GRAMMAR.by_word[command.verb]
    meant = without_tokens(spelled(verb, command.arguments)) or command.verb
    where = say("command", {"line": command.line, "meant": meant, "simulate": command.simulate})
    return [where, f"    {say('read_in', command.words)}"]


def _problem(problem: ReadProblem, say: Say) -> str:
    argument = named(GRAMMAR.by_word[problem.verb], problem.argument) if problem.verb else ""
    return say("not_understood", {**vars(problem), "argument": argument})


def _sum(found: Explanation, say: Say) -> list[str]:
    doubt = [say("doubt", found)] if found.doubt else []
    return [say("mail_class", found.mail_class), say("token", found.token), *doubt]
