"""The story that the demo plays: `sample_mails/story.toml`, and the mails beside it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from mailflow.founding import Founder
from mailflow.founding_file import NewClub

SAMPLES = Path(__file__).resolve().parents[2] / "sample_mails"


@dataclass(frozen=True)
class Scene:
    """`mail`: a file of the samples, empty where only time passes until `at`."""

    at: datetime
    says: str
    mail: str


@dataclass(frozen=True)
class Story:
    """`rulebook`: the numbers in which this club differs, by name."""

    club: NewClub
    rulebook: Mapping[str, int]
    members: tuple[Founder, ...]
    start: datetime
    scenes: tuple[Scene, ...]
    folder: Path

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.club.timezone)

    def mail(self, scene: Scene) -> bytes:
        """Return the scene's mail as it was sent, before a server put its lines on top."""
        return as_sent((self.folder / scene.mail).read_bytes())


def read_story(folder: Path = SAMPLES) -> Story:
    """Read the story of a folder. Its times are civil times of the club."""
    values = tomllib.loads((folder / "story.toml").read_text("utf-8"))
    zone = ZoneInfo(values["club"]["timezone"])
    return Story(
        club=NewClub(**values["club"]),
        rulebook=values["rulebook"],
        members=tuple(Founder(**member) for member in values["member"]),
        start=values["start"].replace(tzinfo=zone),
        scenes=tuple(
            Scene(s["at"].replace(tzinfo=zone), s["says"], s.get("mail", "")) for s in values["scene"]
        ),
        folder=folder,
    )


_TRACE = re.compile(
    rb"^(?:Return-Path|Delivered-To|Received|Authentication-Results):.*\r\n(?:[ \t].*\r\n)*",
    re.IGNORECASE | re.MULTILINE,
)


def as_sent(raw: bytes) -> bytes:
    """Take off the headers with which the server that keeps a mail marks it: our entry puts its own."""
    head, blank, body = raw.partition(b"\r\n\r\n")
    return _TRACE.sub(b"", head + b"\r\n").removesuffix(b"\r\n") + blank + body


_ANSWERED = re.compile(rb"<([a-z]+(?:\.[a-z]+)?)@club\.example>")
_TOKEN = re.compile(rb"\+([a-z][0-9a-hjkmnp-tv-z]{26})@")


def answered_kind(raw: bytes) -> str | None:
    """Return the kind of our mail that a sample answers: `<game.result@club.example>` stands for it."""
    head = raw.partition(b"\r\n\r\n")[0]
    found = re.search(rb"^In-Reply-To: " + _ANSWERED.pattern, head, re.MULTILINE)
    return None if found is None else found[1].decode("ascii")


def in_thread(raw: bytes, message_id: str, token: str | None) -> bytes:
    """Put the Message-ID that was really sent in the place of the sample's, and the token likewise."""
    raw = _ANSWERED.sub(message_id.encode("ascii"), raw)
    shown = _TOKEN.search(raw.partition(b"\r\n\r\n")[0])
    return raw if shown is None or token is None else raw.replace(shown[1], token.encode("ascii"))
