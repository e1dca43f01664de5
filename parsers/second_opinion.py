"""Another reader's view of what is own text: mail-parser-reply, as an alarm (hazards, section 1).

It is not better than ours, but it was written by other people from other mails. Where the two leave different
commands, the member is asked. The library works with backtracking expressions over the whole text; so it is
imported late, asked only about mails that have a history, and shown a bounded beginning of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parsers.characters import folded
from parsers.history import attribution_end, may_be_marked
from parsers.limits import SECOND_OPINION_CHARACTERS_MAX

_LINE_CHARACTERS_MAX = 200
_LINES_MAX = 120
_LANGUAGES = ["fr", "de", "it", "en"]


def other_own_text(text: str) -> str | None:
    """What the other reader leaves of the clean text; None if it fails.

    Attributions that a program wrapped are joined first, because it is known to miss those (A02, A03).
    """
    from mailparser_reply import EmailReplyParser

    shown = _bounded(_with_joined_attributions(text))
    try:
        left = EmailReplyParser(languages=list(_LANGUAGES)).parse_reply(shown)
    except Exception:  # a failing second opinion is no opinion
        return None
    return left if isinstance(left, str) else ""


def _bounded(lines: Iterable[str]) -> str:
    """The text's beginning in a shape that keeps backtracking short: no long lines, no runs of blank ones.

    Measured: 4 KB of « Am schrieb » on one line take the library half a minute, cut like this some
    milliseconds.
    """
    out: list[str] = []
    left = SECOND_OPINION_CHARACTERS_MAX
    for line in lines:
        # A blank at the end is a soft break and has to stay.
        line = line.lstrip(" ")[:_LINE_CHARACTERS_MAX]
        if line or (out and out[-1]):
            out.append(line)
            left -= len(line) + 1
        if left < 0 or len(out) > _LINES_MAX:
            break
    return "\n".join(out)


def _with_joined_attributions(text: str) -> Iterator[str]:
    lines = text.split("\n")
    marked = may_be_marked(lines, folded(text).split("\n"))
    at = 0
    while at < len(lines):
        may = marked[at] and lines[at] and not lines[at].startswith(">")
        end = attribution_end(lines, at) if may else None
        yield lines[at] if end is None else " ".join(line.strip() for line in lines[at:end])
        at = end or at + 1
