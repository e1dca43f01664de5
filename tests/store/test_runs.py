"""Jobs: noted once for each instant at which they are due."""

from __future__ import annotations

from datetime import timedelta

from store import runs
from tests.store.scene import START, Scene, found

DAY = timedelta(days=1)


def test_the_last_run_is_the_latest_due_and_not_the_latest_written(bare: Scene) -> None:
    assert runs.last_due(bare.db, bare.id, "digest") is None
    assert runs.note(bare.db, bare.id, "digest", START + DAY, START + DAY)
    assert runs.note(bare.db, bare.id, "digest", START, START + DAY)
    assert runs.last_due(bare.db, bare.id, "digest") == START + DAY
    assert runs.last_due(bare.db, bare.id, "reminders") is None


def test_the_last_runs_of_several_jobs_are_found_at_once(bare: Scene) -> None:
    runs.note(bare.db, bare.id, "digest", START, START)
    runs.note(bare.db, bare.id, "digest", START + DAY, START + DAY)
    runs.note(bare.db, found(bare.db, "autre@example.org").id, "reminders", START, START)
    assert runs.last_dues(bare.db, bare.id, ["reminders", "digest"]) == {
        "reminders": None,
        "digest": START + DAY,
    }


def test_a_job_is_noted_once_for_an_instant(bare: Scene) -> None:
    other = found(bare.db, "autre@example.org")
    assert runs.note(bare.db, bare.id, "digest", START, START)
    assert not runs.note(bare.db, bare.id, "digest", START, START + DAY)
    assert runs.note(bare.db, other.id, "digest", START, START)


def test_the_time_before_the_last_is_found_by_when_it_was_due(bare: Scene) -> None:
    assert runs.previous_due(bare.db, bare.id, "digest") is None
    runs.note(bare.db, bare.id, "digest", START + DAY, START + DAY)
    assert bare.books.previous_due("digest") is None
    runs.note(bare.db, bare.id, "digest", START, START + 5 * DAY)
    runs.note(bare.db, bare.id, "reminders", START + 2 * DAY, START + 2 * DAY)
    assert bare.books.previous_due("digest") == START
