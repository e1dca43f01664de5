"""Facts and a template become words, and words become a finished mail.

A template shows values; it decides nothing and sums nothing. Its first line is the subject. What a
member wrote reaches it as a value, so no markup and no template language in it is ever obeyed (T-27).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from mailflow import words
from mailflow.catalogue import COMMANDS
from mailflow.model import Club, Refusal
from mailflow.rules.regulation import PARAMETERS
from store.records import ClubRow, Member, OutboxMail

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
SUBJECT_MAX = 120
"""Characters; a longer subject is cut for display (hazard B12)."""


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
        environment = self._environments.get(reader.language) or self._environments[FALLBACK]
        return environment.get_template(f"{name}.md")


FALLBACK = "fr"


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
    client keeps it: in the plus part of Reply-To and in the subject.
    """
    message = EmailMessage(policy=SMTP)
    local, _, domain = club.address.rpartition("@")
    message["From"] = Address(_one_line(club.name), local, domain)
    message["To"] = Address(addr_spec=mail.address)
    if token is not None:
        message["Reply-To"] = Address(addr_spec=f"{local}+{token}@{domain}")
    message["Subject"] = mail.subject if token is None else f"{mail.subject} [#{token}]"
    message["Date"] = format_datetime(mail.created_at)
    message["Message-ID"] = mail.message_id
    if mail.in_reply_to:
        message["In-Reply-To"] = mail.in_reply_to
        message["References"] = mail.in_reply_to
    message["Auto-Submitted"] = "auto-replied" if mail.in_reply_to else "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message["List-Id"] = f"<{local}.{domain}>"
    message.set_content(mail.text, charset="utf-8", cte="quoted-printable")
    return message.as_bytes()


def told(notices: Sequence[tuple[str, Sequence[str]]]) -> dict[str, list[str]]:
    """Return who is told by which kind of notice, for previews."""
    found: dict[str, list[str]] = {}
    for kind, to in notices:
        found.setdefault(kind, []).extend(h for h in to if h not in found[kind])
    return found
