# ruff: noqa: E501 - mails stand here as they are written
"""Own words to commands and problems: hazards H, the rules of sample mails, TRUST 4."""

from __future__ import annotations

import json
import time

import pytest

from mailflow.catalogue import GRAMMAR
from parsers.commands import PROBLEM_CODES, as_contract, read_commands
from parsers.grammar import Argument, Grammar, Kind, Verb
from parsers.letter import read_letter
from tests.parsers.mail_scene import mail, parts, plain, problems, reading, said

COMMANDS = [
    pytest.param(
        "PARTIE buyin=2,50 joueurs=anna, bela", "PARTIE buyin_cents=250 players=['anna', 'bela']", id="H06"
    ),
    ("PARTIE 2€ avec anna, bela et carl", "PARTIE buyin_cents=200 players=['anna', 'bela', 'carl']"),
    ("partie joueurs=Gus ,Bela ,carl buyin=10", "PARTIE buyin_cents=1000 players=['gus', 'bela', 'carl']"),
    (
        "PARTIE joueurs: anna bela carl mise: 5 euros",
        "PARTIE buyin_cents=500 players=['anna', 'bela', 'carl']",
    ),
    (
        "partie buyin=5€ joueurs=jules, Hugo 1=fanny 2=karim",
        "PARTIE buyin_cents=500 players=['jules', 'hugo'] places={'1': ['fanny'], '2': ['karim']}",
    ),
    (
        "PARTIE buyin=2 joueurs=anna,bela,\ncarl,dora",
        "PARTIE buyin_cents=200 players=['anna', 'bela', 'carl', 'dora']",
    ),
    ("PARTIE\nbuyin: 2\njoueurs: anna, bela", "PARTIE buyin_cents=200 players=['anna', 'bela']"),
    ("MODIFIE 6 buyin=5 -ines +gus", "MODIFIE game=6 buyin_cents=500 add=['gus'] remove=['ines']"),
    ("MODIFIE n° 6 +gus,hugo –ines", "MODIFIE game=6 add=['gus', 'hugo'] remove=['ines']"),
    ("modifie partie 6 ajoute carl et dora", "MODIFIE game=6 add=['carl', 'dora']"),
    ("MODIFIE 6 joueurs=anna,bela", "MODIFIE game=6 players=['anna', 'bela']"),
    ("ANNULE la partie 12", "ANNULE game=12"),
    ("Annule #12.", "ANNULE game=12"),
    ("RETIRE 12", "RETIRE game=12"),
    ("Résultat partie 12 : 1er anna, 2e bela", "RESULTAT game=12 places={'1': ['anna'], '2': ['bela']}"),
    ("RESULTAT 12\n1 = anna\n2 = bela", "RESULTAT game=12 places={'1': ['anna'], '2': ['bela']}"),
    ("RESULTAT 2=bela 1=anna", "RESULTAT places={'1': ['anna'], '2': ['bela']}"),
    (
        "RESULTAT 5 1:anna 2:bela et 3e carl",
        "RESULTAT game=5 places={'1': ['anna'], '2': ['bela'], '3': ['carl']}",
    ),
    ("RESULTAT 5 1=anna,bela 3=carl", "RESULTAT game=5 places={'1': ['anna', 'bela'], '3': ['carl']}"),
    ("CONTESTE 5 2e et 3e inversés", "CONTESTE game=5 reason=2e et 3e inversés"),
    ("CONTESTE 1\nle motif à la ligne", "CONTESTE game=1 reason=le motif à la ligne"),
    ("CONTESTE 1 : le motif\nsur deux\n\nAnna", "CONTESTE game=1 reason=le motif sur deux"),
    ("Conteste je n'ai pas joué", "CONTESTE reason=je n'ai pas joué"),
    ("CONTESTE 5 motif=triche = 3 fois", "CONTESTE game=5 reason=triche = 3 fois"),
    ("CONTESTE 5 car il manquait 2=bela", "CONTESTE game=5 reason=car il manquait 2=bela"),
    pytest.param("Virement 15 a Chloé.", "VIREMENT amount_cents=1500 to=chloé", id="H03"),
    pytest.param("VIREMENT à anna 1\u202f234,50 euros", "VIREMENT amount_cents=123450 to=anna", id="H01"),
    ("VIREMENT 15 à carl motif: pizza de mardi", "VIREMENT amount_cents=1500 to=carl note=pizza de mardi"),
    ("transfer 15 to carl, thanks!", "VIREMENT amount_cents=1500 to=carl"),
    ("ÜBERWEISUNG 15 an carl", "VIREMENT amount_cents=1500 to=carl"),
    ("Virement :\n15 € à anna", "VIREMENT amount_cents=1500 to=anna"),
    ("COMPTE depuis=2026-01-01", "COMPTE since=2026-01-01"),
    ("compte svp", "COMPTE"),
    ("HISTORIQUE 5", "HISTORIQUE game=5"),
    ("AIDE virement", "AIDE topic=VIREMENT"),
    ("INVITE dora Dora@Example.org", "INVITE member=dora address=dora@example.org"),
    ("PLAINTE bela il triche", "PLAINTE member=bela reason=il triche"),
    ("Bannit anna mauvais payeur", "BANNIT member=anna reason=mauvais payeur"),
    ("SOLIDARITE bela", "SOLIDARITE member=bela"),
    ("INJONCTION bela anna=20 carl=12,50", "INJONCTION member=bela amounts={'anna': 2000, 'carl': 1250}"),
    ("ANNONCE rendez-vous\nvendredi", "ANNONCE text=rendez-vous vendredi"),
    ("REGLE seuil=60 délai=10 motif=x = y", "REGLE settings={'seuil': '60', 'délai': '10'} reason=x = y"),
    ("REGLE mises=1,2,5 motif=x", "REGLE settings={'mises': '1,2,5'} reason=x"),
    ("ADRESSE", "ADRESSE"),
    ("ADRESSE +bela@example.net", "ADRESSE add=bela@example.net"),
    ("Adresse + Bela@Example.net", "ADRESSE add=bela@example.net"),
    ("ADRESSE -bela+x@example.net.", "ADRESSE remove=bela+x@example.net"),
    ("ADRESSE – bela@example.net, svp", "ADRESSE remove=bela@example.net"),
    ("ADRESSE principale bela@example.net", "ADRESSE primary=bela@example.net"),
    ("ADRESSE principale=<bela@example.net>", "ADRESSE primary=bela@example.net"),
    ("EMAIL +bela@example.net -b@example.net", "ADRESSE add=bela@example.net remove=b@example.net"),
    ("langue français", "LANGUE language=FRANCAIS"),
    ("LANGUAGE de", "LANGUE language=DE"),
    ("transmet Carl", "TRANSMET member=carl"),
    ("Adhésion Dora", "ADHESION member=dora"),
    ("Oubliez-moi !", "OUBLIE"),
    ("J’accepte", "ADHERE"),
    ("Partie à 2 € avec Anna et Bela", "PARTIE buyin_cents=200 players=['anna', 'bela']"),
    ("PARTIE avec bela et carl à 2 €", "PARTIE buyin_cents=200 players=['bela', 'carl']"),
    ("PARTIE avec bela et carl, 2€", "PARTIE buyin_cents=200 players=['bela', 'carl']"),
    ("Partie, mise de 2 €, avec bela", "PARTIE buyin_cents=200 players=['bela']"),
    ("VIREMENT montant=15 à=carl", "VIREMENT amount_cents=1500 to=carl"),
    ("VIREMENT 15 €\nà carl", "VIREMENT amount_cents=1500 to=carl"),
    ("VIREMENT\n15 €\nà carl", "VIREMENT amount_cents=1500 to=carl"),
    ("VIREMENT 15 à carl (merci)", "VIREMENT amount_cents=1500 to=carl"),
    ("👉 VIREMENT 15 à carl", "VIREMENT amount_cents=1500 to=carl"),
    ("Überweise 15 € an carl, bitte", "VIREMENT amount_cents=1500 to=carl"),
    ("Trasferisci 15 € a carl", "VIREMENT amount_cents=1500 to=carl"),
    ("Storniere Spiel 12", "ANNULE game=12"),
    ("Annule ma partie 12", "ANNULE game=12"),
    ("Retire ma contestation de la partie 12", "RETIRE game=12"),
    ("Modifie 12 : ajouter dora, retirer bela", "MODIFIE game=12 add=['dora'] remove=['bela']"),
    ("MODIFIE 12\n+dora\n-bela", "MODIFIE game=12 add=['dora'] remove=['bela']"),
    ("RESULTAT 12\n\n1er anna\n\n2e bela", "RESULTAT game=12 places={'1': ['anna'], '2': ['bela']}"),
    (
        "Résultat partie 12 :\n- 1er : Anna\n- 2e : Bela",
        "RESULTAT game=12 places={'1': ['anna'], '2': ['bela']}",
    ),
    ("COMPTE depuis le 01/01/2026", "COMPTE since=2026-01-01"),
    ("POURQUOI le mail 35 ?", "POURQUOI mail=35"),
    ("PLAINTE contre bela : il triche", "PLAINTE member=bela reason=il triche"),
    ("Bonjour, virement 15 à carl", "VIREMENT amount_cents=1500 to=carl"),
]


@pytest.mark.parametrize(("text", "line"), COMMANDS)
def test_a_command_in_the_ways_people_write_it(text: str, line: str) -> None:
    assert reading(mail(text)).problems == ()
    assert said(mail(text))[1] == [line]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Bonsoir,\n\n{0}\n\nBien à vous,\nAnna", id="polite"),
        pytest.param("BONJOUR A TOUS\n\n{0}\n\nMERCI\nANNA KELLER", id="polite capitals"),
        pytest.param("*{0}*", id="H07"),
        pytest.param("« {0} »", id="H07-quotes"),
        pytest.param("• {0}", id="H07-bullet"),
        pytest.param("- {0}", id="H07-dash"),
        pytest.param("{0} !", id="closing mark"),
        pytest.param("Virement de mardi bien reçu, merci.\n\n{0}", id="prose with a verb"),
        pytest.param("J'ai 10 minutes de retard.\n\n{0}", id="prose with a number"),
    ],
)
def test_what_stands_around_a_command_does_no_harm(text: str) -> None:
    assert said(mail(text.format("VIREMENT 15 à carl"))) == (
        "command",
        ["VIREMENT amount_cents=1500 to=carl"],
    )


PROBLEMS = [
    pytest.param("VIREMENT 15,505 à bela", [("amount_unreadable", "15,505")], id="H02"),
    pytest.param("VIREMENT 1.234 à bela", [("amount_unreadable", "1.234")], id="H02-thousands"),
    pytest.param("VIREMENT -15 à bela", [("amount_unreadable", "-15")], id="T-18"),
    pytest.param("VIREMENT - 15 à bela", [("unexpected_words", "-")], id="T-18-dash"),
    pytest.param("Virement 1.500 à bela", [("amount_unreadable", "1.500")], id="T-18-autocapital"),
    pytest.param("virement 1e3 à bela", [("amount_unreadable", "1e3")], id="T-18-exponent"),
    pytest.param(
        "Virement 1.500,00 € à bela", [("amount_unreadable", "1.500,00 €")], id="T-18-two separators"
    ),
    pytest.param("virement 15 $ à bela", [("amount_unreadable", "15 $")], id="T-18-dollars"),
    pytest.param("Virement ١٥ à bela", [("amount_unreadable", "١٥")], id="T-18-digits"),
    pytest.param("partie 2,505€ avec bela", [("amount_unreadable", "2,505€")], id="T-18-buy-in"),
    pytest.param("VIREMENT 0 à bela", [("amount_zero", "0")], id="T-18-zero"),
    pytest.param("VIREMENT 15 CHF à bela", [("amount_unreadable", "15 CHF")], id="T-18-currency"),
    pytest.param(
        "VIREMENT 10 euros et 50 centimes à bela", [("unexpected_words", "et 50 centimes")], id="cents"
    ),
    pytest.param("VIREMENT quinze à bela", [("amount_unreadable", "quinze")], id="words"),
    pytest.param("VIREMENT 15", [("argument_missing", "")], id="no beneficiary"),
    pytest.param("VIREMENT 15 à", [("handle_expected", "à")], id="nobody"),
    pytest.param("VIREMENT 15 à VIREMENT", [("handle_unreadable", "VIREMENT")], id="T-19"),
    pytest.param("VIREMENT 15 à anna et bela", [("unexpected_words", "et bela")], id="two"),
    pytest.param("VIREMENT 15 20 à anna", [("unexpected_words", "20")], id="two amounts"),
    pytest.param("VIREMENT 15 à anna à bela", [("argument_twice", "à bela")], id="twice"),
    pytest.param("VIREMENT 15 somme=3 à anna", [("unknown_key", "somme=")], id="key"),
    pytest.param("RESULTAT 5 1=anna 1=bela", [("place_twice", "1=anna 1=bela")], id="H10"),
    pytest.param("RESULTAT 5 1=anna 3=bela", [("place_missing", "2")], id="H10-gap"),
    pytest.param("RESULTAT 5 1=anna 2=Anna", [("player_twice", "anna")], id="H10-player"),
    pytest.param("RESULTAT 5 anna bela", [("places_unreadable", "anna bela")], id="no ranks"),
    pytest.param("RESULTAT 5 1=anna bela", [("unexpected_words", "bela")], id="blank in a place"),
    pytest.param("CONTESTE 5", [("argument_missing", "")], id="no reason"),
    pytest.param("ANNULE tout", [("game_unreadable", "tout")], id="no game"),
    pytest.param("COMPTE depuis=hier", [("date_unreadable", "hier")], id="date"),
    pytest.param("INVITE dora dora@", [("address_unreadable", "dora@")], id="address"),
    pytest.param("VIREMENT 5 à anna\nSOLDE", [("unknown_verb", "SOLDE")], id="unknown beside"),
    pytest.param("VIREMANT 5 à anna\nCOMPTE", [("unknown_verb", "VIREMANT")], id="H11"),
    pytest.param("virment 5 à anna\n\nCOMPTE", [("unknown_verb", "virment")], id="H11-small"),
    pytest.param("DONNE 10 à bela\n\nCOMPTE", [("unknown_verb", "DONNE")], id="unknown with arguments"),
    pytest.param("OUI\nNON", [("answers_disagree", "NON")], id="yes and no"),
    pytest.param("CONTESTE 5 " + "x" * 5000, [("text_too_long", "x" * 80)], id="H09"),
]


@pytest.mark.parametrize(("text", "found"), PROBLEMS)
def test_one_problem_and_nothing_runs(text: str, found: list[tuple[str, str]]) -> None:
    assert problems(mail(text)) == found
    assert said(mail(text)) == ("malformed", [])
    shown = as_contract(reading(mail(text)), "x.eml")
    assert shown == {"file": "x.eml", "class": "malformed", "commands": [], "token": None}


def test_a_problem_keeps_what_was_understood() -> None:
    (problem,) = reading(mail("COMPTE\n\nVIREMENT 15,505 à bela")).problems
    assert (problem.verb, problem.argument, problem.line) == ("VIREMENT", "amount_cents", 3)
    assert problem.good == {"to": "bela"}


PROSE = [
    pytest.param("Compte sur moi", id="H04"),
    pytest.param("Virement fait, merci", id="H04-done"),
    pytest.param("COMPTE SUR MOI", id="H04-capitals"),
    pytest.param("Oui mais pas pour bela", id="H05"),
    pytest.param("OUI, je suis absent", id="H05-absent"),
    pytest.param("Fin de partie hier", id="title"),
    pytest.param("je voudrais un virement de 15 à anna", id="inside"),
    pytest.param("Partie de vendredi", id="title with verb"),
    pytest.param("SOLDE", id="unknown"),
    pytest.param("VIREMANT 10 à bela", id="H11"),
    pytest.param("le tapis de départ n'était pas le même pour tous, il faut voir le\ncompte", id="wrapped"),
]


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_no_command(text: str) -> None:
    assert said(mail(text)) == ("unknown-command", [])


def test_h11_a_near_word_is_hinted_at_but_never_guessed() -> None:
    (hint,) = reading(mail("VIREMANT 10 à bela")).problems
    assert (hint.code, hint.words, hint.verb) == ("unknown_verb", "VIREMANT", None)


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("oui", "OUI"),
        ("OUI !", "OUI"),
        ("oui.", "OUI"),
        ("Confirme", "OUI"),
        ("Sì", "OUI"),
        ("ja", "OUI"),
        ("Ok", "OUI"),
        ("Bonjour,\n\nOui\n\nAnna", "OUI"),
        ("OUI\nOUI", "OUI"),
        ("NON", "NON"),
        ("Oui merci !", "OUI"),
        ("oui, s'il te plaît", "OUI"),
        ("Non merci", "NON"),
        ("nein", "NON"),
    ],
)
def test_an_answer_stands_alone_on_its_line(text: str, verb: str) -> None:
    assert said(mail(text, "Re: accord")) == ("reply-confirm", [verb])


def test_a_decision_with_its_reason() -> None:
    assert said(mail("REJETTE la feuille fait foi")) == (
        "reply-arbitration",
        ["REJETTE reason=la feuille fait foi"],
    )
    assert said(mail("accepte 4 : erreur")) == ("reply-arbitration", ["ACCEPTE game=4 reason=erreur"])


def test_a_reason_ends_at_a_command() -> None:
    assert said(mail("CONTESTE 5 triche\nCOMPTE")) == ("command", ["CONTESTE game=5 reason=triche", "COMPTE"])


def test_a_reason_does_not_end_at_a_word_of_its_own_that_a_program_wrapped() -> None:
    text = "CONTESTE 5 " + "le montant est faux " * 3 + "dans mon\ncompte"
    assert said(mail(text))[1] == ["CONTESTE game=5 reason=" + "le montant est faux " * 3 + "dans mon compte"]


def test_h08_a_reason_is_kept_as_written() -> None:
    text = "CONTESTE 5 «\u00a0l\u2019as\u00a0» — d\u2019Anna …  {{7*7}} <b>%s</b>"
    assert said(mail(text))[1] == ["CONTESTE game=5 reason=« l\u2019as » — d\u2019Anna … {{7*7}} <b>%s</b>"]


@pytest.mark.parametrize("count", [40, 41])
def test_h12_too_many_commands_are_refused_as_a_whole(count: int) -> None:
    found = reading(mail("VIREMENT 1 à bela\n" * count))
    assert (found.mail_class, len(found.commands)) == (("command", 40) if count == 40 else ("malformed", 41))


def test_simulation_of_one_and_of_all() -> None:
    one = reading(mail("SIMULE VIREMENT 10 à bela\nCOMPTE")).commands
    assert [c.simulate for c in one] == [True, False]
    every = reading(mail("Simule :\nVIREMENT 10 à bela\nCOMPTE")).commands
    assert [c.simulate for c in every] == [True, True]
    assert [c.simulate for c in reading(mail("", "SIMULE VIREMENT 10 à bela")).commands] == [True]
    assert [c.simulate for c in reading(mail("VIREMENT 10 à bela", "SIMULE")).commands] == [True]


def test_the_contract_form() -> None:
    def form(text: str) -> str:
        return json.dumps(as_contract(reading(mail(text)), "a.eml"), ensure_ascii=False)

    assert form("RESULTAT 1=anna") == (
        '{"file": "a.eml", "class": "command", "commands": '
        '[{"verb": "RESULTAT", "game": null, "places": {"1": ["anna"]}}], "token": null}'
    )
    assert form("SIMULE COMPTE") == (
        '{"file": "a.eml", "class": "command", "commands": [{"verb": "COMPTE", "simulate": true}], "token": null}'
    )


def test_a_doubtful_history_is_reported() -> None:
    # The other reader knows nothing of this order of words: it would run the old order too.
    raw = mail("COMPTE\n\nClub wrote on 9/3/2026 9:14 PM:\n\nVIREMENT 8 à dora", "Re: x")
    assert reading(raw).doubt
    assert as_contract(reading(raw), "a.eml")["doubt"] is True
    assert not reading(mail("COMPTE")).doubt
    assert not reading(mail("Le 3 nov. 2026 à 19:05, Club a écrit :\n> PARTIES\n\nCOMPTE", "Re: x")).doubt


@pytest.mark.parametrize(
    "mark",
    [
        "----- Mail original -----\nDe: Club",
        "De : Club\nÀ : Anna\nEnvoyé: lundi 9 mars 2026\nObjet : x",
        "Envoyé depuis mon mobile Samsung.\n\n-------- Message original --------\nDe : Club",
        "Les amis <club@example.org> hat am 9. März 2026 um 21:14 geschrieben:",
    ],
)
def test_below_a_certain_mark_of_history_nobody_is_asked(mark: str) -> None:
    assert not reading(mail(f"COMPTE\n\n{mark}\n\nVIREMENT 8 à dora", "Re: x")).doubt


def test_what_is_no_place_does_not_go_on_below() -> None:
    assert said(mail("PARTIE 2€ avec bela\n\n1. cartes\n2. chips"))[1] == [
        "PARTIE buyin_cents=200 players=['bela']"
    ]
    assert said(mail("RESULTAT 12 1=anna\n\n2e fois que je gagne !"))[1] == [
        "RESULTAT game=12 places={'1': ['anna']}"
    ]
    assert said(mail("ANNULE\n06 12 34 56 78")) == ("malformed", [])


def test_a_line_of_an_announcement_may_begin_with_a_verb_that_takes_nothing() -> None:
    [command] = reading(mail("ANNONCE Salut,\n\nPARTIES jeudi chez Bela\n\nAnna")).commands
    assert command.arguments["letter"] == "Salut,\n\nPARTIES jeudi chez Bela\n\nAnna"


def test_all_codes_are_listed_and_only_those() -> None:
    seen = {code for case in PROBLEMS for code, _ in problems(mail(str(case.values[0])))}
    assert seen <= set(PROBLEM_CODES)
    assert len(set(PROBLEM_CODES)) == len(PROBLEM_CODES)


def test_positions_are_those_of_the_text() -> None:
    (command,) = reading(mail("Bonjour\n\nCONTESTE 5 un\ndeux")).commands
    assert (command.line, command.text) == (3, "CONTESTE 5 un deux")
    assert reading(mail("", "COMPTE")).commands[0].line == 0


def test_the_same_order_in_two_alternatives_runs_once() -> None:
    raw = parts(
        plain("VIREMENT 10 à bela"),
        "Content-Type: text/html\n\nVIREMENT&nbsp;10 &agrave; bela",
        kind="alternative",
    )
    assert said(raw) == ("command", ["VIREMENT amount_cents=1000 to=bela"])


@pytest.mark.parametrize(
    "text",
    [
        "PARTIE joueurs=" + "a," * 30000,
        "MODIFIE " + "+x " * 20000,
        "SOLDE\n" * 9000,
        "VIREMENT 5 à bela\n" * 3000,
    ],
    ids=["list", "signs", "lines", "commands"],
)
def test_long_lines_and_many_lines_are_bounded(text: str) -> None:
    letter = read_letter(mail(text))
    start = time.process_time()
    read_commands(letter, GRAMMAR)
    assert time.process_time() - start < 2


def test_a_handle_keeps_its_underscore() -> None:
    assert said(mail("VIREMENT 10 à bob_")) == ("command", ["VIREMENT amount_cents=1000 to=bob_"])
    assert said(mail("_VIREMENT 10 à bob_")) == ("command", ["VIREMENT amount_cents=1000 to=bob"])


def test_numbered_lines_are_lines() -> None:
    text = "1. VIREMENT 10 à bela\n2) COMPTE"
    assert said(mail(text)) == ("command", ["VIREMENT amount_cents=1000 to=bela", "COMPTE"])


def test_a_sentence_about_a_game_does_no_harm() -> None:
    text = "Partie 5 terminée hier soir.\n\nRESULTAT 5 1=anna"
    assert said(mail(text)) == ("command", ["RESULTAT game=5 places={'1': ['anna']}"])
    assert said(mail("Aide moi stp")) == ("unknown-command", [])


def test_an_unknown_word_is_named_in_the_answer() -> None:
    assert problems(mail("SOLDE")) == [("unknown_verb", "SOLDE")]
    assert said(mail("SOLDE", "COMPTE")) == ("command", ["COMPTE"])


def test_one_of_several_arguments_may_be_needed() -> None:
    game = Argument("game", Kind.GAME, required=True)
    add, remove = Argument("add", Kind.ADDED), Argument("remove", Kind.REMOVED)
    grammar = Grammar((Verb("CHANGE", (), (game, add, remove), "CHANGE 1 +x", one_of=("add", "remove")),))
    right = read_commands(read_letter(mail("CHANGE 1 -anna")), grammar)
    wrong = read_commands(read_letter(mail("CHANGE 1")), grammar)
    assert right.commands[0].arguments == {"game": 1, "remove": ["anna"]}
    assert [(p.code, p.argument) for p in wrong.problems] == [("argument_missing", "add")]


def test_a_letter_goes_on_over_blank_lines_up_to_the_next_command():
    """What is announced is sent as it was written; the contract's `text` stops at the first blank line."""
    [first, second] = reading(
        mail("ANNONCE Bonjour à tous,\n\nSamedi chez Bela.\nVenez à 20h.\n\n\nAnna\n\nCOMPTE")
    ).commands
    assert first.arguments["text"] == "Bonjour à tous,"
    assert first.arguments["letter"] == "Bonjour à tous,\n\nSamedi chez Bela.\nVenez à 20h.\n\nAnna"
    assert second.verb == "COMPTE"
