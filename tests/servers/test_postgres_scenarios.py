"""P-12: the kept lives go the same way on both databases, to the same journal and the same audit chain."""

from __future__ import annotations

from pathlib import Path

import pytest

from mailflow.replay import read_scenario, replay
from store import audit, database, ledger
from store.database import Database
from store.snapshot import members
from store.verify import verify
from tests.databases import new_place, open_database
from tests.scenarios.test_kept import SCENARIOS

pytestmark = pytest.mark.servers


def heads(db: Database) -> tuple[str, str, dict[str, int]]:
    balances = {m.handle: m.balance_cents for m in members(db, 1)}
    return ledger.journal_digest(db, 1), audit.head(db, 1), balances


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda p: p.stem)
def test_a_life_leaves_the_same_books_on_both(path: Path) -> None:
    scenario = read_scenario(path)
    lite, full = database.open_database(None), open_database(new_place())
    assert list(replay(scenario, full)) == list(replay(scenario, lite))
    assert heads(full) == heads(lite)
    assert heads(full)[:2] != (ledger.journal_digest(full, 2), audit.GENESIS)
    assert verify(full, 1) == ()
    lite.close()
