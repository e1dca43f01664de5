"""Every mail in a real browser, on a phone and on a desk, by day and by night.

The mails stand in frames of one page, which measures them and is read back: no driver is needed, only
Chromium. Where there is none, the tests are skipped; `./dev test` installs it where it can.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from html import escape, unescape
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mailflow.html_part import Desk, html_of
from mailflow.markup import blocks
from mailflow.preview.gallery import Sample, gallery
from mailflow.preview.lives import LIVES, played
from mailflow.words import languages

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
)  # fmt: skip
SCHEMES = {"dark": 0, "light": 1}
PAGE_COLOURS = {"dark": "rgb(16, 21, 18)", "light": "rgb(238, 241, 236)"}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
]


@cache
def mails(language: str) -> tuple[Sample, ...]:
    return gallery(languages=[language])


def seen(pages: dict[str, str], width: int, scheme: str) -> dict[str, list[str]]:
    """What is wrong with each page at this width and light, by its name."""
    frames = "".join(
        f'<iframe title="{escape(name)}" style="width:{width}px;height:900px;border:0"'
        f' srcdoc="{escape(page)}"></iframe>'
        for name, page in pages.items()
    )
    script = (Path(__file__).parent / "measure.js").read_text("utf-8")
    with TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        head = f'<!DOCTYPE html><meta charset="utf-8"><body><script>{script}</script>'
        page.write_text(head + frames, "utf-8")
        done = subprocess.run(
            [str(CHROMIUM), *FLAGS, f"--user-data-dir={folder}/profile", f"--window-size={width + 40},900",
             f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", "--dump-dom", page.as_uri()],
            capture_output=True, timeout=240, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    body = done.stdout.decode().partition("<body>")[2].partition("</body>")[0]
    assert body.startswith("{"), done.stderr.decode()[-2000:]
    told = json.loads(unescape(body))
    assert told["dark"] == (scheme == "dark")
    assert told["back"] == PAGE_COLOURS[scheme]
    assert set(told["found"]) == set(pages)
    return {name: wrong for name, wrong in told["found"].items() if wrong}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("language", languages())
def test_every_mail_is_whole_and_legible(language: str, width: int, scheme: str) -> None:
    assert seen({one.name: one.page for one in mails(language)}, width, scheme) == {}


def test_a_word_without_end_does_not_widen_a_phones_page() -> None:
    """As a member may write one, or bear it as his name."""
    pages = {}
    for life in LIVES:
        for one in played(life):
            text = one.mail.text.replace("anna", "x" * 150).replace(
                "bela", "https://example.org/" + "y" * 150
            )
            pages[f"{one.mail.kind} {one.mail.subject[:12]}"] = blocks(text, frozenset())
    desk = Desk("club@example.org")
    found = {name: html_of(read, "x" * 150, "fr", "x" * 150, desk) for name, read in pages.items()}
    assert seen(found, 360, "light") == {}


def test_what_is_wrong_is_found() -> None:
    """The measure itself: each fault that it looks for, made once."""
    good = mails("fr")[0].page
    body = "<h1>mot</h1>"
    faults = {
        "scrolls sideways": good.replace("</h1>", '</h1><p style="width:500px">mot</p>', 1),
        "contrast": good.replace("</h1>", '</h1><p style="color:#aaa;background:#fff">mot</p>', 1),
        "leads elsewhere": good.replace("</h1>", '</h1><a href="https://example.org">mot</a>', 1),
        "too low": good.replace("</h1>", '</h1><a href="mailto:a@example.org">mot</a>', 1),
        "too small": good.replace("</h1>", '</h1><p style="font-size:9px">mot</p>', 1),
        "no words": good.replace("</h1>", '</h1><img src="data:,">', 1),
        "without headings": good.replace("</h1>", "</h1><table><tr><td>mot</td></tr></table>", 1),
        "2 titles": good.replace("</h1>", f"</h1>{body}", 1),
    }
    found = seen(faults, 360, "light")
    assert {name for name in faults if any(name in line for line in found.get(name, ()))} == set(faults)
