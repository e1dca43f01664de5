"""Mails of a folder: whatever the mailbox does, each is taken once and nothing else changes (P-2, P-5)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from mailflow.doors import mailbox
from mailflow.doors.imap_session import MailboxAway, Refused
from mailflow.doors.looks import GRACE
from mailflow.doors.mailbox import BATCH, BATCH_BYTES, Mailbox, batches, shortened
from mailflow.identify import Trust
from mailflow.sections.imap import Imap
from parsers.limits import SIZE_BYTES_MAX
from store import inbox, sql
from store.database import unit_of_work
from store.errors import LeaseLost, StoreUnavailable
from store.records import InboxState
from tests.desk.desk_scene import open_scene

from .fake_mailbox import FAULTS, FakeMailbox

SETTINGS = Imap(host="imap.example.org", user="club", password_variable="X")
LATER = datetime(2026, 1, 6, 20, tzinfo=UTC)
TEXTS = (
    ("anna", "PARTIE buyin=5 joueurs=bela,carl"),
    ("bela", "PARTIE buyin=2 joueurs=dora"),
    ("anna", "RESULTAT 1 1=bela"),
    ("bela", "VIREMENT 3 à anna"),
    ("bela", "RESULTAT 2 1=dora 2=bela"),
    ("carl", "CONTESTE 1 le classement est faux"),
    ("carl", "bonjour à tous"),
    ("dora", "COMPTE"),
    ("dora", "PARTIE buyin=1 joueurs=anna,bela 1=anna"),
    ("nobody@elsewhere.org", "VIREMENT 5 à carl"),
    ("anna", "VIREMENT 1,50 à carl"),
)


class Evening:
    """A desk and the mailbox that its mails come from."""

    def __init__(self, fake: FakeMailbox) -> None:
        self.scene = open_scene(trust=Trust.EVERYBODY)
        self.fake = fake
        self.box = self.reader()
        for who, text in TEXTS:
            self.scene.now += timedelta(minutes=20)
            fake.put(self.scene.written(who, text), self.scene.now)
            large = self.scene.written("carl", "gros") + b"x" * SIZE_BYTES_MAX
            if who == "dora" and text == "COMPTE":
                fake.put(large, self.scene.now)

    def reader(self) -> Mailbox:
        scene = self.scene
        return Mailbox(scene.db, scene.club.id, SETTINGS, lambda: scene.now, lambda: None, lambda: None)

    def look(self, box: Mailbox | None = None) -> bool:
        """One session, as the door leads it; False where it was cut."""
        box = box or self.box
        try:
            box.enter(self.fake)
            box.take(self.fake)
            box.settle(self.fake)
        except MailboxAway:
            return False
        return True

    def journal(self) -> list[tuple[object, ...]]:
        text = (
            "SELECT e.number, e.kind, a.code, p.amount_cents FROM posting p"
            " JOIN entry e ON e.id = p.entry_id JOIN account a ON a.id = p.account_id"
            " ORDER BY e.number, p.line"
        )
        return sql.rows(self.scene.db, text)

    def sent(self) -> list[tuple[object, ...]]:
        """Kinds, recipients and subjects: texts may name a mail's number, which the order of taking gives."""
        return sorted(sql.rows(self.scene.db, "SELECT kind, recipient, subject FROM outbox"))

    def close(self) -> None:
        self.scene.db.close()


def quiet() -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """What a mailbox without faults leaves: the journal, and the mails sent."""
    evening = Evening(FakeMailbox())
    assert evening.look()
    evening.scene.now = LATER
    evening.scene.work()
    evening.box.settle(evening.fake)
    assert evening.fake.content == {}
    journal, sent = evening.journal(), evening.sent()
    assert len(journal) > 15
    evening.close()
    return journal, sent


def test_a_mailbox_at_its_worst_leaves_the_same_ledger() -> None:
    """P-5: cuts, noes, holes and doubles in listings, a new UIDVALIDITY, mails put back, two readers."""
    expected = quiet()
    happened: set[str] = set()
    for seed in range(16):
        random = Random(seed)
        evening = Evening(FakeMailbox(random, chance=0.12))
        readers = [evening.box, evening.reader()]
        for _ in range(100):
            evening.look(random.choice(readers))
            evening.scene.now += mailbox.PUT_OFF
            if all(_taken(evening, uid) for uid in list(evening.fake.content)):
                break
        else:
            pytest.fail(f"seed {seed}: not all mails were taken")
        evening.scene.now = LATER
        evening.scene.work()
        for _ in range(20):
            evening.look(random.choice(readers))
            evening.scene.work()
        evening.fake.chance = 0
        evening.scene.now += mailbox.PUT_OFF
        assert evening.look()
        evening.scene.work()
        assert (evening.journal(), evening.sent()) == expected, f"seed {seed}"
        happened |= evening.fake.happened
        evening.close()
    assert happened == set(FAULTS)


def _taken(evening: Evening, uid: int) -> bool:
    text = (
        "SELECT count(*) FROM mailbox_mail m JOIN mailbox b ON b.id = m.mailbox_id"
        " WHERE m.uid = ? AND b.uidvalidity = ?"
    )
    return bool(sql.value(evening.scene.db, text, (uid, evening.fake.uidvalidity)))


@pytest.fixture
def evening() -> Iterator[Evening]:
    made = Evening(FakeMailbox())
    made.fake.content.clear()
    yield made
    made.close()


def fill(evening: Evening, *texts: str) -> list[int]:
    return [evening.fake.put(evening.scene.written("anna", text), evening.scene.now) for text in texts]


def kept(evening: Evening) -> int:
    return int(sql.value(evening.scene.db, "SELECT count(*) FROM inbox"))


@pytest.mark.parametrize("error", [Refused, MailboxAway])
def test_a_mail_that_cannot_be_fetched_does_not_hold_up_the_others(
    evening: Evening, error: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    """G06: whether the answer cannot be read, or the connection dies of it each time."""
    fill(evening, "un", "deux", "poison", "trois", "quatre")
    evening.fake.poison[b"poison"] = error
    for _ in range(6):
        evening.look()
    assert kept(evening) == 4
    asked = len(evening.fake.asked)
    evening.look()
    assert len(evening.fake.asked) == asked  # it is let lie
    assert [r.message for r in caplog.records if "is left in the mailbox" in r.message] != []
    evening.fake.poison.clear()
    evening.scene.now += mailbox.PUT_OFF
    evening.look()
    assert kept(evening) == 5


def test_what_is_due_waits_for_a_mail_that_is_let_lie_but_not_for_ever(evening: Evening) -> None:
    """R-DIS-5: it may be the dispute that came in time."""
    fill(evening, "un", "poison")
    now = evening.scene.now
    assert evening.box.knows_all(now)
    evening.fake.poison[b"poison"] = Refused
    evening.look()
    assert not evening.box.knows_all(now)
    assert not evening.box.knows_all(now + GRACE)
    assert evening.box.knows_all(now + GRACE + timedelta(seconds=1))
    evening.fake.poison.clear()
    evening.scene.now += mailbox.PUT_OFF
    evening.look()
    assert evening.box.knows_all(evening.scene.now)


def test_a_mail_without_a_reception_time_counts_from_when_it_was_taken(evening: Evening) -> None:
    evening.fake.put(evening.scene.written("anna", "COMPTE"), None)
    evening.look()
    waiting = inbox.waiting(evening.scene.db, evening.scene.club.id)
    assert waiting is not None
    assert waiting.received_at == evening.scene.now


def test_a_full_disk_leaves_mail_where_it_is(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    """P-7: nothing is moved that was not committed; it resumes alone."""
    fill(evening, "COMPTE", "AIDE")

    def full(*_: object) -> int:
        raise StoreUnavailable("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("store.inbox.keep", full)
        with pytest.raises(StoreUnavailable):
            evening.look()
    assert (kept(evening), len(evening.fake.content)) == (0, 2)
    evening.look()
    assert kept(evening) == 2


def test_whoever_was_put_out_keeps_nothing(evening: Evening) -> None:
    """P-5: the fencing number is looked at in the very transaction."""
    fill(evening, "COMPTE")
    scene, calls = evening.scene, iter(range(9))

    def guard() -> None:
        if next(calls):  # the lease stood when the session began
            raise LeaseLost("taken over")

    slow = Mailbox(scene.db, scene.club.id, SETTINGS, lambda: scene.now, guard, lambda: None)
    with pytest.raises(LeaseLost):
        evening.look(slow)
    assert kept(evening) == 0


def test_a_server_that_will_not_move_keeps_nobody_from_being_answered(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(evening, "COMPTE")
    evening.look()
    evening.scene.work()

    def no(*_: object) -> None:
        raise Refused("over quota")

    with monkeypatch.context() as patched:
        patched.setattr(evening.fake, "move", no)
        assert evening.look()
        fill(evening, "AIDE")
        assert evening.look()
        evening.scene.work()
    assert inbox.counts(evening.scene.db, evening.scene.club.id)["answered"] == 2
    assert len(evening.fake.content) == 2
    evening.scene.now += mailbox.PUT_OFF
    evening.look()
    assert evening.fake.content == {}


def test_a_mail_goes_where_its_end_says(evening: Evening) -> None:
    """P-1: an end, and a folder, for each."""
    fill(evening, *(f"mail {state}" for state in InboxState))
    evening.look()
    with unit_of_work(evening.scene.db):
        for mail_id, state in enumerate(InboxState, 1):
            inbox.finish(evening.scene.db, mail_id, state)
    evening.look()
    assert {name: len(mails) for name, mails in evening.fake.others.items()} == {
        "mailflow-done": 3,
        "mailflow-ignored": 1,
        "mailflow-quarantine": 1,
    }
    ((left, _),) = evening.fake.content.values()
    assert b"mail received" in left


def test_mails_come_in_batches_of_bounded_number_and_size() -> None:
    sizes = dict.fromkeys(range(1, 251), 1000)
    assert [len(batch) for batch in batches(sizes, set())] == [BATCH, BATCH, 50]
    sizes = dict.fromkeys(range(1, 10), BATCH_BYTES // 4 - 1)
    assert [len(batch) for batch in batches(sizes, set())] == [4, 4, 1]


def test_large_mails_and_suspects_are_asked_for_apart() -> None:
    sizes = {1: 10, 2: SIZE_BYTES_MAX + 1, 3: 10, 4: SIZE_BYTES_MAX, 5: 10, 6: 40_000_000}
    assert [list(batch) for batch in batches(sizes, {3, 6})] == [[1, 4, 5], [2], [3], [6]]


def test_of_a_mail_that_is_too_large_the_headers_stay_under_a_note() -> None:
    assert shortened(b"From: a@b.c\r\n\r\n") == (
        b"X-Mailflow-Cut: too large, only the headers were kept\r\nFrom: a@b.c\r\n\r\n"
    )


def test_the_sender_of_a_mail_that_is_too_large_is_told_once(evening: Evening) -> None:
    """T-23: if he is a member; a stranger is not answered (T-31)."""
    scene = evening.scene
    for sender in ("carl", "nobody@elsewhere.org"):
        evening.fake.put(scene.written(sender, "gros") + b"x" * SIZE_BYTES_MAX, scene.now)
    evening.look()
    scene.work()
    evening.look()
    scene.work()
    assert [(kind, who) for kind, who, _ in evening.sent()] == [("unreadable", "carl")]
    assert {name: len(mails) for name, mails in evening.fake.others.items()} == {"mailflow-quarantine": 2}


def test_a_look_that_is_stopped_stops_between_two_batches(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox, "BATCH", 2)
    fill(evening, *(f"mail {n}" for n in range(6)))
    evening.box.enter(evening.fake)
    answers = iter((False, False, True))
    assert evening.box.take(evening.fake, lambda: next(answers)) == 4
    assert kept(evening) == 4
