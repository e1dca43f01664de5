"""Imports run only downward (ARCHITECTURE.md, "Floors"): the sentences there, held true."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FLOORS = (
    (
        "errors",
        "ambient",
        "providers",
        "disks",
        "logs",
        "reasons",
        "simulation.model",
        "simulation.wires",
        "simulation.writing",
    ),
    ("sections.values", "asker"),
    ("sections.*",),
    (
        "rulebook",
        "calendar",
        "words",
        "suggestions",
        "literal",
        "styles",
        "drawing",
        "forms",
    ),
    ("markup", "sentences", "paper"),
    ("text_part", "html_part"),
    ("mail_headers", "mail_parts"),
    ("model", "settings"),
    ("rules.lookups", "rules.bankers", "rules.payouts", "announcements"),
    ("rules.accounts",),
    ("rules.*",),
    ("handlers.lists", "handlers.papers", "handlers.reminding", "handlers.courses"),
    ("handlers.awaiting",),
    ("handlers.*",),
    ("catalogue", "jobs", "notices"),
    ("explain",),
    ("proofs",),
    ("intake",),
    (
        "doors.envelope",
        "doors.smtp_data",
        "doors.smtp_guard",
        "doors.certificate",
        "doors.peers",
        "doors.looks",
        "doors.oauth",
    ),
    ("doors.smtp_session",),
    ("doors.transport", "doors.imap_secrets", "doors.turns", "doors.waker"),
    ("doors.smtp_wire", "doors.imap_session"),
    ("doors.relay_session", "doors.mailbox"),
    ("identify", "picture", "founding", "letters", "compose", "signing", "limits", "doors.*"),
    ("books",),
    ("offers",),
    ("standing", "performing", "statements", "guide", "return_paths", "balances"),
    ("answers", "pending"),
    ("register",),
    ("sessions", "asking", "petitions"),
    ("gate", "sets", "applications", "identity_changes", "bounces"),
    ("forgetting",),
    ("newcomers", "replies", "agenda"),
    ("desk",),
    ("app",),
    ("shifts", "silence", "sending", "arrivals"),
    ("backups",),
    ("importing.sheet", "importing.cells"),
    ("importing.plan",),
    ("importing.taking",),
    ("restoring", "quarantine", "export", "export_pdf", "service", "console", "replay", "founding_file"),
    ("workers", "removal"),
    ("doctor.findings",),
    ("doctor.files", "doctor.books", "doctor.ways", "doctor.border", "doctor.study", "doctor.names"),
    ("doctor.certificates",),
    ("doctor.table", "doctor.trip", "doctor.learnt"),
    ("preview.lives",),
    ("preview.gallery",),
    ("demo.story", "demo.screen"),
    ("simulation.town", "simulation.texts"),
    ("simulation.mailbox",),
    ("simulation.process",),
    ("simulation.proofs",),
    ("simulation.judge",),
    ("simulation.post_office", "simulation.people"),
    ("simulation.crooks",),
    ("simulation.life",),
    ("simulation.shrinking",),
    ("simulation.report",),
    ("demo.stage",),
    ("demo.prompt",),
    ("demo.show",),
    ("command_line.parts",),
    ("command_line.*",),
    ("__main__",),
)
"""Modules of mailflow from the ground up. A module imports only from floors below its own."""

PURE = ("rules", "handlers", "announcements", "model", "calendar", "identify")


def modules(package: str) -> list[Path]:
    return sorted(p for p in (ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in the file; names imported from packages included."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def floor(module: str) -> int | None:
    """The floor of `mailflow.x` or of a name within it; None for the package itself."""
    inner = module.removeprefix("mailflow.")
    exact = {name: n for n, names in enumerate(FLOORS) for name in names if not name.endswith("*")}
    for name in (inner, inner.rpartition(".")[0]):
        if name in exact:
            return exact[name]
    for n, names in enumerate(FLOORS):
        if any(name.endswith("*") and inner.startswith(name[:-1]) for name in names):
            return n
    return None


@pytest.mark.parametrize("path", modules("mailflow"), ids=name_of)
def test_a_module_imports_only_from_floors_below(path):
    mine = name_of(path)
    if path.name == "__init__.py":
        assert not [i for i in imports(path) if i.startswith("mailflow")]
        return
    here = floor(mine)
    assert here is not None, f"{mine} is on no floor"
    for imported in imports(path):
        if imported.startswith("mailflow.") and not imported.startswith("mailflow.__version__"):
            below = floor(imported)
            assert below is not None, f"{imported} is on no floor"
            assert below < here, f"{mine} imports {imported}, which is not below it"


@pytest.mark.parametrize("path", modules("parsers") + modules("store"), ids=name_of)
def test_the_libraries_at_the_bottom_know_neither_the_club_nor_each_other(path):
    mine = name_of(path).partition(".")[0]
    others = {"mailflow", "parsers", "store"} - {mine}
    assert not [i for i in imports(path) if i.partition(".")[0] in others]


@pytest.mark.parametrize("path", modules("mailflow"), ids=name_of)
def test_the_pure_part_touches_no_database_socket_or_setting(path):
    inner = name_of(path).removeprefix("mailflow.")
    if inner.partition(".")[0] not in PURE:
        return
    for imported in imports(path):
        assert imported.partition(".")[0] not in {"peewee", "sqlite3", "socket", "smtplib", "os", "aiosmtpd"}
        assert not imported.startswith("mailflow.settings")
        assert not imported.startswith("store.") or imported.startswith("store.records"), imported
        assert not imported.startswith("parsers.") or imported.startswith(
            ("parsers.grammar", "parsers.letter")
        )


@pytest.mark.parametrize("path", modules("mailflow"), ids=name_of)
def test_mails_are_kept_by_the_intake_alone(path):
    """T-15: it masks the tokens in them. What is set aside was masked when it came."""
    if name_of(path) not in ("mailflow.intake", "mailflow.quarantine"):
        assert not re.search(r"\b(?:inbox|mailboxes)\.keep\(", path.read_text("utf-8")), "use mailflow.intake"


@pytest.mark.parametrize("path", modules("mailflow"), ids=name_of)
def test_each_library_has_its_place(path):
    places = {
        "schedule": {"mailflow.doors.clock"},
        "imapclient": {"mailflow.doors.imap_session"},
        "aiosmtpd": {"mailflow.doors.smtp_session"},
        "smtplib": {"mailflow.demo.stage"},
        "jinja2": {"mailflow.letters"},
        "markdown_it": {"mailflow.markup"},
        "rapidfuzz": {"mailflow.suggestions"},
        "peewee": set(),
        "sqlite3": set(),
    }
    for imported in imports(path):
        allowed = places.get(imported.partition(".")[0])
        assert allowed is None or name_of(path) in allowed, f"{name_of(path)} imports {imported}"
