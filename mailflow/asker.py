"""Ask the operator: with arrows and colours at a terminal, in plain lines at a dumb one, else not at all."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping, Sequence
from typing import Protocol

from mailflow.errors import SettingsError


class Asker(Protocol):
    """Puts questions, each with the answer that counts where none is given."""

    def text(self, question: str, default: str) -> str: ...
    def secret(self, question: str) -> str: ...
    def choice(self, question: str, options: Mapping[str, str], default: str) -> str:
        """`options`: what each key means; returns a key."""
        ...

    def yes(self, question: str, default: bool) -> bool: ...


class Silent:
    """Nobody is there: every answer is the default."""

    def text(self, question: str, default: str) -> str:
        return default

    def secret(self, question: str) -> str:
        return ""

    def choice(self, question: str, options: Mapping[str, str], default: str) -> str:
        return default

    def yes(self, question: str, default: bool) -> bool:
        return default


class Plain:
    """Lines in and out, for a dumb terminal and for a reader of screens."""

    def text(self, question: str, default: str) -> str:
        return _line(f"{question} [{default}]: ") or default

    def secret(self, question: str) -> str:
        try:
            return getpass.getpass(f"{question}: ").strip()
        except EOFError:
            return ""

    def choice(self, question: str, options: Mapping[str, str], default: str) -> str:
        keys: Sequence[str] = tuple(options)
        for number, key in enumerate(keys, 1):
            print(f"  {number}  {options[key]}")
        while True:
            said = self.text(question, str(keys.index(default) + 1))
            if said in options:
                return said
            if said.isascii() and said.isdigit() and 1 <= int(said) <= len(keys):
                return keys[int(said) - 1]
            print(f"  a number from 1 to {len(keys)}, please")

    def yes(self, question: str, default: bool) -> bool:
        said = self.text(f"{question} (y/n)", "y" if default else "n").lower()
        return said.startswith(("y", "o", "j", "s"))


class Pretty:
    """At a terminal. Raises SettingsError when the operator breaks off: nothing has been written then."""

    def text(self, question: str, default: str) -> str:
        import questionary

        return _answered(questionary.text(question, default=default).ask()).strip() or default

    def secret(self, question: str) -> str:
        import questionary

        return _answered(questionary.password(question).ask()).strip()

    def choice(self, question: str, options: Mapping[str, str], default: str) -> str:
        import questionary

        choices = [questionary.Choice(title, key) for key, title in options.items()]
        return _answered(questionary.select(question, choices, default=default).ask())

    def yes(self, question: str, default: bool) -> bool:
        import questionary

        said = questionary.confirm(question, default=default).ask()
        if said is None:
            raise SettingsError("broken off: nothing was written")
        return bool(said)


def asker_of(terminal: str, quiet: bool) -> Asker:
    """Choose how to ask. `terminal`: the value of TERM."""
    if quiet or not sys.stdin.isatty():
        return Silent()
    return Plain() if terminal in ("", "dumb") or not sys.stdout.isatty() else Pretty()


def _line(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except EOFError:
        return ""


def _answered(answer: str | None) -> str:
    if answer is None:
        raise SettingsError("broken off: nothing was written")
    return answer
