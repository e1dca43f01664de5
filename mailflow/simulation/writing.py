"""How people write mails: programs, quoting styles, providers that strip or change what they should not.

Bytes come out as a mail program would send them, and ours are read as one would show them. Nothing of
mailflow is imported: what members see is all that they know.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import datetime
from email.header import Header, decode_header, make_header
from email.utils import format_datetime, parsedate_to_datetime
from enum import Enum
from quopri import decodestring

CLUB = "club@example.org"


class Style(Enum):
    """Mail programs, by what they make of an answer."""

    PLAIN = "plain"
    BARE = "bare"
    HTML = "html"
    BOTH = "both"
    OUTLOOK = "outlook"


class Carrier(Enum):
    """What of a reply address is left when the answer reaches us (T-14)."""

    BOTH = "both"
    PLUS = "plus"
    SUBJECT = "subject"
    UPPER = "upper"


@dataclass(frozen=True)
class Received:
    """A mail of the club in somebody's mailbox, as his program shows it.

    `kind`, `game`: what a reader sees at a glance; `answered`: the Message-ID of his own mail that it
    answers. `token`: the secret part of its Reply-To, None where it has none. `at`: when it came.
    """

    kind: str
    game: int | None
    address: str
    message_id: str
    answered: str | None
    subject: str
    reply_to: str
    token: str | None
    text: str
    at: datetime
    written_at: datetime


@dataclass(frozen=True)
class Hand:
    """How somebody writes."""

    style: Style = Style.PLAIN
    carrier: Carrier = Carrier.BOTH


def received(raw: bytes, kind: str, game: int | None, at: datetime) -> Received:
    """Read a mail of the club's bytes as a mail program does."""
    head, _, body = raw.partition(b"\r\n\r\n")
    fields = _fields(head)
    reply_to = fields.get("reply-to", CLUB)
    token = reply_to.partition("+")[2].partition("@")[0] or None
    return Received(
        kind,
        game,
        fields["to"],
        fields["message-id"],
        fields.get("in-reply-to"),
        str(make_header(decode_header(fields["subject"]))),
        reply_to,
        token,
        _plain_part(body, fields["content-type"]),
        at,
        parsedate_to_datetime(fields["date"]),
    )


def _fields(head: bytes) -> dict[str, str]:
    unfolded = re.sub(rb"\r\n[ \t]+", b" ", head).decode()
    pairs = (line.partition(":") for line in unfolded.split("\r\n"))
    return {name.lower(): value.strip() for name, _, value in pairs}


def _plain_part(body: bytes, content_type: str) -> str:
    boundary = content_type.partition('boundary="')[2].partition('"')[0].encode()
    part = body.split(b"--" + boundary)[1]
    return decodestring(part.partition(b"\r\n\r\n")[2]).decode().replace("\r\n", "\n")


@dataclass(frozen=True)
class Draft:
    """A mail about to be written. `about`: the club's mail that it answers, None where it is a new one."""

    sender: str
    text: str
    about: Received | None
    written_at: datetime
    message_id: str
    subject: str = ""
    copies: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    to: str | None = None


def written(draft: Draft, hand: Hand) -> bytes:
    """Return a mail's bytes."""
    about = draft.about
    fields = [
        ("From", draft.sender),
        ("To", draft.to or _destination(about, hand)),
        ("Date", format_datetime(draft.written_at)),
        ("Message-ID", draft.message_id),
        ("Subject", _encoded(_subject(draft, hand))),
        *([("Cc", ", ".join(draft.copies))] if draft.copies else []),
        *([("In-Reply-To", about.message_id), ("References", about.message_id)] if about else []),
        *draft.headers,
        ("MIME-Version", "1.0"),
    ]
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return head.encode() + _body(draft, hand).replace("\n", "\r\n").encode()


def _destination(about: Received | None, hand: Hand) -> str:
    if about is None or hand.carrier is Carrier.SUBJECT:
        return CLUB
    return about.reply_to.upper() if hand.carrier is Carrier.UPPER else about.reply_to


def _subject(draft: Draft, hand: Hand) -> str:
    if draft.about is None:
        return draft.subject
    subject = draft.about.subject
    if hand.carrier is Carrier.PLUS:
        subject = re.sub(r"\s*\[#\w+\]", "", subject)
    return draft.subject or f"Re: {subject}"


def _encoded(subject: str) -> str:
    return subject if subject.isascii() else Header(subject, "utf-8").encode(linesep="\r\n")


def _body(draft: Draft, hand: Hand) -> str:
    """The headers of the body, an empty line, and what the program makes of text and history."""
    plain = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
    page = "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
    if hand.style is Style.HTML:
        return page + _html(draft)
    if hand.style is Style.BOTH:
        mark = "=_" + draft.message_id.strip("<>").replace("@", "_").replace(".", "_")[-40:]
        kind = f'Content-Type: multipart/alternative; boundary="{mark}"\n\n'
        return f"{kind}--{mark}\n{plain}{_text(draft, hand)}\n--{mark}\n{page}{_html(draft)}\n--{mark}--\n"
    return plain + _text(draft, hand)


def _text(draft: Draft, hand: Hand) -> str:
    about = draft.about
    if hand.style is Style.BARE:
        return f"{draft.text}\n\n-- \nEnvoyé de mon téléphone\n"
    if about is None:
        return f"{draft.text}\n"
    if hand.style is Style.OUTLOOK:
        return (
            f"{draft.text}\n\n-----Message d'origine-----\nDe : Le club <{CLUB}>\n"
            f"Envoyé : {about.at:%d/%m/%Y %H:%M}\nÀ : {about.address}\n"
            f"Objet : {about.subject}\n\n{about.text}"
        )
    quoted = "".join(f"> {line}\n" for line in about.text.splitlines())
    return f"{draft.text}\n\n{_introduced(about)}\n\n{quoted}"


def _html(draft: Draft) -> str:
    lines = "".join(f"<div>{html.escape(line) or '<br>'}</div>\n" for line in draft.text.split("\n"))
    if draft.about is None:
        return f"<html><body>{lines}</body></html>\n"
    history = "<br>\n".join(map(html.escape, draft.about.text.splitlines()))
    quote = (
        f'<div class="gmail_quote"><div>{html.escape(_introduced(draft.about))}</div>\n'
        f'<blockquote class="gmail_quote">{history}</blockquote></div>'
    )
    return f"<html><body>{lines}<br>\n{quote}</body></html>\n"


def _introduced(about: Received) -> str:
    return f"Le {about.at:%d/%m/%Y} à {about.at:%H:%M}, Le club <{CLUB}> a écrit :"
