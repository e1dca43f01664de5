"""Addresses and the manager's role by mail: two OUI, 72 hours, and a NON stops it (TRUST § 2, R-SEC-1)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mailflow.desk import Desk
from mailflow.identify import Trust
from mailflow.proofs import Keyring
from mailflow.sections.trust import Caution
from store import identity_changes, outbox, sql
from store.records import OutboxMail

from .desk_scene import KEY, Scene, kinds, open_scene, plain

NEW = "bela@example.net"
OLD = "bela@example.org"
EFFECT = timedelta(hours=Caution().identity_effect_hours)


def addresses(scene: Scene, handle: str = "bela") -> tuple[str, ...]:
    return identity_changes.addresses_of(scene.db, scene.club.id, handle)


def managers(scene: Scene) -> list[str]:
    return [h for (h,) in sql.rows(scene.db, "SELECT handle FROM member WHERE manager = 1 ORDER BY handle")]


def states(scene: Scene) -> list[str]:
    return [s for (s,) in sql.rows(scene.db, "SELECT state FROM identity_change ORDER BY number")]


def asked(scene: Scene, who: str, text: str, to: str | None = None) -> OutboxMail:
    """The author has said OUI; the question to the new address, or to the other person."""
    scene.do(who, text)
    return scene.latest("identity.asked", to or who)


def pending(scene: Scene, to: str = "bela") -> list[OutboxMail]:
    return [m for m in everything(scene) if m.kind == "identity.pending" and m.recipient == to]


def everything(scene: Scene) -> list[OutboxMail]:
    return list(outbox.listing(scene.db, scene.club.id))


def waiting(scene: Scene, text: str = f"ADRESSE +{NEW}", sender: str = NEW) -> OutboxMail:
    """A change that both have agreed to; the mail that told the member's first address."""
    scene.answer(asked(scene, "bela", text), "OUI", who=sender)
    return pending(scene)[0]


def with_second(scene: Scene) -> None:
    """bela has two addresses, as though the 72 hours were over."""
    waiting(scene)
    scene.now += EFFECT
    scene.work()
    assert addresses(scene) == (OLD, NEW)


def runs_out(scene: Scene, seconds: float = 0) -> list[OutboxMail]:
    """Go to the instant at which the only open change is due, or so many seconds from it."""
    due = sql.value(scene.db, "SELECT max(due_at) FROM identity_change WHERE ended_at IS NULL")
    scene.told()
    scene.now = datetime.fromtimestamp(due / 1_000_000, UTC) + timedelta(seconds=seconds)
    scene.work()
    return scene.told()


# ---------------------------------------------------------------- a new address


def test_a_new_address_takes_two_oui_and_72_hours(club: Scene) -> None:
    """TRUST § 2."""
    club.write("bela", f"ADRESSE +{NEW}")
    (question,) = club.told()
    assert (question.kind, question.address) == ("confirm", OLD)
    assert "€" not in question.text, "it is not about money"
    club.answer(club.latest("confirm", "bela"), "OUI")
    assert [(m.kind, m.address) for m in club.told()] == [("answer", OLD), ("identity.asked", NEW)]
    club.answer(club.latest("identity.asked", "bela"), "OUI", who=NEW)
    assert [(m.kind, m.address) for m in club.told()] == [
        ("identity.pending", OLD),
        ("identity.pending", NEW),
        ("identity.pending", "anna@example.org"),
    ]
    assert addresses(club) == (OLD,)
    assert [m for m in runs_out(club, -1) if m.kind.startswith("identity.")] == []
    assert addresses(club) == (OLD,)
    done = [m for m in runs_out(club) if m.kind == "identity.done"]
    assert [m.address for m in done] == [OLD, NEW, "anna@example.org"]
    assert addresses(club) == (OLD, NEW)
    club.is_sound()


def test_the_wait_is_exactly_72_hours_from_the_second_oui(club: Scene) -> None:
    waiting(club)
    (due,) = sql.rows(club.db, "SELECT due_at FROM identity_change")
    assert due == (round((club.now + timedelta(hours=72)).timestamp() * 1_000_000),)


@pytest.mark.parametrize(
    ("start", "shown"),
    [("2026-03-27T12:00:00+01:00", "13:00"), ("2026-10-23T12:00:00+02:00", "11:00")],
)
def test_72_hours_are_72_hours_over_a_night_when_the_clock_changes(start: str, shown: str) -> None:
    """P-9: the instant is reckoned in UTC, and shown in club time."""
    scene = open_scene(start=datetime.fromisoformat(start).astimezone(UTC))
    mail = waiting(scene)
    assert f"à {shown}" in plain(mail.text)
    runs_out(scene, -1)
    assert addresses(scene) == (OLD,)
    runs_out(scene)
    assert addresses(scene) == (OLD, NEW)
    scene.db.close()


def test_even_a_fresh_member_says_oui(fresh: Scene) -> None:
    """TRUST § 2: a live session is not enough."""
    assert fresh.write("bela", f"ADRESSE +{NEW}").state == "pending"
    assert fresh.told()[-1].kind == "confirm"
    assert states(fresh) == []


def test_the_oui_of_the_new_address_counts_from_there_only(club: Scene) -> None:
    mail = asked(club, "bela", f"ADRESSE +{NEW}")
    for who in ("bela", "carl", "evil@example.net"):
        club.answer(mail, "OUI", who=who)
        assert states(club) == ["asked"], who
    club.answer(mail, "OUI", who=NEW)
    assert states(club) == ["waiting"]


def test_an_oui_without_the_token_counts_for_nothing(club: Scene) -> None:
    """T-1: the sender's address alone proves nothing."""
    asked(club, "bela", f"ADRESSE +{NEW}")
    assert club.write(NEW, "OUI").state == "ignored"
    assert states(club) == ["asked"]


def test_the_new_address_may_refuse(club: Scene) -> None:
    mail = asked(club, "bela", f"ADRESSE +{NEW}")
    club.told()
    club.answer(mail, "NON", who=NEW)
    assert states(club) == ["stopped"]
    assert [(m.kind, m.address) for m in club.told()] == [("identity.stopped", OLD)]
    club.answer(mail, "OUI", who=NEW)
    assert states(club) == ["stopped"]
    assert club.told() == [], "a stranger is told no more"


@pytest.mark.parametrize(("seconds", "state"), [(-2, "waiting"), (0, "lapsed")])
def test_the_new_address_has_24_hours(club: Scene, seconds: int, state: str) -> None:
    """Both sides of the border; silence is told to the member alone."""
    mail = asked(club, "bela", f"ADRESSE +{NEW}")
    club.now = mail.created_at + timedelta(hours=Caution().identity_answer_hours) + timedelta(seconds=seconds)
    club.told()
    club.answer(mail, "OUI", who=NEW)
    assert states(club) == [state]
    if state == "lapsed":
        assert ("identity.stopped", "bela") in kinds(club.told())


def test_an_oui_received_in_time_and_handled_late_counts(club: Scene) -> None:
    """T-12: and the 72 hours begin when people are told of it."""
    mail = asked(club, "bela", f"ADRESSE +{NEW}")
    club.now = mail.created_at + timedelta(hours=23)
    club.keep(club.reply(mail, "OUI", who=NEW))
    club.now += timedelta(days=7)
    club.work()
    assert states(club) == ["waiting"]
    runs_out(club, -1)
    assert addresses(club) == (OLD,)


def test_two_oui_of_the_new_address_are_one(club: Scene) -> None:
    """T-10."""
    mail = asked(club, "bela", f"ADRESSE +{NEW}")
    club.answer(mail, "OUI", who=NEW)
    club.now += timedelta(hours=5)
    before = club.dump()["identity_change"]
    club.answer(mail, "Oui.", who=NEW)
    assert club.dump()["identity_change"] == before


# ---------------------------------------------------------------- stopping it


@pytest.mark.parametrize("word", ["NON", "FIN", "Non !"])
@pytest.mark.parametrize("who", ["bela", NEW, "anna"])
def test_whoever_was_told_may_stop_it(club: Scene, word: str, who: str) -> None:
    """TRUST § 2: from any address, until the last second."""
    waiting(club)
    mail = next(
        m for m in everything(club) if m.kind == "identity.pending" and who in (m.recipient, m.address)
    )
    runs_out(club, -2)
    club.answer(mail, word, who=who)
    assert states(club) == ["stopped"]
    told = [m.address for m in club.told() if m.kind == "identity.stopped"]
    assert told == [OLD, NEW, "anna@example.org"]
    club.now += timedelta(days=30)
    club.work()
    assert addresses(club) == (OLD,)


def test_a_non_from_another_registered_address_stops_it(club: Scene) -> None:
    """TRUST § 2: any registered address."""
    with_second(club)
    waiting(club, "ADRESSE +bela@third.example.org", "bela@third.example.org")
    mail = next(m for m in everything(club)[::-1] if m.kind == "identity.pending" and m.address == NEW)
    club.answer(mail, "NON", who=NEW)
    assert states(club) == ["done", "stopped"]


@pytest.mark.parametrize("who", ["carl", "evil@example.net"])
def test_nobody_else_can_stop_it(club: Scene, who: str) -> None:
    """T-8: not even with the token."""
    mail = waiting(club)
    club.answer(mail, "NON", who=who)
    assert states(club) == ["waiting"]


def test_a_non_without_the_token_stops_nothing(club: Scene) -> None:
    """T-1."""
    waiting(club)
    club.write("bela", "NON")
    assert states(club) == ["waiting"]


def test_a_non_still_counts_after_all_other_tokens_were_ended(club: Scene) -> None:
    """FIN ends confirmations; that a change can be stopped must not end with them."""
    mail = waiting(club)
    club.write("bela", "PARTIE joueurs=carl")
    club.answer(club.latest("confirm", "bela"), "FIN")
    club.answer(mail, "NON")
    assert states(club) == ["stopped"]


def test_a_non_that_comes_after_the_72_hours_is_told_so(club: Scene) -> None:
    mail = waiting(club)
    runs_out(club)
    club.answer(mail, "NON")
    assert addresses(club) == (OLD, NEW)
    assert "est en vigueur" in plain(club.told()[-1].text)


def test_a_non_received_before_the_end_counts_though_handled_after(club: Scene) -> None:
    """P-9: mails and due times are taken in the order in which they happened."""
    mail = waiting(club)
    club.now += EFFECT - timedelta(minutes=1)
    club.keep(club.reply(mail, "NON"))
    club.now += timedelta(days=3)
    club.work()
    assert (states(club), addresses(club)) == (["stopped"], (OLD,))


def test_an_oui_to_the_news_changes_nothing(club: Scene) -> None:
    mail = waiting(club)
    club.answer(mail, "OUI")
    assert states(club) == ["waiting"]
    assert "NON" in club.told()[-1].text


# ---------------------------------------------------------------- other changes of addresses


def test_the_primary_address_changes_with_the_oui_of_both(club: Scene) -> None:
    """R-SEC-2: from then on, mails go there."""
    with_second(club)
    mail = asked(club, "bela", f"ADRESSE principale {NEW}")
    assert mail.address == NEW
    assert club.latest("confirm", "bela").address == OLD
    club.answer(mail, "OUI", who=NEW)
    runs_out(club)
    assert addresses(club) == (NEW, OLD)
    club.write(NEW, "COMPTE")
    assert club.told()[-1].address == NEW


def test_an_address_is_removed_72_hours_after_one_oui(club: Scene) -> None:
    """TRUST § 2: it is told there too, and can be stopped from there."""
    with_second(club)
    club.do("bela", f"ADRESSE -{NEW}")
    told = [m.address for m in everything(club) if m.kind == "identity.pending"][-3:]
    assert told == [OLD, NEW, "anna@example.org"]
    done = [m.address for m in runs_out(club) if m.kind == "identity.done"]
    assert (addresses(club), done) == ((OLD,), [OLD, NEW, "anna@example.org"])
    assert club.write(NEW, "COMPTE").reason == "stranger"


def test_the_removed_address_can_stop_its_removal(club: Scene) -> None:
    with_second(club)
    club.do("bela", f"ADRESSE -{NEW}")
    mail = next(m for m in everything(club)[::-1] if m.kind == "identity.pending" and m.address == NEW)
    club.answer(mail, "NON", who=NEW)
    runs = states(club)
    assert runs == ["done", "stopped"]
    assert addresses(club) == (OLD, NEW)


def test_open_questions_are_dead_once_addresses_changed(club: Scene) -> None:
    """TRUST § 3: a member who changes address."""
    waiting(club)
    club.now += EFFECT - timedelta(hours=1)
    club.write("bela", "PARTIE joueurs=carl")
    question = club.latest("confirm", "bela")
    runs_out(club)
    club.answer(question, "OUI")
    assert sql.rows(club.db, "SELECT * FROM game") == []


def test_addresses_are_shown_with_what_is_under_way(club: Scene) -> None:
    """R-SEC-2: to the registered address."""
    asked(club, "bela", f"ADRESSE +{NEW}")
    club.write("bela", "ADRESSE")
    shown = club.told()[-1]
    assert shown.address == OLD
    assert OLD in shown.text
    assert NEW in shown.text
    assert "attend un OUI" in plain(shown.text)


def test_a_ban_meanwhile_makes_it_lapse(club: Scene) -> None:
    """R-BAN-3: the last word is what is so when it falls due."""
    waiting(club)
    club.do("anna", "BANNIT bela motif")
    told = runs_out(club)
    assert (states(club), addresses(club)) == (["lapsed"], (OLD,))
    assert ("identity.stopped", "bela") in kinds(told)


def test_an_address_that_became_somebody_elses_meanwhile_is_not_given_twice(club: Scene) -> None:
    """TRUST § 1."""
    waiting(club)
    club.do("anna", f"INVITE emil {NEW}")
    club.answer(club.latest("member.invited", "emil"), "J'ACCEPTE", who=NEW)
    runs_out(club)
    assert (states(club), addresses(club), addresses(club, "emil")) == (["lapsed"], (OLD,), (NEW,))


def test_who_leaves_meanwhile_gets_nothing(club: Scene) -> None:
    waiting(club)
    club.do("bela", "QUITTE")
    runs_out(club)
    assert states(club) == ["lapsed"]


def test_a_refused_address_changes_and_sends_nothing(club: Scene) -> None:
    club.told()
    club.write("bela", "ADRESSE +carl@example.org")
    assert kinds(club.told()) == [("refused", "bela")]
    assert states(club) == []


@pytest.mark.parametrize("text", [f"ADRESSE principale {NEW}", f"ADRESSE -{NEW}", "ADRESSE +x@example.net"])
def test_only_the_primary_address_begins_a_change(club: Scene, text: str) -> None:
    """TRUST § 2: whoever has got at the second mailbox alone cannot take the member over."""
    with_second(club)
    club.told()
    club.write(NEW, text)
    (refused,) = club.told()
    assert (refused.kind, OLD in refused.text) == ("refused", True)
    assert states(club) == ["done"]
    club.write(NEW, "ADRESSE")
    assert [m.kind for m in club.told()] == ["answer"], "but they can be looked at from there"


def test_the_question_to_the_primary_address_is_sent_again_there_only(club: Scene) -> None:
    """TRUST § 2: a request forged from the first, and JETON from the second, give nobody its token."""
    with_second(club)
    club.write("bela", f"ADRESSE principale {NEW}")
    club.told()
    club.write(NEW, "JETON")
    assert [m.address for m in club.told() if m.token is not None] == [OLD]


# ---------------------------------------------------------------- the manager


def test_the_club_is_handed_over_with_the_oui_of_both_after_72_hours(club: Scene) -> None:
    """TRUST § 2."""
    mail = asked(club, "anna", "TRANSMET carl", "carl")
    assert managers(club) == ["anna"]
    club.answer(mail, "OUI")
    assert [(m.kind, m.recipient) for m in club.told()] == [
        ("identity.pending", "anna"),
        ("identity.pending", "carl"),
    ]
    runs_out(club, -1)
    assert managers(club) == ["anna"]
    runs_out(club)
    assert managers(club) == ["carl"]
    club.write("anna", "BANNIT bela motif")
    assert club.told()[-1].kind == "refused"
    club.is_sound()


def test_a_second_manager_is_named_beside_the_first(club: Scene) -> None:
    club.answer(asked(club, "anna", "NOMME carl", "carl"), "OUI")
    runs_out(club)
    assert managers(club) == ["anna", "carl"]


@pytest.mark.parametrize("who", ["anna", "carl"])
def test_either_of_the_two_may_stop_it(club: Scene, who: str) -> None:
    club.answer(asked(club, "anna", "TRANSMET carl", "carl"), "OUI")
    club.answer(pending(club, who)[0], "NON")
    runs = states(club)
    assert (runs, managers(club)) == (["stopped"], ["anna"])


def test_the_other_person_may_decline(club: Scene) -> None:
    club.answer(asked(club, "anna", "TRANSMET carl", "carl"), "NON")
    assert (states(club), managers(club)) == (["stopped"], ["anna"])
    assert kinds(club.told()) == [("identity.stopped", "anna"), ("identity.stopped", "carl")]


def test_only_the_one_who_was_asked_says_oui(club: Scene) -> None:
    """T-8, T-22."""
    mail = asked(club, "anna", "TRANSMET carl", "carl")
    for who in ("anna", "bela", "evil@example.net"):
        club.answer(mail, "OUI", who=who)
    assert states(club) == ["asked"]


def test_a_manager_who_was_banned_meanwhile_hands_nothing_over(club: Scene) -> None:
    """R-BAN-1."""
    sql.run(club.db, "UPDATE member SET manager = 1 WHERE handle = 'dora'")
    club.answer(asked(club, "dora", "NOMME carl", "carl"), "OUI")
    club.do("anna", "BANNIT dora motif")
    runs_out(club)
    assert (states(club), managers(club)) == (["lapsed"], ["anna", "dora"])


def test_a_session_is_burnt_when_addresses_change(club: Scene) -> None:
    """TRUST § 3."""
    waiting(club)
    club.now += EFFECT - timedelta(minutes=5)
    club.do("bela", "PARTIE joueurs=carl")
    session = club.latest("answer", "bela")
    assert club.answer(session, "MODIFIE 1 buyin=2").state == "executed"
    runs_out(club)
    assert club.answer(session, "MODIFIE 1 buyin=5").state != "executed"
    assert club.game().buyin_cents == 2_00


def test_the_hours_are_the_clubs_own() -> None:
    """[trust] in club.toml."""
    scene = open_scene()
    caution = Caution(identity_answer_hours=1, identity_effect_hours=5)
    scene.desk = Desk(scene.db, scene.club, Keyring(KEY), Trust.CONFIRM, caution=caution)
    mail = waiting(scene)
    assert "5 heures" in plain(mail.text)
    (due,) = sql.rows(scene.db, "SELECT due_at FROM identity_change")
    assert due == (round((scene.now + timedelta(hours=5)).timestamp() * 1_000_000),)
    scene.db.close()


# ---------------------------------------------------------------- once, and audited


def test_the_effect_happens_once_and_leaves_its_rows_in_the_chain(club: Scene) -> None:
    """P-2, P-3."""
    waiting(club)
    runs_out(club)
    club.now += timedelta(days=2)
    club.work()
    causes = [cause for cause, kind, _ in club.audited() if kind == "job" and ":identity:" in cause]
    assert len(causes) == 1
    assert sql.rows(club.db, "SELECT count(*) FROM run WHERE job = 'identity:1'") == [(1,)]
    club.is_sound()


def test_an_effect_that_fails_is_tried_again_and_holds_nothing_else_up(
    club: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting(club)

    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    with monkeypatch.context() as patch:
        patch.setitem(identity_changes._ADDRESS_EFFECTS, "add", broken)
        runs_out(club)
        assert (states(club), addresses(club)) == (["waiting"], (OLD,))
        assert club.write("carl", "COMPTE").state == "answered"
    club.now += timedelta(minutes=1)
    club.work()
    assert addresses(club) == (OLD, NEW)


# ---------------------------------------------------------------- the language


@pytest.mark.parametrize(
    ("words", "code"),
    [("LANGUE en", "en"), ("langue anglais", "en"), ("LANGUAGE English", "en"), ("Sprache Deutsch", "de"),
     ("LINGUA italiano", "it"), ("LANGUE français", "fr"), ("LANGUE FR.", "fr")],
)  # fmt: skip
def test_a_member_chooses_his_language(club: Scene, words: str, code: str) -> None:
    sql.run(club.db, "UPDATE member SET language = 'xx' WHERE handle = 'bela'")
    (answer,) = club.do("bela", words)
    assert sql.value(club.db, "SELECT language FROM member WHERE handle = 'bela'") == code
    assert answer.kind == "answer"


@pytest.mark.parametrize(
    ("code", "said", "form"),
    [("en", "Nothing is done", "CONTESTE 12 the reason"), ("it", "soprannome", "VIREMENT 15 à carl")],
)
def test_errors_and_forms_come_in_the_language_of_the_member(
    club: Scene, code: str, said: str, form: str
) -> None:
    club.do("bela", f"LANGUE {code}")
    club.told()
    club.write("bela", "CONTESTE 1" if code == "en" else "VIREMENT 15 à ???")
    (answer,) = club.told()
    assert (answer.kind, answer.language) == ("malformed", code)
    assert said in plain(answer.text)
    assert form in plain(answer.text)


@pytest.mark.parametrize("words", ["LANGUE latin", "LANGUE e", "LANGUE 2"])
def test_another_language_is_refused_with_the_ones_there_are(club: Scene, words: str) -> None:
    club.told()
    club.write("bela", words)
    (refused,) = club.told()
    assert refused.kind == "refused"
    assert "LANGUE de" in refused.text
