"""Real servers, one set for each test process, started when a test first asks for one and always stopped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .dovecot import Dovecot
from .dovecot import dovecot as a_dovecot
from .postfix import Postfix
from .postfix import postfix as a_postfix


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "servers":
            item.add_marker("servers")


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    with a_dovecot() as server:
        yield server


@pytest.fixture(scope="session")
def postfix(dovecot: Dovecot) -> Iterator[Postfix]:
    with a_postfix(dovecot.lmtp_port, dovecot.auth_port) as server:
        yield server
