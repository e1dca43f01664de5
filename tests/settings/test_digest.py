"""[digest] of club.toml: whose balances the digest shows, and whether they are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from mailflow.errors import SettingsError
from mailflow.sections.digest import Digest, read


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({}, Digest(everyone=True, picture=True)),
        ({"balances": "everyone"}, Digest(everyone=True, picture=True)),
        ({"balances": "own"}, Digest(everyone=False, picture=True)),
        ({"picture": False}, Digest(everyone=True, picture=False)),
    ],
)
def test_it_is_read(written, meant, tmp_path: Path):
    assert read(written, tmp_path) == meant


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"balances": "nobody"}, "not among everyone, own"),
        ({"balances": True}, "must be a text"),
        ({"picture": "yes"}, "true or false"),
        ({"pictures": True}, "pictures"),
    ],
)
def test_what_is_wrong_is_named(written, told, tmp_path: Path):
    with pytest.raises(SettingsError, match=told):
        read(written, tmp_path)
