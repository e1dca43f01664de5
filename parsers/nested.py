"""A command that is the argument of another: one that somebody asks for in the place of its author.

It is read as a line of its own would be. What is wrong with it is wrong with the mail.
"""

from __future__ import annotations

from dataclasses import replace

from parsers.grammar import Argument, Grammar, Kind
from parsers.own_words import line_of
from parsers.reading import Command, Problem
from parsers.scan import Scan, scan_lines

READ = "read"
"""Under which key of the arguments stands what the inner command was read as: verb, arguments, text."""


def unfolded(scan: Scan, grammar: Grammar) -> Scan:
    """Read the inner commands of what was found; a scan without any is given back as it is."""
    if not any(_inner(command, grammar) for command in scan.commands):
        return scan
    commands: list[Command] = []
    problems = list(scan.problems)
    for command in scan.commands:
        argument = _inner(command, grammar)
        if argument is None:
            commands.append(command)
            continue
        words = str(command.arguments[argument.key])
        found = scan_lines((line_of(command.line, words),), grammar)
        wrong = [*found.problems, *found.hints, *found.asides]
        if len(found.commands) == 1 and not wrong:
            inner = found.commands[0]
            read = {"verb": inner.verb, "arguments": dict(inner.arguments), "text": inner.text}
            command = replace(command, arguments={**command.arguments, READ: read})
        else:
            problems += wrong or [Problem("unknown_verb", None, argument.key, words, command.line, {})]
        commands.append(command)
    return replace(scan, commands=commands, problems=problems)


def takes_command(verb: str | None, argument: str | None, grammar: Grammar) -> bool:
    """Whether the argument of a verb is a command."""
    known = grammar.by_word.get(verb or "")
    return known is not None and any(a.key == argument and a.kind is Kind.COMMAND for a in known.arguments)


def _inner(command: Command, grammar: Grammar) -> Argument | None:
    arguments = grammar.by_word[command.verb].arguments
    return next((a for a in arguments if a.kind is Kind.COMMAND and a.key in command.arguments), None)
