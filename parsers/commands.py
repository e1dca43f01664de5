"""Own words + grammar -> commands or problems.

What counts as a command (mails rules 2-5, TRUST 4). A line is read as a command if its first word, marks and
a greeting aside, is a verb of the grammar, and

* the verb takes nothing: nothing but punctuation follows (« Compte sur moi » is prose, H04, H05);
* it takes something and all that follows is understood: it is a command, however it is spelt;
* something is wrong with what follows: it was *meant* as a command, and is a problem, if the verb is in
  capitals, or stands alone, or one word follows, or something follows that can only be an argument (an
  amount, a game's number, `key=`). Otherwise it is prose: « Virement fait, merci ».

A line whose first word is no verb is prose, and harmless, unless it stands at the place of a command:

* the word is nearly a verb (one letter off; two for long words; or letters of another script) and is in
  capitals or has such an argument behind it: « Virement 5 … » beside « Virment 5 … »;
* or it is another word in capitals with such an argument behind it, or alone on its line next to a command,
  and neither a courtesy nor part of the sender's name.

Such a word is never guessed. In a mail with commands it is a problem, and a mail with a problem runs
nothing. In a mail without, it is only a hint for the answer: the class is unknown-command.

The subject is read likewise if it is the member's own and not just a title: a subject with something wrong
is a title unless it is all there is; a bare verb there counts beside other commands only if it is in
capitals. A subject that lacks nothing but a free text (« CONTESTE 12 », as our buttons write it) takes it
from a body that says nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parsers.contract import as_contract
from parsers.grammar import FREE_TEXT, Grammar, Verb
from parsers.history import ATTRIBUTION_LINES_MAX, begins_history
from parsers.kinds import LetterKind
from parsers.letter import Letter
from parsers.nested import takes_command, unfolded
from parsers.our_mails import without_our_mails
from parsers.own_words import OwnWords, line_of, own_words
from parsers.reading import PROBLEM_CODES, Command, Problem, Reading
from parsers.scan import Scan, scan_lines
from parsers.subjects import is_prefixed, own_subject

__all__ = ["PROBLEM_CODES", "Command", "Problem", "Reading", "as_contract", "read_commands"]

_CLASS_OF_KIND = {
    LetterKind.AUTOMATIC: "ignore-auto",
    LetterKind.OWN: "ignore-auto",
    LetterKind.BOUNCE: "bounce",
    LetterKind.MALFORMED: "malformed",
}
_CLASS_OF_REPLY = {None: "command", "confirm": "reply-confirm", "arbitration": "reply-arbitration"}


def read_commands(letter: Letter, grammar: Grammar) -> Reading:
    """Read what the letter's writer wants. Pure; linear in the text.

    With a problem the class is malformed, and `commands` holds what was understood, for the answer only.
    """
    if letter.kind is not LetterKind.PERSON:
        return Reading(_CLASS_OF_KIND[letter.kind], token=letter.token)
    own = without_our_mails(own_words(letter.text, letter.is_flowed), grammar)
    scan = scan_lines(own.lines, grammar, letter.sender_name, letter.is_flowed)
    body_commands = scan.commands
    subject = "" if "subject_cut" in letter.defects else own_subject(letter.subject)
    if subject:
        said = scan_lines((line_of(0, subject),), grammar, letter.sender_name)
        scan = _with_text_below(scan, said, subject, own, letter, grammar) or _with_subject(scan, said, own)
    scan = unfolded(scan, grammar)
    problems = [*scan.problems, *_mail_problems(scan, letter, grammar, body_commands)]
    if problems:
        return Reading("malformed", tuple(scan.commands), tuple(problems), letter.token, own=own)
    if not scan.commands:
        blank = own.is_empty and not any(c.isalnum() for c in subject)
        hints = (*scan.hints, *scan.asides)
        return Reading("empty" if blank else "unknown-command", (), hints, letter.token, own=own)
    commands = tuple(_confirmed_once(scan.commands, grammar))
    mail_class = _CLASS_OF_REPLY[grammar.by_word[commands[0].verb].reply]
    doubt = (
        "html_unread" in letter.defects
        or _runs_into_our_mail(own, body_commands, grammar)
        or (_is_reply(letter, own) and _other_reader_differs(letter, grammar, own, body_commands))
    )
    return Reading(mail_class, commands, (), letter.token, doubt, own)


def _with_subject(body: Scan, subject: Scan, own: OwnWords) -> Scan:
    """Join what subject and body say; the subject comes first, the same command once (B09, B10)."""
    joined = body
    if subject.simulate_all:
        joined = replace(joined, commands=[replace(c, simulate=True) for c in body.commands])
    if subject.problems:
        only = own.is_empty and any(p.good or p.code != "argument_missing" for p in subject.problems)
        return replace(joined, problems=subject.problems) if only else joined
    if subject.hints and own.is_empty:
        joined = replace(joined, hints=subject.hints, asides=subject.asides)
    if not subject.commands:
        return joined
    command = subject.commands[0]
    if body.simulate_all:
        command = replace(command, simulate=True)
    if any(_same(command, c) for c in joined.commands):
        return joined
    bare = not command.arguments and not command.text[:2].isupper()
    if bare and (body.commands or body.problems):
        return joined
    return replace(joined, commands=[command, *joined.commands])


def _with_text_below(
    body: Scan, subject: Scan, words: str, own: OwnWords, letter: Letter, grammar: Grammar
) -> Scan | None:
    """The subject's command with its free text from the body, if that is all they say; else None.

    One that lacks a command takes the body's, which is never one of the writer's own then.
    """
    lacks = subject.problems[0] if len(subject.problems) == 1 else None
    if lacks is not None and takes_command(lacks.verb, lacks.argument, grammar) and any(lacks.good.values()):
        joined = _joined(words, own, letter, grammar)
        return joined or replace(body, problems=[*body.problems, lacks])
    if body.commands or body.problems or lacks is None:
        return None
    verb = grammar.by_word.get(lacks.verb or "")
    if verb is None or lacks.code != "argument_missing" or not any(lacks.good.values()):
        return None
    if not any(a.key == lacks.argument and a.kind in FREE_TEXT for a in verb.arguments):
        return None
    return _joined(words, own, letter, grammar)


def _joined(words: str, own: OwnWords, letter: Letter, grammar: Grammar) -> Scan | None:
    """The subject's words and the body's as one text, if they are one command together."""
    lines = [line for line in own.lines if line.text.strip()]
    if not lines:
        return None
    texts = [f"{words} {lines[0].text.strip()}", *(line.text for line in lines[1:])]
    joined = tuple(line_of(n, text) for n, text in enumerate(texts, lines[0].number))
    whole = scan_lines(joined, grammar, letter.sender_name, letter.is_flowed)
    return whole if len(whole.commands) == 1 and not whole.problems and not whole.hints else None


def _same(one: Command, other: Command) -> bool:
    return one.verb == other.verb and one.arguments == other.arguments


def _mail_problems(scan: Scan, letter: Letter, grammar: Grammar, mine: list[Command]) -> list[Problem]:
    """What is wrong with the mail as a whole."""
    found: list[Problem] = []
    commands = scan.commands
    if commands:
        found += scan.hints
    if len(commands) > grammar.commands_max:
        # H12: a flood is not carried out in part.
        found.append(_problem("too_many_commands", commands[grammar.commands_max]))
    answers = {c.verb: c for c in commands if grammar.by_word[c.verb].reply == "confirm"}
    if len(answers) > 1:
        found.append(_problem("answers_disagree", list(answers.values())[1]))
    if letter.html_text is not None:
        shown = without_our_mails(own_words(letter.html_text), grammar)
        other = scan_lines(shown.lines, grammar, letter.sender_name).commands
        if not _alike(mine, other, grammar):
            # D04: the two alternatives would do different things; nobody can tell which one was seen.
            found.append(_problem("parts_disagree", (mine or other)[0]))
    return found


def _problem(code: str, command: Command) -> Problem:
    return Problem(code, command.verb, None, command.text, command.line, command.arguments)


def _alike(one: Iterable[Command], other: Iterable[Command], grammar: Grammar) -> bool:
    """Whether both would do the same; free texts apart, which programs mark up and shorten."""
    return [_essence(c, grammar) for c in one] == [_essence(c, grammar) for c in other]


def _essence(command: Command, grammar: Grammar) -> tuple[str, bool, dict[str, object]]:
    texts = {a.key for a in grammar.by_word[command.verb].arguments if a.kind in FREE_TEXT}
    return command.verb, command.simulate, {k: v for k, v in command.arguments.items() if k not in texts}


def _confirmed_once(commands: list[Command], grammar: Grammar) -> list[Command]:
    """« OUI » written twice is one answer."""
    kept: list[Command] = []
    for command in commands:
        verb: Verb = grammar.by_word[command.verb]
        if verb.reply != "confirm" or not any(c.verb == command.verb for c in kept):
            kept.append(command)
    return kept


def _runs_into_our_mail(own: OwnWords, mine: list[Command], grammar: Grammar) -> bool:
    """Whether a free text ends where a pasted mail of ours begins: it may quote us rather than end there."""
    pasted = {cut.first for cut in own.cuts if cut.reason == "ours"}
    if not pasted:
        return False
    said = {line.number for line in own.lines if line.text.strip()}
    for command in mine:
        below = command.line + 1
        while below in said:
            below += 1
        if below in pasted and any(a.kind in FREE_TEXT for a in grammar.by_word[command.verb].arguments):
            return True
    return False


def _is_reply(letter: Letter, own: OwnWords) -> bool:
    """Whether the letter may hold history: only then a second opinion is worth its time.

    A signature below a mail that answers nothing is no sign of it.
    """
    if letter.in_reply_to or letter.references or is_prefixed(letter.subject):
        return True
    return any(cut.reason != "signature" for cut in own.cuts)


def _other_reader_differs(letter: Letter, grammar: Grammar, own: OwnWords, mine: list[Command]) -> bool:
    """Whether a second reader of own words would run other commands than ours from the body."""
    from parsers.second_opinion import other_own_text

    if not mine:
        return False
    text = other_own_text(_above_certain_history(letter.text, own))
    if text is None:
        return False
    # Quote marks are ours to cut either way; the question is only where the unmarked history begins.
    shown = enumerate(text.split("\n"), 1)
    lines = tuple(line_of(n, line) for n, line in shown if not line.lstrip().startswith(">"))
    left = without_our_mails(OwnWords(lines, ()), grammar).lines
    other = scan_lines(left, grammar, letter.sender_name, letter.is_flowed).commands
    if not other and _is_below_marked_quotes(own, mine):
        return False
    return not _alike(mine, other, grammar)


def _above_certain_history(text: str, own: OwnWords) -> str:
    """The text down to where a mark says in so many words that history begins.

    The other reader does not know all those marks (« ----- Mail original ----- »), and what is asked of him
    is whether anything *above* them is history too. Certain are markers, blocks of labels, and attributions
    with an address; they may stand below a signature.
    """
    lines = text.split("\n")
    for cut in own.cuts:
        for at in range(cut.first - 1, cut.last):
            if cut.reason == "history":
                addressed = any("@" in line for line in lines[at : at + ATTRIBUTION_LINES_MAX])
                if cut.mark != "attribution" or addressed:
                    return "\n".join(lines[:at])
                return text
            if cut.reason in ("signature", "footer") and begins_history(lines, at):
                return "\n".join(lines[:at])
    return text


def _is_below_marked_quotes(own: OwnWords, mine: list[Command]) -> bool:
    """An answer below quotes that all carry their marks (A20): the other reader is known to lose those."""
    reasons = {cut.reason for cut in own.cuts}
    above = any(cut.reason == "quote" and cut.last < mine[0].line for cut in own.cuts)
    return above and "history" not in reasons
