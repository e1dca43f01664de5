"""A small language to write mails in: the input is the test's text."""

from __future__ import annotations

from mailflow.catalogue import COMMANDS
from mailflow.sentences import own_sentences
from parsers.commands import Reading, read_commands
from parsers.grammar import Grammar
from parsers.letter import read_letter

VERBS = tuple(c.verb for c in COMMANDS)
GRAMMAR = Grammar(VERBS, sentences=own_sentences(v.name for v in VERBS))
HEAD = "From: Anna Keller <anna@example.org>\nTo: club@example.org\nMessage-ID: <m1@example.org>\n"


def mail(body: str | bytes = "", subject: str = "", headers: str = "", charset: str = "utf-8") -> bytes:
    """One raw mail of Anna's with CRLF line ends. `headers` may bring a Content-Type of its own."""
    top = HEAD + (f"Subject: {subject}\n" if subject else "") + headers
    if "content-type" not in headers.lower():
        top += f"Content-Type: text/plain; charset={charset}\n"
    data = body if isinstance(body, bytes) else body.encode(charset)
    return (top.encode() + b"\n" + data + b"\n").replace(b"\n", b"\r\n")


def parts(*contents: str, kind: str = "mixed", headers: str = "", subject: str = "") -> bytes:
    """A multipart mail; each content is the text of a part, its own headers first."""
    body = "".join(f"--b0\n{content}\n" for content in contents) + "--b0--\n"
    return mail(body, subject, f"{headers}Content-Type: multipart/{kind}; boundary=b0\n")


def plain(text: str) -> str:
    """A text/plain part."""
    return f"Content-Type: text/plain; charset=utf-8\n\n{text}"


def html(markup: str) -> str:
    """A text/html part."""
    return f"Content-Type: text/html; charset=utf-8\n\n{markup}"


def reading(raw: bytes) -> Reading:
    return read_commands(read_letter(raw), GRAMMAR)


def said(raw: bytes) -> tuple[str, list[str]]:
    """The class and what would run, each command as one short line: `VIREMENT amount_cents=1000 to=bela`."""
    found = reading(raw)
    runs = [] if found.mail_class == "malformed" else found.commands
    return found.mail_class, [
        _line(c.verb, {k: v for k, v in c.arguments.items() if k != "letter"}) for c in runs
    ]


def _line(verb: str, arguments: object) -> str:
    assert isinstance(arguments, dict)
    return " ".join([verb, *(f"{k}={v}" for k, v in arguments.items())])


def problems(raw: bytes) -> list[tuple[str, str]]:
    """The codes of the problems with the words at fault."""
    return [(p.code, p.words) for p in reading(raw).problems]
