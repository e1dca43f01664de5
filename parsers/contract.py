"""A reading as the JSON of `mailflow parse` (CONTRACTS.md)."""

from __future__ import annotations

from parsers.reading import Command, Reading

# Verbs whose game may be left to the thread or to the mail itself: they always show the key.
_GAME_MAY_BE_NULL = {"RESULTAT", "CONTESTE", "ACCEPTE", "REJETTE"}


def as_contract(reading: Reading, file_name: str) -> dict[str, object]:
    """Give the object of one line: file, class, commands, token; `doubt` and `simulate` only when set.

    A malformed mail shows no commands, whatever was understood of it: nothing of it may run.
    """
    shown = () if reading.problems or reading.mail_class == "malformed" else reading.commands
    result: dict[str, object] = {
        "file": file_name,
        "class": reading.mail_class,
        "commands": [_command(c) for c in shown],
        "token": reading.token,
    }
    if reading.doubt:
        result["doubt"] = True
    return result


def _command(command: Command) -> dict[str, object]:
    shown: dict[str, object] = {"verb": command.verb}
    if command.verb in _GAME_MAY_BE_NULL:
        shown["game"] = command.arguments.get("game")
    shown.update((key, value) for key, value in command.arguments.items() if key != "letter")
    if command.simulate:
        shown["simulate"] = True
    return shown
