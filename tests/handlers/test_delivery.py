"""P-6: managers are told once, and at most once a day, of what could not be delivered."""

from datetime import timedelta

import pytest

from mailflow.handlers import delivery, digest
from mailflow.handlers.delivery import KIND, LISTED_MAX
from mailflow.rules.delivery import HARD_MAX, LOOKED_BACK, SOFT_MAX, keep_bouncing, keeps_bouncing
from store import delivery as deliveries
from store import outbox
from store.database import unit_of_work
from store.records import Bouncing, Fault, NewMail, TellUndelivered
from tests.club import club, told


def lose(scene, handle, count=1, fault=Fault.HARD, kind="game.result", back=timedelta(0)):
    """Mails to a member that are refused at once."""
    at = scene.now - back
    key = f"{handle}:{kind}:{scene.now}:{fault}:{back}"
    mails = [
        NewMail(f"test:{key}:{n}", kind, handle, f"{handle}@example.org", "", f"sujet {n}", "…")
        for n in range(count)
    ]
    with unit_of_work(scene.db):
        ids = outbox.queue(scene.db, scene.row.id, mails, at)
        deliveries.claim(scene.db, scene.row.id, "test", scene.now, scene.now, 1000)
        for mail_id in ids:
            deliveries.mark_failed(scene.db, mail_id, "test", at, "550 no", fault)
    return ids


def test_where_all_arrived_nobody_is_told():
    scene = club("bela")
    assert scene.run(delivery.report).changes == scene.run(delivery.report).notices == ()


def test_every_manager_is_told_and_only_once():
    scene = club("bela", "carl", manager=["anna", "carl"])
    ids = lose(scene, "bela", 2)
    said = scene.run(delivery.report)
    assert told(said) == [f"{KIND}: anna carl"]
    assert said.changes == (TellUndelivered(ids),)
    assert [(one.recipient, one.subject, one.error) for one in said.notices[0].facts["failed"]] == [
        ("bela", "sujet 0", "550 no"),
        ("bela", "sujet 1", "550 no"),
    ]
    assert scene.run(delivery.report).notices == ()


def test_a_report_that_was_lost_itself_makes_no_further_one():
    """Or a manager whose address is dead would be written to every day for good."""
    scene = club("bela")
    ids = lose(scene, "anna", kind=KIND)
    said = scene.run(delivery.report)
    assert (said.notices, said.changes) == ((), (TellUndelivered(ids),))
    more = lose(scene, "bela")
    said = scene.run(delivery.report)
    assert [one.id for one in said.notices[0].facts["failed"]] == list(more)
    assert said.changes == (TellUndelivered(more),)


@pytest.mark.parametrize(
    ("lost", "shown", "more"), [(LISTED_MAX, LISTED_MAX, 0), (LISTED_MAX + 2, LISTED_MAX, 2)]
)
def test_of_many_the_latest_are_named(lost, shown, more):
    scene = club("bela")
    ids = lose(scene, "bela", lost)
    facts = scene.run(delivery.report).notices[0].facts
    assert ([one.id for one in facts["failed"]], facts["more"]) == (list(ids[-shown:]), more)


@pytest.mark.parametrize(
    ("hard", "soft", "counts"),
    [
        (HARD_MAX, 0, True),
        (HARD_MAX - 1, 0, False),
        (0, SOFT_MAX, True),
        (0, SOFT_MAX - 1, False),
        (1, SOFT_MAX - 1, True),
        (1, SOFT_MAX - 2, False),
    ],
)
def test_one_lost_mail_may_be_chance(hard, soft, counts):
    """P-6."""
    assert keeps_bouncing(Bouncing("a@example.org", "a", hard, soft, None)) is counts  # type: ignore[arg-type]


def test_what_was_lost_long_ago_is_forgotten():
    scene = club("bela")
    lose(scene, "bela", HARD_MAX - 1, back=LOOKED_BACK)
    lose(scene, "bela", back=timedelta(days=1))
    assert [one.address for one in keep_bouncing(scene.club)] == ["bela@example.org"]
    assert keep_bouncing(scene.later(hours=1).club) == ()


def test_an_address_that_keeps_bouncing_is_in_the_managers_digest_alone():
    """P-6."""
    scene = club("bela", "carl")
    lose(scene, "bela", 2)
    lose(scene, "carl")
    own = scene.run(digest.weekly).notices[0].own
    assert [one.address for one in own["anna"]["awaiting"]["bouncing"]] == ["bela@example.org"]
    assert own["bela"]["awaiting"] is None


def test_nothing_is_blocked():
    """T-32: who receives nothing can still write."""
    scene = club("bela", "carl")
    lose(scene, "bela", 9)
    assert not scene.say("bela", "PARTIE", buyin_cents=100, players=["carl"]).refused
