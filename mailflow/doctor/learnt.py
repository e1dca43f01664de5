"""Keep what a round trip taught in `border.toml`, beside club.toml: written whole, or not at all."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import Any

from mailflow.doctor.study import Learnt
from mailflow.errors import SettingsError
from mailflow.founding_file import quoted
from mailflow.sections.border import LEARNT_FILE, learnt_in

HEAD = """\
# What 'mailflow doctor --mail --record' saw on {day}: who stamps mail on its way here, and what becomes of
# the part behind a plus. Read like [border] of club.toml, which goes before it; each --record writes it anew.
[border]
"""


def record(folder: Path, learnt: Learnt, now: datetime) -> Path:
    """Write what was learnt over what was learnt before, and return the file. Raises SettingsError.

    What a mail did not show stays as it was: a stamp that is missing once says nothing for good.
    """
    values: dict[str, Any] = dict(learnt_in(folder))
    if learnt.authserv_ids:
        values["authserv_ids"], values["hosts"] = list(learnt.authserv_ids), list(learnt.hosts)
    if learnt.plus is not None:
        values["plus"] = learnt.plus
    path = folder / LEARNT_FILE
    draft = path.with_suffix(".unfinished")
    lines = [f"{name} = {_toml(value)}\n" for name, value in sorted(values.items())]
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(HEAD.format(day=f"{now:%Y-%m-%d}") + "".join(lines))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}") from error
    return path


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"[{', '.join(map(quoted, value))}]"
