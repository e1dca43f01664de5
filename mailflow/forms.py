"""Spell a command as people type it, from its row in the table and the values that are there.

For examples in answers to a mail that was not understood: the member's own values where they were good,
and a gap where one is missing, never a value that he did not write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parsers.grammar import Argument, Grammar, Kind, Verb
from parsers.own_words import line_of
from parsers.scan import scan_lines

GAP = "…"
REST_CHARACTERS_MAX = 300
HANDLES = frozenset({Kind.HANDLE, Kind.HANDLES, Kind.ADDED, Kind.REMOVED, Kind.PLACES, Kind.AMOUNTS})


def spelled(verb: Verb, good: Mapping[str, Any]) -> str:
    """Return the command with these arguments, in the order of its row; "" when none of them is there."""
    if not any(argument.key in good for argument in verb.arguments):
        return ""
    missing = verb.one_of[:1] if not any(key in good for key in verb.one_of) else ()
    wanted = (a for a in verb.arguments if a.key in good or a.required or a.key in missing)
    return " ".join((verb.name, *(_spelled(argument, good.get(argument.key)) for argument in wanted)))


def meant(verb: Verb, rest: str, grammar: Grammar) -> tuple[str, Mapping[str, Any]]:
    """Return the command with what was written after a word that is nearly its verb, and the values taken.

    The row's own form where nothing of it fits.
    """
    scan = scan_lines((line_of(1, f"{verb.name} {rest[:REST_CHARACTERS_MAX]}"),), grammar)
    good: Mapping[str, Any] = next((read.good for read in scan.problems), {})
    if not scan.problems and [command.verb for command in scan.commands] == [verb.name]:
        good = scan.commands[0].arguments
        return spelled(verb, good) or verb.name, good
    return spelled(verb, good) or verb.form, good


def handles_in(verb: Verb, good: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the handles among the values of a command, each once."""
    found: list[str] = []
    for argument in verb.arguments:
        value = good.get(argument.key)
        if value is None or argument.kind not in HANDLES:
            continue
        if argument.kind is Kind.PLACES:
            value = [handle for place in sorted(value) for handle in value[place]]
        found += [value] if isinstance(value, str) else list(value)
    return tuple(dict.fromkeys(found))


def named(verb: Verb, key: str | None) -> str:
    """Return the name under which that argument is given, or nothing if it has none."""
    return next(
        (argument.names[0] for argument in verb.arguments if argument.key == key and argument.names), ""
    )


def _spelled(argument: Argument, value: Any) -> str:
    name = argument.names[0] if argument.names else ""
    match argument.kind:
        case Kind.ADDED | Kind.REMOVED:
            mark = "+" if argument.kind is Kind.ADDED else "-"
            return " ".join(f"{mark}{handle}" for handle in value or (GAP,))
        case Kind.ADDED_ADDRESS | Kind.REMOVED_ADDRESS:
            return f"{'+' if argument.kind is Kind.ADDED_ADDRESS else '-'}{value or GAP}"
        case Kind.PLACES:
            places = value or {"1": [GAP]}
            return " ".join(f"{place}={','.join(handles)}" for place, handles in sorted(places.items()))
        case Kind.AMOUNTS:
            return " ".join(f"{handle}={euros(cents)}" for handle, cents in (value or {}).items())
        case Kind.SETTINGS:
            return " ".join(f"{key}={text}" for key, text in (value or {GAP: GAP}).items())
    text = GAP if value is None else _plain(argument.kind, value)
    if argument.kind is Kind.HANDLE and not argument.positional:
        return f"{name} {text}"
    optional_amount = argument.kind is Kind.AMOUNT and not argument.required
    return f"{name}={text}" if name and (optional_amount or not argument.positional) else text


def _plain(kind: Kind, value: Any) -> str:
    if kind is Kind.AMOUNT:
        return euros(value)
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def euros(cents: int) -> str:
    """Write an amount as people type it: `15`, `15,50`."""
    whole, rest = divmod(cents, 100)
    return f"{whole},{rest:02d}" if rest else str(whole)
