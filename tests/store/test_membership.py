"""Applications and identity changes as they are kept; and a file from before them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import peewee
import pytest

from store import identity_changes, membership, migrations, sql
from store.database import open_database, unit_of_work
from store.errors import SchemaRefused, UnknownName, WrongState
from store.migrations import migrate, shipped
from store.records import (
    AgreeToIdentityChange,
    ApplicationState,
    Apply,
    DecideApplication,
    EndIdentityChange,
    IdentityKind,
    IdentityState,
    ProposeIdentityChange,
    SetLanguage,
    TakeIdentityEffect,
)
from store.verify import verify

from .scene import START, Scene, found

NEW = "bela@example.net"


def proposed(scene: Scene, kind: IdentityKind = IdentityKind.ADD, **more: object) -> int:
    number = scene.books.next_identity_number()
    values = {"address": NEW, "other": None, "state": IdentityState.ASKED, **more}
    due = scene.now + timedelta(days=1)
    scene.do(ProposeIdentityChange(number, kind, "bela", due_at=due, **values))  # type: ignore[arg-type]
    return number


def test_a_change_moves_from_asked_to_waiting_to_done(club: Scene) -> None:
    number = proposed(club)
    due = club.now + timedelta(days=3)
    club.do(AgreeToIdentityChange(number, due))
    kept = club.books.identity_change(number)
    assert kept is not None
    assert (kept.state, kept.due_at, kept.member, kept.address) == (IdentityState.WAITING, due, "bela", NEW)
    club.do(TakeIdentityEffect(number))
    assert club.books.addresses("bela") == ("bela@example.org", NEW)
    assert club.books.identity_changes_of("bela") == ()


@pytest.mark.parametrize("state", [IdentityState.STOPPED, IdentityState.LAPSED])
def test_what_has_ended_does_not_go_on(club: Scene, state: IdentityState) -> None:
    """P-2: each move looks at the state that it starts from."""
    number = proposed(club)
    club.do(EndIdentityChange(number, state))
    for change in (
        AgreeToIdentityChange(number, club.now),
        EndIdentityChange(number, state),
        TakeIdentityEffect(number),
    ):
        with pytest.raises(WrongState):
            club.do(change)
    assert club.books.addresses("bela") == ("bela@example.org",)


def test_an_effect_needs_its_wait_and_happens_once(club: Scene) -> None:
    number = proposed(club)
    with pytest.raises(WrongState, match="asked"):
        club.do(TakeIdentityEffect(number))
    club.do(AgreeToIdentityChange(number, club.now))
    club.do(TakeIdentityEffect(number))
    with pytest.raises(WrongState, match="done"):
        club.do(TakeIdentityEffect(number))
    with pytest.raises(UnknownName):
        club.do(TakeIdentityEffect(99))


def test_the_primary_address_cannot_be_taken_away_whoever_asks(club: Scene) -> None:
    number = proposed(club, IdentityKind.REMOVE, address="bela@example.org", state=IdentityState.WAITING)
    with pytest.raises(WrongState):
        club.do(TakeIdentityEffect(number))
    assert club.books.addresses("bela") == ("bela@example.org",)


def test_a_primary_address_that_is_not_his_changes_nothing(club: Scene) -> None:
    number = proposed(club, IdentityKind.PRIMARY, address="carl@example.org", state=IdentityState.WAITING)
    with pytest.raises(WrongState):
        club.do(TakeIdentityEffect(number))
    assert club.books.addresses("bela") == ("bela@example.org",)
    assert club.books.addresses("carl") == ("carl@example.org",)


def test_a_role_needs_another_and_an_address_none(club: Scene) -> None:
    """The schema itself refuses half of a change."""
    with pytest.raises(SchemaRefused):
        proposed(club, IdentityKind.APPOINT, address="")
    with pytest.raises(SchemaRefused):
        proposed(club, IdentityKind.ADD, other="carl")


def test_the_clock_is_given_the_change_that_is_due_first(club: Scene) -> None:
    later, sooner = proposed(club), proposed(club, address="b@example.net")
    club.do(AgreeToIdentityChange(later, club.now + timedelta(days=3)))
    first = identity_changes.next_due(club.db, club.id)
    second = identity_changes.next_due(club.db, club.id, (sooner,))
    assert first is not None
    assert second is not None
    assert (first.number, second.number) == (sooner, later)
    assert identity_changes.next_due(club.db, club.id, (sooner, later)) is None


def test_of_an_address_the_newest_application_is_open(club: Scene) -> None:
    club.do(Apply(1, "fred", "f@example.net"))
    club.do(Apply(2, "freddy", "f@example.net"))
    states = [club.books.application(n).state for n in (1, 2)]  # type: ignore[union-attr]
    assert states == [ApplicationState.SUPERSEDED, ApplicationState.OPEN]
    newest = club.books.application_from("f@example.net")
    assert newest is not None
    assert newest.number == 2
    assert club.books.next_application_number() == 3
    with pytest.raises(UnknownName):
        club.do(DecideApplication(1, ApplicationState.APPROVED, "anna"))


def test_applications_are_counted_from_an_instant_on(club: Scene) -> None:
    at = club.do(Apply(1, "fred", "f@example.net"))
    assert membership.count_since(club.db, club.id, at) == 0
    assert membership.count_since(club.db, club.id, at - timedelta(seconds=1)) == 1


def test_the_language_is_the_members_own(club: Scene) -> None:
    club.do(SetLanguage("BELA", "de"))
    assert (club.members["bela"].language, club.members["carl"].language) == ("de", "fr")


def test_a_populated_file_from_before_gets_the_tables_and_keeps_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "club.db"
    old = peewee.SqliteDatabase(str(path), pragmas={"foreign_keys": "ON"})
    (own,) = (step.number for step in shipped() if step.name == "membership")
    migrate(old, [step for step in shipped() if step.number < own])
    scene = found(old)
    text = "INSERT INTO invitation (club_id, handle, folded, address, invited_by, invited_at, state)"
    with unit_of_work(old):
        sql.run(old, text + " VALUES (1, 'emil', 'emil', 'e@example.net', 'anna', ?, 'open')", (START,))
    old.close()
    db = open_database(path)
    assert migrations.version(db) == len(shipped())
    scene = Scene(db, scene.id)
    scene.open("anna", manager=True)
    scene.open("bela")
    invitation = scene.books.invitation("emil")
    assert invitation is not None
    assert invitation.address == "e@example.net"
    scene.do(TakeIdentityEffect(proposed(scene, state=IdentityState.WAITING)))
    assert scene.books.addresses("bela") == ("bela@example.org", NEW)
    assert verify(db, scene.id) == ()
    db.close()
