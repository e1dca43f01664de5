"""What can be looked up: members, games, statements, sums over periods."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import sql
from store.errors import UnknownName
from store.records import (
    CancelGame,
    CloseWindow,
    CreateGame,
    GameState,
    Levy,
    RecordResult,
    Transfer,
)
from tests.databases import open_database
from tests.store.scene import BRIEF, START, WINDOW, Scene, found


def numbers(games: tuple[object, ...]) -> list[int]:
    return [game.number for game in games]  # type: ignore[attr-defined]


# ---------------------------------------------------------------- members


def test_members_are_in_the_order_of_their_folded_handles(bare: Scene) -> None:
    bare.open("Zoé", "emil", "Élodie", "anna")
    assert list(bare.members) == ["anna", "Élodie", "emil", "Zoé"]


def test_committed_is_the_buyins_of_running_games(club: Scene) -> None:
    club.play(1, "anna", "bela", buyin_cents=5_00)
    club.play(2, "bela", "carl", buyin_cents=2_00)
    club.play(3, "carl", "anna", buyin_cents=1_00)
    club.end(3, "anna")
    committed = {handle: member.committed_cents for handle, member in club.members.items()}
    assert committed == {"anna": 5_00, "bela": 7_00, "carl": 2_00, "dora": 0}
    assert club.members["anna"].available_cents == 201_00 - 5_00


def test_one_club_does_not_see_the_other(club: Scene) -> None:
    other = found(club.db, "autre@example.org")
    other.open("anna")
    club.play(1, "anna", "bela")
    assert list(other.members) == ["anna"]
    assert other.members["anna"].committed_cents == 0
    assert other.books.open_games() == ()
    assert other.books.next_game_number() == 1
    other.play(1, "anna")
    assert numbers(other.books.history(None, None, 9)) == [1]
    assert club.books.game(1) != other.books.game(1)


# ---------------------------------------------------------------- games


@pytest.fixture
def lives(club: Scene) -> Scene:
    """Games 1 running, 2 recent, 3 in arbitration, 4 final, 5 cancelled; dora plays in 2 and 5."""
    for number, players in ((1, "ab"), (2, "ad"), (3, "ac"), (4, "bc"), (5, "bd")):
        handles = {handle[0]: handle for handle in club.members}
        club.play(number, *(handles[letter] for letter in players))
    club.end(2, "anna")
    club.to_arbitration(3, "anna", "carl")
    club.end(4, "bela")
    club.do(CloseWindow(4, GameState.FINAL))
    club.do(CancelGame(5, "bela"))
    return club


def test_open_games_are_those_that_can_still_change(lives: Scene) -> None:
    assert numbers(lives.books.open_games()) == [1, 2, 3]
    assert numbers(lives.books.open_games_of("ANNA")) == [1, 2, 3]
    assert numbers(lives.books.open_games_of("dora")) == [2]
    running = {g.number for g in lives.books.open_games() if g.state == "running"}
    assert numbers(lives.books.running_games_of("anna")) == sorted(running & {1, 2, 3})


def test_history_is_of_any_state_the_newest_first(lives: Scene) -> None:
    assert numbers(lives.books.history(None, None, 99)) == [5, 4, 3, 2, 1]
    assert numbers(lives.books.history(None, None, 2)) == [5, 4]
    assert numbers(lives.books.history("dora", None, 99)) == [5, 2]
    assert numbers(lives.books.history("dora", None, 1)) == [5]
    third = lives.books.game(3)
    assert third is not None
    assert numbers(lives.books.history(None, third.created_at, 99)) == [5, 4, 3]
    assert numbers(lives.books.history("anna", third.created_at, 99)) == [3]


def test_many_games_are_read_as_each_of_them(lives: Scene) -> None:
    for game in lives.books.history(None, None, 99):
        assert lives.books.game(game.number) == game


@pytest.mark.only_sqlite
def test_many_games_take_three_queries(lives: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    connection = lives.db.connection()
    connection.set_trace_callback(asked.append)
    for look_up in (lives.books.open_games, lambda: lives.books.history(None, None, 99)):
        asked.clear()
        look_up()
        assert len(asked) == 3


def test_numbers_go_on(lives: Scene) -> None:
    assert lives.books.next_game_number() == 6
    assert lives.books.game(6) is None
    assert lives.books.steps(6) == ()
    assert lives.books.entries(6) == ()
    assert lives.books.decision(6) is None


def test_results_are_those_that_stand_in_a_period(lives: Scene) -> None:
    at = {game.number: game.result_at for game in lives.books.history(None, None, 99)}
    assert at[5] is None
    assert numbers(lives.books.results_between(START, lives.now)) == [2, 3, 4]
    assert numbers(lives.books.results_between(at[2], at[3])) == [2]
    assert numbers(lives.books.results_between(at[3], at[4] + timedelta(microseconds=1))) == [3, 4]
    lives.replay_result(3)
    assert numbers(lives.books.results_between(START, lives.now)) == [2, 4]


def test_windows_are_due_in_the_order_of_their_ends(club: Scene) -> None:
    assert club.books.window_ends(5) == ()
    for number, hours in ((1, 3), (2, 1), (3, 1), (4, 9)):
        club.play(number, "anna", "bela")
        ends_at = START + timedelta(hours=hours)
        club.do(RecordResult(number, "anna", {1: "bela"}, {"bela": 2_00}, ends_at))
    ends = tuple(
        (START + timedelta(hours=hours), number) for hours, number in ((1, 2), (1, 3), (3, 1), (9, 4))
    )
    assert club.books.window_ends(9) == ends
    assert club.books.window_ends(2) == ends[:2]
    assert club.books.window_ends(2, skipped=1) == ends[1:3]
    for number in (2, 3):
        club.do(CloseWindow(number, GameState.FINAL))
    assert club.books.window_ends(9) == ends[2:]


def test_the_last_participation_is_the_latest_result_that_stands(lives: Scene) -> None:
    at = {game.number: game.result_at for game in lives.books.history(None, None, 99)}
    joined_at = {handle: member.joined_at for handle, member in lives.members.items()}
    assert lives.books.last_participations() == {"anna": at[3], "bela": at[4], "carl": at[4], "dora": at[2]}
    lives.replay_result(3)
    assert lives.books.last_participations()["anna"] == at[2]
    newcomer = Scene(lives.db, lives.id, lives.now)
    newcomer.open("emil")
    joined_at = {handle: member.joined_at for handle, member in lives.members.items()}
    assert lives.books.last_participations()["emil"] == joined_at["emil"]


# ---------------------------------------------------------------- statements


def test_a_statement_shows_all_lines_with_the_balance_after_each(club: Scene) -> None:
    club.play(1, "anna", "bela", buyin_cents=2_00)
    club.end(1, "anna")
    club.do(Transfer("anna", "carl", 10_00, "merci"))
    statement = club.books.statement("anna", None, None, 99)
    assert (statement.opening_cents, statement.closing_cents, statement.omitted) == (0, 192_00, 0)
    lines = [
        (line.kind, line.game, line.counterparts, line.memo, line.amount_cents, line.balance_cents)
        for line in statement.lines
    ]
    assert lines == [
        ("opening", None, (), "", 200_00, 200_00),
        ("result", 1, (), "", -2_00, 198_00),
        ("result", 1, (), "", 4_00, 202_00),
        ("transfer", None, ("carl",), "merci", -10_00, 192_00),
    ]


def test_earlier_lines_are_folded_into_the_opening(club: Scene) -> None:
    for cents in (1, 2, 3, 4):
        club.do(Transfer("anna", "bela", cents, ""))
    statement = club.books.statement("bela", None, None, 2)
    assert (statement.opening_cents, statement.closing_cents, statement.omitted) == (200_03, 200_10, 3)
    assert [line.amount_cents for line in statement.lines] == [3, 4]


def test_a_statement_of_a_period_holds_its_lines_only(club: Scene) -> None:
    instants = [club.do(Transfer("anna", "bela", cents, "")) for cents in (1, 2, 3, 4)]
    statement = club.books.statement("bela", instants[1], instants[3], 99)
    assert (statement.since, statement.until) == (instants[1], instants[3])
    assert (statement.opening_cents, statement.closing_cents, statement.omitted) == (200_01, 200_06, 0)
    assert [line.at for line in statement.lines] == instants[1:3]
    empty = club.books.statement("bela", club.now + WINDOW, None, 99)
    assert (empty.opening_cents, empty.lines, empty.closing_cents) == (200_10, (), 200_10)
    before = club.books.statement("bela", None, START, 99)
    assert (before.opening_cents, before.lines, before.closing_cents) == (0, (), 0)


def test_a_contributor_of_a_levy_sees_the_debtor_and_the_debtor_all(club: Scene) -> None:
    at = club.do(Levy("dora", {"bela": 1, "anna": 2}, "anna"))
    (his,) = club.books.statement("bela", at, None, 9).lines
    (hers,) = club.books.statement("dora", at, None, 9).lines
    assert his.counterparts == ("dora",)
    assert hers.counterparts == ("anna", "bela")


def test_a_statement_is_of_a_member(club: Scene) -> None:
    with pytest.raises(UnknownName, match="no member 'emil'"):
        club.books.statement("emil", None, None, 9)


TRANSFERS = st.lists(st.tuples(st.booleans(), st.integers(1, 99_00)), max_size=12)


@BRIEF
@given(TRANSFERS, st.integers(0, 14), st.integers(0, 14), st.integers(1, 14))
def test_any_statement_adds_up(transfers: list[tuple[bool, int]], start: int, end: int, limit: int) -> None:
    club = found(open_database(None))
    club.open("anna", "bela")
    for gives, cents in transfers:
        club.do(Transfer(*("anna", "bela")[:: -1 if gives else 1], cents, ""))
    since, until = START + timedelta(minutes=start), START + timedelta(minutes=end)
    everything = club.books.statement("bela", None, None, 99).lines
    period = [line for line in everything if since <= line.at < until]
    statement = club.books.statement("bela", since, until, limit)
    assert list(statement.lines) == period[-limit:]
    assert statement.omitted == len(period) - len(statement.lines)
    assert statement.closing_cents == sum(line.amount_cents for line in everything if line.at < until)
    assert statement.opening_cents == statement.closing_cents - sum(
        line.amount_cents for line in statement.lines
    )
    club.db.close()


def test_changes_of_balance_are_summed_since_an_instant(club: Scene) -> None:
    club.do(Transfer("anna", "bela", 5, ""))
    since = club.do(Transfer("anna", "bela", 7, ""))
    club.do(Transfer("bela", "carl", 1, ""))
    assert club.books.balance_changes(since) == {"anna": -7, "bela": 6, "carl": 1, "dora": 0}
    assert set(club.books.balance_changes(club.now + WINDOW).values()) == {0}


def test_the_journal_sums_to_zero(lives: Scene) -> None:
    assert lives.books.journal_sum() == 0


# ---------------------------------------------------------------- no look-up reads a whole table

LOOK_UPS = {
    "game": lambda books, at: books.game(1),
    "open_games": lambda books, at: books.open_games(),
    "running_games_of": lambda books, at: books.running_games_of("anna"),
    "open_games_of": lambda books, at: books.open_games_of("anna"),
    "history": lambda books, at: books.history(None, None, 5),
    "history of one": lambda books, at: books.history("anna", None, 5),
    "results_between": lambda books, at: books.results_between(at, at),
    "window_ends": lambda books, at: books.window_ends(5),
    "steps": lambda books, at: books.steps(1),
    "decision": lambda books, at: books.decision(1),
    "entries": lambda books, at: books.entries(1),
    "statement": lambda books, at: books.statement("anna", at, at, 5),
    "balance_changes": lambda books, at: books.balance_changes(at),
    "levies_for": lambda books, at: books.levies_for("anna"),
    "next_game_number": lambda books, at: books.next_game_number(),
    "journal_sum": lambda books, at: books.journal_sum(),
    "injunctions": lambda books, at: books.injunctions(),
    "injunction_of_spell": lambda books, at: books.injunction_of_spell("anna", at),
    "nudged_months": lambda books, at: books.nudged_months("anna", at),
    "invitation": lambda books, at: books.invitation("emil"),
    "invitation_for_address": lambda books, at: books.invitation_for_address("e@example.org"),
    "rulebook": lambda books, at: books.rulebook(),
    "chain_head": lambda books, at: books.chain_head(),
}


@pytest.mark.only_sqlite
@pytest.mark.parametrize("name", LOOK_UPS)
def test_a_look_up_scans_no_table(lives: Scene, name: str) -> None:
    asked: list[str] = []
    lives.db.connection().set_trace_callback(asked.append)
    LOOK_UPS[name](lives.books, datetime.fromisoformat("2026-01-05T12:00:00+00:00"))
    lives.db.connection().set_trace_callback(None)
    assert asked
    for text in asked:
        plan = [detail for *_, detail in sql.rows(lives.db, f"EXPLAIN QUERY PLAN {text}")]
        scans = [step for step in plan if step.startswith("SCAN ") and "CONSTANT ROW" not in step]
        assert scans == [], (text, plan)


def test_a_game_of_a_club_with_one_player_is_read(club: Scene) -> None:
    club.do(CreateGame(7, "anna", 1_00, ("anna",), 1))
    game = club.books.game(7)
    assert game is not None
    assert game.participants == ("anna",)
