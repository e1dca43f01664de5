"""`club`: acting mails are confirmed first, as in `mailflow run`. `fresh`: every sender counts as proved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from .desk_scene import Scene, open_scene

from mailflow.identify import Trust


@pytest.fixture
def club() -> Iterator[Scene]:
    scene = open_scene()
    yield scene
    scene.db.close()


@pytest.fixture
def fresh() -> Iterator[Scene]:
    scene = open_scene(trust=Trust.EVERYBODY)
    yield scene
    scene.db.close()
