"""`club`: the folder of a club with anna (manager) and bela."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line.cli_scene import make_club


@pytest.fixture
def club(tmp_path: Path) -> Path:
    return make_club(tmp_path / "club")
