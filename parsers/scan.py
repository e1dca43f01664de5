"""Own lines -> commands, problems, and hints about words that are nearly commands.

The rules are told in `commands.py`; here they are applied, line by line, with no way back: every line is
looked at once, and joined at most to those below it that it needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from parsers.arguments import Parsed, Trouble, parse_arguments
from parsers.characters import folded, has_override, without_overrides
from parsers.grammar import Grammar, Kind, Verb
from parsers.limits import ARGUMENT_WORDS_MAX, FREE_TEXT_CHARACTERS_MAX
from parsers.line_start import Start, is_plain_prose, start_of, words_after
from parsers.near_words import HARMLESS, is_near, looks_like_arguments
from parsers.own_words import Line
from parsers.reading import Command, Problem
from parsers.tokens import is_polite, is_silent

# Lines this long were most likely broken by the program, not by the writer.
_WRAPPED_CHARACTERS_MIN = 60
_HINTS_MAX = 20
_COMPARED_MAX = 60
_PARAGRAPH_LINES_MAX = 40
_LINES_ADDED_MAX = 12
_PLACE = re.compile(
    r"[-–*•· ]*(?:[0-9]{1,2} ?=|[0-9]{1,2}(?:er|re|ère|e|è|ème|eme|nd|nde|st|rd|th|\.|\)) ?[=:]? ?\w)"
)
_MARKED = re.compile(r"[+−–-]\w")


@dataclass
class Scan:
    """What some lines say.

    hints         words at the place of a command that are none: beside a command they are problems
    asides        words that only look a bit like that: worth a word in the answer if there is no command
    simulate_all  whether a lone SIMULE came first
    """

    commands: list[Command] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    hints: list[Problem] = field(default_factory=list)
    asides: list[Problem] = field(default_factory=list)
    simulate_all: bool = False


def scan_lines(
    lines: tuple[Line, ...], grammar: Grammar, sender_name: str = "", flowed: bool = False
) -> Scan:
    """Read the own lines. `flowed`: a line that ends in a space goes on in the next one."""
    scanner = _Scanner(lines, grammar, sender_name, flowed)
    scanner.run()
    return scanner.scan


class _Scanner:
    def __init__(self, lines: tuple[Line, ...], grammar: Grammar, sender_name: str, flowed: bool) -> None:
        self.lines, self.grammar, self.flowed = lines, grammar, flowed
        self.keywords = grammar.openers
        self.sender_words = {folded(w) for w in re.split(r"\W+", sender_name)}
        self.scan = Scan()
        self.simulate_next = False
        self.seen_words = False
        self.command_lines: set[int] = set()
        self.suspects: list[tuple[int, Problem]] = []
        self.compared = 0

    def run(self) -> None:
        at = 0
        most = self.grammar.commands_max
        # One command more than allowed settles it (H12); what follows need not be read.
        while at < len(self.lines) and len(self.scan.commands) <= most and len(self.scan.problems) <= most:
            at = self._line(at)
        for index, suspect in self.suspects:
            hint = replace(suspect, good={})
            certain = suspect.good or self._is_beside_command(index)
            (self.scan.hints if certain else self.scan.asides).append(hint)

    def _line(self, at: int) -> int:
        """Read the line at that index and give the index of the next one to read."""
        line = self.lines[at]
        if not line.text or is_silent(line.text):
            return at + 1
        if is_plain_prose(line.text, self.grammar) and not (self.flowed and line.text.endswith(" ")):
            self.seen_words = True
            return at + 1
        if has_override(line.text):
            self._overridden(line)
            self.seen_words = True
            return at + 1
        text, after = self._unwrapped(at)
        start = start_of(text, self.grammar)
        if start.simulate and not start.word:
            self.scan.simulate_all |= not self.seen_words
            self.simulate_next = True
            self.seen_words = True
            return after
        self.seen_words = True
        if start.verb is None or self._is_wrapped_prose(at):
            if start.verb is None:
                self._suspect(start, at)
            return after
        return self._command(start, start.verb, text, at, after)

    # --- lines ------------------------------------------------------------------------------------

    def _follows(self, at: int) -> bool:
        """Whether the line at that index stands directly below the one before it and says something."""
        return (
            0 < at < len(self.lines)
            and self.lines[at].number == self.lines[at - 1].number + 1
            and not is_silent(self.lines[at].text)
        )

    def _unwrapped(self, at: int) -> tuple[str, int]:
        """The line with its soft-broken rest (C19); a verb in capitals always begins a line (C22)."""
        text, after = self.lines[at].text, at + 1
        while self.flowed and text.endswith(" ") and self._follows(after):
            start = start_of(self.lines[after].text, self.grammar)
            if (start.verb and start.is_capital) or has_override(self.lines[after].text):
                break
            text += self.lines[after].text
            after += 1
        return " ".join(text.split()), after

    def _is_wrapped_prose(self, at: int) -> bool:
        """Whether this line is just the rest of a long line of prose that a program broke here."""
        if not self._follows(at) or at - 1 in self.command_lines:
            return False
        above = self.lines[at - 1].text.rstrip()
        long = len(above) >= _WRAPPED_CHARACTERS_MIN and not above.endswith((".", ":", "!", "?", ";"))
        return long and self.lines[at].text.lstrip()[:1].islower()

    # --- one command ------------------------------------------------------------------------------

    def _command(self, start: Start, verb: Verb, text: str, at: int, after: int) -> int:
        rest = words_after(start)
        if not verb.arguments:
            # « Oui, merci » is a yes; « OUI, je suis absent » is prose (H05).
            if is_polite(rest):
                self._accept(verb, {}, at, text, start.simulate)
            return after
        rest, after = self._with_continuation(verb, rest, after)
        parsed = parse_arguments(verb, rest.lstrip(" :,"), self.keywords, self.grammar.currency)
        if parsed.open_text is None:
            parsed, after = self._with_what_is_missing(verb, rest, parsed, after)
        if verb.stands_alone and not parsed.recognised and parsed.troubles:
            return after
        below, meant = after, self._was_meant(start, parsed, rest)
        if parsed.open_text is not None and (meant or not parsed.troubles):
            text, below = self._take_free_text(parsed, text, at, after)
        if parsed.troubles and not meant:
            return after
        self.command_lines.update(range(at, below))
        if "\ufffd" in text or "\ufffd" in rest:
            parsed.troubles.append(Trouble("undecodable_characters", None, text[:200]))
        if parsed.troubles:
            self._refuse(verb, parsed, at)
        else:
            self._accept(verb, parsed.good, at, text, start.simulate)
        return below

    def _was_meant(self, start: Start, parsed: Parsed, rest: str) -> bool:
        return start.is_capital or parsed.strong or is_silent(rest) or len(rest.split()) == 1

    def _with_continuation(self, verb: Verb, rest: str, after: int) -> tuple[str, int]:
        """Add the lines below that can only belong to the command: after a comma, a colon, or with a key."""
        most = after + ARGUMENT_WORDS_MAX
        while after < most and self._follows(after):
            line = self.lines[after].text.strip()
            dangling = rest.rstrip().endswith((",", "=", ":")) and start_of(line, self.grammar).verb is None
            if has_override(line) or not (dangling or _has_key(verb, line)):
                break
            rest = f"{rest.rstrip()} {line}"
            after += 1
        return rest, after

    def _with_what_is_missing(self, verb: Verb, rest: str, parsed: Parsed, after: int) -> tuple[Parsed, int]:
        """Add lines below that give what is missing, or the next places of a result, even over blank lines.

        They are added only if all that they say is understood: « VIREMENT 15 € », and below it « à carl ».
        """
        for _ in range(_LINES_ADDED_MAX):
            at = self._next_line(after)
            if at is None:
                break
            line = self.lines[at].text.strip()
            lacks = at == after and bool(parsed.troubles) and _only_missing(parsed)
            if not (lacks or (_wants_places(verb, parsed) and _begins_with_place(verb, line))):
                break
            if has_override(line) or start_of(line, self.grammar).verb is not None:
                break
            joined = parse_arguments(
                verb, f"{rest} {line}".lstrip(" :,"), self.keywords, self.grammar.currency
            )
            if not _only_missing(joined) or _weight(joined) <= _weight(parsed):
                break
            rest, parsed, after = f"{rest} {line}", joined, at + 1
        return parsed, after

    def _next_line(self, at: int) -> int | None:
        """The index of the next line that says something, if none that was cut stands before it."""
        while 0 < at < len(self.lines) and self.lines[at].number == self.lines[at - 1].number + 1:
            if not is_silent(self.lines[at].text):
                return at
            at += 1
        return None

    def _take_free_text(self, parsed: Parsed, text: str, at: int, after: int) -> tuple[str, int]:
        """Let a free text run to the next blank line or command (mails rule 5), a letter to the end."""
        argument = parsed.open_text
        assert argument is not None
        pieces = [str(parsed.good.get(argument.key, ""))]
        below = after
        while self._follows(below) and not self._begins_command(below):
            pieces.append(self.lines[below].text)
            below += 1
        free = " ".join(" ".join(pieces).split())
        if argument.kind is Kind.LETTER:
            below = self._end_of_letter(below)
            parsed.good["letter"] = self._letter(pieces[0], after, below)
        if len(free) > FREE_TEXT_CHARACTERS_MAX:
            parsed.troubles.append(Trouble("text_too_long", argument.key, free[:80]))
        elif any(c.isalnum() for c in free):
            parsed.good[argument.key] = free
        else:
            parsed.good.pop(argument.key, None)
            if argument.required:
                parsed.troubles.append(Trouble("argument_missing", argument.key, ""))
        return " ".join([text, *(line.text for line in self.lines[after:below])]), below

    def _end_of_letter(self, below: int) -> int:
        while below < len(self.lines) and not (
            self.lines[below].text.strip() and self._begins_command(below)
        ):
            below += 1
        return below

    def _letter(self, first: str, after: int, below: int) -> str:
        """A text with its lines; several blank lines, also those of what was cut, are one."""
        lines, number = [" ".join(first.split())], None
        for line in self.lines[after:below]:
            text = " ".join(line.text.split())
            gap = not text or (number is not None and line.number > number + 1)
            if gap and lines[-1]:
                lines.append("")
            if text:
                lines.append(text)
            number = line.number
        return "\n".join(lines).strip()[:FREE_TEXT_CHARACTERS_MAX]

    def _begins_command(self, at: int) -> bool:
        """Whether a line below a free text is a command of its own rather than the text's next line."""
        text = self.lines[at].text
        if has_override(text):
            return True
        start = start_of(text, self.grammar)
        if start.verb is None:
            return start.simulate
        rest = words_after(start)
        if start.is_capital:
            # « PARTIES jeudi » in an announcement is one of its lines.
            return bool(start.verb.arguments) or is_polite(rest)
        above = self.lines[at - 1].text
        if text.lstrip()[:1].islower() and (len(above) >= _WRAPPED_CHARACTERS_MIN or above.endswith(" ")):
            return False
        if not start.verb.arguments:
            return is_silent(rest)
        parsed = parse_arguments(start.verb, rest, self.keywords, self.grammar.currency)
        return not parsed.troubles and (parsed.recognised or is_silent(rest))

    def _accept(self, verb: Verb, good: dict[str, object], at: int, text: str, simulate: bool) -> None:
        simulate = simulate or self.simulate_next or self.scan.simulate_all
        self.simulate_next = False
        self.command_lines.add(at)
        self.scan.commands.append(
            Command(verb.name, _in_order(verb, good), self.lines[at].number, text, simulate)
        )

    def _refuse(self, verb: Verb, parsed: Parsed, at: int) -> None:
        good = _in_order(verb, parsed.good)
        number = self.lines[at].number
        self.scan.problems += [
            Problem(t.code, verb.name, t.argument, t.words, number, good) for t in parsed.troubles
        ]

    def _overridden(self, line: Line) -> None:
        """C26: what is shown and stored may differ; a command is refused, prose is passed over."""
        start = start_of(without_overrides(line.text), self.grammar)
        if start.verb is not None:
            self.scan.problems.append(
                Problem(
                    "direction_override", start.verb.name, None, without_overrides(line.text), line.number, {}
                )
            )

    # --- words that are no verbs ------------------------------------------------------------------

    def _suspect(self, start: Start, at: int) -> None:
        """Note a first word at the place of a command (H11, C25); `good` marks what counts anywhere."""
        if len(self.suspects) >= _HINTS_MAX or len(start.word) < 3:
            return
        rest = start.rest.strip(" :.!?")
        strong = looks_like_arguments(rest)
        lone = not rest and start.is_capital and len(start.word) > 3
        if not (strong or start.is_capital) or self._is_wrapped_prose(at):
            return
        key = folded(start.word)
        harmless = key in HARMLESS or key in self.sender_words
        self.compared += not harmless
        near = not harmless and self.compared <= _COMPARED_MAX and is_near(start.word, self.grammar)
        if near or (start.is_capital and strong and not harmless):
            certain: dict[str, object] = {"certain": True}
        elif lone and not harmless:
            certain = {}
        else:
            return
        self.suspects.append(
            (at, Problem("unknown_verb", None, None, start.word, self.lines[at].number, certain, rest))
        )

    def _is_beside_command(self, at: int) -> bool:
        """Whether a command stands in the same paragraph."""
        for step in (-1, 1):
            for index in range(at + step, at + step * _PARAGRAPH_LINES_MAX, step):
                if not 0 <= index < len(self.lines) or not self._follows(max(index, index - step)):
                    break
                if index in self.command_lines:
                    return True
        return False


def _in_order(verb: Verb, good: dict[str, object]) -> dict[str, object]:
    keys = [*(a.key for a in verb.arguments), "letter"]
    return {key: good[key] for key in keys if key in good}


def _has_key(verb: Verb, line: str) -> bool:
    """Whether a line begins with one of the verb's argument names and `=` or `:`, a place, or `+anna`."""
    head = re.match(r"([^\s=:]{1,20}(?: [^\s=:]{1,20})?) ?[=:]", line)
    key = folded(head[1]) if head else ""
    if any(key == folded(n) for a in verb.arguments for n in a.names):
        return True
    if any(a.kind is Kind.ADDED for a in verb.arguments) and _MARKED.match(line):
        return True
    return _begins_with_place(verb, line)


def _begins_with_place(verb: Verb, line: str) -> bool:
    return any(a.kind is Kind.PLACES for a in verb.arguments) and _PLACE.match(line.lower()) is not None


def _wants_places(verb: Verb, parsed: Parsed) -> bool:
    """Whether places may go on below: not after an order that does without, where a list is a list."""
    return any(a.kind is Kind.PLACES and (a.required or a.key in parsed.good) for a in verb.arguments)


def _only_missing(parsed: Parsed) -> bool:
    """Whether nothing is wrong but that something is missing."""
    return all(t.code in ("argument_missing", "handle_expected") for t in parsed.troubles)


def _weight(parsed: Parsed) -> int:
    """How much has been understood: arguments, and places of a result; what is missing counts against it."""
    places = sum(len(value) for value in parsed.good.values() if isinstance(value, dict))
    return len(parsed.good) + places - len(parsed.troubles)
