"""A short season keeps what the long one measures; the same seed plays the same season."""

from __future__ import annotations

from store import sql

from .__main__ import confirmations, play, replies, share


def test_a_member_seldom_has_to_reply_more_than_once_or_twice_an_evening() -> None:
    """TRUST § 3, effort: median at most 1, 95 % at most 2. Forged mails do nothing in it (T-1, T-7)."""
    season = play(seed=3, members=16, evenings=5)
    for evenings in (season.active, season.acting):
        figures = replies(season, evenings)
        assert len(figures) > 20
        assert share(figures, 50) <= 1
        assert share(figures, 95) <= 2
    assert confirmations(season)["used"] > 10
    assert sql.value(season.db, "SELECT count(*) FROM game WHERE state <> 'cancelled'") > 5


def test_the_same_seed_plays_the_same_season() -> None:
    first, second = (play(seed=5, members=10, evenings=1) for _ in range(2))
    heads = [sql.value(s.db, "SELECT hash FROM audit ORDER BY number DESC LIMIT 1") for s in (first, second)]
    assert heads[0] == heads[1]
    assert first.counts == second.counts
