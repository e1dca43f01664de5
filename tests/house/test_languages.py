"""Each language of the mails says all that French says: what one lacks is named (see `languages.py`)."""

import shutil
import tomllib
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from babel import Locale

from mailflow import literal, words
from mailflow.catalogue import COMMANDS
from mailflow.handlers.identity import LANGUAGES as NAMED
from mailflow.letters import Letters, Reader
from mailflow.words import TEMPLATES

from .languages import lacking, sentences

FRENCH = TEMPLATES / "fr"
LANGUAGES = words.languages()
OTHERS = [TEMPLATES / language for language in LANGUAGES if language != "fr"]
PARIS = ZoneInfo("Europe/Paris")
CALLED = {"SIMULE"}
"""Lines of a list that begin so show a command, which is the same in every language."""


def test_every_folder_is_a_language():
    folders = {path.name for path in TEMPLATES.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(LANGUAGES) >= {"fr", "en"}
    assert set(NAMED.values()) == folders, "LANGUE offers what there is"
    for language in LANGUAGES:
        assert Locale.parse(language).language == language
        assert Locale.parse(words.particulars(language)["locale"]).language == language


@pytest.mark.parametrize("folder", OTHERS, ids=lambda folder: folder.name)
def test_a_language_has_what_french_has(folder):
    assert lacking(folder, FRENCH) == []


def test_french_has_itself():
    assert lacking(FRENCH, FRENCH) == []


@pytest.mark.parametrize("folder", OTHERS, ids=lambda folder: folder.name)
def test_nothing_is_left_untranslated(folder):
    """No words of a page are those of the same page in another language."""
    for page in folder.glob("*.md"):
        for other in {TEMPLATES / language for language in LANGUAGES} - {folder}:
            same = sentences(page) & sentences(other / page.name)
            assert not {one for one in same if one.split()[1] not in CALLED}, (page.name, other.name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_has_its_help(language):
    letters = Letters("EUR", PARIS)
    for command in COMMANDS:
        reader = Reader.newcomer("", language)
        said, form = (
            literal.words(letters.phrase("shared", name, command, reader, None)) for name in ("help", "form")
        )
        assert said.endswith((".", ").")), command.name
        assert form.split()[:1] == command.verb.form.split()[:1]
        assert letters.language_for(reader) == language


def test_every_language_is_installed_with_the_program():
    project = tomllib.loads((TEMPLATES.parent / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    assert "templates" in project["packages"]
    assert project["package-data"]["templates"] == ["*/*.md", "*/*.toml"]
    assert {path.suffix for path in TEMPLATES.glob("*/*")} == {".md", ".toml"}


def broken(folder, page, *changes):
    text = (folder / page).read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / page).write_text(text, "utf-8")


def test_what_a_folder_lacks_is_named(tmp_path):
    folder = tmp_path / "en"
    shutil.copytree(TEMPLATES / "en", folder)
    (folder / "club.announcement.md").unlink()
    (folder / "extra.md").write_text("x", "utf-8")
    broken(
        folder,
        "shared.md",
        ("macro place(number)", "macro spot(number)"),
        ('"arbitration": "under', '"x": "under'),
    )
    broken(
        folder,
        "game.result.md",
        ("effect_cents|abs|money", "gain_cents"),
        ("{% elif effect_cents < 0 %}", ""),
    )
    broken(
        folder,
        "game.created.md",
        ("-> POURQUOI {{ game.number }}", "-> POURQUOI"),
        ("{{ game.creator }}", "x"),
    )
    broken(folder, "refusals.md", ("{{ f.handle }}", "{{ f.handel }}"), ("{{ f.verb }}", "x"))
    broken(folder, "transfer.received.md", ("{{ note|quoted }}", "{{ note }}"))
    (folder / "language.toml").write_text('locale = "en_GB"\nmoment = "{day}"\nsmall = 1\n', "utf-8")
    assert lacking(folder, FRENCH) == [
        "club.announcement.md: no such file",
        "extra.md: fr has none",
        "game.created.md: the command -> POURQUOI {{ game.number }} is missing",
        "game.created.md: the command -> POURQUOI is one too many",
        "refusals.md, managers_only(f): f.verb is not shown",
        "refusals.md, member_unknown(f): f.handle is not shown",
        "refusals.md, member_unknown(f): f.handel is not known there",
        "shared.md: no macro place(number)",
        "shared.md: the macro spot(number) is never called",
        "shared.md, ranking(lines): place is not known there",
        "shared.md, state(code): the case 'arbitration' is missing",
        "shared.md, what_happened(step): place is not known there",
        "transfer.received.md: note|quoted is not written so",
        "language.toml: short_day is missing",
        "language.toml: small is nothing we read",
        "language.toml: moment does not say where {time} stands",
    ]


@pytest.mark.parametrize(
    ("at", "language", "written"),
    [
        ("2026-11-03T20:05", "fr", "mardi 3 novembre 2026 à 20:05"),
        ("2026-03-01T09:00", "fr", "dimanche 1er mars 2026 à 09:00"),
        ("2026-03-01T09:00", "it", "domenica 1º marzo 2026 alle ore 09:00"),
        ("2026-03-01T09:00", "en", "Sunday, 1 March 2026 at 09:00"),
        ("2026-03-01T09:00", "de", "Sonntag, 1. März 2026 um 09:00 Uhr"),
    ],
)
def test_an_instant_is_written_as_the_language_does_it(at, language, written):
    assert words.moment(datetime.fromisoformat(at).replace(tzinfo=PARIS), PARIS, language) == written


@pytest.mark.parametrize(
    ("language", "currency", "written"),
    [
        ("fr", "EUR", "1\u202f234,50\u00a0€"),
        ("fr", "CHF", "1'234,50\u00a0CHF"),
        ("en", "EUR", "€1,234.50"),
        ("en", "CHF", "CHF\u00a01'234.50"),
        ("it", "EUR", "1.234,50\u00a0€"),
        ("de", "EUR", "1.234,50\u00a0€"),
        ("de", "CHF", "CHF\u00a01'234.50"),
        ("it", "CHF", "CHF\u00a01'234.50"),
        ("en", "SEK", "SEK\u00a01,234.50"),
    ],
)
def test_an_amount_is_written_as_the_language_does_it(language, currency, written):
    assert words.money(123450, currency, language) == written
    assert words.signed(123450, currency, language) == f"+{written}"
    assert words.signed(-123450, currency, language) == f"\u2212{written}"
