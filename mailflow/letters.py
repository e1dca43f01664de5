"""Facts and a template become the words of a mail, in the light markup that `compose` makes a mail of.

A template shows values; it decides nothing and sums nothing. Its first line is the subject. What a
member wrote reaches it as a value, so no markup and no template language in it is ever obeyed (T-27):
see `literal`, through which every value goes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from mailflow import literal, words
from mailflow.catalogue import COMMANDS
from mailflow.drawing import Course, source_of
from mailflow.explain import Say, told
from mailflow.model import Club, Refusal
from mailflow.rules.regulation import PARAMETERS
from parsers.explanation import Explanation
from store.records import Member

SUBJECT_MAX = 120
"""Characters; a longer subject is cut for display (hazard B12)."""


@dataclass(frozen=True)
class Words:
    """A mail's words before it is addressed; `text` is kept markup, `language` the one they are in."""

    subject: str
    text: str
    language: str


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

    def __init__(self, currency: str, zone: ZoneInfo, folder: Path = words.TEMPLATES) -> None:
        self._templates: dict[tuple[str, str], Template] = {}
        self._environments = {
            name: _environment(folder / name, currency, zone) for name in words.languages(folder)
        }

    def write(self, template: str, reader: Reader, club: Club, facts: Mapping[str, Any]) -> Words:
        """Fill a template; its first line is the subject.

        Raises jinja2.UndefinedError where a template names what the facts lack: our own bug.
        """
        subject, _, text = str(self.fill(template, reader, club, facts)).partition("\n")
        title = words.one_line(literal.words(subject), SUBJECT_MAX)
        return Words(title, literal.source(text.strip("\n")) + "\n", self.language_for(reader))

    def fill(self, template: str, reader: Reader, club: Club, facts: Mapping[str, Any]) -> Markup:
        """Fill a template that is a part of a mail and has no subject of its own."""
        filled = self._template(template, reader).render(facts, reader=reader, club=club)
        return Markup(_BLANK_LINES.sub("\n\n", filled.strip("\n")))

    def phrase(self, page: str, code: str, values: Any, reader: Reader, club: Club | None) -> Markup:
        """Fill one macro of a page of phrases: refusals.md, problems.md, previews.md or shared.md."""
        module = self._template(page, reader).make_module({"reader": reader, "club": club})
        return Markup(_BLANK_LINES.sub("\n\n", str(getattr(module, code)(values)).strip()))

    def language_for(self, reader: Reader) -> str:
        """In which language a reader is written to."""
        return reader.language if reader.language in self._environments else FALLBACK

    def _template(self, name: str, reader: Reader) -> Template:
        found = self._templates.get((reader.language, name))
        if found is None:
            found = self._environments[self.language_for(reader)].get_template(f"{name}.md")
            self._templates[reader.language, name] = found
        return found


FALLBACK = "fr"


@lru_cache(maxsize=64)
def _environment(folder: Path, currency: str, zone: ZoneInfo) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=True,  # so that macros give Markup; what is not goes through `finalize` first
        finalize=literal.literal,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(_filters(currency, zone, folder.name))
    environment.filters["explained"] = lambda record: told(Explanation.of_record(record), _say(environment))
    environment.globals["commands"] = COMMANDS
    environment.globals["parameters"] = PARAMETERS
    return environment


def explainer(language: str) -> Say:
    """Return what says in a language how a mail was read."""
    return _say(_environment(words.TEMPLATES / language, "EUR", ZoneInfo("UTC")))


def _say(environment: Environment) -> Say:
    def say(name: str, value: Any) -> str:
        macro = getattr(environment.get_template("explanation.md").module, name)
        return literal.words(str(macro(value)))

    return say


_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


def _filters(currency: str, zone: ZoneInfo, language: str) -> dict[str, Any]:
    return {
        "money": lambda cents: words.money(cents, currency, language),
        "signed": lambda cents: words.signed(cents, currency, language),
        "typed": lambda cents: words.typed(cents, currency, language),
        "moment": lambda at: words.moment(at, zone, language),
        "day": lambda at: words.day(at, zone, language),
        "short_day": lambda at: words.short_day(at, zone, language),
        "last_day": lambda at: words.day(at - timedelta(seconds=1), zone, language),
        "last_short_day": lambda at: words.short_day(at - timedelta(seconds=1), zone, language),
        "names": lambda handles: words.names(handles, language),
        "quoted": literal.quoted,
        "form": literal.form,
        "drawn": lambda course, credit, alt, caption: _drawn(course, credit, alt, caption, zone, language),
    }


def _drawn(
    course: Mapping[str, Any], credit: int, alt: Markup, caption: str, zone: ZoneInfo, language: str
) -> Markup:
    """Return the line that stands for a picture of balances: its words, and what it is drawn of."""
    middle = course["first"] + (course["last"] - course["first"]) / 2
    dates = (words.day_and_month(at, zone, language) for at in (course["first"], middle, course["last"]))
    last = words.plain_amount(course["to_cents"], language)
    drawn = Course(course["own"], course["others"], credit, tuple(dates), last)
    shown = Markup(" ").join(Markup(part) for part in alt.split())
    return Markup(f'![{shown}](balances:{source_of(drawn)} "{caption}")')


def refusal_phrase(letters: Letters, refusal: Refusal, reader: Reader, club: Club) -> Markup:
    """Return the words of a refusal, with the number of its rule."""
    words = letters.phrase("refusals", refusal.code, refusal.figures, reader, club)
    return words + f" ({refusal.rule})" if refusal.rule else words
