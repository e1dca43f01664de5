"""The beginning of a line: past marks, greetings and words of simulation, to the first word (H07)."""

from __future__ import annotations

import re
from typing import NamedTuple

from parsers.characters import folded
from parsers.grammar import Grammar, Verb

_FIRST_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?![\w])")
_WRAPPINGS = "*_~`\"“”„«»'•·–—-→>➤▪●○ \t"
# Pictures too, as a « hand that points » at the order.
_MARKS = re.compile(f"[{re.escape(_WRAPPINGS)}\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]*")
_CLOSING = {
    "*": "*",
    "_": "_",
    "~": "~",
    "`": "`",
    '"': '"',
    "“": "”",
    "„": "“”",
    "«": "»",
    "'": "'",
    "»": "«",
}
_NUMBERED = re.compile(r"[0-9]{1,2}[.)] +(?=[^\W\d_])")
GREETINGS = {"BONJOUR", "BONSOIR", "SALUT", "COUCOU", "HELLO", "HI", "HALLO", "CIAO", "HEY", "RE"}


# A word with nothing before it and nothing glued to it, and what comes next.
_PLAIN_WORD = re.compile(r" *([^\W\d_]+)(?: *([,!])|[ .;?…]|\Z)")
_ARGUMENT_SIGN = re.compile(r"[=#°\d]")


class Start(NamedTuple):
    """A line's beginning: its verb (or None), first word as written, the words after it, simulation.

    `closing` are the marks that close those before the first word (H07).
    """

    verb: Verb | None
    word: str
    rest: str
    simulate: bool = False
    closing: str = ""

    @property
    def is_capital(self) -> bool:
        return self.word.isupper() and len(self.word) > 1


def is_plain_prose(text: str, grammar: Grammar) -> bool:
    """Whether a line surely is no command, nor anything that was meant as one: what most lines are.

    Its first word opens nothing, is not in capitals, and no sign or digit of an argument is on the line.
    """
    found = _PLAIN_WORD.match(text)
    if found is None or found[1].isupper() or _ARGUMENT_SIGN.search(text):
        return False
    key = folded(found[1])
    return key not in grammar.openers and not (found[2] and key in GREETINGS)


def start_of(text: str, grammar: Grammar, beyond: int = 2) -> Start:
    """Look at a line's first word, past marks (H07), a greeting and the words of simulation.

    `beyond`: how many greetings and numbers may stand before it (T-24: no line is followed for ever).
    """
    line = text.strip()
    words = line[_MARKS.match(line).end() :]  # type: ignore[union-attr]  # it matches nothing, too
    marks = line[: len(line) - len(words)]
    closing = "".join(_CLOSING.get(c, "") for c in marks) if marks else ""
    if beyond and words[:1].isdigit() and (numbered := _NUMBERED.match(words)):
        ahead = start_of(words[numbered.end() :], grammar, beyond - 1)
        return ahead if ahead.verb else Start(None, "", words)
    simulate = False
    for _ in range(3):
        found = _FIRST_WORD.match(words)
        if not found:
            return Start(None, "", words, simulate)
        word, rest = found[0], words[found.end() :]
        key = folded(word)
        if key in grammar.simulate:
            simulate = True
            words = rest.lstrip(_WRAPPINGS + ":,=")
            if not words:
                return Start(None, "", "", True)
            continue
        verb = grammar.by_word.get(key)
        if beyond and verb is None and key in GREETINGS and rest.lstrip()[:1] in (",", "!"):
            ahead = start_of(rest.lstrip(" ,!"), grammar, beyond - 1)
            if ahead.verb and ahead.verb.reply is None:
                return ahead._replace(simulate=ahead.simulate or simulate)
        if rest.startswith("=") or (verb and rest.startswith("'")):
            verb = None
        return Start(verb, word, rest, simulate, closing)
    return Start(None, "", words, simulate)


def words_after(start: Start) -> str:
    """The words after a verb, without blanks and without the marks that close those before it (H07).

    Only those: `bob_` is somebody's handle.
    """
    rest = start.rest.strip()
    return rest.rstrip(start.closing + " ") if start.closing else rest
