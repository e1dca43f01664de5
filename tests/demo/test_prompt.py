"""`mailflow demo --interactive`: what is typed, and what comes of it."""

import pytest

from mailflow.demo.show import demo


def talk(text, folder=None):
    """Type lines, each to its end, and return the exit code with all that was said."""
    lines, said = iter(text.strip("\n").split("\n")), []

    def ask(prompt):
        line = next(lines, None)
        if line is None:
            raise EOFError
        said.append(prompt + line)
        return line

    code = demo(folder, True, said.append, ask)
    return code, "\n".join(said).replace("\u00a0", " ")


def row(said, handle):
    """The last line of the balances that is a member's, in words."""
    lines = [line for line in said.split("\n") if line.startswith(f"  {handle} ")]
    return lines[-1].replace("€", "").split()


def test_a_transfer_shows_in_the_balances():
    code, said = talk("""
:moi anna
PARTIE 10 avec bela 1=bela

:moi bela
VIREMENT 7,50 à anna

:soldes
""")
    assert code == 0
    assert row(said, "anna")[1] == "37,50"
    assert row(said, "bela")[1] == "42,50"
    assert "club → anna   « Tu as reçu 7,50 € de bela »" in said


def test_time_that_passes_closes_a_window():
    code, said = talk("""
:moi anna
PARTIE 5 avec bela 1=anna
.
:moi bela
:reponds
CONTESTE c'est moi qui ai gagné
.
:jours 8
:moi odile
:reponds
ACCEPTE les autres le confirment
.
:moi anna
RESULTAT 1 1=bela
.
""")
    assert code == 0
    assert "À toi de décider : partie 1 contestée" in said
    assert row(said, "anna")[1] == "35,00"
    assert row(said, "bela")[1] == "45,00"


def test_a_manager_says_oui_to_what_he_was_shown():
    _, said = talk("""
:moi anna
PARTIE 10 avec gustav 1=anna

:moi odile
BANNIT gustav il ne paie pas

SOLIDARITE gustav

:reponds
OUI

""")
    assert "⇒ attend un OUI" in said
    assert row(said, "gustav")[1:] == ["40,00", "0,00", "40,00", "banni"]


def test_somebody_who_is_invited_can_join():
    _, said = talk("""
:moi odile
INVITE farid farid@example.net

:moi farid
J'ACCEPTE

COMPTE

""")
    assert "Bienvenue, farid" in said
    assert row(said, "farid")[1] == "40,00"


def test_a_mail_begun_when_the_input_ends_is_sent():
    assert "⇒ répondu" in talk(":moi anna\nCOMPTE")[1]


def test_a_mailbox_can_be_looked_into():
    _, said = talk("""
:moi anna
COMPTE

:boite
:lire 1
:boite bela
""")
    assert said.count("« Ton relevé") == 2
    assert "Aucun mail pour bela." in said


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (":jour 3", "Voulais-tu dire :jours ?"),
        (":xyz", ":aide montre ce qui existe"),
        (":", ":aide montre ce qui existe"),
        (":jours 0", "Un nombre de jours"),
        (":jours ³", "Un nombre de jours"),
        (":jours plein", "Un nombre de jours"),
        (":moi karl", "« karl » n'est pas du club"),
        (":moi", "n'est pas du club"),
        (":lire 99", "Ce mail n'existe pas"),
        (":reponds", "Ce mail n'existe pas"),
        (":aide", ":reponds [12]"),
    ],
)
def test_a_slip_is_answered_and_nothing_ends(typed, answer):
    code, said = talk(f"{typed}\n:moi anna\n:fin")
    assert code == 0
    assert answer in said.partition(typed)[2]
    assert said.index("anna> :fin")


def test_the_story_can_be_played_first_but_not_later():
    _, said = talk(":histoire\n:moi farid\nCOMPTE\n\n:histoire\n")
    assert "Vendredi soir, première partie." in said
    assert "Ton relevé : solde 59,28" in said
    assert said.count("Trop tard") == 1


def test_the_folder_stays_if_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr("mailflow.demo.show.IN_MEMORY", tmp_path)
    talk(":garder\n:fin")
    (folder,) = tmp_path.iterdir()
    assert {"club.toml", "secret.key", "mailflow.db"} <= {p.name for p in folder.iterdir()}


def test_who_breaks_off_sends_nothing_of_what_he_had_begun():
    """The end of the input sends it: a mail may come through a pipe."""
    for end, mails in ((EOFError, 1), (KeyboardInterrupt, 0)):
        lines, said = iter(["COMPTE"]), []

        def ask(prompt, lines=lines, end=end):
            line = next(lines, None)
            if line is None:
                raise end
            return line

        assert demo(None, True, said.append, ask) == 0
        assert any(f"Mails reçus : {mails}. Mails envoyés : {mails}." in line for line in said)
