# ruff: noqa: E501 - mails stand here as they are written
"""Own words: hazards A and B of the text, by the habits of mail programs."""

from __future__ import annotations

import time

import pytest

from parsers.characters import clean
from parsers.own_words import own_words
from tests.parsers.mail_scene import mail, said

ORDER = "VIREMENT 10 à bela"
RUNS = ("command", ["VIREMENT amount_cents=1000 to=bela"])
OLD = "VIREMENT 8 à dora"
OUTLOOK = (
    f"De : Club <club@example.org>\nEnvoyé : mardi 3 novembre 2026 19:05\nÀ : Anna\nObjet : ordre\n\n{OLD}"
)

REPLIES = {
    "A01": f"{ORDER}\n\nLe mar. 3 nov. 2026 à\u00a019:05, Club <club@example.org> a écrit\u202f:\n\n{OLD}",
    "A02": f"{ORDER}\n\nLe mar. 3 nov. 2026 à 19:05, Club de la rue Haute <\nclub@example.org> a écrit :\n\n> {OLD}",
    "A03": f"{ORDER}\n\nLe mar. 3 nov. 2026 à 19:05, Club de la rue Haute a\nécrit :\n\n{OLD}",
    "A05": f"Merci à tous\n{ORDER}\nLe mar. 3 nov. 2026 à 19:05, Club <\nclub@example.org> a écrit :\n\n{OLD}",
    "A06": f"{ORDER}\n\nLe 3 nov. 2026 à 19:05, Club a écrit :\n\n\n\n\n{OLD}",
    "A07": f"{ORDER}\n\nAm Di., 3. Nov. 2026 um 19:05 Uhr schrieb Club der\nhohen Strasse <club@example.org>:\n\n{OLD}",
    "A07-en": f"{ORDER}\n\nOn Tue, Nov 3, 2026 at 7:05 PM Club <club@example.org> wrote:\n\n{OLD}",
    "A07-es": f"{ORDER}\n\nEl mar, 3 nov 2026 a las 19:05, Club (<club@example.org>) escribió:\n\n{OLD}",
    "A08": f"{ORDER}\n\nIl giorno mar 3 nov 2026 alle ore 19:05 Club <club@example.org> ha scritto:\n\n{OLD}",
    "A09": f"{ORDER}\n\nOp di 3 nov. 2026 om 19:05 schreef Club <club@example.org>:\n\n{OLD}",
    "A09-order": f"{ORDER}\n\nClub <club@example.org> chrieb am 3. Nov. 2026 um 19:05:\n\n{OLD}",
    "A10": f"{ORDER}\n\nAnna\n\n{OUTLOOK}",
    "A11": (
        f"{ORDER}\n\n*De :* Club <club@example.org>\n*Envoyé :* mardi\n*À :* Anna\n*Cc :* Bela\n*Objet :* x\n\n{OLD}"
    ),
    "A11-order": f"{ORDER}\n\nObjet : x\nDate : 3 nov. 2026\nDe : Club <club@example.org>\nÀ : Anna\n\n{OLD}",
    "A12": f"{ORDER}\n\nDe :\nClub <club@example.org>\nEnvoyé :\nmardi 3 novembre\nÀ :\nAnna\nObjet :\nx\n\n{OLD}",
    "A13": f"{ORDER}\n\n-----Message d\u2019origine-----\nClub\n\n{OLD}",
    "A13-mail": f"{ORDER}\n\n----- Mail original -----\nClub\n\n{OLD}",
    "A13-samsung": f"{ORDER}\n\n-------- Message original --------\nClub\n\n{OLD}",
    "A13-de": f"{ORDER}\n\n-----Ursprüngliche Nachricht-----\nClub\n\n{OLD}",
    "A15": (
        f"{ORDER}\n\nEnvoyé à partir d\u2019Outlook pour Android<https://example.com/a>\n"
        f"________________________________\n{OUTLOOK}"
    ),
    "A15-ios": f"{ORDER}\n\nTélécharger Outlook pour iOS\n________________________________\n{OUTLOOK}",
    "A18": f"{ORDER}\n\nLe mardi 3 novembre 2026 à 19:05:12 UTC+1, Club <club@example.org> a écrit :\n\n  {OLD}\n  Club",
    "A19": f'{ORDER}\n\n> Message du 03/11/26 19:05\n> De : "Club"\n> A : Anna\n>\n> {OLD}',
    "A20": f"Le 03/11/2026 à 19:05, Club a écrit :\n> Cher membre,\n>\n> {OLD}\n\n{ORDER}",
    "A21": f"> Que voulez-vous ?\n{ORDER}\n> {OLD}\n\nMerci",
    "A23": (
        f"{ORDER}\n\nLe 3 nov. 2026 à 19:05, Club a écrit :\n\nD'accord avec\n\n"
        f"Le 2 nov. 2026 à 18:00, Dora a écrit :\n\n> x\n\n{OLD}"
    ),
    "A26": f"{ORDER}\n\n--- Répondez au-dessus de cette ligne ---\n\n{OLD}",
    "A28": f"Bonjour\n----------\n{ORDER}",
    "A29": f"Bonjour\n-------------- next part --------------\n{ORDER}",
    "A30": f"{ORDER}\nEnvoyé de mon iPhone\n{OLD}",
    "A30-de": f"{ORDER}\n\nVon meinem iPhone gesendet\n\n{OLD}",
    "A30-it": f"{ORDER}\n\nInviato da iPhone\n\n{OLD}",
    "A31": f"{ORDER}\n\n-- \nAnna\nPARTIES le vendredi\nPARTIES",
    "A32": f"{ORDER}\n\nCe message et toutes les pièces jointes sont confidentiels.\n{OLD}\nSOLDE",
    "A32-virus": f"{ORDER}\n\nGaranti sans virus. www.avast.com\n{OLD}",
    "A32-list": f"{ORDER}\n\n_______________________________________________\nmembres mailing list\n{OLD}",
    "A01-quebec": f"{ORDER}\n\nLe 9 mars 2026, à 21 h 14, Club a écrit :\n\n{OLD}",
    "A02-four-lines": f"{ORDER}\n\nLe lun. 9 mars 2026 à\n21:14, Club <\nclub@example.org>\na écrit :\n{OLD}",
    "A07-pl": f"{ORDER}\n\npon., 9 mar 2026 o 21:14 Club <club@example.org> napisał(a):\n\n{OLD}",
    "A07-hu": f"{ORDER}\n\nClub <club@example.org> ezt írta (időpont: 2026. márc. 9., H, 21:14):\n\n{OLD}",
    "A07-no-verb": f"{ORDER}\n\nпн, 9 мар. 2026 г. в 21:14, Club <club@example.org>:\n\n{OLD}",
    "A07-name-date": f"{ORDER}\n\nClub <club@example.org>, 9 mars 2026 à 21:14 :\n{OLD}",
    "A09-split-verb": f"{ORDER}\n\nClub <club@example.org> hat am 09.03.2026 21:14 CET geschrieben:\n{OLD}",
    "A09-wrote-on": f"{ORDER}\n\nClub wrote on 9/3/2026 9:14 PM:\n{OLD}",
    "A10-one-line": f"{ORDER}\n\n*De :* Club <club@example.org> *Envoyé :* lundi *À :* Anna *Objet :* x\n{OLD}",
    "A10-two-labels": f"{ORDER}\n\nDe : Club <club@example.org>\nDate : 9 mars 2026 21:14\n\n{OLD}",
    "A10-small-letters": f"{ORDER}\n\nenvoyé : 9 mars 2026\nde : Club\nà : Anna\nobjet : x\n\n{OLD}",
    "A13-zoho": f"{ORDER}\n\n---- Le lun., 09 mars 2026 21:14:05 +0100 Club <club@example.org> a écrit ----\n{OLD}",
    "A18-same-line": f"{ORDER}\n\nLe lun. 9 mars 2026 à 21:14, Club <club@example.org> a écrit : {OLD}\n{OLD}",
    "A19-unmarked": f"{ORDER}\n\nMessage du 09/03/26 21:14\nDe : Club\nA : Anna\n{OLD}",
    "A19-initials": f"CL> {OLD}\nCL> OUI\n\n{ORDER}",
    "B01": f"{ORDER}\n\n---------- Forwarded message ---------\nDe : Bela <bela@example.org>\n\n{OLD}",
    "B01-apple": f"{ORDER}\n\nDébut du message transféré :\n\n{OLD}",
    "B02": f"{ORDER}\n\nDe : Bela <bela@example.org>\nDate : 3 nov. 2026\nObjet : x\nÀ : Anna\n\n{OLD}",
}


@pytest.mark.parametrize("text", REPLIES.values(), ids=REPLIES.keys())
def test_only_the_own_command_runs(text: str) -> None:
    assert said(mail(text, "Re: ordre")) == RUNS


NOTHING_OWN = {
    "A22": "> VIREMENT 10 à bela\n> Anna",
    "A24": "Le 3 nov. 2026 à 19:05, Club a écrit :\n\nRépondez\nOUI\nou ACCEPTE 5 d'accord",
    "A25": "\n\nLe 3 nov. 2026 à 19:05, Club <club@example.org> a écrit :\n\n> VIREMENT 8 à dora",
    "A25-rule": f"\n________________________________\n{OUTLOOK}",
    "D28": " \n\u00a0\n",
}


@pytest.mark.parametrize("text", NOTHING_OWN.values(), ids=NOTHING_OWN.keys())
def test_without_own_words_a_reply_is_empty(text: str) -> None:
    assert said(mail(text, "Re: ordre")) == ("empty", [])


NOT_THE_WRITERS = {
    "T-29-quoted": f"Bonjour\n\n> {ORDER}\n> OUI",
    "T-29-attributed": f"Bonjour\n\nLe 3 nov. 2026 à 19:05, Club <club@example.org> a écrit :\n\n{ORDER}\nOUI",
    "T-29-signature": f"Bonjour\n\n-- \nAnna\n{ORDER}\nOUI",
    "T-29-telephone": f"Bonjour\n\nEnvoyé de mon iPhone\n{ORDER}",
    "T-29-forward": f"Bonjour\n\n---------- Forwarded message ---------\nDe : Bela\n\n{ORDER}\nOUI",
    "T-29-labels": f"Bonjour\n\n{OUTLOOK}\n{ORDER}\nOUI",
    "T-29-footer": f"Bonjour\n\nCe message est confidentiel.\n{ORDER}",
}


@pytest.mark.parametrize("text", NOT_THE_WRITERS.values(), ids=NOT_THE_WRITERS.keys())
def test_what_the_writer_did_not_write_never_runs(text: str) -> None:
    assert said(mail(text, "Re: ordre")) == ("unknown-command", [])


OWN_SENTENCES = {
    "A04": "Le message précédent de 2026 que Bela a écrit représente mal les choses\nVIREMENT 10 à bela",
    "A04-colon": "Voici ce que Bela a écrit :\nVIREMENT 10 à bela",
    "A04-no-address": "Voici ce que Bela m'a écrit le 3 mars :\nVIREMENT 10 à bela",
    "A04-date-later": (
        "Le serveur de Bela n'a pas voulu de mon mail, je l'ai renvoyé plusieurs fois sans succès,\n"
        "la dernière fois le dimanche 25 janvier 2026 à 09:16. Il a répondu :\nVIREMENT 10 à bela"
    ),
    "labels-two": "Date : vendredi\nA : 20 h\nVIREMENT 10 à bela",
    "labels": "De : Anna\nVIREMENT 10 à bela",
    "A28-evening": "---- Soirée du 06/03/2026 20h00 ----\nVIREMENT 10 à bela",
    "dash": "- -\nVIREMENT 10 à bela",
}


@pytest.mark.parametrize("text", OWN_SENTENCES.values(), ids=OWN_SENTENCES.keys())
def test_own_sentences_are_no_attributions(text: str) -> None:
    assert said(mail(text)) == RUNS


def test_a14_the_sender_is_never_taken_from_the_history() -> None:
    from parsers.letter import read_letter

    assert read_letter(mail(f"{ORDER}\n\n{OUTLOOK}")).sender == "anna@example.org"


@pytest.mark.parametrize(
    "unit",
    ["On it goes\n", "Le 3 mai 2026 à 10:00 x a écrit\n", "De : x\n", "> ", "On ", "-- x\n", "<", "\n"],
)
def test_a27_hostile_texts_cost_no_more_than_their_length(unit: str) -> None:
    text = clean(unit * (60_000 // len(unit)))
    start = time.process_time()
    own_words(text)
    assert time.process_time() - start < 2


def test_cuts_name_their_lines_and_reason() -> None:
    own = own_words("OUI\n\nLe 3 nov. 2026 à 19:05, Club a écrit :\n> a\n> b\nNON\n-- \nAnna")
    assert [(c.first, c.last, c.reason) for c in own.cuts] == [
        (3, 3, "attribution"),
        (4, 5, "quote"),
        (7, 8, "signature"),
    ]
    assert [(line.number, line.text) for line in own.lines] == [(1, "OUI"), (2, ""), (6, "NON")]


def test_every_line_is_either_kept_or_cut() -> None:
    text = REPLIES["A21"] + "\n\n" + REPLIES["A32"]
    own = own_words(clean(text))
    numbers = [line.number for line in own.lines] + [n for c in own.cuts for n in range(c.first, c.last + 1)]
    assert sorted(numbers) == list(range(1, len(text.split("\n")) + 1))


def test_a_quoted_line_broken_by_a_program_stays_quoted() -> None:
    text = "> " + "mot " * 16 + "\nVIREMENT 8 à dora\n> fin\n\nVIREMENT 10 à bela"
    assert said(mail(text, "Re: x")) == RUNS
