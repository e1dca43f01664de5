"""R-ACC: who may open an account, and who may leave."""

import pytest

from mailflow.handlers import inactivity
from mailflow.handlers.accounts import join
from store.records import INITIAL_CREDIT, InjunctionLine, OpenAccount
from tests.club import club, figures, no, told


def invited(scene, handle, address="new@example.org"):
    return no(scene.would("anna", "INVITE", member=handle, address=address))


@pytest.mark.parametrize("handle", ["ab", "a" * 24, "zoé", "a_b.c-d", "42", "Dora", "Łukasz"])
def test_usable_handles(handle):
    """R-ACC-3: 2 to 24 letters, digits, `_ . -`."""
    assert invited(club("bela"), handle) == []


@pytest.mark.parametrize(
    "handle",
    [
        *("", "a", "a" * 25, "a b", "a@b", "a+b", "a/b", "oui", "OUI", "Partie", "résultat", "virement"),
        *("mise", "con", "joueurs", "bob.", ".bob", "-bob", "ıvan", "ŀala", "ĳs", "аnna", "a²"),
    ],
)
def test_unusable_handles(handle):
    """R-ACC-3: too short, too long, other characters, a word of the grammar in any case or accent.

    T-19: nor what another handle could be taken for.
    """
    assert invited(club("bela"), handle) == ["R-ACC-3 handle_unusable"]


@pytest.mark.parametrize("handle", ["bela", "BELA", "Béla", "bêla"])
def test_a_handle_is_taken_in_any_case_and_accent(handle):
    """R-ACC-3."""
    assert invited(club("bela"), handle) == ["R-ACC-3 handle_taken"]


def test_a_banned_member_keeps_his_handle():
    """R-ACC-3."""
    assert invited(club("bela").banned("bela"), "bela") == ["R-ACC-3 handle_taken"]


@pytest.mark.parametrize("address", ["bela@example.org", "Bela@Example.ORG"])
def test_an_address_belongs_to_one_member(address):
    """R-ACC-3."""
    assert invited(club("bela"), "dora", address) == ["R-ACC-3 address_taken"]


@pytest.mark.parametrize("address", ["club@example.org", "Club+x@Example.org"])
def test_the_clubs_own_address_is_nobodys(address):
    """R-ACC-3."""
    assert invited(club("bela"), "dora", address) == ["R-ACC-3 address_is_the_clubs"]


def test_everything_wrong_with_an_invitation_is_said_at_once():
    """R-ACC-3."""
    assert invited(club("bela"), "BELA", "anna@example.org") == [
        "R-ACC-3 handle_taken",
        "R-ACC-3 address_taken",
    ]


def test_what_was_free_may_be_taken_when_the_invited_accepts():
    """R-ACC-3: a valid invitation becomes invalid when somebody else got the handle in between."""
    scene = club("bela")
    scene.done("anna", "INVITE", member="dora", address="dora@example.org")
    invitation = scene.club.books.invitation("dora")
    scene.joins("dora")
    assert no(join(invitation, scene.club)) == ["R-ACC-3 handle_taken"]


# ---------------------------------------------------------------- leaving


def test_member_with_exactly_the_credit_leaves():
    """R-ACC-6."""
    assert no(club("bela").would("bela", "QUITTE")) == []


@pytest.mark.parametrize("cents", [199_99, 200_01, 0, -1])
def test_any_other_balance_keeps_him(cents):
    """R-ACC-6: a cent less or more."""
    said = club(bela=cents).would("bela", "QUITTE")
    assert no(said) == ["R-ACC-6 balance_not_even"]
    assert figures(said, "balance_not_even") == {"balance_cents": cents, "wanted_cents": 200_00}


def test_running_game_keeps_him():
    """R-ACC-6."""
    said = club("bela").running("anna", "bela").would("bela", "QUITTE")
    assert no(said) == ["R-ACC-6 games_still_open"]
    assert figures(said, "games_still_open") == {"games": [1]}


@pytest.mark.parametrize("setting", ["recent", "disputed", "arbitration"])
def test_result_that_may_yet_be_taken_back_keeps_him(setting):
    """R-ACC-6: a dispute is open or may still be filed; the entry could be reversed behind his back."""
    scene = getattr(club("bela", "carl"), setting)("anna", "bela", "carl").having(bela=200_00)
    assert no(scene.would("bela", "QUITTE")) == ["R-ACC-6 games_still_open"]


def test_ended_games_do_not_keep_him():
    """R-ACC-6: final or cancelled."""
    scene = club("bela").final("anna", "bela").running("anna", "bela")
    scene.done("anna", "ANNULE", game=2)
    assert no(scene.having(bela=200_00).would("bela", "QUITTE")) == []


def test_everything_that_keeps_him_is_said_at_once():
    """R-ACC-6."""
    scene = club(anna=250_00, bela=150_00).idle(12)
    scene.run(inactivity.scan)
    scene.done("anna", "INJONCTION", member="anna")
    scene.running("anna", "bela")
    assert no(scene.would("bela", "QUITTE")) == [
        "R-ACC-6 balance_not_even",
        "R-ACC-6 games_still_open",
        "R-ACC-6 injunction_still_open",
    ]


def test_launched_injunction_keeps_the_inactive_and_his_counterparts():
    """R-ACC-6."""
    scene = club("anna", "dora", bela=250_00, carl=150_00).idle(12)
    scene.run(inactivity.scan)
    scene.done("anna", "INJONCTION", member="bela")
    scene.having(bela=200_00, carl=200_00)
    assert no(scene.would("bela", "QUITTE")) == ["R-ACC-6 injunction_still_open"]
    assert no(scene.would("carl", "QUITTE")) == ["R-ACC-6 injunction_still_open"]
    assert no(scene.would("dora", "QUITTE")) == []


def test_settled_injunction_lets_them_go():
    """R-ACC-6, R-INA-4."""
    scene = club("anna", bela=250_00, carl=150_00).idle(12)
    scene.run(inactivity.scan)
    scene.done("anna", "INJONCTION", member="bela")
    scene.done("bela", "VIREMENT", amount_cents=50_00, to="carl")
    scene.run(inactivity.scan)
    assert no(scene.would("bela", "QUITTE")) == []
    assert no(scene.would("carl", "QUITTE")) == []


def test_proposal_that_was_not_launched_is_no_injunction():
    """R-ACC-6, R-INA-4: it becomes an order when the manager launches it, and binds nobody before."""
    scene = club("anna", "carl", "dora", bela=250_00).idle(11).final("carl", "dora")
    scene.having(carl=150_00, dora=200_00).idle(1)
    assert told(scene.run(inactivity.scan)) == ["inactivity.nudge: bela", "inactivity.proposal: anna"]
    [proposal] = scene.club.books.injunctions()
    assert proposal.lines == (InjunctionLine("bela", "carl", 50_00),)
    assert no(scene.having(carl=200_00).would("carl", "QUITTE")) == []


def test_whoever_leaves_takes_no_credit_along_though_the_credit_was_changed_since():
    """R-ACC-2, R-ACC-6: closing takes back the opening, so 200.00 given must be 200.00 returned."""
    scene = club("bela").having(bela=100_00)
    scene.done("anna", "REGLE", settings={"credit": "100"}, reason="smaller")
    said = scene.say("bela", "QUITTE")
    assert said.refused or scene.balance("bela") == 0


# ---------------------------------------------------------------- the books


def test_opening_gives_the_credit_and_every_sum_is_zero():
    """R-ACC-2."""
    scene = club("bela", "carl")
    assert scene.balances == {"anna": 200_00, "bela": 200_00, "carl": 200_00}
    assert scene.club.books.journal_sum() == 0
    [line] = scene.club.books.statement("bela", None, None, 10).lines
    assert (line.kind, line.amount_cents, line.balance_cents) == ("opening", 200_00, 200_00)


def test_no_account_of_the_club_gains_by_a_game():
    """R-ACC-4: what the players lose, players win, to the cent; only openings touch the club's account."""
    scene = club("bela", "carl", "dora").recent("anna", "bela", "carl", "dora", buyin=10_00)
    [entry] = scene.club.books.entries(1)
    assert all(account.startswith("member:") for account, _ in entry.postings)
    assert sum(scene.balances.values()) == 4 * 200_00


def test_a_correction_is_a_reversing_entry_that_names_the_entry():
    """R-ACC-5."""
    scene = club("bela", "carl", "dora").arbitration("bela", "carl", buyin=5_00)
    scene.done("anna", "ACCEPTE", game=1, reason="mistaken")
    result, reversal = scene.club.books.entries(1)
    assert (result.kind, reversal.kind, reversal.reverses) == ("result", "reversal", result.number)
    assert [(a, -c) for a, c in result.postings] == list(reversal.postings)
    assert scene.findings() == ()


def test_acceptance_of_the_rulebook_is_kept_with_the_opening():
    """R-ACC-1: its version, and how it was given."""
    scene = club("bela")
    scene.done("anna", "REGLE", settings={"seuil": "60"}, reason="prudence")
    scene.done("anna", "INVITE", member="dora", address="dora@example.org")
    [opened] = scene.joins("dora").changes
    assert isinstance(opened, OpenAccount)
    assert (opened.rulebook_version, opened.how) == (2, "invitation")


def test_leaving_posts_the_reverse_of_the_opening_and_history_stays():
    """R-ACC-6, R-ACC-2."""
    scene = club("bela", "carl").final("anna", "bela").having(bela=200_00, anna=200_00)
    scene.done("bela", "QUITTE")
    assert scene.balance("bela") == 0
    assert INITIAL_CREDIT not in scene.balances
    assert sum(scene.balances.values()) == 2 * 200_00
    assert scene.game(1).participants == ("anna", "bela")
    assert scene.club.books.journal_sum() == 0
    assert scene.findings() == ()


def test_the_last_manager_stays():
    """R-ACC-6, R-ARB-1: a club without a manager could never have one again."""
    assert no(club("bela").would("anna", "QUITTE")) == ["R-ACC-6 last_manager"]


def test_a_manager_may_leave_where_another_stays():
    """R-ACC-6."""
    scene = club("bela", manager=("anna", "bela"))
    assert no(scene.would("anna", "QUITTE")) == []


def test_the_handle_of_who_left_is_nobody_elses():
    """R-ACC-3, R-ACC-6: history goes with the handle."""
    scene = club("bela")
    scene.done("bela", "QUITTE")
    assert invited(scene, "bela", "somebody@example.org") == ["R-ACC-3 handle_taken"]


def test_who_left_may_come_back_under_his_handle_and_address():
    """R-ACC-3, R-ACC-6."""
    scene = club("bela")
    scene.done("bela", "QUITTE")
    assert invited(scene, "Béla", "bela@example.org") == []


def test_the_address_of_who_left_is_nobody_elses():
    """TRUST § 1: a mail from it would be his."""
    scene = club("bela")
    scene.done("bela", "QUITTE")
    assert invited(scene, "dora", "bela@example.org") == ["R-ACC-3 address_taken"]
