"""Accounts opened and closed, invitations, bans, transfers, levies."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store import changes, ledger, sql, tokens
from store.database import unit_of_work
from store.errors import DuplicateEffect, RowExists, UnknownName, WrongState
from store.records import (
    INITIAL_CREDIT,
    Change,
    CloseAccount,
    Invitation,
    Invite,
    Levy,
    Member,
    MemberStatus,
    NewToken,
    OpenAccount,
    SetStatus,
    TokenState,
    Transfer,
)
from store.verify import verify
from tests.store.scene import START, Scene

EMIL = OpenAccount("Émil", "Émil Blanc", "emil@example.org", "fr", False, 200_00, 1, "invitation")


def token_of(club: Scene, member: str) -> int:
    with unit_of_work(club.db):
        address, until = f"{member}@example.org", START + timedelta(days=1)
        token = NewToken("confirm", member, address, "nonce", f"digest of {member}", {}, START, until)
        return tokens.issue(club.db, club.id, token)


def state_of(club: Scene, token: int) -> TokenState:
    found = tokens.by_id(club.db, token)
    assert found is not None
    return found.state


def test_every_kind_of_change_has_its_writer() -> None:
    assert set(changes.WRITERS) == set(Change.__args__)


# ---------------------------------------------------------------- opening and closing


def test_opening_an_account_credits_it_and_keeps_the_acceptance(club: Scene) -> None:
    at = club.do(EMIL)
    assert club.members["Émil"] == Member(
        handle="Émil",
        name="Émil Blanc",
        address="emil@example.org",
        language="fr",
        status=MemberStatus.ACTIVE,
        manager=False,
        joined_at=at,
        balance_cents=200_00,
        committed_cents=0,
    )
    assert ledger.balances(club.db, club.id)[INITIAL_CREDIT] == -1000_00
    text = "SELECT rulebook_version, how FROM acceptance ORDER BY id DESC LIMIT 1"
    assert sql.row(club.db, text) == (1, "invitation")


@pytest.mark.parametrize("handle", ["anna", "ANNA", "Ánna"])
def test_a_handle_is_borne_by_one(club: Scene, handle: str) -> None:
    with pytest.raises(WrongState, match="holds an account already"):
        club.do(OpenAccount(handle, "", "new@example.org", "fr", False, 200_00, 1, "invitation"))
    assert verify(club.db, club.id) == ()


def test_an_address_belongs_to_one(club: Scene) -> None:
    with pytest.raises(RowExists):
        club.do(OpenAccount("emil", "", "anna@example.org", "fr", False, 200_00, 1, "invitation"))
    assert "emil" not in club.members


def test_closing_takes_back_the_opening(club: Scene) -> None:
    club.do(CloseAccount("bela"))
    assert club.members["bela"].status is MemberStatus.LEFT
    assert club.members["bela"].address == "bela@example.org"
    assert club.balances["bela"] == 0
    (opening, closing) = club.books.statement("bela", None, None, 9).lines
    assert (opening.kind, closing.kind) == ("opening", "closing")
    assert verify(club.db, club.id) == ()


def test_closing_ends_the_tokens(club: Scene) -> None:
    token = token_of(club, "bela")
    club.do(CloseAccount("bela"))
    assert state_of(club, token) is TokenState.SUPERSEDED


def test_an_account_is_closed_once(club: Scene) -> None:
    club.do(CloseAccount("bela"))
    with pytest.raises(WrongState, match="reversed already"):
        club.do(CloseAccount("bela"))


def test_who_left_may_come_back_under_his_handle(club: Scene) -> None:
    club.do(CloseAccount("bela"))
    at = club.do(OpenAccount("Bela", "Béla B.", "b@example.net", "en", True, 200_00, 1, "invitation"))
    back = club.members["bela"]  # the handle stays as it was first registered
    assert (back.name, back.address, back.language) == ("Béla B.", "b@example.net", "en")
    assert (back.status, back.joined_at, back.balance_cents) == (MemberStatus.ACTIVE, at, 200_00)
    assert back.manager
    club.do(CloseAccount("bela"))
    assert club.balances["bela"] == 0
    assert verify(club.db, club.id) == ()


# ---------------------------------------------------------------- invitations


def test_an_invitation_is_found_by_handle_and_address(club: Scene) -> None:
    at = club.do(Invite("Émil", "emil@example.org", "anna"))
    expected = Invitation("Émil", "emil@example.org", "anna", at)
    assert club.books.invitation("emil") == expected
    assert club.books.invitation_for_address("emil@example.org") == expected
    assert club.books.invitation("fanny") is None
    assert club.books.invitation_for_address("fanny@example.org") is None


@pytest.mark.parametrize(
    ("handle", "address"), [("EMIL", "other@example.org"), ("other", "emil@example.org")]
)
def test_a_newer_invitation_takes_the_place_of_an_older_one(club: Scene, handle: str, address: str) -> None:
    club.do(Invite("emil", "emil@example.org", "anna"))
    club.do(Invite(handle, address, "anna"))
    for found in (club.books.invitation(handle), club.books.invitation_for_address(address)):
        assert found is not None
        assert (found.handle, found.address) == (handle, address)
    assert sql.value(club.db, "SELECT count(*) FROM invitation WHERE state = 'open'") == 1


def test_opening_the_account_closes_the_invitation(club: Scene) -> None:
    club.do(Invite("emil", "emil@example.org", "anna"), Invite("fanny", "fanny@example.org", "anna"))
    club.do(EMIL)
    assert club.books.invitation("emil") is None
    assert club.books.invitation("fanny") is not None


# ---------------------------------------------------------------- bans


def test_a_ban_is_kept_with_its_reason_and_ends_the_tokens(club: Scene) -> None:
    hers, his = token_of(club, "anna"), token_of(club, "bela")
    club.do(SetStatus("bela", MemberStatus.BANNED, "anna", "impayé"))
    assert club.members["bela"].status is MemberStatus.BANNED
    assert club.books.ban_reason("bela") == "impayé"
    assert (state_of(club, hers), state_of(club, his)) == (TokenState.OPEN, TokenState.SUPERSEDED)


def test_a_reinstated_member_has_no_reason_any_more(club: Scene) -> None:
    club.do(SetStatus("bela", MemberStatus.BANNED, "anna", "impayé"))
    club.do(SetStatus("bela", MemberStatus.ACTIVE, "anna", "payé"))
    assert club.members["bela"].active
    assert club.books.ban_reason("bela") == ""


def test_nobody_can_be_banned_who_is_not_there(club: Scene) -> None:
    with pytest.raises(UnknownName, match="no member 'emil'"):
        club.do(SetStatus("emil", MemberStatus.BANNED, "anna", ""))


# ---------------------------------------------------------------- transfers and levies


def test_a_transfer_keeps_its_note(club: Scene) -> None:
    at = club.do(Transfer("ANNA", "bela", 15_50, "merci"))
    (line,) = club.books.statement("bela", at, None, 9).lines
    assert (line.amount_cents, line.memo, line.counterparts) == (15_50, "merci", ("anna",))
    assert club.balances == {"anna": 184_50, "bela": 215_50, "carl": 200_00, "dora": 200_00}


def test_the_same_transfer_is_not_written_twice(club: Scene) -> None:
    club.do(Transfer("anna", "bela", 15_50, ""), key="mail:1")
    with pytest.raises(DuplicateEffect):
        club.do(Transfer("anna", "bela", 15_50, ""), key="mail:1")
    assert club.balances["bela"] == 215_50


def test_a_levy_is_one_entry_that_ends_the_debt(club: Scene) -> None:
    club.do(Transfer("dora", "anna", 100_00, ""))
    club.do(SetStatus("dora", MemberStatus.BANNED, "anna", "impayé"))
    club.do(Levy("dora", {"anna": 33_34, "bela": 33_33, "carl": 33_33}, "anna"))
    assert club.balances == {"anna": 266_66, "bela": 166_67, "carl": 166_67, "dora": 200_00}
    assert club.books.levies_for("dora") == (("anna", 33_34), ("bela", 33_33), ("carl", 33_33))
    assert club.books.levies_for("anna") == ()
    assert verify(club.db, club.id) == ()


def test_who_contributes_nothing_is_not_in_the_levy(club: Scene) -> None:
    club.do(SetStatus("dora", MemberStatus.BANNED, "anna", ""))
    at = club.do(Levy("dora", {"anna": 1, "bela": 0}, "anna"))
    assert club.books.levies_for("dora") == (("anna", 1),)
    assert club.books.statement("bela", at, None, 9).lines == ()


def test_levies_are_counted_since_the_present_ban_and_not_when_taken_back(club: Scene) -> None:
    club.do(SetStatus("dora", MemberStatus.BANNED, "anna", ""))
    club.do(Levy("dora", {"anna": 5}, "anna"))
    club.do(SetStatus("dora", MemberStatus.ACTIVE, "anna", ""))
    assert club.books.levies_for("dora") == ()
    club.do(SetStatus("dora", MemberStatus.BANNED, "anna", ""))
    club.do(Levy("dora", {"bela": 7}, "anna"))
    club.do(SetStatus("dora", MemberStatus.BANNED, "anna", "another reason"))  # banned all along
    club.do(Levy("dora", {"bela": 2, "carl": 4}, "anna"))
    assert club.books.levies_for("dora") == (("bela", 9), ("carl", 4))
    club.post(("member:dora", -6), ("member:bela", 2), ("member:carl", 4), reverses=7)
    assert club.books.levies_for("dora") == (("bela", 7),)
