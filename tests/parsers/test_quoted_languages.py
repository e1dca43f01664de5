# ruff: noqa: E501 - what announces a quote stands here as programs write it
"""Our mails in each language, answered: what is quoted below says nothing, in the way of each program and language.

Each way has the answer above or below our mail as its program leaves it: marked with `>`, or only announced.
"""

from functools import cache

import pytest

from mailflow.compose import text_part
from parsers.commands import read_commands
from parsers.grammar import Grammar
from parsers.letter import read_letter
from tests.house.test_templates import in_every_language, sent
from tests.parsers.mail_scene import VERBS, mail, reading, said
from tests.parsers.test_our_mails import PROGRAMS, page_of
from tests.parsers.test_quoted_mails import quoted_page

CLUB = "Les amis du mardi"
ADDRESS = "club+c0123456789abcdefghjkmnpqrs@example.org"


def quoted(old: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in old.split("\n"))


HEADS = {
    "thunderbird de": f"Am 01.12.26 um 10:00 schrieb {CLUB}:",
    "thunderbird de, four figures": f"Am 1.12.2026 um 10:00 schrieb {CLUB}:",
    "thunderbird en": f"On 12/1/26 10:00, {CLUB} wrote:",
    "thunderbird en, am": f"On 12/1/2026 10:00 AM, {CLUB} wrote:",
    "thunderbird it": f"Il 01/12/26 10:00, {CLUB} ha scritto:",
    "gmail de": f"Am Di., 1. Dez. 2026 um 10:00 Uhr schrieb {CLUB} <{ADDRESS}>:",
    "gmail de, wrapped": f"Am Di., 1. Dez. 2026 um 10:00 Uhr schrieb {CLUB} <\n{ADDRESS}>:",
    "gmail en": f"On Tue, 1 Dec 2026 at 10:00, {CLUB} <{ADDRESS}> wrote:",
    "gmail en, wrapped": f"On Tue, Dec 1, 2026 at 10:00 AM {CLUB} <\n{ADDRESS}> wrote:",
    "gmail it": f"Il giorno mar 1 dic 2026 alle ore 10:00 {CLUB} <{ADDRESS}> ha scritto:",
    "gmail it, wrapped": f"Il giorno mar 1 dic 2026 alle ore 10:00 {CLUB} <\n{ADDRESS}> ha scritto:",
    "apple de": f"Am 01.12.2026 um 10:00 schrieb {CLUB} <{ADDRESS}>:",
    "apple en": f"On 1 Dec 2026, at 10:00, {CLUB} <{ADDRESS}> wrote:",
    "apple en, am": f"On Dec 1, 2026, at 10:00\u202fAM, {CLUB} <{ADDRESS}> wrote:",
    "apple it": f"Il giorno 1 dic 2026, alle ore 10:00, {CLUB} <{ADDRESS}> ha scritto:",
    "k-9 de": f"Am 1. Dezember 2026 10:00:00 MEZ schrieb {CLUB} <{ADDRESS}>:",
    "proton de": f"Am Dienstag, 1. Dezember 2026 um 10:00, {CLUB} <{ADDRESS}> schrieb:",
    "roundcube de": f"Am 01.12.2026 10:00, schrieb {CLUB}:",
    "roundcube en": f"On 2026-12-01 10:00, {CLUB} wrote:",
    "roundcube it": f"Il 01-12-2026 10:00 {CLUB} ha scritto:",
    "yahoo de": f"Am Dienstag, 1. Dezember 2026 um 10:00:00 MEZ hat {CLUB} <{ADDRESS}> Folgendes geschrieben:",
    "yahoo en": f"On Tuesday, December 1, 2026 at 10:00:00 AM GMT+1, {CLUB} <{ADDRESS}> wrote:",
    "yahoo it": f"Il martedì 1 dicembre 2026 alle ore 10:00:00 CET, {CLUB} <{ADDRESS}> ha scritto:",
    "web.de app": f"Am 01.12.26, 10:00, {CLUB} <{ADDRESS}> schrieb:",
    "web.de app, turned": f"Am 01.12.26, 10:00 schrieb {CLUB} <{ADDRESS}>:",
    "tuta de": f"1. Dez. 2026, 10:00 von {ADDRESS}:",
    "tuta it": f"1 dic 2026, 10:00 da {ADDRESS}:",
    "evolution de": f"Am Dienstag, dem 01.12.2026 um 10:00 +0100 schrieb {CLUB}:",
    "kmail de": f"Am Dienstag, 1. Dezember 2026, 10:00:00 CET schrieb {CLUB}:",
    "apple de, no name": f"Am 01.12.2026 um 10:00 schrieb {ADDRESS}:",
    "gmail de, nbsp": f"Am Di., 1. Dez. 2026 um 10:00\u202fUhr schrieb {CLUB} <{ADDRESS}>:",
    "libero it": f"Il 1 dicembre 2026 10:00 CET {CLUB} <{ADDRESS}> ha scritto:",
}
LABELS = {
    "outlook de": f"Von: {CLUB} <{ADDRESS}>\nGesendet: Dienstag, 1. Dezember 2026 10:00\n"
    "An: Anna Keller <anna@example.org>\nBetreff: x",
    "outlook en": f"From: {CLUB} <{ADDRESS}>\nSent: Tuesday, December 1, 2026 10:00 AM\n"
    "To: Anna Keller <anna@example.org>\nSubject: x",
    "outlook it": f"Da: {CLUB} <{ADDRESS}>\nInviato: martedì 1 dicembre 2026 10:00\n"
    "A: Anna Keller <anna@example.org>\nOggetto: x",
    "outlook mac de": f"Von: {CLUB} <{ADDRESS}>\nDatum: Dienstag, 1. Dezember 2026 um 10:00\n"
    "An: Anna Keller <anna@example.org>\nBetreff: x",
    "outlook mac it": f"Da: {CLUB} <{ADDRESS}>\nData: martedì, 1 dicembre 2026 alle ore 10:00\n"
    "A: Anna Keller <anna@example.org>\nOggetto: x",
    "gmx de": f'Gesendet: Dienstag, 1. Dezember 2026 um 10:00\nVon: "{CLUB}" <{ADDRESS}>\n'
    "An: anna@example.org\nBetreff: x",
    "bluewin de": f"----Ursprüngliche Nachricht----\nVon : {ADDRESS}\nDatum : 01/12/2026 - 10:00 (MZ)\n"
    "An : anna@example.org\nBetreff : x",
    "samsung de": f"-------- Ursprüngliche Nachricht --------\nVon: {CLUB} <{ADDRESS}>\n"
    "Datum: 01.12.26 10:00 (GMT+01:00)\nAn: anna@example.org\nBetreff: x",
    "samsung de, in a word": f"-------- Originalnachricht --------\nVon: {CLUB} <{ADDRESS}>",
    "samsung it": f"-------- Messaggio originale --------\nDa: {CLUB} <{ADDRESS}>",
    "outlook plain de": "-----Ursprüngliche Nachricht-----",
    "outlook plain en": "-----Original Message-----",
    "outlook plain it": "-----Messaggio originale-----",
    "libero it": f"----Messaggio originale----\nDa: {ADDRESS}\nData: 1-dic-2026 10.00\nA: <anna@example.org>\nOgg: x",
    "forward de": f"---------- Weitergeleitete Nachricht ---------\nVon: {CLUB} <{ADDRESS}>",
    "em client de": f'------ Originalnachricht ------\nVon "{CLUB}" <{ADDRESS}>\nAn "Anna" <anna@example.org>\n'
    "Datum 01.12.2026 10:00:00\nBetreff x",
    "em client it": f'------ Messaggio Originale ------\nDa "{CLUB}" <{ADDRESS}>\nA "Anna" <anna@example.org>\n'
    "Data 01/12/2026 10:00:00\nOggetto x",
    "outlook de, bold": f"*Von:* {CLUB} <{ADDRESS}>\n*Gesendet:* Dienstag, 1. Dezember 2026 10:00\n*An:* Anna\n*Betreff:* x",
    "outlook it, bold": f"*Da:* {CLUB} <{ADDRESS}>\n*Inviato:* martedì 1 dicembre 2026 10:00\n*A:* Anna\n*Oggetto:* x",
    "outlook de, the club's language": f"Von: {CLUB} <{ADDRESS}>\nGesendet: Dienstag, 1. Dezember 2026 10:00 Uhr\n"
    "An: Anna Keller <anna@example.org>\nCc: Bela\nBetreff: Bitte bestätigen",
    "outlook it, data": f"Da: {CLUB} <{ADDRESS}>\nData: martedì 1 dicembre 2026 10:00\nA: Anna\nCc: Bela\nOggetto: x",
    "apple mail forward de": f"Anfang der weitergeleiteten Nachricht:\n\nVon: {CLUB} <{ADDRESS}>\nBetreff: x\n"
    "Datum: 1. Dezember 2026 um 10:00:00 MEZ\nAn: anna@example.org",
    "apple mail forward it": f"Inizio messaggio inoltrato:\n\nDa: {CLUB} <{ADDRESS}>\nOggetto: x\n"
    "Data: 1 dicembre 2026 alle ore 10:00:00 CET\nA: anna@example.org",
    "forward it": f"---------- Messaggio inoltrato ---------\nDa: {CLUB} <{ADDRESS}>",
}
SENT_FROM = {
    "de": "Von meinem iPhone gesendet",
    "en": "Sent from my iPhone",
    "it": "Inviato da iPhone",
    "outlook de": "Outlook für iOS beziehen<https://aka.ms/o0ukef>\n________________________________",
    "outlook older de": "Holen Sie sich Outlook für iOS<https://aka.ms/o0ukef>\n________________________________",
    "outlook en": "Get Outlook for iOS<https://aka.ms/o0ukef>\n________________________________",
    "outlook it": "Ottieni Outlook per iOS<https://aka.ms/o0ukef>\n________________________________",
}

WAYS = {
    **{name: ("{own}\n\n" + head + "\n\n{quoted}") for name, head in HEADS.items()},
    **{f"{name}, close": ("{own}\n" + head + "\n{quoted}") for name, head in HEADS.items()},
    **{f"{name}, below": (head + "\n{quoted}\n\n{own}") for name, head in HEADS.items()},
    **{f"{name}, marked": ("{own}\n\n> " + head.replace("\n", "\n> ") + "\n>\n{quoted}") for name, head in HEADS.items()},
    **{f"{name}, unmarked": ("{own}\n\n" + head + "\n\n{old}") for name, head in HEADS.items() if "<" in head},
    **{name: ("{own}\n\n" + labels + "\n\n{old}") for name, labels in LABELS.items()},
    **{
        f"{name}, sent from {sender}": ("{own}\n\n" + mark + "\n" + labels + "\n\n{old}")
        for name, labels in LABELS.items()
        for sender, mark in SENT_FROM.items()
        if name.rpartition(" ")[2] == sender.rpartition(" ")[2]
    },
}  # fmt: skip
LABELS_OF = {
    "de": ("Von", "Gesendet", "An", "Betreff", "Dienstag, 1. Dezember 2026 10:00"),
    "en": ("From", "Sent", "To", "Subject", "Tuesday, December 1, 2026 10:00 AM"),
    "it": ("Da", "Inviato", "A", "Oggetto", "martedì 1 dicembre 2026 10:00"),
}
STRANGERS = (
    "VIREMENT 15 à carl\n\nOUI\n\nNON\n",
    "OUI\n",
    "Hallo zusammen\n\nbis Dienstag\n\n    CONTESTE 12 so nicht\n",
)
"""Mails of other people."""
ANSWERS = {"fr": "Oui", "de": "Ja", "en": "Yes", "it": "Sì"}
SHARE = 25
"""Each way sees so small a part of the mails of a language, and each mail is seen by some way."""


@cache
def with_buttons(language: str) -> tuple[tuple[str, str, str], ...]:
    """One mail of each kind and subject's beginning that offers a button: its name, text and page's body."""
    found = {}
    for one, raw in sent(language):
        body = page_of(raw).partition("<body")[2].partition(">")[2].rpartition("</body>")[0]
        if 'href="mailto:' in body:
            found[f"{one.kind} {one.subject[:16]}"] = (text_part(one), body)
    return tuple((name, text, body) for name, (text, body) in found.items())


def filled(way: str, own: str, old: str) -> str:
    return WAYS[way].replace("{own}", own).replace("{quoted}", quoted(old)).replace("{old}", old)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_quoted_says_nothing_whoever_wrote_it(way):
    """A01-A12: the marks of history alone tell, for no sentence of ours is known here."""
    for old in STRANGERS:
        for own, expected in (
            ("OUI", ("reply-confirm", ["OUI"])),
            ("virement 12 à carl", ("command", ["VIREMENT"])),
            ("", ("empty", [])),
        ):
            found = read_commands(read_letter(mail(filled(way, own, old), "Re: x")), Grammar(VERBS))
            assert (found.mail_class, [c.verb for c in found.commands]) == expected
            assert not found.doubt


@in_every_language
@pytest.mark.parametrize("program", sorted({way.partition(",")[0] for way in WAYS}))
def test_an_answer_to_a_mail_of_ours_is_read_as_exactly_that(program, language):
    """TRUST 4, T-29, A01-A12: neither the quoted OUI and NON, nor a form or a sentence, is read."""
    for number, way in enumerate(WAYS):
        if way.partition(",")[0] != program:
            continue
        for name, text, _ in with_buttons(language)[number % SHARE :: SHARE]:
            for answer in ("OUI", ANSWERS[language]):
                found = said(mail(filled(way, answer, text), "Re: x"))
                assert (way, name, found) == (way, name, ("reply-confirm", ["OUI"]))
            assert (way, name, said(mail(filled(way, "", text), "Re: x"))) == (way, name, ("empty", []))


@in_every_language
@pytest.mark.parametrize("way", ["thunderbird de", "outlook de", "outlook it", "apple en, marked"])
def test_each_mail_with_a_button_is_answered(way, language):
    for name, text, _ in with_buttons(language):
        assert (name, said(mail(filled(way, "OUI", text), "Re: x"))) == (name, ("reply-confirm", ["OUI"]))


@in_every_language
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_pasted_mail_says_nothing_and_an_answer_above_is_kept(program, language):
    """An editor that sets no mark at all: our own sentences tell."""
    for name, text, _ in with_buttons(language):
        pasted = PROGRAMS[program](text)
        assert (name, reading(mail(pasted, "Re: x")).commands) == (name, ())
        assert (name, said(mail(f"OUI\n\n{pasted}", "Re: x"))[1]) == (name, ["OUI"])


@in_every_language
@pytest.mark.parametrize("program", ["de", "en", "it"])
def test_a_page_of_ours_quoted_says_nothing(program, language):
    """HTML replies, whose containers or labels tell."""
    sender, at, to, subject, date = LABELS_OF[program]
    labels = "<br>".join(
        f"<b>{label}:</b> {value}"
        for label, value in ((sender, CLUB), (at, date), (to, "Anna"), (subject, "x"))
    )
    head = HEADS[f"gmail {program}"].replace("<", "&lt;").replace(">", "&gt;")
    headers = "Content-Type: text/html; charset=utf-8\n"
    for number, (name, _, page) in enumerate(with_buttons(language)):
        pages = quoted_page("OUI", page, head, labels)
        for style in sorted(pages)[number % SHARE :: SHARE]:
            found = said(mail(pages[style], "Re: x", headers))
            assert (name, style, found) == (name, style, ("reply-confirm", ["OUI"]))
