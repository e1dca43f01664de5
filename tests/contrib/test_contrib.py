"""What contrib/ offers works with this program: the units are sound, and call what there is."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mailflow.__main__ import argument_parser

CONTRIB = Path(__file__).resolve().parents[2] / "contrib"
UNITS = ("mailflow@.service", "mailflow-backup@.service", "mailflow-backup@.timer")


def command_of(unit: str) -> list[str]:
    (line,) = re.findall(r"^ExecStart=(.*)$", (CONTRIB / unit).read_text("utf-8"), re.MULTILINE)
    return shlex.split(line)


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.endswith(".service")])
def test_a_unit_calls_the_program_as_it_is(unit: str) -> None:
    program, *arguments = command_of(unit)
    assert Path(program).name == "mailflow"
    assert argument_parser().parse_args(arguments).run


def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    """Verified as installed: with a program in the place that they name, and an instance."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze here")
    for unit in UNITS:
        text = (CONTRIB / unit).read_text("utf-8")
        text = text.replace("/opt/mailflow/.venv/bin/mailflow", sys.executable).replace(
            "=mailflow\n", "=root\n"
        )
        (tmp_path / unit).write_text(text, "utf-8")
    units = [str(tmp_path / unit.replace("@", "@jeudi")) for unit in UNITS]
    for unit, instance in zip(UNITS, units, strict=True):
        Path(instance).symlink_to(tmp_path / unit)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    ours = [line for line in done.stderr.splitlines() if "mailflow" in line]
    assert ours == []


def test_the_container_is_made_of_files_that_are_there_and_runs_a_command_that_is() -> None:
    """No image can be built without a registry; what it copies and calls can be checked."""
    text = (CONTRIB / "Containerfile").read_text("utf-8")
    sources = re.findall(r"^COPY (?!--from)(\S+) ", text, re.MULTILINE)
    assert sources == ["requirements.lock", "."]
    assert all((CONTRIB.parent / source).exists() for source in sources)
    (arguments,) = re.findall(r"^CMD \[(.*)\]$", text, re.MULTILINE)
    assert argument_parser().parse_args(shlex.split(arguments.replace(",", " "))).run
    assert re.search(r"^USER mailflow$", text, re.MULTILINE)
