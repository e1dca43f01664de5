"""`mailflow explain`: an Explanation in the words of people; also what POURQUOI tells of a mail.

The lines are French, as everything is that a member or his manager reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mailflow.catalogue import GRAMMAR
from mailflow.forms import named, spelled
from mailflow.reader_words import CLASSES, CUTS, DEFECTS, KINDS, MARKS, PROBLEMS, REASONS, SOURCES, SUBJECTS
from parsers.commands import read_commands
from parsers.explanation import Explanation, ReadCommand, ReadProblem, Span, explain, without_tokens
from parsers.letter import read_letter

LINES_SHOWN_MAX = 4
"""Lines of one cut that are shown word for word; whoever wants the rest has the mail."""
_WIDTH = 76


def explain_mail(raw: bytes) -> list[str]:
    """Read one raw mail as the desk would, and tell how, with the lines themselves."""
    letter = read_letter(raw)
    found = explain(letter, read_commands(letter, GRAMMAR))
    return [
        f"De : {letter.sender or '?'}",
        f"Objet : {without_tokens(letter.subject)}",
        "",
        *told(found, letter.text.split("\n")),
    ]


def told(found: Explanation, text: Sequence[str] = ()) -> list[str]:
    """Tell an explanation, stage by stage; with the letter's lines at hand, those that were cut are shown."""
    return [
        *_stage("Le mail", _letter(found)),
        *_stage("Son texte", _text(found, text)),
        *_stage("Son objet", [SUBJECTS[found.subject]] if found.kind == "person" else []),
        *_stage("Compris", [line for c in found.commands for line in _command(c)]),
        *_stage("Pas compris", [_problem(p) for p in found.problems]),
        *_stage("En somme", _sum(found)),
    ]


def _stage(title: str, lines: Iterable[str]) -> list[str]:
    return [f"{title if n == 0 else '':12}  {line}".rstrip() for n, line in enumerate(lines)]


def _letter(found: Explanation) -> list[str]:
    lines = [KINDS[found.kind]]
    if found.reason:
        lines.append(f"{REASONS.get(found.reason, '')} ({found.reason})".strip())
    lines += [f"réparé ou passé : {DEFECTS.get(defect, defect)}" for defect in found.defects]
    return lines


def _text(found: Explanation, text: Sequence[str]) -> list[str]:
    if found.kind != "person":
        return []
    out = [f"{SOURCES[found.source]}, {found.lines} {'ligne' if found.lines < 2 else 'lignes'}"]
    for span in sorted((*found.kept, *found.cuts), key=lambda s: s.first):
        out.append(f"{_where(span)} : {_why(span)}")
        shown = text[span.first - 1 : min(span.last, span.first - 1 + LINES_SHOWN_MAX)]
        out += [f"    {'|' if span.reason else '>'} {without_tokens(line[:_WIDTH])}" for line in shown]
        if shown and span.last - span.first + 1 > len(shown):
            out.append("    …")
    return out


def _where(span: Span) -> str:
    if span.first == span.last:
        return f"ligne {span.first}"
    return f"lignes {span.first} {'et' if span.last == span.first + 1 else 'à'} {span.last}"


def _why(span: Span) -> str:
    if not span.reason:
        return "retenue" if span.first == span.last else "retenues"
    mark = MARKS.get(span.mark, "")
    cut = "écartée" if span.first == span.last else "écartées"
    return f"{cut}, {CUTS[span.reason]}" + (f" ({mark})" if mark else "")


def _command(command: ReadCommand) -> list[str]:
    verb = GRAMMAR.by_word[command.verb]
    simulated = " (simulation)" if command.simulate else ""
    where = f"ligne {command.line}" if command.line else "objet"
    meant = without_tokens(spelled(verb, command.arguments)) or command.verb
    return [f"{where} : {meant}{simulated}", f"    lu dans « {command.words} »"]


def _problem(problem: ReadProblem) -> str:
    where = f"ligne {problem.line}" if problem.line else "objet"
    about = [
        problem.verb or "",
        named(GRAMMAR.by_word[problem.verb], problem.argument) if problem.verb else "",
    ]
    words = f"« {problem.words} »" if problem.words else ""
    said = " : ".join(filter(None, (" ".join(filter(None, about)), words)))
    return f"{where} : {said} – {PROBLEMS[problem.code]} ({problem.code})"


def _sum(found: Explanation) -> list[str]:
    lines = [f"{CLASSES[found.mail_class]} ({found.mail_class})"]
    lines.append("avec un jeton du club" if found.token else "sans jeton")
    if found.doubt:
        lines.append("un autre lecteur y trouve d'autres commandes : le club demande d'abord confirmation")
    return lines
