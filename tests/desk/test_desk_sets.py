"""TRUST § 4: a mail is all or nothing; SIMULE shows and leaves nothing; a reply knows its game."""

from __future__ import annotations

import pytest

from store import sql

from .desk_scene import CLUB, Scene, kinds, plain

TOKENS_TOO = frozenset({"inbox", "inbox_raw", "reading", "outbox", "audit", "tally"})


def tables(scene: Scene) -> object:
    """All tables but those of mails; tokens count, for a simulation issues none."""
    return scene.dump(TOKENS_TOO)


# ---------------------------------------------------------------- several commands


def test_where_the_second_command_is_refused_nothing_of_the_first_is_left(fresh: Scene) -> None:
    before = tables(fresh)
    handled = fresh.write("anna", "PARTIE joueurs=bela\nVIREMENT 500 à bela")
    assert [(line.outcome, line.rule) for line in handled.lines] == [
        ("refused", None),
        ("refused", "R-TRA-2"),
    ]
    assert handled.state == "answered"
    assert tables(fresh) == before
    assert kinds(fresh.told()) == [("refused", "anna")], "nobody is told of a game that is not there"


def test_a_refused_game_uses_up_no_number(fresh: Scene) -> None:
    fresh.write("anna", "PARTIE joueurs=bela\nVIREMENT 500 à bela")
    fresh.write("anna", "PARTIE joueurs=bela")
    assert fresh.game(1).creator == "anna"
    fresh.is_sound()


def test_what_follows_a_refused_command_is_not_done_either(fresh: Scene) -> None:
    before = tables(fresh)
    handled = fresh.write("anna", "VIREMENT 500 à bela\nPARTIE joueurs=bela")
    assert [line.outcome for line in handled.lines] == ["refused", "refused"]
    assert tables(fresh) == before
    text = plain(fresh.told()[0].text)
    assert "VIREMENT 500 à bela" in text
    assert "pas exécutée" in text


def test_a_mail_whose_second_line_is_no_command_does_nothing_of_the_first(fresh: Scene) -> None:
    before = tables(fresh)
    handled = fresh.write("anna", "PARTIE joueurs=bela\nVIRMENT 5 à carl")
    assert {line.outcome for line in handled.lines} == {"refused"}
    assert tables(fresh) == before
    text = plain(fresh.told()[0].text)
    assert "VIREMENT" in text, "the nearest verb is shown"
    assert "PARTIE joueurs=bela" in text, "and what was understood"


def test_each_command_sees_what_the_one_before_it_did(fresh: Scene) -> None:
    handled = fresh.write("anna", "PARTIE joueurs=bela\nPARTIE joueurs=carl")
    assert [line.rule for line in handled.lines] == [None, "R-GAME-2"]


def test_a_result_without_number_is_that_of_the_game_just_above(fresh: Scene) -> None:
    fresh.write("bela", "PARTIE joueurs=carl")
    handled = fresh.write("anna", "PARTIE buyin=5 joueurs=carl\nRESULTAT 1=carl")
    assert [line.outcome for line in handled.lines] == ["ok", "ok"]
    assert (fresh.game(2).state, fresh.game(2).places) == ("recent", {1: "carl"})
    assert fresh.game(1).state == "running"
    assert fresh.balances == {"anna": 19500, "bela": 20000, "carl": 20500, "dora": 20000}


def test_a_result_without_number_in_a_set_that_was_confirmed(club: Scene) -> None:
    told = club.do("anna", "PARTIE buyin=5 joueurs=carl\nRESULTAT 1=carl")
    assert ("game.result", "anna") in kinds(told)
    assert club.balances["carl"] == 20500


def test_a_result_without_number_where_nothing_tells_the_game_is_refused(fresh: Scene) -> None:
    fresh.write("anna", "PARTIE joueurs=carl")
    handled = fresh.write("anna", "RESULTAT 1=carl")
    assert [line.outcome for line in handled.lines] == ["refused"]
    assert fresh.game().state == "running"


@pytest.mark.only_sqlite  # compares ids, which have gaps in PostgreSQL
@pytest.mark.parametrize(
    "text",
    [
        "PARTIE buyin=2 joueurs=bela,carl,dora 1=bela 2=anna",
        "PARTIE joueurs=bela\nMODIFIE 1 buyin=5 +carl\nRESULTAT 1 1=bela",
        "REGLE seuil=60 delai=3 motif=on essaie",
        "PLAINTE bela il triche",
        "ANNONCE rendez-vous jeudi",
        "INVITE emil emil@example.org",
    ],
)
def test_a_kept_set_does_at_the_oui_what_it_does_when_fresh(club: Scene, fresh: Scene, text: str) -> None:
    """What waits for its OUI is kept as JSON: nothing of it may be lost on the way."""
    club.do("anna", text)
    fresh.write("anna", text)
    assert club.balances == fresh.balances
    for scene in (club, fresh):
        scene.is_sound()
    tables_ = ("game", "participant", "rulebook", "complaint", "invitation", "posting")
    columns = {
        "game": "number, creator_id, buyin_cents, state",
        "participant": "*",
        "rulebook": "number, values_json, reason",
        "complaint": "number, author, about, complaint",
        "invitation": "handle, address, invited_by",
        "posting": "entry_id, line, account_id, amount_cents",
    }
    for table in tables_:
        query = f"SELECT {columns[table]} FROM {table}"
        assert sql.rows(club.db, query) == sql.rows(fresh.db, query), table


# ---------------------------------------------------------------- SIMULE


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "SIMULE PARTIE buyin=2 joueurs=bela,carl",
        "SIMULE PARTIE buyin=2 joueurs=bela 1=bela",
        "SIMULE VIREMENT 500 à bela",
        "SIMULE BANNIT bela motif",
        "SIMULE INVITE emil emil@example.org",
        "SIMULE REGLE seuil=60 motif=essai",
        "SIMULE COMPTE",
    ],
)
def test_a_simulation_changes_nothing_at_all(club: Scene, fresh: Scene, trusted: bool, text: str) -> None:
    scene = fresh if trusted else club
    before = tables(scene)
    handled = scene.write("anna", text)
    assert (handled.state, handled.reason) == ("answered", "simulation")
    assert tables(scene) == before
    assert kinds(scene.told()) == [("simulation", "anna")]


def test_a_simulation_says_what_would_happen_and_that_nothing_did(club: Scene) -> None:
    club.write("anna", "SIMULE PARTIE buyin=2 joueurs=bela,carl")
    text = plain(club.told()[0].text)
    assert "rien n'est changé" in text
    assert "Tu créeras la partie 1" in text
    assert "disponible de 198,00 €" in text
    assert "bela et carl" in text


def test_a_simulation_of_what_would_be_refused_says_why(club: Scene) -> None:
    handled = club.write("anna", "SIMULE VIREMENT 500 à bela")
    assert [(line.outcome, line.rule) for line in handled.lines] == [("refused", "R-TRA-2")]
    assert "R-TRA-2" in club.told()[0].text


def test_one_simulated_command_makes_the_whole_mail_a_simulation(fresh: Scene) -> None:
    before = tables(fresh)
    fresh.write("anna", "PARTIE joueurs=bela\nSIMULE RESULTAT 1=bela")
    assert tables(fresh) == before


def test_a_simulation_uses_up_no_number(fresh: Scene) -> None:
    fresh.write("anna", "SIMULE PARTIE joueurs=bela")
    fresh.write("anna", "PARTIE joueurs=carl")
    assert fresh.game(1).participants == ("anna", "carl")


# ---------------------------------------------------------------- replies


def test_a_reply_to_a_result_needs_no_number(fresh: Scene) -> None:
    fresh.write("dora", "PARTIE joueurs=bela 1=bela")
    fresh.write("anna", "PARTIE joueurs=bela,carl 1=bela")
    fresh.told()
    handled = fresh.answer(fresh.latest("game.result", "carl"), "CONTESTE je n'ai pas joué")
    assert [line.outcome for line in handled.lines] == ["ok"]
    (dispute,) = fresh.game(2).disputes
    assert (dispute.member, dispute.reason) == ("carl", "je n'ai pas joué")
    assert [m.recipient for m in fresh.told() if m.kind == "dispute.filed"] == ["anna", "bela"]


def test_a_reply_to_a_result_keeps_its_game_until_the_oui(club: Scene) -> None:
    club.do("anna", "PARTIE joueurs=bela,carl 1=bela")
    raw = club.reply(
        club.latest("game.result", "carl"), "CONTESTE je n'ai pas joué", to=CLUB, subject="Re: x"
    )
    asked = club.receive(raw.replace(b"[#", b"[-"))
    assert asked.state == "pending", "all carriers of the token were lost, the thread was not"
    assert "partie 1" in plain(club.latest("confirm", "carl").text)
    assert club.answer(club.latest("confirm", "carl"), "OUI").state == "executed"
    assert [d.member for d in club.game().disputes] == ["carl"]


def test_a_reply_further_down_the_thread_still_knows_its_game(fresh: Scene) -> None:
    fresh.write("anna", "PARTIE joueurs=bela,carl 1=bela")
    ours = fresh.latest("game.result", "carl")
    thread = f"{ours.message_id} <between@mail.example>"
    raw = fresh.reply(
        ours, "CONTESTE je n'y étais pas", In_Reply_To="<between@mail.example>", References=thread
    )
    assert [line.outcome for line in fresh.receive(raw).lines] == ["ok"]


def test_the_thread_of_somebody_elses_mail_tells_nothing(fresh: Scene) -> None:
    fresh.write("anna", "PARTIE joueurs=bela,carl 1=bela")
    handled = fresh.answer(fresh.latest("game.result", "bela"), "CONTESTE je n'ai pas joué", who="carl")
    assert [line.outcome for line in handled.lines] == ["refused"]
    assert fresh.game().disputes == ()


def test_a_written_number_goes_before_the_thread(fresh: Scene) -> None:
    fresh.write("dora", "PARTIE joueurs=carl 1=carl")
    fresh.write("anna", "PARTIE joueurs=bela,carl 1=bela")
    fresh.answer(fresh.latest("game.result", "carl"), "CONTESTE 1 ce n'est pas vrai")
    assert [d.member for d in fresh.game(1).disputes] == ["carl"]
    assert fresh.game(2).disputes == ()


def test_a_judge_decides_by_answering_his_case(fresh: Scene) -> None:
    fresh.write("bela", "PARTIE joueurs=carl 1=carl")
    fresh.write("carl", "CONTESTE 1 c'est faux")
    ends_at = fresh.game().window_ends_at
    assert ends_at is not None
    fresh.now = ends_at
    fresh.work()
    handled = fresh.answer(fresh.latest("arbitration.opened", "anna"), "ACCEPTE erreur de saisie")
    assert [line.outcome for line in handled.lines] == ["ok"]
    assert (fresh.game().state, fresh.balances["carl"]) == ("running", 20000)
