"""Commands with amounts of the club's currency, and of others (T-18): those are never taken for ours."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailflow import words
from mailflow.catalogue import GRAMMAR, grammar_of
from parsers.commands import read_commands
from parsers.letter import read_letter
from tests.parsers.mail_scene import mail

FRANCS = grammar_of("CHF")


def read(text, grammar=FRANCS):
    return read_commands(read_letter(mail(text)), grammar)


@pytest.mark.parametrize(
    "amount",
    [
        "12.50",
        "12,50",
        "12.50 CHF",
        "CHF 12.50",
        "CHF\u00a012.50",
        "Fr. 12.50",
        "Fr 12.50",
        "12.50 Fr.",
        "12,50 francs",
    ],
)
def test_a_transfer_in_francs(amount):
    for text in (
        f"VIREMENT {amount} à carl",
        f"Virement de {amount} à carl, merci",
        f"BONIFICO {amount} per carl",
    ):
        reading = read(text)
        assert (text, reading.problems) == (text, ())
        assert [(c.verb, dict(c.arguments)) for c in reading.commands] == [
            ("VIREMENT", {"amount_cents": 1250, "to": "carl"})
        ]


def test_whole_francs_may_end_in_a_dash():
    for amount in ("12.-", "Fr. 12.-", "CHF 12.–", "12.-- Fr."):
        (command,) = read(f"VIREMENT {amount} à carl").commands
        assert command.arguments["amount_cents"] == 1200
    (command,) = read("PARTIE mise=Fr. 2.- avec anna et bela").commands
    assert command.arguments == {"buyin_cents": 200, "players": ["anna", "bela"]}


@pytest.mark.parametrize(
    "amount", ["15 €", "€15", "15€", "15 euros", "EUR 15", "15 $", "£15", "15 Rappen", "15 NOK"]
)
def test_other_money_is_refused_in_a_club_of_francs(amount):
    reading = read(f"VIREMENT {amount} à carl")
    assert reading.mail_class == "malformed"
    assert reading.commands == ()


@pytest.mark.parametrize("amount", ["15 CHF", "CHF 15", "Fr. 15", "15 Fr.", "15.-", "1'234", "15 francs"])
def test_francs_are_refused_in_a_club_of_euros(amount):
    reading = read(f"VIREMENT {amount} à carl", GRAMMAR)
    assert reading.mail_class == "malformed"
    assert reading.commands == ()


@settings(deadline=None)
@given(
    st.integers(1, 99_999_999),
    st.sampled_from(("EUR", "CHF", "GBP", "NOK")),
    st.sampled_from(words.languages()),
)
def test_an_amount_in_a_form_of_ours_reads_back(cents, currency, language):
    reading = read(f"VIREMENT {words.typed(cents, currency, language)} à carl", grammar_of(currency))
    assert [c.arguments["amount_cents"] for c in reading.commands] == [cents]
