"""Our own mails, pasted back by a program that sets no mark at all (TRUST 4: quoted back, they say nothing).

Some webmails put the answered mail below (or above) the answer as if the member had typed it. Nothing but its
words tells then whose it is. The rule:

* a line is *ours* if at least half of its words stand in runs of five or more that also stand, in that order,
  in a sentence of the mails we send (`Grammar.sentences`; numbers and names never count), or if it is one of
  our sentences of three or four words and nothing else;
* if eight words or more of a text are covered like that, all lines from the first of ours to the last are our
  mail, whatever stands between: that is where the forms and tables are;
* it goes on below: to the end of the sentence that the last line of ours begins, and, where that sentence
  ends in a colon, over the paragraph that it announces (a form: « Réponds par ce seul mot : », then OUI).

What stands above or below that is the member's. An answer that he wrote between such lines is lost with them:
nobody could tell it from a form, and he is told that nothing was found. A member who types one short sentence
of ours, or an indented command of his own, is not concerned.
"""

from __future__ import annotations

from parsers.grammar import RUN_WORDS, SHORT_WORDS_MIN, WORDS, Grammar
from parsers.own_words import Cut, Line, OwnWords

_WORDS_MIN = 8


def without_our_mails(own: OwnWords, grammar: Grammar) -> OwnWords:
    """Cut pasted mails of ours out of the own lines; linear in their length."""
    region = pasted_region(own.lines, grammar)
    if region is None:
        return own
    first, after = region
    gone = own.lines[first:after]
    cut = Cut(gone[0].number, gone[-1].number, "ours")
    cuts = sorted((*own.cuts, cut), key=lambda c: c.first)
    return OwnWords((*own.lines[:first], *own.lines[after:]), tuple(cuts))


def pasted_region(lines: tuple[Line, ...], grammar: Grammar) -> tuple[int, int] | None:
    """The indexes, first and after the last, of the lines that are a mail of ours; None if there is none."""
    if not grammar.runs:
        return None
    covered = _covered(lines, grammar)
    if sum(count for count, _ in covered) < _WORDS_MIN:
        return None
    ours = [i for i, (count, words) in enumerate(covered) if count and 2 * count >= words]
    return (ours[0], _end(lines, ours[-1])) if ours else None


def _covered(lines: tuple[Line, ...], grammar: Grammar) -> list[tuple[int, int]]:
    """Of each line, how many of its words stand in runs of ours, and how many there are.

    A run may go over the line's end, as programs wrap, but not over a blank line.
    """
    found = [(0, 0)] * len(lines)
    words: list[str] = []
    places: list[int] = []
    for at, line in enumerate(lines):
        if not line.text or line.text.isspace():
            _count(words, places, grammar, found)
            words, places = [], []
            continue
        own = WORDS.findall(line.key)
        if SHORT_WORDS_MIN <= len(own) < RUN_WORDS and " ".join(own) in grammar.runs:
            found[at] = (len(own), len(own))
        else:
            found[at] = (0, len(own))
            words += own
            places += [at] * len(own)
    _count(words, places, grammar, found)
    return found


def _count(words: list[str], places: list[int], grammar: Grammar, found: list[tuple[int, int]]) -> None:
    """Count the words of one paragraph that stand in runs; `places` are their lines."""
    runs, vocabulary = grammar.runs, grammar.run_words
    known = covered = 0
    for i, word in enumerate(words):
        known = known + 1 if word in vocabulary else 0
        if known >= RUN_WORDS and " ".join(words[i + 1 - RUN_WORDS : i + 1]) in runs:
            for k in range(max(covered, i + 1 - RUN_WORDS), i + 1):
                count, total = found[places[k]]
                found[places[k]] = (count + 1, total)
            covered = i + 1


def _end(lines: tuple[Line, ...], last: int) -> int:
    """Where our mail ends, given its last line that was recognised."""
    at = last
    while not _closed(lines[at].text) and at + 1 < len(lines) and lines[at + 1].text.strip():
        at += 1
    if not lines[at].text.rstrip().endswith(":"):
        return at + 1
    at += 1
    while at < len(lines) and not lines[at].text.strip():
        at += 1
    while at < len(lines) and lines[at].text.strip():
        at += 1
    return at


def _closed(text: str) -> bool:
    return text.rstrip().endswith((".", "!", "?", ")", "»", ":"))
