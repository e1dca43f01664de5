"""`mailflow member add` and `list`."""

from __future__ import annotations

from pathlib import Path

import pytest

from mailflow import ambient
from mailflow.app import open_office
from mailflow.identify import Trust
from mailflow.settings import load

from .cli_scene import mailflow


def handles(club: Path) -> list[str]:
    return [line.split()[0] for line in mailflow("member", "list", "--dir", club).out]


def test_members_are_listed_with_address_and_role(club: Path) -> None:
    said = mailflow("member", "list", "--dir", club)
    assert said.code == 0
    assert [line.split() for line in said.out] == [
        ["anna", "anna@example.org", "active,", "manager"],
        ["bela", "bela@example.org", "active"],
    ]


def test_a_new_member_has_the_initial_credit(club: Path) -> None:
    """R-ACC-2."""
    assert mailflow("member", "add", "carl", "Carl@Example.org", "--name", "Carl X.", "--dir", club).code == 0
    lines = mailflow("balances", "--dir", club).out
    assert "200,00" in next(line for line in lines if line.startswith("carl"))
    assert "carl@example.org" in mailflow("member", "list", "--dir", club).out[2]


@pytest.mark.parametrize(
    "address",
    [
        "carl",
        "carl@",
        "@example.org",
        "carl@example",
        "c arl@example.org",
        "carl@example..org",
        "carl@.org",
        ".carl@example.org",
        "carl.@example.org",
        "c..arl@example.org",
        "carl@-example.org",
        "Carl <carl@example.org>",
        "carl@example.org\nBcc: x@example.org",
        "josé@example.org",
    ],
)
def test_an_address_that_no_mail_can_go_to_is_refused(club: Path, address: str) -> None:
    """P-6: such an address would sit in the outbox for ever."""
    said = mailflow("member", "add", "carl", address, "--dir", club)
    assert said.code in (1, 2)
    assert len(said.err) == 1
    assert handles(club) == ["anna", "bela"]


def test_an_international_domain_is_kept_in_the_form_in_which_mails_bear_it(club: Path) -> None:
    """TRUST § 1: or its member would be a stranger."""
    said = mailflow("member", "add", "carl", "carl@exämple.org", "--dir", club)
    if said.code == 0:
        assert "carl@xn--exmple-cua.org" in mailflow("member", "list", "--dir", club).out[2]
    else:
        assert len(said.err) == 1


@pytest.mark.parametrize("handle", ["anna", "Anna", "ANNA", "ánna"])
def test_a_handle_that_is_taken_is_refused(club: Path, handle: str) -> None:
    """RULES, "pseudo": without regard to case or accents."""
    said = mailflow("member", "add", handle, "other@example.org", "--dir", club)
    assert (said.code, said.out) == (1, [])
    (line,) = said.err
    assert line.startswith(f"mailflow: not added: the handle {handle!r} is taken")


@pytest.mark.parametrize(
    "handle", ["oui", "PARTIE", "Résultat", "help", "a", "x" * 25, "a b", "a,b", "", "a@b", "-"]
)
def test_a_handle_that_is_no_handle_is_refused(club: Path, handle: str) -> None:
    """T-19: no keyword, 2 to 24 letters, digits and `_ . -`."""
    said = mailflow("member", "add", "--dir", club, "--", handle, "other@example.org")
    assert (said.code, said.out) == (1, [])
    (line,) = said.err
    assert line.startswith(f"mailflow: not added: the handle {handle!r} cannot be used: 2 to 24 letters")


def test_an_address_that_is_taken_is_refused(club: Path) -> None:
    said = mailflow("member", "add", "carl", "ANNA@example.org", "--dir", club)
    (line,) = said.err
    assert (said.code, line.split(",")[0]) == (
        1,
        "mailflow: not added: the address anna@example.org is taken",
    )


def test_the_address_of_the_club_itself_is_no_members(club: Path) -> None:
    """Its mails would be our own coming back."""
    said = mailflow("member", "add", "carl", "club@example.org", "--dir", club)
    assert said.code in (1, 2)
    assert handles(club) == ["anna", "bela"]


@pytest.mark.parametrize("args", [("status",), ("balances",), ("verify",), ("run",), ("member", "list")])
def test_a_folder_without_a_club_is_one_line(tmp_path: Path, args: tuple[str, ...]) -> None:
    said = mailflow(*args, "--dir", tmp_path)
    assert (said.code, said.out, len(said.err)) == (2, [], 1)
    assert "mailflow init" in said.err[0]
    assert list(tmp_path.iterdir()) == []


def test_a_missing_key_is_one_line_and_founds_nothing(tmp_path: Path) -> None:
    """Else the club would be there, and its first jobs all due at once when the key is back."""
    mailflow("init", tmp_path, "--name", "x", "--address", "club@example.org")
    key = (tmp_path / "secret.key").rename(tmp_path / "elsewhere")
    said = mailflow("member", "add", "anna", "anna@example.org", "--dir", tmp_path)
    assert (said.code, len(said.err)) == (2, 1)
    key.rename(tmp_path / "secret.key")
    assert mailflow("member", "add", "anna", "anna@example.org", "--dir", tmp_path).code == 0
    now = ambient.now()
    with open_office(load(tmp_path), Trust.CONFIRM, now) as office:
        assert office.desk.agenda.next_due(now).at > now
