"""Mails and jobs in the order in which they happened, each once, whatever the clock does (P-9, R-DIS-5)."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from mailflow.identify import Trust
from mailflow.jobs import JOBS
from store import inbox, sql
from store.database import unit_of_work
from store.records import GameState

from .desk_scene import START, Scene, kinds, open_scene, text_of

PARIS = ZoneInfo("Europe/Paris")


def with_result(scene: Scene, number: int = 1) -> datetime:
    """anna's game with bela and carl is recent; the instant at which its window ends."""
    scene.write("anna", "PARTIE joueurs=bela,carl 1=bela")
    scene.told()
    ends_at = scene.game(number).window_ends_at
    assert ends_at is not None
    return ends_at


def poor(scene: Scene) -> None:
    """bela is left with 5 €: a reminder a day."""
    for _ in range(19):
        scene.write("carl", "PARTIE buyin=10 joueurs=bela 1=carl")
    scene.write("carl", "PARTIE buyin=5 joueurs=bela 1=carl")
    assert scene.balances["bela"] == 500
    scene.told()


# ---------------------------------------------------------------- windows


def test_the_window_is_open_until_the_end_of_the_seventh_day(fresh: Scene) -> None:
    """R-DIS-1."""
    assert with_result(fresh).astimezone(PARIS) == datetime(2026, 1, 14, tzinfo=PARIS)


def test_a_dispute_received_in_time_counts_though_it_is_handled_late(fresh: Scene) -> None:
    """R-DIS-5: the machine was off from before the end of the window until two days after."""
    ends_at = with_result(fresh)
    fresh.now = ends_at + timedelta(days=2)
    fresh.keep(fresh.written("carl", "CONTESTE 1 c'est faux"), ends_at - timedelta(seconds=1))
    (handled,) = fresh.work()
    assert [line.outcome for line in handled.lines] == ["ok"]
    assert fresh.game().state == "arbitration"
    told = [kind for kind, to in kinds(fresh.told()) if to == "anna"]
    assert told.index("dispute.filed") < told.index("arbitration.opened")


def test_a_dispute_received_at_the_end_of_the_window_is_late(fresh: Scene) -> None:
    """R-DIS-1, R-DIS-5: the other side of the border."""
    ends_at = with_result(fresh)
    fresh.now = ends_at + timedelta(days=2)
    fresh.keep(fresh.written("carl", "CONTESTE 1 c'est faux"), ends_at)
    (handled,) = fresh.work()
    assert [(line.outcome, line.rule) for line in handled.lines] == [("refused", "R-DIS-1")]
    assert fresh.game().state == "final"


def test_the_date_header_is_only_a_claim(fresh: Scene) -> None:
    """R-DIS-5."""
    ends_at = with_result(fresh)
    raw = fresh.written("carl", "CONTESTE 1 c'est faux", Date="Tue, 06 Jan 2026 12:00:00 +0100")
    fresh.now = ends_at + timedelta(minutes=1)
    assert [line.outcome for line in fresh.receive(raw).lines] == ["refused"]


def test_a_dispute_received_in_time_and_confirmed_after_the_window_counts(club: Scene) -> None:
    """R-DIS-5: a dispute counts by when its mail came; the OUI only proves who wrote it."""
    club.do("anna", "PARTIE joueurs=bela,carl 1=bela")
    ends_at = club.game().window_ends_at
    assert ends_at is not None
    club.now = ends_at - timedelta(minutes=5)
    assert club.write("carl", "CONTESTE 1 c'est faux").state == "pending"
    club.now = ends_at + timedelta(minutes=5)
    handled = club.answer(club.latest("confirm", "carl"), "OUI")
    assert [line.outcome for line in handled.lines] == ["ok"]


def test_windows_that_ended_while_the_machine_was_off_close_as_of_their_own_end(fresh: Scene) -> None:
    ends_at = with_result(fresh)
    fresh.now = ends_at + timedelta(days=5)
    fresh.work()
    steps = sql.rows(fresh.db, "SELECT at, kind FROM game_step ORDER BY id")
    assert steps[-1] == (int(ends_at.timestamp() * 1_000_000), "window_closed")
    assert fresh.game().state == "final"


def test_windows_close_in_the_order_of_their_ends(fresh: Scene) -> None:
    first = with_result(fresh)
    fresh.now += timedelta(days=1)
    second = with_result(fresh, 2)
    fresh.now = second + timedelta(days=1)
    fresh.work()
    runs = sql.rows(fresh.db, "SELECT job, due_at FROM run WHERE job LIKE 'window:%' ORDER BY due_at")
    assert [job for job, _ in runs] == ["window:1", "window:2"]
    assert first < second


# ---------------------------------------------------------------- a machine that was off


def test_after_a_week_off_there_is_one_digest_and_the_reminder_stands_in_it(fresh: Scene) -> None:
    poor(fresh)
    fresh.now += timedelta(days=10)
    fresh.work()
    told = Counter(kind for kind, to in kinds(fresh.told()) if to == "bela")
    assert told == {"digest.weekly": 1}
    words = text_of(fresh.composed(fresh.latest("digest.weekly", "bela"))).replace("\N{NO-BREAK SPACE}", " ")
    assert "Il faut 10,00 € de disponible pour entrer dans une partie." in " ".join(words.split())


def test_a_second_look_at_the_same_instant_does_nothing(fresh: Scene) -> None:
    poor(fresh)
    with_result(fresh)
    fresh.now += timedelta(days=10)
    fresh.work()
    before, told = fresh.dump(frozenset()), len(fresh.told())
    assert told > 0
    assert fresh.work() == []
    assert fresh.dump(frozenset()) == before


def test_a_clock_that_goes_back_repeats_nothing(fresh: Scene) -> None:
    """P-9."""
    poor(fresh)
    fresh.now += timedelta(days=10)
    fresh.work()
    before = fresh.dump(frozenset())
    for back in (1, 24, 24 * 9):
        fresh.now -= timedelta(hours=back)
        fresh.work()
    assert fresh.dump(frozenset()) == before


def test_mails_that_waited_are_handled_in_the_order_received(fresh: Scene) -> None:
    """Not in the order in which they were kept: a second entry may be slower."""
    fresh.now += timedelta(hours=1)
    fresh.keep(fresh.written("anna", "ANNULE 1"), START + timedelta(minutes=20))
    fresh.keep(fresh.written("anna", "PARTIE joueurs=bela"), START + timedelta(minutes=10))
    assert [h.state for h in fresh.work()] == ["executed", "executed"]
    assert fresh.game().state == "cancelled"


def test_a_mail_before_a_job_is_handled_before_it(fresh: Scene) -> None:
    """bela falls below 10 € at 8:59, and is reminded at 9:00, though both are handled at noon."""
    for _ in range(19):
        fresh.write("carl", "PARTIE buyin=10 joueurs=bela 1=carl")
    nine = datetime(2026, 1, 7, 9, tzinfo=PARIS).astimezone(UTC)
    fresh.now = nine - timedelta(seconds=60)
    fresh.work()
    fresh.told()
    raw = fresh.written("carl", "PARTIE buyin=5 joueurs=bela 1=carl")
    fresh.keep(raw, nine - timedelta(seconds=1))
    fresh.now = nine + timedelta(hours=3)
    fresh.work()
    assert [kind for kind, to in kinds(fresh.told()) if to == "bela"] == ["game.result", "reminder.daily"]


def test_what_is_due_goes_before_a_mail_of_the_same_instant(fresh: Scene) -> None:
    ends_at = with_result(fresh)
    fresh.now = ends_at
    fresh.keep(fresh.written("carl", "RETIRE 1"), ends_at)
    fresh.work()
    assert fresh.game().state == "final"


def test_a_job_leaves_a_row_in_the_chain(fresh: Scene) -> None:
    """P-10."""
    fresh.now += timedelta(days=7)
    fresh.work()
    causes = [cause for cause, kind, _ in fresh.audited() if kind == "job"]
    assert sorted(cause.split(":")[1] for cause in causes) == sorted(job.name for job in JOBS)
    fresh.is_sound()


def test_a_new_club_has_nothing_due(fresh: Scene) -> None:
    assert fresh.work() == []
    assert fresh.told() == []
    assert fresh.desk.agenda.next_due(fresh.now).at > fresh.now


# ---------------------------------------------------------------- civil time


@pytest.mark.parametrize(
    ("zone", "first_day"),
    [
        ("Europe/Paris", date(2026, 3, 27)),
        ("Europe/Paris", date(2026, 10, 23)),
        ("America/Santiago", date(2026, 9, 4)),
        ("Australia/Lord_Howe", date(2026, 4, 3)),
        ("Pacific/Apia", date(2026, 3, 27)),
    ],
)
def test_the_nights_on_which_the_clock_changes_neither_skip_nor_repeat_a_job(
    zone: str, first_day: date
) -> None:
    """P-9: looked at every twenty minutes through five days, the daily reminder on each of them at nine.

    On a Monday it stands in the digest of eight o'clock, and there is no second mail.
    """
    tz = ZoneInfo(zone)
    start = datetime.combine(first_day, datetime.min.time(), tz).astimezone(UTC) + timedelta(hours=12)
    scene = open_scene(trust=Trust.EVERYBODY, zone=zone, start=start)
    poor(scene)
    until = scene.now + timedelta(days=5)
    while scene.now < until:
        scene.now += timedelta(minutes=20)
        scene.work()
    days = [first_day + timedelta(days=n) for n in range(1, 6)]
    kinds_of = {"reminder.daily": 9, "digest.weekly": 8}
    told = [m for m in scene.told() if m.recipient == "bela" and m.kind in kinds_of]
    at = [(m.created_at.astimezone(tz), m.kind) for m in told]
    assert [moment.date() for moment, _ in at] == days
    assert [kind for _, kind in at] == ["reminder.daily" if d.weekday() else "digest.weekly" for d in days]
    assert all(moment.hour == kinds_of[kind] for moment, kind in at)
    scene.db.close()


@pytest.mark.parametrize(
    "zone", ["Europe/Paris", "America/Havana", "Pacific/Apia", "Africa/Casablanca", "UTC"]
)
@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_job_is_due_once_on_each_of_its_days(zone: str, job: object) -> None:
    """P-9: through a year, forwards and backwards alike."""
    tz = ZoneInfo(zone)
    at = datetime(2026, 1, 1, tzinfo=tz).astimezone(UTC)
    end = datetime(2027, 1, 1, tzinfo=tz).astimezone(UTC)
    dues = []
    while (at := job.next_after(at, tz)) < end:  # type: ignore[attr-defined]
        assert job.last_until(at, tz) == at  # type: ignore[attr-defined]
        dues.append(at.astimezone(tz))
    days = [due.date() for due in dues]
    assert len(days) == len(set(days))
    weekday = job.weekday  # type: ignore[attr-defined]
    assert len(days) == (365 if weekday is None else 52)
    assert {d.weekday() for d in days} == (set(range(7)) if weekday is None else {weekday})


def test_a_window_over_the_change_of_clocks_ends_at_civil_midnight(fresh: Scene) -> None:
    """R-DIS-1: seven days of which one has 23 hours."""
    fresh.now = datetime(2026, 3, 25, 22, 30, tzinfo=UTC)
    fresh.work()
    assert with_result(fresh).astimezone(PARIS) == datetime(2026, 4, 2, tzinfo=PARIS)


def test_a_window_is_not_closed_while_mail_of_before_may_lie_in_a_mailbox(fresh: Scene) -> None:
    """R-DIS-5: after a night off, what the mailbox received before midnight is read first."""
    ends_at = with_result(fresh)
    fresh.now = ends_at + timedelta(hours=8)
    before = ends_at - timedelta(minutes=5)
    assert fresh.desk.work(fresh.now, known_until=ends_at - timedelta(seconds=1)) == []
    waits_since = fresh.desk.waits_since(fresh.now)
    assert waits_since is not None
    assert waits_since <= fresh.now
    with unit_of_work(fresh.db):
        inbox.keep(fresh.db, fresh.club.id, "imap:1", fresh.written("carl", "CONTESTE 1 faux"), before)
    fresh.desk.work(fresh.now, known_until=fresh.now)
    assert fresh.game(1).state is GameState.ARBITRATION
    assert fresh.desk.waits_since(fresh.now) is None


def test_a_backlog_is_handled_in_parts(fresh: Scene) -> None:
    for _ in range(5):
        fresh.keep(fresh.written("anna", "COMPTE"))
    assert [len(fresh.desk.work(fresh.now, 2)) for _ in range(4)] == [2, 2, 1, 0]
