"""Every template is filled by real lives of a club; the mails that come out are fit to be sent.

A name that a template uses and the facts lack would raise (StrictUndefined), so the lives of
`mailflow.preview` must make every kind of notice and of answer.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from mailflow.catalogue import COMMANDS, GRAMMAR
from mailflow.compose import text_part
from mailflow.notices import KINDS
from mailflow.preview.lives import LIVES, played
from mailflow.words import languages
from parsers.commands import read_commands
from parsers.letter import read_letter
from store.records import OutboxMail

ROOT = Path(__file__).resolve().parents[2]


LANGUAGES = languages()
in_every_language = pytest.mark.parametrize("language", LANGUAGES)


@cache
def sent(language: str = "fr") -> tuple[tuple[OutboxMail, bytes], ...]:
    """All mails that the lives make in a language, with their bytes."""
    return tuple((one.mail, one.raw) for life in LIVES for one in played(life, language))


def kinds(language: str) -> set[str]:
    return {mail.kind for mail, _ in sent(language)}


@in_every_language
def test_the_lives_make_every_kind_of_notice(language):
    assert KINDS - kinds(language) == set()


@in_every_language
def test_the_lives_make_every_kind_of_direct_answer(language):
    wrappers = {"answer", "confirm", "simulation", "refused", "malformed", "unknown", "empty", "unreadable"}
    assert wrappers - kinds(language) == set()


@in_every_language
def test_a_mail_is_in_the_language_of_its_reader(language):
    assert {mail.language for mail, _ in sent(language)} == {language}
    assert all(mail.subject for mail, _ in sent(language))


@in_every_language
def test_the_lives_fill_every_template(language, monkeypatch):
    """Counted at the loader: each file of the folder was asked for at least once."""
    from mailflow import letters

    used = set()
    real = letters.Letters._template
    monkeypatch.setattr(letters.Letters, "_template", lambda self, n, r: (used.add(n), real(self, n, r))[1])
    for life in LIVES:
        list(played(life, language))
    texts = {p.stem: p.read_text("utf-8") for p in (ROOT / "templates" / language).glob("*.md")}
    drawn_in = {n for n in texts if any(f'"{n}.md"' in t for m, t in texts.items() if m != n)}
    assert set(texts) - used - drawn_in == {"explanation"}


@in_every_language
def test_no_mail_shows_a_hole(language):
    for mail, _ in sent(language):
        for hole in ("None", "Undefined", "{%", "<built-in", "datetime.", "StrEnum", "MemberStatus"):
            assert hole not in mail.subject + text_part(mail), (mail.kind, hole, mail.text)


@in_every_language
def test_every_notice_says_what_it_means_for_the_readers_account(language):
    spared = {"member.invited", "complaint.received", "club.announcement"}
    for mail, _ in sent(language):
        if mail.kind in KINDS - spared and not mail.kind.startswith("identity."):
            assert re.search(r"\d\s?€|€\s?\d", text_part(mail)), (mail.kind, mail.text)


def test_french_signs_are_bound_to_their_words():
    """A no-break space stands before `: ; ? !` and inside « »: no line begins with a sign, or ends in «."""
    for path in (ROOT / "templates" / "fr").glob("*.md"):
        words = re.sub(r"{%.*?%}|{#.*?#}", "", re.sub(r"{{.*?}}", "X", path.read_text("utf-8")), flags=re.S)
        torn = re.findall(r"\S* [:;?!»](?![^\s)»])|« \S*", words)
        assert not torn, (path.name, torn)


@in_every_language
def test_lines_fit_a_terminal(language):
    for mail, _ in sent(language):
        long = [line for line in text_part(mail).splitlines() if len(line) > 80]
        assert not long, (mail.kind, long)


@in_every_language
def test_sent_bytes_read_back_as_one_mail_of_ours(language):
    """T-26: exactly the intended headers, and our own mail coming back is never a command."""
    for mail, raw in sent(language):
        letter = read_letter(raw, frozenset({"club@example.org"}))
        assert letter.sender == "club@example.org"
        assert letter.kind.value == "own"
        reading = read_commands(letter, GRAMMAR)
        assert reading.commands == (), mail.kind


@in_every_language
@pytest.mark.parametrize("mark", ["> ", ">", "| "])
def test_our_mails_quoted_back_hold_no_command(language, mark):
    """TRUST § 4: any mail we send, quoted back, yields no command and no OUI."""
    for mail, _ in sent(language):
        quoted = "\n".join(mark + line for line in text_part(mail).splitlines())
        body = f"Le lun. 5 janv. 2026 à 09:00, Les amis <club@example.org> a écrit :\n\n{quoted}\n"
        raw = f"From: bela@example.org\nTo: club@example.org\nSubject: Re: {mail.subject}\n\n{body}"
        reading = read_commands(read_letter(raw.encode()), GRAMMAR)
        assert reading.commands == (), (mail.kind, reading.commands)


def test_every_answer_of_the_table_has_a_template_or_leaves_its_notice_to_answer():
    names = {p.stem for p in (ROOT / "templates" / "fr").glob("answer.*.md")}
    silent = {c.name for c in COMMANDS} - {n.removeprefix("answer.") for n in names}
    assert silent <= {"RESULTAT", "BANNIT", "REGLE", "ADHERE", "ADHESION", "OUBLIE"}
