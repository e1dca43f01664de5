"""The life of a game, as it is written and read again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from store.errors import SchemaRefused, UnbalancedEntry, UnknownName, WrongState
from store.records import (
    AcceptDisputes,
    CancelGame,
    Change,
    ChangeGame,
    CloseWindow,
    CreateGame,
    Decision,
    Dispute,
    EndArbitration,
    FileDispute,
    Game,
    GameState,
    GameStep,
    RecordResult,
    RejectDisputes,
    WithdrawDispute,
)
from store.verify import verify
from tests.databases import open_database
from tests.store.scene import START, WINDOW, Scene, found


def game(club: Scene, number: int = 1) -> Game:
    found_game = club.books.game(number)
    assert found_game is not None
    return found_game


def kinds(club: Scene, number: int = 1) -> list[str]:
    return [step.kind for step in club.books.steps(number)]


def test_a_created_game_is_read_as_it_was_written(club: Scene) -> None:
    at = club.do(CreateGame(1, "carl", 2_00, ("carl", "ANNA", "bela"), 1))
    assert game(club) == Game(
        number=1,
        creator="carl",
        buyin_cents=2_00,
        state=GameState.RUNNING,
        participants=("carl", "anna", "bela"),
        places={},
        rulebook_version=1,
        created_at=at,
        result_at=None,
        window_ends_at=None,
        disputes=(),
    )
    details = {"buyin_cents": 2_00, "participants": ["carl", "anna", "bela"]}
    assert club.books.steps(1) == (GameStep(at, "carl", "created", details),)


def test_a_game_needs_players_who_are_there(club: Scene) -> None:
    with pytest.raises(UnknownName, match="no member 'emil', 'fanny'"):
        club.do(CreateGame(1, "anna", 1_00, ("anna", "emil", "fanny"), 1))
    assert club.books.game(1) is None


def test_a_game_needs_a_rulebook_that_is_there(club: Scene) -> None:
    with pytest.raises(SchemaRefused, match=r"(?i)foreign key"):
        club.do(CreateGame(1, "anna", 1_00, ("anna", "bela"), 2))


def test_a_change_replaces_players_and_buyin(club: Scene) -> None:
    club.play(1, "anna", "bela", "carl")
    at = club.do(ChangeGame(1, 5_00, ("anna", "dora", "carl"), "anna"))
    assert game(club).participants == ("anna", "dora", "carl")
    assert game(club).buyin_cents == 5_00
    details = {"buyin_cents": 5_00, "participants": ["anna", "dora", "carl"]}
    assert club.books.steps(1)[-1] == GameStep(at, "anna", "changed", details)


def test_a_ban_leaves_its_own_step(club: Scene) -> None:
    club.play(1, "bela", "anna", "carl")
    club.do(ChangeGame(1, 1_00, ("bela", "anna"), "anna", because_banned="carl"))
    step = club.books.steps(1)[-1]
    assert (step.kind, step.actor, step.details["because_banned"]) == ("player_banned", "anna", "carl")
    club.do(CancelGame(1, "anna", because_banned="bela"))
    step = club.books.steps(1)[-1]
    assert (step.kind, step.actor, step.details) == ("cancelled", "anna", {"because_banned": "bela"})


def test_a_cancelled_game_stays_cancelled(club: Scene) -> None:
    club.play(1, "anna", "bela")
    club.do(CancelGame(1, "anna"))
    assert game(club).state is GameState.CANCELLED
    with pytest.raises(WrongState, match="game 1 is cancelled, not running"):
        club.do(CancelGame(1, "anna"))
    with pytest.raises(SchemaRefused, match="nothing leaves"):
        club.raw("UPDATE game SET state = 'running'")


def test_a_result_posts_buyins_and_gains_in_one_entry(club: Scene) -> None:
    club.play(1, "anna", "bela", "carl", "dora", buyin_cents=5_00)
    gains = {"bela": 12_00, "CARL": 8_00}
    at = club.do(RecordResult(1, "anna", {2: "carl", 1: "bela"}, gains, START + WINDOW))
    assert game(club).places == {1: "bela", 2: "carl"}
    assert list(game(club).places) == [1, 2]
    assert (game(club).state, game(club).result_at) == (GameState.RECENT, at)
    assert game(club).window_ends_at == START + WINDOW
    (entry,) = club.books.entries(1)
    assert (entry.kind, entry.at, entry.game) == ("result", at, 1)
    assert entry.postings == (
        ("member:anna", -5_00),
        ("member:bela", -5_00),
        ("member:carl", -5_00),
        ("member:dora", -5_00),
        ("member:bela", 12_00),
        ("member:carl", 8_00),
    )
    step = club.books.steps(1)[-1]
    assert step.details == {"places": {"1": "bela", "2": "carl"}, "entry": entry.number}


def test_gains_that_are_not_the_pot_are_refused(club: Scene) -> None:
    club.play(1, "anna", "bela")
    with pytest.raises(UnbalancedEntry, match="-1 cents"):
        club.do(RecordResult(1, "anna", {1: "bela"}, {"bela": 1_99}, START + WINDOW))
    assert game(club).state is GameState.RUNNING


def test_a_place_for_somebody_who_does_not_play_is_refused(club: Scene) -> None:
    club.play(1, "anna", "bela")
    with pytest.raises(UnknownName, match="takes no part"):
        club.do(RecordResult(1, "anna", {1: "carl"}, {"carl": 2_00}, START + WINDOW))
    assert set(club.balances.values()) == {200_00}


def test_a_game_may_be_born_with_its_result(club: Scene) -> None:
    result = RecordResult(1, "anna", {1: "bela"}, {"bela": 2_00}, START + WINDOW)
    at = club.do(CreateGame(1, "anna", 1_00, ("anna", "bela"), 1), result)
    assert (game(club).created_at, game(club).result_at) == (at, at)
    assert kinds(club) == ["created", "result"]


def test_disputes_are_filed_changed_and_withdrawn(club: Scene) -> None:
    club.play(1, "anna", "bela", "carl")
    club.end(1, "bela")
    filed_at, changed_at = START + timedelta(hours=2), START + timedelta(hours=3)
    club.do(FileDispute(1, "carl", "faux", filed_at))
    club.do(FileDispute(1, "bela", "aussi", filed_at))
    club.do(FileDispute(1, "CARL", "très faux", changed_at))
    assert game(club).disputes == (
        Dispute("bela", "aussi", filed_at, None),
        Dispute("carl", "très faux", filed_at, changed_at),
    )
    club.do(WithdrawDispute(1, "carl"))
    club.do(WithdrawDispute(1, "bela", because_banned=True))
    assert game(club).disputes == ()
    assert kinds(club)[2:] == [
        "disputed",
        "disputed",
        "dispute_changed",
        "dispute_withdrawn",
        "dispute_withdrawn",
    ]
    assert club.books.steps(1)[-1].details == {"because_banned": "bela"}
    assert "faux" not in repr(club.books.steps(1))
    with pytest.raises(UnknownName, match="no dispute"):
        club.do(WithdrawDispute(1, "carl"))


def test_only_a_participant_disputes(club: Scene) -> None:
    club.play(1, "anna", "bela")
    club.end(1, "bela")
    with pytest.raises(SchemaRefused, match=r"(?i)foreign key"):
        club.dispute(1, "carl")


def test_a_window_ends_in_final_or_arbitration(club: Scene) -> None:
    for number, state in ((1, GameState.FINAL), (2, GameState.ARBITRATION)):
        club.play(number, "anna", "bela")
        club.end(number, "bela")
        club.do(CloseWindow(number, state))
        assert game(club, number).state is state
    assert kinds(club, 1)[-1] == "window_closed"
    assert kinds(club, 2)[-1] == "arbitration"
    club.do(EndArbitration(2))
    assert game(club, 2).state is GameState.FINAL
    assert club.books.steps(2)[-1].actor is None


def test_a_rejection_is_kept_with_its_disputes(club: Scene) -> None:
    club.play(1, "anna", "bela", "carl")
    club.to_arbitration(1, "bela", "carl")
    at = club.do(RejectDisputes(1, "anna", "le classement est juste"))
    expected = Decision("anna", "rejected", "le classement est juste", at, (("carl", "faux"),))
    assert club.books.decision(1) == expected
    assert game(club).state is GameState.FINAL
    assert [dispute.reason for dispute in game(club).disputes] == ["faux"]
    with pytest.raises(WrongState):
        club.do(RejectDisputes(1, "anna", "encore"))


def test_an_acceptance_takes_everything_back(club: Scene) -> None:
    club.play(1, "anna", "bela", "carl")
    before = game(club)
    club.to_arbitration(1, "bela", "carl")
    club.do(AcceptDisputes(1, "anna", GameState.RUNNING))
    assert game(club) == before
    assert club.books.decision(1) is None
    assert set(club.balances.values()) == {200_00}
    assert [entry.kind for entry in club.books.entries(1)] == ["result", "reversal"]
    assert kinds(club)[-1] == "accepted"
    club.end(1, "carl")
    assert club.balances["carl"] == 202_00
    assert verify(club.db, club.id) == ()


def test_an_acceptance_may_cancel(club: Scene) -> None:
    club.play(1, "anna", "bela", "carl")
    club.to_arbitration(1, "bela", "carl")
    club.do(AcceptDisputes(1, "anna", GameState.CANCELLED))
    assert game(club).state is GameState.CANCELLED
    assert game(club).places == {}
    assert verify(club.db, club.id) == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (ChangeGame(9, 1_00, ("anna",), "anna"), "no game 9"),
        (FileDispute(1, "bela", "", START), "is running, not recent"),
        (WithdrawDispute(1, "bela"), "not recent or arbitration"),
        (CloseWindow(1, GameState.FINAL), "not recent"),
        (EndArbitration(1), "not arbitration"),
        (RejectDisputes(1, "anna", ""), "not arbitration"),
        (AcceptDisputes(1, "anna", GameState.RUNNING), "not arbitration"),
        (CloseWindow(2, GameState.RUNNING), "cannot end in running"),
        (CancelGame(2, "anna"), "is recent, not running"),
        (ChangeGame(2, 1_00, ("anna", "carl"), "anna"), "is recent"),
        (RecordResult(2, "anna", {}, {}, START), "is recent"),
        (AcceptDisputes(3, "anna", GameState.FINAL), "cannot become final"),
    ],
)
def test_a_game_moves_only_as_it_may(club: Scene, change: Change, message: str) -> None:
    club.play(1, "anna", "bela")
    club.play(2, "anna", "bela")
    club.end(2, "bela")
    club.play(3, "anna", "bela", "carl")
    club.to_arbitration(3, "bela", "carl")
    with pytest.raises((WrongState, UnknownName), match=message):
        club.do(change)


# ---------------------------------------------------------------- any life of games, against a model

HANDLES = ("anna", "bela", "carl", "dora")


class Lives(RuleBasedStateMachine):
    """Games live in any order; the balances are those of a model, and the books verify."""

    @initialize()
    def open(self) -> None:
        self.club = found(open_database(None))
        self.club.open(*HANDLES)
        self.model = dict.fromkeys(HANDLES, 200_00)
        self.games: dict[GameState, list[int]] = {state: [] for state in GameState}

    def one(self, state: GameState, data: st.DataObject) -> int:
        number: int = data.draw(st.sampled_from(self.games[state]))
        return number

    def move(self, number: int, old: GameState, new: GameState) -> None:
        self.games[old].remove(number)
        self.games[new].append(number)

    @rule(count=st.integers(2, 4), buyin_cents=st.sampled_from([1_00, 3_00]))
    def create(self, count: int, buyin_cents: int) -> None:
        number = self.club.books.next_game_number()
        self.club.play(number, *HANDLES[:count], buyin_cents=buyin_cents)
        self.games[GameState.RUNNING].append(number)

    @precondition(lambda self: self.games[GameState.RUNNING])
    @rule(data=st.data(), cancelled=st.booleans())
    def leave_running(self, data: st.DataObject, cancelled: bool) -> None:
        number = self.one(GameState.RUNNING, data)
        if cancelled:
            self.club.do(CancelGame(number, "anna"))
            self.move(number, GameState.RUNNING, GameState.CANCELLED)
            return
        played = game(self.club, number)
        self.club.end(number, "bela")
        for handle in played.participants:
            self.model[handle] -= played.buyin_cents
        self.model["bela"] += played.pot_cents
        self.move(number, GameState.RUNNING, GameState.RECENT)

    @precondition(lambda self: self.games[GameState.RECENT])
    @rule(data=st.data(), disputed=st.booleans())
    def leave_recent(self, data: st.DataObject, disputed: bool) -> None:
        number = self.one(GameState.RECENT, data)
        if disputed:
            self.club.dispute(number, "bela")
        state = GameState.ARBITRATION if disputed else GameState.FINAL
        self.club.do(CloseWindow(number, state))
        self.move(number, GameState.RECENT, state)

    @precondition(lambda self: self.games[GameState.ARBITRATION])
    @rule(data=st.data(), state=st.sampled_from([GameState.RUNNING, GameState.CANCELLED, GameState.FINAL]))
    def leave_arbitration(self, data: st.DataObject, state: GameState) -> None:
        number = self.one(GameState.ARBITRATION, data)
        if state is GameState.FINAL:
            self.club.do(RejectDisputes(number, "anna", "non"))
        else:
            judged = game(self.club, number)
            self.club.do(AcceptDisputes(number, "anna", state))
            for handle in judged.participants:
                self.model[handle] += judged.buyin_cents
            self.model["bela"] -= judged.pot_cents
        self.move(number, GameState.ARBITRATION, state)

    @invariant()
    def books_are_right(self) -> None:
        if not hasattr(self, "club"):
            return
        assert self.club.balances == self.model
        for state, numbers in self.games.items():
            assert all(game(self.club, number).state is state for number in numbers)
        assert verify(self.club.db, self.club.id) == ()

    def teardown(self) -> None:
        if hasattr(self, "club"):
            self.club.db.close()


TestLives = Lives.TestCase
TestLives.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
