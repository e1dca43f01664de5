"""What is told of a reading: each stage's decision, and no token."""

import json
import re
from pathlib import Path

import pytest

from mailflow.explain import STAGES
from mailflow.explain import explain_mail as explain_mail_by
from mailflow.explain import told as told_by
from mailflow.letters import explainer
from mailflow.words import TEMPLATES, languages
from parsers import letter as letters
from parsers.commands import PROBLEM_CODES, read_commands
from parsers.explanation import Explanation, Span, explain
from parsers.kinds import LetterKind
from parsers.letter import read_letter
from tests.parsers.mail_scene import GRAMMAR, mail

TOKEN = "a0123456789abcdefghjkmnpqrs"
REPLY = """Bonjour,

virement 12 à bela

Le 9 mars 2026 à 21:14, Club a écrit :
> VIREMENT 8 à dora
> Merci

-- \u0020
Anna
PARTIES"""


SAY = explainer("fr")


def explain_mail(raw: bytes) -> list[str]:
    return [line.replace("\u00a0", " ") for line in explain_mail_by(raw, SAY)]


def told(found: Explanation) -> list[str]:
    return told_by(found, SAY)


def explained(raw: bytes) -> Explanation:
    letter = read_letter(raw)
    return explain(letter, read_commands(letter, GRAMMAR))


def test_every_line_is_kept_or_cut_with_its_reason():
    found = explained(mail(REPLY.replace("-- \u0020", "-- "), "Re: x"))
    assert found.kept == (Span(1, 3),)
    assert found.cuts == (Span(5, 5, "attribution"), Span(6, 7, "quote"), Span(9, 11, "signature"))
    assert [(c.verb, c.line, c.words) for c in found.commands] == [("VIREMENT", 3, "virement 12 à bela")]
    assert (found.subject, found.token, found.doubt, found.mail_class) == (
        "prefixed",
        False,
        False,
        "command",
    )


def test_a_record_survives_being_stored():
    for raw in (
        mail(REPLY, "Re: x"),
        mail("VIREMENT 1,555 à bela"),
        mail("x", "COMPTE"),
        b"",
        b"From: a@b.org\n\n\xff",
    ):
        found = explained(raw)
        stored = json.loads(json.dumps(found.as_record()))
        assert told(Explanation.of_record(stored)) == told(found)


@pytest.mark.parametrize(
    "raw",
    [
        mail("OUI", f"Re: x [#{TOKEN}]"),
        mail(f"CONTESTE 5 vu sur club+{TOKEN}@example.org", f"x [#{TOKEN}]"),
        mail(f"OUI\n\n> club+{TOKEN}@example.org\n", f"Re: [#{TOKEN.upper()}]"),
    ],
)
def test_a_token_is_named_but_never_shown(raw: bytes):
    found = explained(raw)
    assert found.token
    for shown in (json.dumps(found.as_record()), "\n".join(explain_mail(raw))):
        assert TOKEN not in shown.lower()


def test_no_member_is_kept_at_length():
    found = explained(mail("ANNONCE " + "bla " * 900))
    assert len(json.dumps(found.as_record())) < 1500


def test_history_says_by_what_it_was_known():
    labels = "COMPTE\n\nDe : Club\nEnvoyé : lundi\nObjet : x\n\nOUI"
    assert explained(mail(labels, "Re: x")).cuts == (Span(3, 7, "history", "labels"),)
    marker = "COMPTE\n\n-----Message d'origine-----\nOUI"
    assert explained(mail(marker, "Re: x")).cuts == (Span(3, 4, "history", "marker"),)


def test_a_rule_above_labels_is_history_and_no_footer():
    outlook = (
        "COMPTE\n\n________________________________\nDe : Club <c@b.org>\nEnvoyé : lundi\nObjet : x\n\nOUI"
    )
    assert explained(mail(outlook, "Re: x")).cuts == (Span(3, 8, "history", "labels"),)


def test_a_person_reads_commands_and_problems_as_they_are_written():
    told_of = "\n".join(
        explain_mail(mail("Virement de 15,50 € à Carl svp\n\nRésultat 12 : 1er anna, 2e bela"))
    )
    assert "ligne 1 : VIREMENT 15,50 à carl" in told_of
    assert "ligne 3 : RESULTAT 12 1=anna 2=bela" in told_of
    told_of = "\n".join(explain_mail(mail("Virement 1.500 € à Carl")))
    assert "ligne 1 : VIREMENT montant : « 1.500 € » – n'est pas un montant (amount_unreadable)" in told_of
    assert "il porte deux expéditeurs" in "\n".join(
        explain_mail(mail("COMPTE", headers="From: b@example.org\n"))
    )


def test_problems_and_a_mail_that_cannot_be_read_are_told():
    assert any(
        "15,505" in line and "amount_unreadable" in line
        for line in explain_mail(mail("VIREMENT 15,505 à bela"))
    )
    assert any("from_missing" in line for line in explain_mail(b"To: club@example.org\n\nCOMPTE"))


def test_doubt_is_told():
    raw = mail("COMPTE\n\nClub wrote on 9/3/2026 9:14 PM:\n\nVIREMENT 8 à dora", "Re: x")
    assert any("autre lecteur" in line for line in explain_mail(raw))


def words_of(language: str) -> dict[str, set[str]]:
    """The words of the reader that a language has words for, by the macro that says them."""
    text = (TEMPLATES / language / "explanation.md").read_text("utf-8")
    macros = re.findall(r"{% macro (\w+)\(.*?%}(.*?){%-? endmacro", text, re.DOTALL)
    return {name: set(re.findall(r'^  "([\w-]+)": ', body, re.MULTILINE)) for name, body in macros}


@pytest.mark.parametrize("language", languages())
def test_every_word_of_the_reader_has_its_words(language: str):
    source = Path(__file__).resolve().parents[2] / "parsers"
    written = (source / "own_words.py").read_text("utf-8") + (source / "our_mails.py").read_text("utf-8")
    words = words_of(language)
    for word in words["cut"] | words["mark"]:
        assert f'"{word}"' in written
    assert words["stage"] == set(STAGES)
    assert words["kind"] == {kind.value for kind in LetterKind}
    assert words["source"] == {"plain", "flowed", "html"}
    assert words["subject"] == {"own", "prefixed", "too_long", "empty"}
    assert len(words["mail_class"]) == 8
    assert words["problem"] == set(PROBLEM_CODES)
    listed = (letters.__doc__ or "").partition("reason:\n")[2].split("\n")
    assert words["reason"] == {word for line in listed for word in line.strip().split("  ")[0].split()}
    readers = "".join(path.read_text("utf-8") for path in source.glob("*.py"))
    assert all(f'"{word}"' in readers for word in words["defect"] | words["reason"])


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "fr",
            ("ligne 3 : COMPTE (simulation)", "lignes 1 à 3 : retenues", "Pas compris   ligne 1 : VIREMENT"),
        ),
        ("en", ("line 3: COMPTE (simulation)", "lines 1 to 3: kept", "Unclear       line 1: VIREMENT")),
        ("it", ("riga 3: COMPTE (simulazione)", "righe 1 a 3: tenute", "Non capito   riga 1: VIREMENT")),
    ],
)
def test_each_reader_is_told_in_his_language(language: str, lines: tuple[str, ...]):
    found = explain_mail_by(mail("VIREMENT 1.500 à carl\n\nSIMULE COMPTE"), explainer(language))
    shown = "\n".join(found).replace("\u00a0", " ")
    assert [line for line in lines if line not in shown] == []
