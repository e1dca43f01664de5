"""Facts and a template become words, and words become a finished mail.

A template shows values; it decides nothing and sums nothing. Its first line is the subject. What a
member wrote reaches it as a value, so no markup and no template language in it is ever obeyed (T-27).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from email.charset import QP, Charset
from email.header import Header
from email.message import Message
from email.policy import compat32
from email.utils import format_datetime, formataddr
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from mailflow import words
from mailflow.catalogue import COMMANDS
from mailflow.explain import told
from mailflow.model import Club, Refusal
from mailflow.rules.regulation import PARAMETERS
from parsers.explanation import Explanation
from store.records import ClubRow, Member, OutboxMail

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
SUBJECT_MAX = 120
"""Characters; a longer subject is cut for display (hazard B12)."""
MESSAGE_ID_MAX = 250


@dataclass(frozen=True)
class Words:
    """A mail's words before it is addressed."""

    subject: str
    text: str


@dataclass(frozen=True)
class Reader:
    """Whom a mail is written for: what it may show of his account, in cents."""

    handle: str
    language: str
    balance_cents: int
    committed_cents: int
    available_cents: int
    manager: bool
    banned: bool

    @classmethod
    def of(cls, member: Member) -> Reader:
        return cls(
            member.handle,
            member.language,
            member.balance_cents,
            member.committed_cents,
            member.available_cents,
            member.manages,
            not member.active,
        )

    @classmethod
    def newcomer(cls, handle: str, language: str) -> Reader:
        return cls(handle, language, 0, 0, 0, manager=False, banned=False)


class Letters:
    """The templates, ready to be filled, of each language that has a folder.

    A reader whose language has none is written to in French.
    """

    def __init__(self, currency: str, zone: ZoneInfo, folder: Path = TEMPLATES) -> None:
        self._templates: dict[tuple[str, str], Template] = {}
        self._environments = {
            path.name: _environment(path, currency, zone) for path in folder.iterdir() if path.is_dir()
        }

    def write(self, template: str, reader: Reader, club: Club, facts: Mapping[str, Any]) -> Words:
        """Fill a template; its first line is the subject.

        Raises jinja2.UndefinedError where a template names what the facts lack: our own bug.
        """
        subject, _, text = self.fill(template, reader, club, facts).partition("\n")
        return Words(_one_line(subject), text.strip("\n") + "\n")

    def fill(self, template: str, reader: Reader, club: Club, facts: Mapping[str, Any]) -> str:
        """Fill a template that is a part of a mail and has no subject of its own."""
        filled = self._template(template, reader).render(facts, reader=reader, club=club)
        return _BLANK_LINES.sub("\n\n", filled.strip("\n"))

    def phrase(self, page: str, code: str, values: Any, reader: Reader, club: Club) -> str:
        """Fill one macro of a page of phrases: refusals.md, problems.md or previews.md."""
        module = self._template(page, reader).make_module({"reader": reader, "club": club})
        return _BLANK_LINES.sub("\n\n", str(getattr(module, code)(values)).strip())

    def _template(self, name: str, reader: Reader) -> Template:
        found = self._templates.get((reader.language, name))
        if found is None:
            environment = self._environments.get(reader.language) or self._environments[FALLBACK]
            found = environment.get_template(f"{name}.md")
            self._templates[reader.language, name] = found
        return found


FALLBACK = "fr"


@lru_cache(maxsize=64)
def _environment(folder: Path, currency: str, zone: ZoneInfo) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=False,  # plain text: nothing is markup, so nothing needs escaping
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(_filters(currency, zone, folder.name))
    environment.globals["commands"] = COMMANDS
    environment.globals["parameters"] = PARAMETERS
    return environment


_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


def _filters(currency: str, zone: ZoneInfo, language: str) -> dict[str, Any]:
    return {
        "money": lambda cents: words.money(cents, currency, language),
        "signed": lambda cents: words.signed(cents, currency, language),
        "moment": lambda at: words.moment(at, zone, language),
        "day": lambda at: words.day(at, zone, language),
        "short_day": lambda at: words.short_day(at, zone, language),
        "last_day": lambda at: words.day(at - timedelta(seconds=1), zone, language),
        "names": lambda handles: words.names(handles, language),
        "flow": words.flowed,
        "explained": lambda record: told(Explanation.of_record(record)),
        "width": lambda value, size: str(value).ljust(size),
        "right": lambda value, size: str(value).rjust(size),
    }


def _one_line(subject: str) -> str:
    """Keep a subject on one line and without control characters (T-26, hazards E12, B12)."""
    plain = "".join(c if c.isprintable() else " " for c in subject)
    return " ".join(plain.split())[:SUBJECT_MAX]


def refusal_phrase(letters: Letters, refusal: Refusal, reader: Reader, club: Club) -> str:
    """Return the words of a refusal, with the number of its rule."""
    words = letters.phrase("refusals", refusal.code, refusal.figures, reader, club)
    return f"{words} ({refusal.rule})" if refusal.rule else words


# ---------------------------------------------------------------- the finished mail


def compose(mail: OutboxMail, club: ClubRow, token: str | None) -> bytes:
    """Return the bytes of a mail to be sent; the same row and token give the same bytes (P-4).

    RFC 5322 message, RFC 3834 Auto-Submitted so that no robot answers us, and the token where every
    client keeps it: in the plus part of Reply-To and in the subject. No value can end its header or be
    decoded into another one (T-26).
    """
    local, _, domain = club.address.rpartition("@")
    answered = _message_id(mail.in_reply_to)
    message = Message()
    message["MIME-Version"] = "1.0"
    message.set_payload(mail.text, _UTF8)
    message["From"] = formataddr((_literal(club.name), club.address), "utf-8")
    message["To"] = _one_line(mail.address)
    if token is not None:
        message["Reply-To"] = f"{local}+{token}@{domain}"
    message["Subject"] = _subject(mail.subject if token is None else f"{mail.subject} [#{token}]")
    message["Date"] = format_datetime(mail.created_at)
    message["Message-ID"] = mail.message_id
    if answered is not None:
        message["In-Reply-To"] = answered
        message["References"] = answered
    message["Auto-Submitted"] = "auto-generated" if answered is None else "auto-replied"
    message["X-Auto-Response-Suppress"] = "All"
    message["List-Id"] = f"<{local}.{domain}>"
    return message.as_bytes(policy=_CRLF)


_UTF8 = Charset("utf-8")
_UTF8.body_encoding = QP
_CRLF = compat32.clone(linesep="\r\n")
"""The older policy writes headers as they are given; the newer one would decode what members wrote."""


def _subject(value: str) -> str:
    """Return a header value that reads back as exactly this text: an encoded word in it stays text."""
    plain = _one_line(value)
    if plain.isascii() and "=?" not in plain:
        return plain
    return Header(plain, "utf-8", header_name="Subject").encode(linesep="\r\n")


def _literal(name: str) -> str:
    return _one_line(name).replace("=?", "= ?")


def _message_id(value: str | None) -> str | None:
    """Return somebody else's message id if it can stand in a header of ours, else None."""
    fit = value is not None and len(value) <= MESSAGE_ID_MAX and value.isascii() and value.isprintable()
    return (
        value if fit and value is not None and " " not in value and value[:1] + value[-1:] == "<>" else None
    )
