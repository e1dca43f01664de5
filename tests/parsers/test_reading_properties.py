# ruff: noqa: E501 - mails stand here as they are written
"""Laws over many mails: a command comes back through any client, and a quoted mail says nothing (TRUST 4)."""

from __future__ import annotations

import base64
import quopri
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.characters import clean, folded
from tests.parsers.mail_scene import html, mail, parts, reading, said

COMMANDS = [
    ("VIREMENT 15,50 € à bela", "VIREMENT amount_cents=1550 to=bela"),
    ("virement 9 euros a Zoé.", "VIREMENT amount_cents=900 to=zoé"),
    ("PARTIE buyin=2 joueurs=anna, bela et carl", "PARTIE buyin_cents=200 players=['anna', 'bela', 'carl']"),
    ("Résultat 12 1=anna 2=bela", "RESULTAT game=12 places={'1': ['anna'], '2': ['bela']}"),
    ("Conteste 5 le classement est faux", "CONTESTE game=5 reason=le classement est faux"),
    ("MODIFIE 6 buyin=5 +gus -ines", "MODIFIE game=6 buyin_cents=500 add=['gus'] remove=['ines']"),
    ("COMPTE", "COMPTE"),
    ("oui", "OUI"),
]

OUTGOING = [
    "Cher membre,\n\nordre pris en compte :\n\nVIREMENT 8 à dora\n\nRépondez\nOUI\npour l'exécuter.",
    "PARTIE buyin=4 joueurs=anna,carl\n\nCONTESTE 5 motif\n\nACCEPTE 3 d'accord\n\nNON",
    "COMPTE\nPARTIES\nFIN\n\nBANNIT bela triche",
]

DATE = "mar. 3 nov. 2026 à 19:05"


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def outlook(own: str, old: str) -> str:
    return f"{own}\n\nDe : Club <club@example.org>\nEnvoyé : mardi 3 novembre 2026 19:05\nÀ : Anna\nObjet : x\n\n{old}"


STYLES: dict[str, Callable[[str, str], str]] = {
    "gmail": lambda own, old: f"{own}\n\nLe {DATE}, Club <club@example.org> a écrit :\n\n{quoted(old)}",
    "gmail-nbsp": lambda own, old: (
        f"{own}\n\nLe {DATE}, Club <club@example.org> a\u00a0écrit\u202f:\n\n{quoted(old)}"
    ),
    "gmail-wrapped": lambda own, old: (
        f"{own}\n\nLe {DATE}, Secrétariat du club <\nclub@example.org> a écrit :\n\n{quoted(old)}"
    ),
    "iphone": lambda own, old: (
        f"{own}\n\nEnvoyé de mon iPhone\n\n> Le {DATE}, Club a écrit :\n> \n{quoted(old)}"
    ),
    "yahoo": lambda own, old: f"{own}\n\n    Le {DATE}, Club <club@example.org> a écrit :\n\n{old}",
    "outlook": outlook,
    "outlook-mobile": lambda own, old: outlook(f"{own}\n\nTélécharger Outlook pour iOS\n" + "_" * 32, old),
    "original": lambda own, old: f"{own}\n\n-----Message d\u2019origine-----\nDe : Club\n\n{old}",
    "samsung": lambda own, old: f"{own}\n\n-------- Message d'origine --------\nDe : Club\n\n{old}",
    "zimbra": lambda own, old: f"{own}\n\n----- Mail original -----\nDe: Club\n\n{old}",
    "operator": lambda own, old: f"{own}\n\n> Message du 03/11/26 19:05\n> De : Club\n{quoted(old)}",
    "thunderbird": lambda own, old: f"Le 03/11/2026 à 19:05, Club a écrit :\n{quoted(old)}\n\n{own}",
    "german": lambda own, old: f"{own}\n\nAm 03.11.26 um 19:05 schrieb Club:\n{quoted(old)}",
    "italian": lambda own, old: (
        f"{own}\n\nIl giorno mar 3 nov 2026 alle ore 19:05 Club <club@example.org> ha scritto:\n\n{old}"
    ),
    "english": lambda own, old: (
        f"{own}\n\nOn Tue, Nov 3, 2026 at 7:05 PM Club <club@example.org> wrote:\n\n{quoted(old)}"
    ),
    "forward": lambda own, old: (
        f"{own}\n\n---------- Forwarded message ---------\nDe : Club <club@example.org>\n\n{old}"
    ),
}
SIGNATURES = ["", "\n\nMerci,\nAnna", "\n\n-- \nAnna\nPARTIES", "\n\nEnvoyé de mon iPhone", "\n\nBien à vous"]
CHARSETS = ["utf-8", "iso-8859-15", "windows-1252", "utf-16"]


def encoded(text: str, charset: str, encoding: str) -> bytes:
    label = {"windows-1252": "iso-8859-1"}.get(charset, charset)
    data = clean(text).encode(charset, "replace") if charset != "utf-8" else text.encode()
    head = f"Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: {encoding}\n"
    if encoding == "base64" or charset == "utf-16":
        data, head = base64.encodebytes(data), head.replace(encoding, "base64")
    elif encoding == "quoted-printable":
        data = quopri.encodestring(data)
    return mail(data, "Re: ordre", head)


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(COMMANDS),
    st.sampled_from(OUTGOING),
    st.sampled_from(SIGNATURES),
    st.sampled_from(CHARSETS),
    st.sampled_from(["8bit", "base64", "quoted-printable"]),
)
def test_exactly_the_command_comes_back(
    style: str, command: tuple[str, str], old: str, signature: str, charset: str, encoding: str
) -> None:
    written, line = command
    ends_here = style != "thunderbird" and signature in SIGNATURES[2:4]
    text = STYLES[style](written + ("" if ends_here else signature), old) + (
        signature if style == "thunderbird" else ""
    )
    if ends_here:
        text = STYLES[style](written, old)
    assert said(encoded(text, charset, encoding))[1] == [line]


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from(OUTGOING), min_size=1, max_size=3),
    st.sampled_from(sorted(STYLES)),
    st.sampled_from(CHARSETS),
)
def test_a_quoted_mail_says_nothing(style: str, mails: list[str], inner: str, charset: str) -> None:
    old = mails[0]
    for below in mails[1:]:
        old = STYLES[inner](old, below)
    found = reading(encoded(STYLES[style]("", old), charset, "8bit"))
    assert (found.mail_class, found.commands) == ("empty", ())


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(COMMANDS),
    st.sampled_from(OUTGOING),
    st.sampled_from(["gmail", "outlook", "apple", "forward"]),
)
def test_html_replies_say_the_same(command: tuple[str, str], old: str, style: str) -> None:
    written, line = command
    own = f"<div>{written}</div><br>"
    history = old.replace("\n", "<br>\n")
    markup = {
        "gmail": f'{own}<div class="gmail_quote"><div class="gmail_attr">Le {DATE}, Club a écrit :</div>'
        f'<blockquote class="gmail_quote">{history}</blockquote></div>',
        "outlook": f'{own}<div style="border:none;border-top:solid #E1E1E1 1.0pt"><b>De :</b> Club</div><p>{history}</p>',
        "apple": f'{own}<div>Envoyé de mon iPhone</div><blockquote type="cite">{history}</blockquote>',
        "forward": f'{own}<div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message</div>{history}</div>',
    }[style]
    body = f"<html><body>{markup}</body></html>"
    assert said(mail(body, "Re: x", "Content-Type: text/html; charset=utf-8\n"))[1] == [line]
    both = parts(
        f"Content-Type: text/plain; charset=utf-8\n\n{STYLES['gmail'](written, old)}",
        html(body),
        kind="alternative",
    )
    assert said(both)[1] == [line]


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    found = reading(mail(text.encode("utf-8", "surrogatepass")))
    assert found.mail_class in (
        "command",
        "reply-confirm",
        "reply-arbitration",
        "unknown-command",
        "empty",
        "malformed",
    )


WORDS = ["VIREMENT", "PARTIE", "RESULTAT", "modifie", "REGLE", "INJONCTION", "15", "1=", "=", ",", "à", "anna", "2e", "+gus",
         "-ines", "buyin", "joueurs=", "€", "et", "\n", "motif", "12", ":", "SIMULE", "OUI", ".", "1,5", "#3"]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=20))
def test_any_words_are_read_and_only_whole_commands_run(words: list[str]) -> None:
    found = reading(mail(" ".join(words)))
    assert not (found.problems and found.mail_class in ("command", "reply-confirm", "reply-arbitration"))


@given(st.text())
def test_cleaning_and_folding_are_stable(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert folded(folded(once)) == folded(once)
