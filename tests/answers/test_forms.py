"""Examples in answers: the member's own good values, gaps for the rest, nothing invented."""

import pytest

from mailflow.catalogue import BY_NAME, COMMANDS, GRAMMAR
from mailflow.forms import euros, handles_in, meant, spelled
from parsers.commands import read_commands
from parsers.letter import read_letter

CASES = [
    ("VIREMENT", {"amount_cents": 1000}, "VIREMENT 10 à …"),
    ("VIREMENT", {"to": "chloe"}, "VIREMENT … à chloe"),
    ("VIREMENT", {"amount_cents": 1550, "to": "chloe", "note": "merci"}, "VIREMENT 15,50 à chloe note=merci"),
    ("PARTIE", {"buyin_cents": 200}, "PARTIE buyin=2 joueurs=…"),
    ("PARTIE", {"players": ["a", "b"], "places": {"1": ["a"]}}, "PARTIE joueurs=a,b 1=a"),
    ("RESULTAT", {"game": 5}, "RESULTAT 5 1=…"),
    ("MODIFIE", {"game": 5, "add": ["x"], "remove": ["y", "z"]}, "MODIFIE 5 +x -y -z"),
    ("INVITE", {"member": "zoe"}, "INVITE zoe …"),
    ("BANNIT", {"member": "zoe"}, "BANNIT zoe …"),
    ("INJONCTION", {"member": "bela", "amounts": {"anna": 1250}}, "INJONCTION bela anna=12,50"),
    ("REGLE", {"settings": {"seuil": "60"}}, "REGLE seuil=60 motif=…"),
    ("COMPTE", {"since": "2026-01-01"}, "COMPTE depuis=2026-01-01"),
    ("VIREMENT", {}, ""),
]


@pytest.mark.parametrize(("verb", "good", "form"), CASES)
def test_own_values_and_gaps(verb, good, form):
    assert spelled(BY_NAME[verb].verb, good) == form


@pytest.mark.parametrize(
    ("verb", "rest", "form"),
    [
        ("VIREMENT", "5 a Bella", "VIREMENT 5 à bella"),
        ("VIREMENT", "1.500 à bela", "VIREMENT … à bela"),
        ("RESULTAT", "12 1=anna", "RESULTAT 12 1=anna"),
        ("COMPTE", "", "COMPTE"),
        ("PARTIES", "buyin=2 joueurs=bela", "PARTIES"),
        ("BANNIT", "", "BANNIT bela le motif"),
    ],
)
def test_what_follows_a_misspelt_verb_is_taken_as_far_as_it_fits(verb, rest, form):
    assert meant(BY_NAME[verb].verb, rest, GRAMMAR)[0] == form


@pytest.mark.parametrize(
    ("verb", "good", "handles"),
    [
        ("PARTIE", {"buyin_cents": 200, "players": ["a", "b"], "places": {"1": ["b"], "2": ["c"]}}, "abc"),
        ("MODIFIE", {"game": 5, "add": ["x"], "remove": ["y"]}, "xy"),
        ("INJONCTION", {"member": "b", "amounts": {"a": 1250}}, "ba"),
        ("COMPTE", {"since": "2026-01-01"}, ""),
    ],
)
def test_handles_are_found_among_the_values_each_once(verb, good, handles):
    assert handles_in(BY_NAME[verb].verb, good) == tuple(handles)


@pytest.mark.parametrize(("cents", "written"), [(1, "0,01"), (100, "1"), (1550, "15,50"), (20_00, "20")])
def test_amounts_as_people_type_them(cents, written):
    assert euros(cents) == written


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_what_is_spelled_in_full_reads_back(command):
    """The form of the table, read and spelled again, is the same command."""
    first = reading(command.verb.form)
    if not first.arguments:
        return
    again = reading(spelled(command.verb, first.arguments))
    assert (again.verb, again.arguments) == (first.verb, first.arguments)


def reading(text):
    raw = f"From: a@example.org\nTo: club@example.org\n\n{text}\n".encode()
    found = read_commands(read_letter(raw), GRAMMAR)
    assert found.problems == ()
    [command] = found.commands
    return command
