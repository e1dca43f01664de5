"""R-REG-1: what the manager may change by mail, and how it is written."""

from dataclasses import fields

import pytest

from mailflow.rulebook import Rulebook
from mailflow.rules.regulation import PARAMETERS, amended, differences
from tests.club import FRIENDS

BY_WORD = {p.word: p for p in PARAMETERS}


def settled(**settings):
    """The values that come of it, or the refusal's code and figures."""
    said = amended(FRIENDS, settings)
    if isinstance(said, Rulebook):
        return {d["word"]: (d["before"], d["after"]) for d in differences(FRIENDS, said)}
    return said.code, said.figures.get("name")


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("60", 60_00),
        ("60,5", 60_50),
        ("60.05", 60_05),
        ("0", 0),
        ("0,01", 1),
        ("60 €", 60_00),
        ("60€", 60_00),
        (" 60 ", 60_00),
        ("007", 7_00),
        ("9999999.99", 999_999_999),
    ],
)
def test_amounts(text, cents):
    """R-REG-1: at most two decimals, comma or point."""
    assert BY_WORD["seuil"].read(text) == cents


@pytest.mark.parametrize(
    "text",
    [
        *("", "€", "-1", "+1", "1.234", "1,", ",5", ".", "1.2.3", "1 000", "10000000"),
        *("1e3", "0x1", "six", "6_0", "٣", "²", "1.٣", "inf"),
    ],
)
def test_what_is_no_amount(text):
    """R-REG-1: no sign, exponent, other script's digit, third decimal or eighth figure."""
    assert BY_WORD["seuil"].read(text) is None
    assert settled(seuil=text) == ("parameter_value_unusable", "seuil")


@pytest.mark.parametrize(("text", "days"), [("1", 1), ("14", 14), ("9999", 9999), ("0", 0)])
def test_numbers(text, days):
    """R-REG-1."""
    assert BY_WORD["delai"].read(text) == days


@pytest.mark.parametrize("text", ["", "-1", "1.5", "10000", "٣", "²", "sept", "1 0", "1_0"])
def test_what_is_no_number(text):
    """R-REG-1."""
    assert BY_WORD["delai"].read(text) is None


@pytest.mark.parametrize(
    ("text", "cents"), [("1", (1_00,)), ("1/2,5/10", (1_00, 2_50, 10_00)), ("1/0.5", (1_00, 50))]
)
def test_lists_of_amounts(text, cents):
    """R-REG-1."""
    assert BY_WORD["mises"].read(text) == cents


@pytest.mark.parametrize("text", ["", "/", "1/", "/1", "1//2", "1/x", "1;2", "1/-2"])
def test_what_is_no_list_of_amounts(text):
    """R-REG-1."""
    assert BY_WORD["mises"].read(text) is None


@pytest.mark.parametrize(
    ("word", "text", "after"),
    [
        ("credit", "150", 150_00),
        ("seuil", "60", 60_00),
        ("delai", "5", 5),
        ("mises", "1/4", (1_00, 4_00)),
        ("mise", "2", 2_00),
        ("joueurs-min", "3", 3),
        ("joueurs-max", "8", 8),
        ("rappel-quotidien", "12", 12_00),
        ("rappel-hebdomadaire", "25", 25_00),
        ("relance-mois", "3", 3),
        ("inactivite-mois", "9", 9),
        ("injonction-jours", "15", 15),
        ("confirmation-heures", "24", 24),
    ],
)
def test_every_parameter_can_be_set_by_its_word(word, text, after):
    """R-REG-1: and is told from what to what, in the same word."""
    assert settled(**{word: text}) == {word: (getattr(FRIENDS, BY_WORD[word].name), after)}


def test_the_words_name_fields_of_the_rulebook_each_once():
    """R-REG-1."""
    assert {p.name for p in PARAMETERS} <= {f.name for f in fields(Rulebook)}
    assert len(BY_WORD) == len(PARAMETERS) == len({p.name for p in PARAMETERS})


def test_words_are_read_in_any_case_and_accent():
    """R-REG-1."""
    assert settled(Délai="5", CRÉDIT="150") == {"credit": (200_00, 150_00), "delai": (7, 5)}


def test_several_settings_hold_together_or_not_at_all():
    """R-REG-1: mise alone would be off the list, with the list changed too it is fine."""
    assert settled(mise="4") == ("rulebook_unusable", "mise")
    assert settled(mise="4", mises="1/4") == {
        "mises": (FRIENDS.buyins_cents, (1_00, 4_00)),
        "mise": (1_00, 4_00),
    }


def test_an_unknown_word_is_said_with_the_nearest_and_all_there_are():
    """R-REG-1."""
    refusal = amended(FRIENDS, {"seuill": "60"})
    assert (refusal.rule, refusal.code) == ("R-REG-1", "parameter_unknown")
    assert refusal.figures == {"name": "seuill", "nearest": ["seuil"], "known": list(BY_WORD)}


@pytest.mark.parametrize(
    ("settings", "word", "code"),
    [
        ({"delai": "0"}, "delai", "too_small"),
        ({"mises": "1/1"}, "mises", "buyins_unusable"),
        ({"mises": "2/5"}, "mise", "default_not_a_buyin"),
        ({"joueurs-min": "11"}, "joueurs-max", "participants_unusable"),
        ({"joueurs-max": "11"}, "payouts", "payouts_incomplete"),
    ],
)
def test_a_rulebook_that_makes_no_sense_is_refused_with_the_word_at_fault(settings, word, code):
    """R-REG-1."""
    refusal = amended(FRIENDS, settings)
    assert (refusal.rule, refusal.code) == ("R-REG-1", "rulebook_unusable")
    assert refusal.figures == {"name": word, "code": code}


def test_nothing_changed_is_no_difference():
    """R-REG-1."""
    assert settled(seuil="50") == {}
    assert settled() == {}
