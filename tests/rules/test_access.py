"""Who may use a command at all, and what proof it takes (R-BAN-3, R-SEC-1)."""

import pytest

from mailflow.catalogue import BY_NAME, COMMANDS, Need, Who
from tests.club import club, no

ARGUMENTS = {
    "PARTIE": {"players": ["carl"]},
    "MODIFIE": {"game": 1, "buyin_cents": 200},
    "ANNULE": {"game": 1},
    "RESULTAT": {"game": 1, "places": {"1": ["bela"]}},
    "CONTESTE": {"game": 1, "reason": "no"},
    "RETIRE": {"game": 1},
    "VIREMENT": {"amount_cents": 1, "to": "carl"},
    "POURQUOI": {"game": 1},
    "PLAINTE": {"member": "carl", "reason": "rude"},
    "ACCEPTE": {"game": 1, "reason": "yes"},
    "REJETTE": {"game": 1, "reason": "no"},
    "BANNIT": {"member": "carl", "reason": "no"},
    "RETABLIT": {"member": "carl"},
    "SOLIDARITE": {"member": "carl"},
    "INJONCTION": {"member": "carl"},
    "INVITE": {"member": "dora", "address": "dora@example.org"},
    "TRANSMET": {"member": "carl"},
    "NOMME": {"member": "carl"},
    "LANGUE": {"language": "EN"},
    "ANNONCE": {"text": "hello"},
    "REGLE": {"settings": {"seuil": "60"}, "reason": "prudence"},
    "CLASSE": {"complaint": 1},
    "REFAIRE": {"mail": 1, "command": "PARTIE joueurs=carl"},
    "BILAN": {"wanted": "non"},
}

OPEN_TO_THE_BANNED = {"COMPTE", "HISTORIQUE", "POURQUOI", "REGLEMENT", "AIDE", "PLAINTE"}
CARRIED_OUT = [c.name for c in COMMANDS if c.handler is not None]


@pytest.mark.parametrize("verb", CARRIED_OUT)
def test_banned_member_reads_his_account_and_writes_to_the_manager_only(verb):
    """R-BAN-3: everything else is refused, and says why."""
    scene = club("carl", bela=150_00).recent("carl", "bela").banned("bela")
    said = scene.would("bela", verb, **ARGUMENTS.get(verb, {}))
    if verb in OPEN_TO_THE_BANNED:
        assert no(said) == []
    else:
        assert no(said) == ["R-BAN-3 author_is_banned"]


@pytest.mark.parametrize("verb", sorted(OPEN_TO_THE_BANNED))
def test_what_is_open_to_the_banned_is_open_to_everybody(verb):
    """R-BAN-3."""
    scene = club("bela", "carl").recent("carl", "bela")
    assert no(scene.would("bela", verb, **ARGUMENTS.get(verb, {}))) == []


MANAGERS_ONLY = {
    "ACCEPTE": "R-ARB-1",
    "REJETTE": "R-ARB-1",
    "BANNIT": "R-BAN-1",
    "RETABLIT": "R-BAN-4",
    "SOLIDARITE": "R-SOL-1",
    "INJONCTION": "R-INA-4",
    "INVITE": "R-ACC-3",
    "TRANSMET": "R-SEC-1",
    "NOMME": "R-SEC-1",
    "ANNONCE": "R-REG-1",
    "REGLE": "R-REG-1",
    "CLASSE": "R-REG-2",
    "REFAIRE": "R-SEC-1",
}


@pytest.mark.parametrize(("verb", "rule"), MANAGERS_ONLY.items())
def test_manager_commands_are_refused_to_members_with_their_own_rule(verb, rule):
    """R-ARB-1, R-BAN-1, R-BAN-4, R-SOL-1, R-INA-4, R-ACC-3, R-SEC-1, R-REG-1, R-REG-2."""
    assert no(club("bela", "carl").would("bela", verb, **ARGUMENTS[verb])) == [f"{rule} managers_only"]


def test_no_other_command_is_kept_for_managers():
    assert {c.name for c in COMMANDS if c.who is Who.MANAGER} == set(MANAGERS_ONLY)


def test_banned_manager_is_no_manager_and_hears_of_his_ban_first():
    """R-BAN-1."""
    scene = club("bela", "carl", manager=("anna", "bela")).banned("bela")
    assert [m.handle for m in scene.club.managers] == ["anna"]
    assert no(scene.would("bela", "BANNIT", member="carl", reason="x")) == ["R-BAN-3 author_is_banned"]


def test_reinstated_manager_manages_again():
    """R-BAN-1."""
    scene = club("bela", "carl", manager=("anna", "bela")).banned("bela")
    scene.done("anna", "RETABLIT", member="bela")
    assert no(scene.would("bela", "BANNIT", member="carl", reason="x")) == []


def test_what_moves_games_or_money_needs_fresh_proof():
    """R-SEC-1: only looking things up goes without."""
    reading = {c.name for c in COMMANDS if c.need is Need.READ}
    assert reading == {
        "COMPTE", "BANQUIERS", "JOUEURS", "PARTIES", "HISTORIQUE", "POURQUOI", "REGLEMENT", "AIDE",
    }  # fmt: skip


@pytest.mark.parametrize("verb", ["COMPTE", "PARTIE", "BANNIT"])
def test_a_set_says_whether_it_acts_or_manages(verb):
    """R-SEC-1: the desk asks the performance what proof it takes."""
    arguments = ARGUMENTS.get(verb, {})
    performance = club("bela", "carl").perform("anna", [{"verb": verb, "arguments": arguments}])
    assert performance.acts == (verb != "COMPTE")
    assert performance.manages == (verb == "BANNIT")


@pytest.mark.parametrize("verb", ["OUI", "NON", "JETON", "FIN", "ADHERE", "ADHESION"])
def test_answers_are_never_carried_out_in_a_set(verb):
    """R-SEC-1: the desk itself takes them up."""
    assert BY_NAME[verb].need is Need.ANSWER
    with pytest.raises(ValueError, match=verb):
        club("bela").say("anna", verb)
