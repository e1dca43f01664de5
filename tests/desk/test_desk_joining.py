"""Joining by mail: ADHESION, the manager's card, the invitation, J'ACCEPTE (R-ACC-1, R-ACC-3, T-31)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mailflow.sections.trust import Caution
from store import sql
from store.records import OutboxMail

from .desk_scene import Scene, kinds, open_scene, plain

FRED = "fred@example.net"


def applies(scene: Scene, who: str = FRED, text: str = "ADHESION fred") -> list[OutboxMail]:
    scene.told()
    scene.write(who, text)
    return scene.told()


def card(scene: Scene, manager: str = "anna") -> OutboxMail:
    return scene.latest("application.received", manager)


def invited(scene: Scene, handle: str = "fred") -> OutboxMail:
    return scene.latest("member.invited", handle)


# ---------------------------------------------------------------- the application


def test_a_stranger_who_applies_gets_one_acknowledgement_and_the_manager_a_card(club: Scene) -> None:
    mails = applies(club)
    assert [(m.kind, m.recipient, m.address) for m in mails] == [
        ("application.noted", "", FRED),
        ("application.received", "anna", "anna@example.org"),
    ]
    assert "fred" not in club.balances


def test_the_acknowledgement_names_no_member_and_no_amount(club: Scene) -> None:
    """T-31: a stranger learns nothing about anybody."""
    noted, _ = applies(club)
    words = noted.subject + noted.text
    assert not [h for h in ("anna", "bela", "carl", "dora", "€") if h in words.lower()]


def test_an_approved_application_leads_to_an_account(club: Scene) -> None:
    """R-ACC-3: it counts as invited; R-ACC-1: version, instant and way are kept."""
    applies(club)
    decided = club.answer(card(club), "OUI")
    assert (decided.state, decided.reason) == ("executed", "approved")
    assert kinds(club.told()) == [("member.invited", "fred"), ("application.decided", "anna")]
    joined = club.answer(invited(club), "J'ACCEPTE", who=FRED)
    assert joined.state == "executed"
    assert club.balances["fred"] == 200_00
    version, at, how = sql.rows(
        club.db, "SELECT rulebook_version, accepted_at, how FROM acceptance ORDER BY id DESC"
    )[0]
    assert (version, how) == (1, f"application, mail {joined.mail_id}")
    assert at == round(club.now.timestamp() * 1_000_000)
    club.is_sound()


@pytest.mark.parametrize("word", ["J'ACCEPTE", "Join", "Zusage", "accetto"])
def test_the_acceptance_of_an_invitation_says_so(club: Scene, word: str) -> None:
    """R-ACC-1."""
    club.do("anna", f"INVITE fred {FRED}")
    joined = club.answer(invited(club), word, who=FRED)
    how = sql.value(club.db, "SELECT how FROM acceptance ORDER BY id DESC LIMIT 1")
    assert how == f"invitation, mail {joined.mail_id}"


def test_a_declined_application_is_told_to_nobody_but_the_manager(club: Scene) -> None:
    """T-31: nothing to the stranger."""
    applies(club)
    assert club.answer(card(club), "NON").reason == "declined"
    assert kinds(club.told()) == [("application.decided", "anna")]
    assert club.write(FRED, "J'ACCEPTE").reason == "stranger"
    assert club.told() == []


def test_no_account_without_the_managers_oui(club: Scene) -> None:
    """R-ACC-3."""
    applies(club)
    assert club.write(FRED, "J'ACCEPTE").reason == "stranger"
    assert "fred" not in club.balances


def test_every_manager_gets_a_card_and_the_first_answer_counts() -> None:
    """R-ACC-3, T-10."""
    scene = open_scene()
    promote(scene, "bela")
    assert kinds(applies(scene))[1:] == [("application.received", "anna"), ("application.received", "bela")]
    assert scene.answer(card(scene, "bela"), "NON").reason == "declined"
    scene.told()
    assert scene.answer(card(scene, "anna"), "OUI").reason == "over"
    (told,) = scene.told()
    assert "bela a déjà refusé" in plain(told.text)
    assert sql.rows(scene.db, "SELECT * FROM invitation") == []
    scene.db.close()


def promote(scene: Scene, handle: str) -> None:
    sql.run(scene.db, "UPDATE member SET manager = 1 WHERE handle = ?", (handle,))


def test_the_same_oui_twice_invites_once(club: Scene) -> None:
    """T-10."""
    applies(club)
    mail = card(club)
    club.answer(mail, "OUI")
    assert club.answer(mail, "OUI !").reason == "over"
    assert sql.value(club.db, "SELECT count(*) FROM invitation") == 1


@pytest.mark.parametrize("who", ["bela", FRED, "evil@example.net"])
def test_a_card_is_answered_by_the_manager_who_got_it(club: Scene, who: str) -> None:
    """T-8."""
    applies(club)
    club.answer(card(club), "OUI", who=who)
    assert sql.rows(club.db, "SELECT state FROM application") == [("open",)]
    assert club.answer(card(club), "OUI").reason == "approved"


def test_a_manager_who_is_banned_decides_no_more(club: Scene) -> None:
    """R-BAN-1, R-BAN-3."""
    promote(club, "bela")
    applies(club)
    club.do("anna", "BANNIT bela motif")
    club.answer(card(club, "bela"), "OUI")
    assert sql.rows(club.db, "SELECT state FROM application") == [("open",)]


def test_a_late_oui_gets_the_card_again(club: Scene) -> None:
    """TRUST § 3: never a dead end; both sides of the last day."""
    applies(club)
    first = card(club)
    club.now = first.created_at + timedelta(days=Caution().application_days)
    assert club.answer(first, "OUI").reason == "late"
    second = card(club)
    assert club.token_of(second) != club.token_of(first)
    assert club.answer(second, "OUI").reason == "approved"


def test_an_oui_on_the_last_day_counts(club: Scene) -> None:
    applies(club)
    first = card(club)
    club.now = first.created_at + timedelta(days=Caution().application_days) - timedelta(seconds=2)
    assert club.answer(first, "OUI").reason == "approved"


def test_an_invitation_by_hand_settles_the_application(club: Scene) -> None:
    """R-ACC-3: under another handle, because the one wished for was taken."""
    applies(club, text="ADHESION bela")
    club.do("anna", f"INVITE fred {FRED}")
    assert sql.rows(club.db, "SELECT state, decided_by FROM application") == [("approved", "anna")]
    assert club.answer(card(club), "NON").reason == "over"


# ---------------------------------------------------------------- what is wrong with an application


def test_whether_a_handle_is_taken_only_the_manager_is_told(club: Scene) -> None:
    """T-31: the acknowledgement is the same to the letter, but for the handle."""
    free, _ = applies(club, FRED, "ADHESION frad")
    taken, shown = applies(club, "gina@example.net", "ADHESION bela")
    assert (taken.kind, taken.subject) == (free.kind, free.subject)
    assert plain(taken.text).replace("bela", "frad") == plain(free.text)
    assert "déjà pris" in plain(shown.text)
    assert club.answer(shown, "OUI").reason == "refused"
    told = club.told()[-1]
    assert "INVITE pseudo gina@example.net" in told.text
    assert sql.rows(club.db, "SELECT * FROM invitation") == []


@pytest.mark.parametrize("text", ["ADHESION", "ADHESION compte", "ADHESION a b", "ADHESION fred@example.net"])
def test_an_unusable_handle_is_said_once_with_the_right_form(club: Scene, text: str) -> None:
    (mail,) = applies(club, text=text)
    assert (mail.kind, mail.address) == ("application.unusable", FRED)
    assert "ADHESION dora" in mail.text
    assert sql.rows(club.db, "SELECT * FROM application") == []
    assert applies(club, text=text + " x") == [], "not twice in a day"


def test_the_corrected_application_of_the_same_day_is_passed_on_without_a_word(club: Scene) -> None:
    """T-31: one mail a day and address; the application counts nonetheless."""
    applies(club, text="ADHESION compte")
    assert kinds(applies(club)) == [("application.received", "anna")]


@pytest.mark.parametrize(("hours", "kind"), [(23, []), (24, ["application.noted"])])
def test_a_stranger_is_written_to_once_a_day(club: Scene, hours: int, kind: list[str]) -> None:
    """T-31: both sides of the border."""
    first, _ = applies(club)
    club.answer(card(club), "NON")
    club.now = first.created_at + timedelta(hours=hours, seconds=-1)
    club.work()
    assert [m.kind for m in applies(club) if m.address == FRED] == kind


def test_applying_again_while_the_first_waits_makes_no_second_card(club: Scene) -> None:
    applies(club)
    assert applies(club, text="ADHESION fred.\n\nS'il vous plaît") == []


def test_another_handle_from_the_same_address_replaces_the_first(club: Scene) -> None:
    applies(club)
    old = card(club)
    applies(club, text="ADHESION freddy")
    assert club.answer(old, "OUI").reason == "over"
    assert club.answer(card(club), "OUI").reason == "approved"
    assert club.latest("member.invited", "freddy").address == FRED


def test_whoever_writes_the_managers_get_few_cards_in_a_day(club: Scene) -> None:
    """T-16, T-31."""
    for n in range(Caution().applications_per_day_max):
        assert len(applies(club, f"s{n}@example.net", f"ADHESION s{n}")) == 2
    assert applies(club, "more@example.net", "ADHESION more") == []
    club.now += timedelta(days=1)
    club.work()
    assert ("application.received", "anna") in kinds(applies(club, "more@example.net", "ADHESION more2"))


@pytest.mark.parametrize(
    "text",
    [
        "Bonjour,\nADHESION fred",
        "ADHESION fred\nCOMPTE",
        "SIMULE ADHESION fred",
        "Adhésion refusée par la banque",
    ],
)
def test_only_a_mail_that_opens_with_it_and_says_nothing_else_is_an_application(
    club: Scene, text: str
) -> None:
    """T-31: what stands somewhere in an advertisement is none."""
    assert applies(club, text=text) == []
    assert sql.rows(club.db, "SELECT * FROM application") == []


def test_an_application_of_a_robot_is_none(club: Scene) -> None:
    """TRUST § 4."""
    club.receive(club.written(FRED, "ADHESION fred", Auto_Submitted="auto-replied"))
    assert club.told() == []


def test_who_left_may_ask_to_come_back_under_his_handle(club: Scene) -> None:
    """R-ACC-6: history goes with the handle."""
    club.do("bela", "QUITTE")
    applies(club, "bela@example.org", "ADHESION bela")
    assert "déjà" not in card(club).text
    club.answer(card(club), "OUI")
    assert club.answer(invited(club, "bela"), "J'ACCEPTE").state == "executed"
    club.is_sound()


@pytest.mark.parametrize("verb", ["ADHESION fred", "J'ACCEPTE"])
def test_a_member_has_nothing_to_join(club: Scene, verb: str) -> None:
    club.told()
    assert club.write("bela", verb).state == "answered"
    assert kinds(club.told()) == [("unknown", "bela")]


# ---------------------------------------------------------------- the invitation


def test_who_accepts_a_rulebook_that_was_changed_since_is_shown_the_new_one(club: Scene) -> None:
    """R-ACC-1: nobody accepts what he was not shown."""
    club.do("anna", f"INVITE fred {FRED}")
    first = invited(club)
    club.do("anna", "REGLE seuil=60 motif=prudence")
    club.told()
    assert club.answer(first, "J'ACCEPTE", who=FRED).reason == "invitation not accepted"
    (again,) = club.told()
    assert (again.kind, again.address) == ("invited.again", FRED)
    assert "60,00" in again.text
    assert club.answer(again, "J'ACCEPTE", who=FRED).state == "executed"
    version = sql.value(club.db, "SELECT rulebook_version FROM acceptance ORDER BY id DESC LIMIT 1")
    assert version == 2


@pytest.mark.parametrize(("seconds", "opens"), [(-2, True), (0, False)])
def test_an_invitation_that_ran_out_is_sent_anew_and_not_a_dead_end(
    club: Scene, seconds: int, opens: bool
) -> None:
    club.do("anna", f"INVITE fred {FRED}")
    first = invited(club)
    club.now = first.created_at + timedelta(days=Caution().invitation_days) + timedelta(seconds=seconds)
    club.work()
    club.told()
    club.answer(first, "J'ACCEPTE", who=FRED)
    assert ("fred" in club.balances) == opens
    if not opens:
        (again,) = club.told()
        assert club.token_of(again) != club.token_of(first)
        assert club.answer(again, "J'ACCEPTE", who=FRED).state == "executed"


def test_an_invitation_received_in_time_and_handled_late_counts(club: Scene) -> None:
    """T-12."""
    club.do("anna", f"INVITE fred {FRED}")
    first = invited(club)
    club.now = first.created_at + timedelta(days=Caution().invitation_days) - timedelta(hours=1)
    club.keep(club.reply(first, "J'ACCEPTE", who=FRED))
    club.now += timedelta(days=2)
    club.work()
    assert "fred" in club.balances


def test_no_text_of_a_token_is_kept(club: Scene) -> None:
    """T-15."""
    applies(club)
    text = club.token_of(card(club))
    assert text is not None
    assert text not in repr(club.dump(frozenset())).lower()


@pytest.mark.parametrize("written", ["ADHESION eva{}", "ADHESION anna carl {}", "ADHESION"])
def test_strangers_are_answered_twenty_times_a_day_whoever_they_are(club: Scene, written: str) -> None:
    """T-31: forged applications are no means of having the club write to all the world."""

    def tried(first: int, last: int) -> int:
        for n in range(first, last):
            club.write(f"victim+{n}@example.net", written.format(n))
        return sum(m.kind in ("application.noted", "application.unusable") for m in club.told())

    club.told()
    answers = tried(0, 30)
    assert 0 < answers <= 20
    assert tried(30, 40) == 0
    club.now += timedelta(days=1)
    assert tried(40, 50) == 10
