"""Who the writer is at the desk: what our border says, and several addresses (TRUST § 1, T-2 to T-6)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from parsers.authentication import Border
from store import sql
from store.database import unit_of_work

from .desk_scene import CLUB, Scene, kinds, plain

PARTIE = "PARTIE buyin=5 joueurs=bela"
BORDER = Border(frozenset({"mx.club"}))
PASS = "mx.club; dmarc=pass header.from=example.org"
FAIL = "mx.club; dmarc=fail header.from=example.org"


@pytest.fixture
def guarded(club: Scene) -> Scene:
    """The border's word counts; acting mails are confirmed, as in `mailflow run`."""
    club.desk.border = BORDER
    return club


def stamped(scene: Scene, value: str, who: str = "anna", text: str = PARTIE, **headers: str) -> bytes:
    return f"Authentication-Results: {value}\r\n".encode() + scene.written(who, text, **headers)


def until_digest(scene: Scene, weeks: int = 1) -> str:
    """Go on to the Monday's digest and give anna's."""
    scene.now += timedelta(days=(-scene.now.weekday()) % 7 or 7) + timedelta(weeks=weeks - 1)
    scene.work()
    return plain(scene.latest("digest.weekly", "anna").text)


# ---------------------------------------------------------------- T-2: a fail


def test_t2_a_forged_mail_does_nothing_and_answers_nobody(guarded: Scene) -> None:
    before = guarded.dump()
    handled = guarded.receive(stamped(guarded, FAIL))
    assert (handled.state, handled.reason) == ("ignored", "forged")
    assert [line.outcome for line in handled.lines] == ["refused"]
    assert guarded.told() == []
    assert guarded.dump() == before
    assert guarded.audited()[-1][2]["reason"] == "forged"


@pytest.mark.parametrize("text", ["COMPTE", "VIREMENT 1.5e3 bela", "bonjour", "", "OUI"])
def test_t2_nothing_a_forged_mail_may_say_is_answered(guarded: Scene, text: str) -> None:
    assert guarded.receive(stamped(guarded, FAIL, text=text)).reason == "forged"
    assert guarded.told() == []


def test_t2_a_forged_mail_in_a_strangers_name_is_refused_as_silently(guarded: Scene) -> None:
    raw = stamped(guarded, "mx.club; dmarc=fail header.from=example.net", "x@example.net")
    assert guarded.receive(raw).reason == "forged"
    assert guarded.told() == []


def test_t2_even_a_live_token_does_not_carry_a_forged_mail(guarded: Scene) -> None:
    guarded.write("anna", PARTIE)
    asked = guarded.latest("confirm", "anna")
    forged = f"Authentication-Results: {FAIL}\r\n".encode() + guarded.reply(asked, "OUI")
    assert guarded.receive(forged).reason == "forged"
    assert guarded.answer(asked, "OUI").state == "executed"


def test_the_same_mail_may_still_come_unspoilt_by_another_way(guarded: Scene) -> None:
    """E25: a forwarder breaks the signature of one copy; it does not shadow the other (P-2)."""
    raw = guarded.written("anna", "COMPTE")
    assert guarded.receive(f"Authentication-Results: {FAIL}\r\n".encode() + raw).reason == "forged"
    assert guarded.receive(f"Authentication-Results: {PASS}\r\n".encode() + raw).state == "answered"


def test_t2_the_member_sees_it_in_his_next_digest(guarded: Scene) -> None:
    guarded.receive(stamped(guarded, FAIL))
    last = guarded.receive(stamped(guarded, FAIL))
    digest = until_digest(guarded)
    assert "2 mails qui portaient ton adresse" in digest
    assert f"POURQUOI mail {last.mail_id}" in digest
    assert "mails refusés en ton nom" not in guarded.latest("digest.weekly", "bela").text
    assert "mails refusés en ton nom" not in until_digest(guarded)


def test_one_forged_mail_is_told_in_the_singular(guarded: Scene) -> None:
    guarded.receive(stamped(guarded, FAIL))
    assert "Un mail qui portait ton adresse n'a pas passé" in until_digest(guarded)


def test_a_forged_mail_is_told_once_however_late_the_digests_are(guarded: Scene) -> None:
    """It came after a Monday's digest was due, and was handled when that digest was run, days late."""
    monday_digest = guarded.now + timedelta(days=6)
    guarded.keep(stamped(guarded, FAIL), at=monday_digest + timedelta(hours=5))
    told = []
    for late_days in (3, 10, 17):
        guarded.now = monday_digest + timedelta(days=late_days)
        guarded.work()
        told.append("mails refusés en ton nom" in guarded.latest("digest.weekly", "anna").text)
    assert guarded.states() == {"ignored": 1}
    assert told == [False, True, False]


def test_the_member_can_ask_how_the_forged_mail_was_read(guarded: Scene) -> None:
    number = guarded.receive(stamped(guarded, FAIL)).mail_id
    guarded.write("anna", f"POURQUOI mail {number}")
    (told,) = guarded.told()
    assert f"mail {number} a été lu" in plain(f"{told.subject} {told.text}")
    guarded.write("bela", f"POURQUOI mail {number}")
    assert [mail.kind for mail in guarded.told()] == ["refused"]


# ---------------------------------------------------------------- a pass, and what is no word of ours


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(PASS, id="pass"),
        pytest.param("mx.evil; dmarc=pass header.from=example.org", id="T-3-not ours"),
        pytest.param("mx.evil; dmarc=fail header.from=example.org", id="T-3-not our fail"),
        pytest.param("mx.club 1; dmarc=pass header.from=example.org", id="T-3-version"),
        pytest.param("mx.club (x); dmarc=fail header.from=example.org", id="T-3-comment"),
        pytest.param('mx.club; spf=pass smtp.mailfrom="; dmarc=pass header.from=example.org"@x', id="T-3-in"),
        pytest.param("mx.club; spf=fail smtp.mailfrom=example.org", id="E25-spf fails"),
        pytest.param("mx.club; dmarc=pass header.from=evil.net", id="E24-other domain"),
    ],
)
def test_t1_nothing_but_a_token_carries_out_what_changes_something(guarded: Scene, value: str) -> None:
    """A pass, forged or ours, never replaces OUI; what is not our fail does not refuse."""
    before = guarded.balances
    assert guarded.receive(stamped(guarded, value)).state == "pending"
    assert kinds(guarded.told()) == [("confirm", "anna")]
    assert guarded.balances == before
    assert guarded.answer(guarded.latest("confirm", "anna"), "OUI").state == "executed"


def test_without_a_border_no_fail_is_believed(club: Scene) -> None:
    """Whoever could make us believe one could silence any member."""
    assert club.receive(stamped(club, FAIL)).state == "pending"


def test_robots_stay_robots_whatever_the_border_says(guarded: Scene) -> None:
    raw = stamped(guarded, FAIL, Auto_Submitted="auto-replied")
    assert guarded.receive(raw).reason == "automatic"
    assert "mails refusés en ton nom" not in until_digest(guarded)


# ---------------------------------------------------------------- several addresses


@pytest.fixture
def several(fresh: Scene) -> Scene:
    """anna writes from two more addresses; her primary one is anna@example.org."""
    for address in ("anna@travail.example", "zoé@xn--bcher-kva.example"):
        add_address(fresh, "anna", address)
    return fresh


def add_address(scene: Scene, handle: str, address: str) -> None:
    with unit_of_work(scene.db):
        sql.run(
            scene.db,
            "INSERT INTO address (club_id, member_id, address, is_primary)"
            " SELECT club_id, id, ?, 0 FROM member WHERE handle = ?",
            (address, handle),
        )


@pytest.mark.parametrize(
    ("sender", "address"),
    [
        ("anna@example.org", "anna@example.org"),
        ("anna@travail.example", "anna@travail.example"),
        ("Anna <ANNA@Travail.Example>", "anna@travail.example"),
        ("zo\u00e9@b\u00fccher.example", "zo\u00e9@xn--bcher-kva.example"),
        ("zoe\u0301@bu\u0308cher.example", "zo\u00e9@xn--bcher-kva.example"),
        ("ZO\u00c9@XN--BCHER-KVA.example", "zo\u00e9@xn--bcher-kva.example"),
        ("zo\u00e9@b\u00fccher.ex\u200bample", "zo\u00e9@xn--bcher-kva.example"),
    ],
    ids=["primary", "second", "case", "IDN-E13", "NFD-E14", "A-label", "zero width-E15"],
)
def test_a_member_is_known_by_each_of_his_addresses_and_answered_there(
    several: Scene, sender: str, address: str
) -> None:
    """T-6: exact canonical match."""
    handled = several.receive(_from(several, sender, "COMPTE"))
    assert handled.state == "answered"
    assert [(m.recipient, m.address) for m in several.told()] == [("anna", address)]


@pytest.mark.parametrize(
    "sender",
    [
        "zoe@b\u00fccher.example",
        "zo\u0435\u0301@b\u00fccher.example",
        "zo\u00e9@bucher.example",
        "zo\u00e9@b\u00fccher.example.net",
        "anna@trava\u0456l.example",
        "\uff41nna@travail.example",
        "anna@travail.example@example.org",
        "an.na@travail.example",
        "anna+x@travail.example",
    ],
    ids=ascii,
)
def test_t6_what_only_looks_like_one_of_them_is_a_strangers(several: Scene, sender: str) -> None:
    assert several.receive(_from(several, sender, "COMPTE")).state in ("ignored", "quarantined")
    assert several.told() == []


def test_what_he_is_told_of_his_own_doing_goes_where_he_wrote_from(several: Scene) -> None:
    """R-SEC-2: a notice that is the answer to his own mail too; the others are told at their primary."""
    add_address(several, "bela", "bela@travail.example")
    several.write("anna@travail.example", "PARTIE buyin=5 joueurs=bela 1=bela")
    assert sorted((m.recipient, m.address) for m in several.told()) == [
        ("anna", "anna@travail.example"),
        ("bela", "bela@example.org"),
    ]


def test_what_the_clock_brings_goes_to_the_primary_address(several: Scene) -> None:
    several.write("anna@travail.example", "COMPTE")
    several.told()
    until_digest(several)
    assert {m.address for m in several.told() if m.recipient == "anna"} == {"anna@example.org"}


def test_a_confirmation_goes_where_the_command_came_from_and_may_be_answered_from_another(
    club: Scene,
) -> None:
    """TRUST § 3: OUI from another registered address of the same member is accepted."""
    add_address(club, "anna", "anna@travail.example")
    club.write("anna@travail.example", PARTIE)
    asked = club.latest("confirm", "anna")
    assert asked.address == "anna@travail.example"
    assert club.answer(asked, "OUI", who="anna@example.org").state == "executed"
    assert {m.address for m in club.told() if m.recipient == "anna"} <= {
        "anna@example.org",
        "anna@travail.example",
    }


def test_a_member_who_left_is_known_by_none_of_his_addresses(several: Scene) -> None:
    several.write("bela", "QUITTE")
    add_address(several, "bela", "bela@travail.example")
    several.told()
    assert several.write("bela@travail.example", "COMPTE").reason == "stranger"
    assert several.told() == []


def test_e30_t5_a_reply_to_of_a_stranger_is_never_written_to(several: Scene) -> None:
    several.write("anna@travail.example", "COMPTE", Reply_To="evil@example.net", Sender="evil@example.net")
    assert [m.address for m in several.told()] == ["anna@travail.example"]


def _from(scene: Scene, sender: str, text: str) -> bytes:
    """A mail with this From as raw UTF-8, which the library that writes mails would not let through."""
    raw = scene.written("x@example.net", text, to=CLUB)
    return raw.replace(b"From: x@example.net", b"From: " + sender.encode())
