"""Every test ends without an open database; tests of SQLite's own ways are left out on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from . import databases


@pytest.fixture(autouse=True)
def _databases_are_dropped() -> Iterator[None]:
    yield
    databases.forget()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if databases.ON_POSTGRES:
        left_out = pytest.mark.skip(reason="about SQLite alone")
        for item in items:
            if item.get_closest_marker("only_sqlite"):
                item.add_marker(left_out)
