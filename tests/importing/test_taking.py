"""Import: all or nothing, twice is once, and undone is never done; the books stay sound all the while."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailflow.importing.sheet import Unusable, read
from mailflow.importing.taking import CannotUndo, Taken, take_over, undo
from store import imports, ledger, sql
from tests.command_line.cli_scene import mailflow, make_club
from tests.desk.desk_scene import Scene, open_scene
from tests.letters.test_literal import BRIEF

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
MEMBERS = "pseudo;adresse\nzoé;zoe@example.org\nyann;yann@example.org\n"
BALANCES = "pseudo;solde;date\nanna;212,50;31/12/2025\nbela;187,5;2025-12-31\n"
PAST = "date;mise;joueurs;classement\n"
GAMES = "date;mise;joueurs;classement\n05/12/2025;2;anna, bela, carl;bela\n06/12/2025;2;anna,bela;anna\n"


@pytest.fixture
def club() -> Iterator[Scene]:
    scene = open_scene()
    yield scene
    scene.is_sound()
    assert ledger.journal_sum(scene.db, scene.club.id) == 0
    scene.db.close()


def taken(scene: Scene, text: str | bytes, apply: bool = True) -> Taken:
    data = text if isinstance(text, bytes) else text.encode()
    scene.now += timedelta(minutes=1)
    return take_over(scene, read(data), "history.csv", scene.now, apply)


def undone(scene: Scene, number: int | None) -> None:
    assert number is not None
    scene.now += timedelta(minutes=1)
    undo(scene, number, scene.now)
    scene.is_sound()


def seen(scene: Scene) -> tuple[object, ...]:
    """All that a member or a manager could see of the books."""
    holding = {h: c for h, c in ledger.balances(scene.db, scene.club.id).items() if c}
    people = "SELECT handle, name, language, manager FROM member WHERE status <> 'left' ORDER BY handle"
    games = (
        "SELECT g.number, g.state, p.member_id, p.place FROM game g JOIN participant p ON p.game_id = g.id"
    )
    addresses = "SELECT member_id, address FROM address ORDER BY 1, 2"
    return (
        holding,
        *(sql.rows(scene.db, text) for text in (people, f"{games} ORDER BY 1, 3", addresses)),
        sorted(imports.known(scene.db, scene.club.id)),
    )


# ---------------------------------------------------------------- what is taken over


def test_how_many_may_have_played_is_for_the_clubs_rulebook_to_say() -> None:
    """R-GAME-3."""
    scene = open_scene(participants_min=3)
    (problem,) = taken(scene, f"{PAST}06/12/2025;2;anna,bela;anna\n").plan.problems
    assert problem == "row 2: players: 2 play, and not 3 to 10 (R-GAME-3)"
    scene.db.close()


def test_members_get_accounts(club: Scene) -> None:
    assert taken(club, MEMBERS).batch == 1
    assert club.balances["zoé"] == 200_00
    assert club.write("zoe@example.org", "COMPTE").state == "answered"


def test_balances_stand_beside_an_account_of_their_own(club: Scene) -> None:
    done = taken(club, "pseudo;solde\nanna;212,50\nbela;180\n")
    assert done.surplus_cents == -7_50
    assert club.balances == {"anna": 212_50, "bela": 180_00, "carl": 200_00, "dora": 200_00}
    assert ledger.balances(club.db, club.club.id)[imports.OPENING_BALANCES] == 7_50
    club.told()
    club.write("anna", "COMPTE")
    assert "solde repris" in club.told()[0].text


def test_games_of_before_are_over_and_paid_by_the_rulebook(club: Scene) -> None:
    taken(club, GAMES)
    assert club.balances == {"anna": 200_00, "bela": 202_00, "carl": 198_00, "dora": 200_00}
    game = club.game(1)
    assert (game.state, game.participants, dict(game.places)) == (
        "final",
        ("anna", "bela", "carl"),
        {1: "bela"},
    )
    assert game.created_at.date() == date(2025, 12, 5)
    club.told()
    club.write("bela", "HISTORIQUE")
    assert "05/12/2025" in club.told()[0].text
    club.write("bela", "HISTORIQUE 1\nPOURQUOI 1\nCOMPTE")
    assert "partie d'avant" in club.told()[0].text


def test_a_dry_run_writes_nothing(club: Scene) -> None:
    before = club.dump(but=frozenset())
    for text in (MEMBERS, BALANCES, GAMES):
        done = taken(club, text, apply=False)
        assert (done.batch, len(done.plan.steps)) == (None, 2)
    assert club.dump(but=frozenset()) == before


def test_the_club_goes_on_as_if_it_had_always_been_here(club: Scene) -> None:
    taken(club, BALANCES)
    taken(club, GAMES)
    club.do("anna", "PARTIE buyin=2 joueurs=bela 1=bela")
    assert club.game(3).state == "recent"


# ---------------------------------------------------------------- forms of files


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_encodings_and_separators_are_recognised(club: Scene, encoding: str, separator: str) -> None:
    text = 'Pseudo;Adresse;Nom\r\nzoé;zoe@example.org;"Zoé ""la reine"" Lefèvre"\r\n\r\n'
    taken(club, text.replace(";", separator).encode(encoding))
    names = sql.rows(club.db, "SELECT name FROM member WHERE handle = 'zoé'")
    assert names == [('Zoé "la reine" Lefèvre',)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no header"), ("a;b\n1;2\n", "row 1"),
        ("pseudo;solde;farbe\nanna;1;x\n", "no such column: farbe"),
        ("pseudo;pseudo;solde\n", "twice"), ('pseudo;solde\n"anna;1\n', "no CSV"),
        ("pseudo;solde\nanna;1;2;3\n", "row 2"),
        ("pseudo;solde\n\0anna;1\n", "text"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_refused_as_a_whole(text: str, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        read(text.encode())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("pseudo;adresse\nx y;zoe@example.org", "row 2: the handle 'x y' cannot be used"),
        ("pseudo;adresse\nzoé;zoe", "row 2: 'zoe' is not an address"),
        ("pseudo;adresse\nzoé;anna@example.org", "row 2: the address anna@example.org is another"),
        ("pseudo;adresse\nzoé;club@example.org", "row 2: club@example.org is the club's own"),
        ("pseudo;adresse\nanna;other@example.org", "row 2: anna is a member already"),
        ("pseudo;adresse\nzoé;z@example.org\nZOE;y@example.org", "row 3: zoe stands in row 2 already"),
        ("pseudo;adresse\n\nzoé;", "row 3: the address is missing"),
        ("pseudo;adresse;langue\nzoé;z@example.org;xx", "row 2: language: 'xx' is none"),
        ("pseudo;solde\nanna;1.234", "row 2: balance: '1.234' is no amount such as"),
        ("pseudo;solde\nnobody;1", "row 2: 'nobody' is no member"),
        ("pseudo;solde;date\nanna;1;31/02/2025", "row 2: date: '31/02/2025' is no day such as"),
        ("pseudo;solde;date\nanna;1;01/01/2027", "row 2: date: 2027-01-01 is still to come"),
        ("pseudo;solde\nanna;1\nAnna;2", "row 3: the balance of anna stands in row 2 already"),
        (f"{PAST}1/1/2025;0;anna,bela;bela", "row 2: buyin: it must be more"),
        (f"{PAST}1/1/2025;2;anna;anna", "row 2: players: 1 play"),
        (f"{PAST}1/1/2025;2;anna,anna;anna", "row 2: players: one of them is named twice"),
        (f"{PAST}1/1/2025;2;anna,bela;carl", "row 2: places: somebody is paid who"),
        (f"{PAST}1/1/2025;2;anna,bela;anna,bela", "row 2: places: of 2 players exactly 1"),
    ],
)  # fmt: skip
def test_each_problem_names_its_row_and_nothing_of_the_file_is_taken(
    club: Scene, text: str, problem: str
) -> None:
    before = seen(club)
    good = {
        "adresse": "yann;yann@example.org",
        "solde": "dora;201",
        "classement": "2/1/2025;2;carl,dora;dora",
    }
    more = next(row for column, row in good.items() if column in text.partition("\n")[0])
    done = taken(club, f"{text}\n{more}{';' if 'langue' in text else ''}\n")
    assert done.batch is None
    assert len(done.plan.problems) == 1
    assert done.plan.problems[0].startswith(problem)
    assert len(done.plan.steps) >= 1
    assert seen(club) == before


# ---------------------------------------------------------------- twice is once


@pytest.mark.parametrize("text", [MEMBERS, BALANCES, GAMES])
def test_the_same_file_again_brings_nothing(club: Scene, text: str) -> None:
    taken(club, text)
    before = club.dump(but=frozenset())
    again = taken(club, text)
    assert (again.batch, again.plan.known, again.plan.steps) == (None, 2, [])
    assert club.dump(but=frozenset()) == before


def test_of_a_file_that_overlaps_only_what_is_new_is_taken(club: Scene) -> None:
    taken(club, GAMES)
    more = taken(club, GAMES + "05/12/2025;2;carl, bela, anna;bela\n05/12/2025;2;anna, bela, carl;carl\n")
    assert (more.plan.known, len(more.plan.steps)) == (2, 2)
    assert club.balances == {"anna": 196_00, "bela": 204_00, "carl": 200_00, "dora": 200_00}


def test_another_balance_of_somebody_is_refused(club: Scene) -> None:
    taken(club, BALANCES)
    assert "undo that one" in taken(club, BALANCES.replace("212,50", "212,60")).plan.problems[0]


def test_a_balance_is_not_taken_for_an_account_that_has_moved(club: Scene) -> None:
    club.do("anna", "PARTIE buyin=2 joueurs=bela 1=bela")
    problems = taken(club, BALANCES).plan.problems
    assert [p.partition(" has")[0] for p in problems] == ["row 2: anna", "row 3: bela"]


# ---------------------------------------------------------------- undone is never done


@pytest.mark.parametrize("text", [MEMBERS, BALANCES, GAMES])
def test_what_is_undone_is_as_if_it_had_never_been_and_can_be_taken_again(club: Scene, text: str) -> None:
    before = seen(club)
    undone(club, taken(club, text).batch)
    assert seen(club) == before
    assert taken(club, text).batch == 2
    with pytest.raises(CannotUndo, match="was undone on"):
        undo(club, 1, club.now)


def test_a_member_whose_import_was_undone_can_be_taken_with_another_address(club: Scene) -> None:
    undone(club, taken(club, MEMBERS).batch)
    swapped = "pseudo;adresse\nzoé;yann@example.org\nyann;zoe@example.org\n"
    assert taken(club, swapped).plan.problems == []
    assert club.balances["zoé"] == 200_00


@pytest.mark.parametrize(
    ("text", "then", "why"),
    [
        (MEMBERS, "PARTIE buyin=2 joueurs=zoé", "zoé takes part in game 1"),
        (MEMBERS, "VIREMENT 10 à zoé", None),
        (BALANCES, "PARTIE buyin=2 joueurs=carl 1=carl", "on the account of anna stands entry"),
        (GAMES, "PARTIE buyin=2 joueurs=dora", "anna takes part in game 3"),
    ],
)
def test_what_something_rests_on_stays(club: Scene, text: str, then: str, why: str | None) -> None:
    number = taken(club, text).batch
    if why is None:  # his balance may not pass 200.00: he must have less first
        taken(club, "pseudo;solde\nzoé;150\n")
        why = "on the account of zoé stands"
    club.do("anna", then)
    before = club.dump(but=frozenset())
    with pytest.raises(CannotUndo, match=why):
        undo(club, number or 0, club.now)
    assert club.dump(but=frozenset()) == before


def test_imports_are_undone_from_the_last_to_the_first(club: Scene) -> None:
    before = seen(club)
    numbers = [taken(club, text).batch for text in (BALANCES, GAMES)]
    with pytest.raises(CannotUndo, match="import 2, to be undone first"):
        undo(club, 1, club.now)
    for number in reversed(numbers):
        undone(club, number)
    assert seen(club) == before


def test_the_last_manager_stays() -> None:
    scene = open_scene(members=("bela",))
    number = taken(scene, "pseudo;adresse;gestionnaire\nzoé;zoe@example.org;oui\n").batch
    with pytest.raises(CannotUndo, match="no manager"):
        undo(scene, number or 0, scene.now)
    scene.db.close()


HANDLES = ("anna", "bela", "carl", "dora")


@st.composite
def files(draw: st.DrawFn) -> str:
    """A file of balances or of games, with amounts and days in several forms."""
    if draw(st.booleans()):
        rows = []
        for handle in draw(st.lists(st.sampled_from(HANDLES), unique=True, min_size=1)):
            cents = draw(st.integers(-50_000, 50_000))
            sign = "-" if cents < 0 else ""
            rows.append(f"{handle};{sign}{abs(cents) // 100},{abs(cents) % 100:02} €")
        return "\n".join(("pseudo;solde", *rows))
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        players = draw(st.lists(st.sampled_from(HANDLES), unique=True, min_size=2, max_size=3))
        day = draw(st.dates(date(2025, 12, 1), date(2025, 12, 3)))
        written = day.isoformat() if draw(st.booleans()) else day.strftime("%d/%m/%Y")
        rows.append(
            f"{written};{draw(st.sampled_from(('1', '2,00', '0,33')))};{','.join(players)};{players[0]}"
        )
    return "\n".join(("date;mise;joueurs;classement", *rows))


@BRIEF
@given(st.lists(files(), min_size=1, max_size=4))
def test_any_imports_twice_are_once_and_undone_are_nothing(texts: list[str]) -> None:
    scene = open_scene()
    before, numbers = seen(scene), []
    for text in texts:
        first = taken(scene, text)
        after = scene.dump(but=frozenset())
        again = taken(scene, text)
        assert again.batch is None
        if first.batch is not None:
            assert again.plan.known == len(read(text.encode()).rows)
            numbers.append(first.batch)
        assert scene.dump(but=frozenset()) == after
        scene.is_sound()
    for number in reversed(numbers):
        undone(scene, number)
    assert seen(scene) == before
    scene.db.close()


# ---------------------------------------------------------------- by hand


def test_the_examples_of_the_handbook_are_taken_over(tmp_path: Path) -> None:
    """docs/operating.md, "Bring a spreadsheet along"."""
    club = make_empty_club(tmp_path / "club")
    for number, name in enumerate(("members.csv", "balances.csv", "games.csv"), 1):
        looked = mailflow("import", EXAMPLES / name, "--dir", club)
        assert (looked.code, looked.err) == (0, []), looked
        assert looked.out[-1] == "nothing was written: this is what --apply would do"
        done = mailflow("import", EXAMPLES / name, "--dir", club, "--apply")
        assert done.out[-1] == f"done, as import {number}; to take it back: mailflow import --undo {number}"
    assert mailflow("verify", "--dir", club).code == 0
    shown = " ".join(mailflow("balances", "--dir", club).out)
    for balance in ("213,50", "185,50", "194,00", "207,00"):
        assert balance in shown.replace("\u00a0", " "), shown
    assert len(mailflow("import", "--list", "--dir", club).out) == 3
    assert mailflow("import", "--undo", 1, "--dir", club).code == 1
    assert [mailflow("import", "--undo", n, "--dir", club).code for n in (3, 2)] == [0, 0]
    assert mailflow("verify", "--dir", club).code == 0


def make_empty_club(folder: Path) -> Path:
    said = mailflow("init", folder, "--name", "Le club", "--address", "club@example.org")
    assert said.code == 0, said
    return folder


def test_a_wrong_row_and_a_wrong_file_say_so(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    bad = tmp_path / "bad.csv"
    bad.write_text("pseudo;solde\nanna;12,345\n", "utf-8")
    said = mailflow("import", bad, "--dir", club, "--apply")
    assert said.code == 1
    assert said.err == ["mailflow: row 2: balance: '12,345' is no amount such as 1 234,50 or 12,5"]
    bad.write_text("foo\n", "utf-8")
    assert mailflow("import", bad, "--dir", club).code == 2
    assert mailflow("import", tmp_path / "none.csv", "--dir", club).code == 2
    assert mailflow("import", "--dir", club).code == 2
