"""Time and randomness are passed in: no module but `mailflow/ambient.py` asks the machine for them (P-9)."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(p for d in ("mailflow", "parsers", "store") for p in (ROOT / d).rglob("*.py"))

FORBIDDEN_CALLS = {"now", "utcnow", "today", "time_ns", "monotonic", "perf_counter", "localtime", "gmtime"}
FORBIDDEN_MODULES = {"time", "random", "uuid", "secrets"}


def offences(source: str) -> list[str]:
    """What in a source asks the machine for time or randomness, with its line."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = {alias.name.partition(".")[0] for alias in node.names}
            found += [f"{node.lineno}: import {n}" for n in names & FORBIDDEN_MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module in FORBIDDEN_MODULES:
            found.append(f"{node.lineno}: from {node.module}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            ambient = node.func.attr in FORBIDDEN_CALLS and owner not in ("ambient", "self", "club")
            if ambient or ast.unparse(node.func) == "os.urandom":
                found.append(f"{node.lineno}: {ast.unparse(node.func)}()")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_ambient_outside_its_module(path):
    if path.relative_to(ROOT) != Path("mailflow/ambient.py"):
        assert offences(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "import uuid as u",
        "from random import choice",
        "from secrets import token_hex",
        "from datetime import datetime\ndatetime.now()",
        "import datetime\ndatetime.datetime.utcnow()",
        "from datetime import date\ndate.today()",
        "import os\nos.urandom(8)",
    ],
)
def test_the_lint_sees_what_it_is_for(source):
    assert offences(source)


def test_the_lint_lets_a_clock_that_was_passed_in_be_used():
    assert offences("def work(clock):\n    return clock()\nclub.now\nself.now") == []
