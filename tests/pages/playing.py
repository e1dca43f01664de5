"""Play the example mails of a page of docs/ at a real desk, and look whether the mails that it shows are so.

A page's examples are fenced blocks with an info string, which readers do not see:

    writes anna     anna writes these lines to the club; `writes anna re` answers the mail she got last
    gets anna       the last mail to anna has these paragraphs in this order, whatever stands between
                    them; a first line with `Objet : `, `Subject: ` is its subject
    mail anna       only shown: what somebody may write, read by the parser and understood

Comments set the scene: `<!-- club: anna, bela; language: fr -->` at the top, `<!-- later: 3 days -->`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from mailflow.catalogue import GRAMMAR
from parsers.commands import read_commands
from parsers.letter import read_letter
from store import outbox
from store.records import OutboxMail
from tests.desk.desk_scene import Scene, open_scene, text_of

_STEP = re.compile(
    r"^```(?P<what>writes|gets|mail) (?P<who>\S+)(?P<how> re)?\n(?P<text>.*?)^```$"
    r"|^<!-- later: (?P<number>\d+) (?P<unit>minutes|hours|days) -->$",
    re.MULTILINE | re.DOTALL,
)
_CLUB = re.compile(r"^<!-- club: (?P<members>[^;]+); language: (?P<language>\w+) -->$", re.MULTILINE)
_SUBJECT = re.compile(r"(?:Objet : |Subject: )(.*)")
_GAPS = re.compile(r"\n…?\n|^…\n|\n…$")


@dataclass(frozen=True)
class Step:
    """One example, or a passing of time; `line`: where it stands on the page."""

    line: int
    what: str
    who: str = ""
    text: str = ""
    later: timedelta = timedelta()


def steps(page: str) -> Iterator[Step]:
    """Return the page's examples in their order."""
    for found in _STEP.finditer(page):
        line = page.count("\n", 0, found.start()) + 1
        if found["number"]:
            yield Step(line, "later", later=timedelta(**{found["unit"]: int(found["number"])}))
        else:
            what = "answers" if found["how"] else found["what"]
            yield Step(line, what, found["who"], found["text"])


def play(path: Path) -> list[str]:
    """Play a page; return what is not as the page says, with the line and the mail as it is."""
    page = path.read_text("utf-8")
    scene = _founded(page)
    wrong = []
    for step in steps(page):
        found = _played(scene, step)
        if found:
            wrong.append(f"{path.name}:{step.line}: {found}")
    scene.is_sound()
    return wrong


def _founded(page: str) -> Scene:
    found = _CLUB.search(page)
    assert found is not None, "the page does not say which club it is about"
    handles = tuple(handle.strip() for handle in found["members"].split(","))
    return open_scene(members=handles, language=found["language"])


def _played(scene: Scene, step: Step) -> str:
    match step.what:
        case "later":
            scene.now += step.later
            scene.work()
        case "writes":
            handled = scene.write(step.who, step.text)
            if handled.state in ("ignored", "quarantined"):
                return f"this mail was {handled.state}: {handled.reason}"
        case "answers":
            handled = scene.answer(_last(scene, step.who), step.text.rstrip("\n"), step.who)
            if handled.state in ("ignored", "quarantined"):
                return f"this answer was {handled.state}: {handled.reason}"
        case "mail":
            reading = read_commands(read_letter(scene.written(step.who, step.text)), GRAMMAR)
            if reading.problems or not reading.commands:
                return f"not understood: {reading.problems}"
        case "gets":
            return _compared(scene, _last(scene, step.who), step.text)
    return ""


def _last(scene: Scene, who: str) -> OutboxMail:
    mails = outbox.listing(scene.db, scene.club.id, 0)
    return [mail for mail in mails if who in (mail.recipient, mail.address)][-1]


def _compared(scene: Scene, mail: OutboxMail, shown: str) -> str:
    composed = scene.composed(mail)
    subject = _SUBJECT.match(shown)
    if subject is not None:
        shown = shown[subject.end() :]
        if _plain(str(composed["Subject"])) != _plain(subject[1]):
            return f"the subject is {composed['Subject']}"
    text, place = _plain(text_of(composed)), 0
    for part in filter(None, map(_plain, _GAPS.split(shown))):
        found = text.find(part, place)
        if found < 0:
            return f"{part!r} is not in its place:\n{composed['Subject']}\n\n{text_of(composed)}"
        place = found + len(part)
    return ""


def _plain(text: str) -> str:
    """The text as the eye sees it: wherever a line was wrapped, and whatever kind of space stands there."""
    return " ".join(text.split())
