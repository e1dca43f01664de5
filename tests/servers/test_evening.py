"""An evening by real mail: Postfix in, Dovecot, `mailflow run`, Postfix out, the members' inboxes."""

from __future__ import annotations

from pathlib import Path

import pytest

from .dovecot import Dovecot
from .evening_scene import Town
from .ground import until
from .postfix import Postfix


@pytest.fixture
def town(dovecot: Dovecot, postfix: Postfix, tmp_path: Path) -> Town:
    made = Town(dovecot, postfix, tmp_path / "club")
    made.found("anna", "bela", "carl")
    return made


def confirm(town: Town, name: str) -> None:
    """Answer OUI to the confirmation that asks for it."""
    town.answer(name, town.mail(name, "OUI"), "OUI")


def test_an_evening_is_played_by_mail(town: Town) -> None:
    with town.served():
        town.write("anna", "PARTIE buyin=5 joueurs=bela,carl")
        confirm(town, "anna")
        town.mail("bela", "partie")
        town.mail("carl", "partie")
        town.write("anna", "RESULTAT 1 1=bela")
        confirm(town, "anna")
        town.mail("bela", "gagn")
        town.write("bela", "VIREMENT 2,50 à carl")
        confirm(town, "bela")
        town.mail("carl", "2,50")
        town.write("carl", "COMPTE")
        town.mail("carl", "ompte", "197,50")
    assert {name: town.balances()[name] for name in ("anna", "bela", "carl")} == {
        "anna": "195,00",
        "bela": "207,50",
        "carl": "197,50",
    }
    until(lambda: town.dovecot.subjects(town.club) == [], "an empty inbox")
    assert len(town.dovecot.subjects(town.club, "mailflow-done")) == 7
