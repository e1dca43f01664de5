"""A picture of balances over time, drawn of figures alone: the same figures always give the same bytes (P-4).

It has its own light ground, so that it is read on a dark page too, and no words, which are beside it. What
is to be drawn is kept with the words of its mail, as a `source` of letters and digits. The bytes depend on
the versions of Pillow and of what Pillow brings along, which the lock file fixes.
"""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 656, 344
"""Pixels; a phone of 360 shows two of them as one."""
LEFT, RIGHT, TOP, BOTTOM = 74, 26, 44, 52
"""What is left free of lines around them, in pixels."""
SHOWN = 552
"""Pixels of a page that it takes at most."""
TYPE = 24
SMOOTH = 2
"""So many times larger the lines are drawn, and then made smaller."""
GROUND, EDGE, GRID, ZERO, LABEL = "#fbfcfb", "#cfd8d1", "#e3e9e4", "#8d9990", "#3f4c44"
OWN, OTHERS, CREDIT = "#1b6b45", "#a3aea6", "#c29a3d"
COLOURS = 64
SPAN_MIN = 20_00
"""Cents from the lowest to the highest line of the grid at least: a still account is a level line."""
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
"""What the lines of the grid may be apart, in whole units of the currency."""


@dataclass(frozen=True)
class Course:
    """Balances in cents at equal steps of time; None before an account was opened.

    `own`: the reader's; `others`: what is drawn thinly beside it; `credit`: what everybody begins with.
    `dates`: what is written below, from left to right, at equal distances; `last`: the reader's balance of
    now. Both in signs of ASCII, for the type that comes with Pillow has no others.
    """

    own: tuple[int | None, ...]
    others: tuple[tuple[int | None, ...], ...]
    credit: int
    dates: tuple[str, ...]
    last: str


def source_of(course: Course) -> str:
    """Return what is kept of it: letters, digits, `-` and `_`."""
    written = json.dumps(asdict(course), separators=(",", ":")).encode()
    return urlsafe_b64encode(zlib.compress(written, 9)).decode().rstrip("=")


def course_of(source: str) -> Course:
    """Read back what is kept."""
    padded = source + "=" * (-len(source) % 4)
    values = json.loads(zlib.decompress(urlsafe_b64decode(padded)))
    return Course(
        tuple(values["own"]),
        tuple(map(tuple, values["others"])),
        values["credit"],
        tuple(values["dates"]),
        values["last"],
    )


@lru_cache(maxsize=64)
def png_of(source: str) -> bytes:
    """Draw what is kept; return the PNG file."""
    course = course_of(source)
    scale = _scale(course)
    drawn = Image.new("RGB", (WIDTH * SMOOTH, HEIGHT * SMOOTH), GROUND)
    _lines(ImageDraw.Draw(drawn), course, scale)
    image = drawn.reduce(SMOOTH)
    _labels(ImageDraw.Draw(image), course, scale)
    out = BytesIO()
    image.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        out, "PNG", compress_level=6
    )
    return out.getvalue()


# ---------------------------------------------------------------- where things stand


@dataclass(frozen=True)
class Scale:
    """The amounts at the picture's edges, and what the grid's lines are apart, in cents."""

    low: int
    high: int
    step: int

    def y(self, cents: int) -> float:
        share = (cents - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    @property
    def ticks(self) -> range:
        return range(self.low, self.high + 1, self.step)


def _scale(course: Course) -> Scale:
    """Whole steps around all that is shown, five lines of the grid at most."""
    shown = [cents for line in (course.own, *course.others) for cents in line if cents is not None]
    low, high = min(*shown, course.credit), max(*shown, course.credit)
    room = max(SPAN_MIN - (high - low), 0) // 2
    low, high = low - room, high + room
    for step in (units * 100 for units in STEPS):
        bottom, top = low // step * step, -(-high // step) * step
        if top - bottom <= 4 * step and top > bottom:
            return Scale(bottom, top, step)
    return Scale(low, high, high - low)


def _x(place: int, count: int) -> float:
    return LEFT + place * (WIDTH - LEFT - RIGHT) / max(count - 1, 1)


def _points(line: Sequence[int | None], scale: Scale) -> list[tuple[float, float]]:
    return [
        (_x(place, len(line)) * SMOOTH, scale.y(cents) * SMOOTH)
        for place, cents in enumerate(line)
        if cents is not None
    ]


# ---------------------------------------------------------------- drawing


def _lines(draw: ImageDraw.ImageDraw, course: Course, scale: Scale) -> None:
    draw.rounded_rectangle(
        (0, 0, WIDTH * SMOOTH - 1, HEIGHT * SMOOTH - 1), 12 * SMOOTH, outline=EDGE, width=2 * SMOOTH
    )
    for cents in scale.ticks:
        _level(draw, scale.y(cents), ZERO if cents == 0 else GRID)
    for start, end in _dashes():
        _level(draw, scale.y(course.credit), CREDIT, start, end)
    for line in course.others:
        _line(draw, _points(line, scale), OTHERS, 3)
    own = _points(course.own, scale)
    _line(draw, own, GROUND, 15)
    _line(draw, own, OWN, 8)
    _dot(draw, own[-1], 13, GROUND)
    _dot(draw, own[-1], 10, OWN)


def _level(
    draw: ImageDraw.ImageDraw, y: float, colour: str, start: float = LEFT, end: float = WIDTH - RIGHT
) -> None:
    draw.line((start * SMOOTH, y * SMOOTH, end * SMOOTH, y * SMOOTH), colour, 2 * SMOOTH)


def _dashes() -> Iterator[tuple[int, int]]:
    for start in range(LEFT, WIDTH - RIGHT, 18):
        yield start, min(start + 10, WIDTH - RIGHT)


def _line(draw: ImageDraw.ImageDraw, points: list[tuple[float, float]], colour: str, width: int) -> None:
    if len(points) > 1:
        draw.line(points, colour, width * SMOOTH, joint="curve")


def _dot(draw: ImageDraw.ImageDraw, at: tuple[float, float], radius: int, colour: str) -> None:
    draw.circle(at, radius * SMOOTH, colour)


def _labels(draw: ImageDraw.ImageDraw, course: Course, scale: Scale) -> None:
    for cents in scale.ticks:
        draw.text((LEFT - 12, scale.y(cents)), _units(cents), LABEL, _type(TYPE), anchor="rm")
    for place, date in enumerate(course.dates):
        anchor = "l" if place == 0 else "r" if place == len(course.dates) - 1 else "m"
        at = (_x(place, len(course.dates)), HEIGHT - BOTTOM + 14)
        draw.text(at, date, LABEL, _type(TYPE), anchor=f"{anchor}t")
    last = course.own[-1]
    assert last is not None
    _outlined(draw, (WIDTH - RIGHT + 8, _beside(scale.y(last), scale)), course.last)


def _units(cents: int) -> str:
    return str(cents // 100)


def _beside(y: float, scale: Scale) -> float:
    """Where the reader's balance is written: above the end of his line, below it where it is at the top."""
    return y - 34 if y - 52 > 2 else y + 36


def _outlined(draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str) -> None:
    draw.text(at, text, OWN, _type(TYPE + 6), anchor="rm", stroke_width=5, stroke_fill=GROUND)


@lru_cache(maxsize=4)
def _type(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own type, set by its own simple layout wherever a better one may be installed."""
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont)
    return found.font_variant(layout_engine=ImageFont.Layout.BASIC)
