"""`club`: acting mails are confirmed first, as in `mailflow run`. `fresh`: every sender counts as proved."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from mailflow import letters
from mailflow.identify import Trust

from .desk_scene import Scene, open_scene


@pytest.fixture(scope="session", autouse=True)
def _templates_compiled_once() -> Iterator[None]:
    """Every desk makes its own templates; here hundreds of desks share them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letters, "_environment", functools.cache(letters._environment))
        yield


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
