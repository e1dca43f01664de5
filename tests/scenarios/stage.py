"""The product and the model side by side, one mail at a time, and what to say when they differ."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from mailflow.replay import Event, Stage, read_scenario
from mailflow.simulation.model import Mail, Model
from mailflow.simulation.texts import mail_text
from tests.databases import open_database

IGNORED = {"inactivity.nudge"}


def heard(lines: Iterable[Mapping[str, Any]]) -> tuple[list[str], Counter[tuple[Any, ...]]]:
    """The outcomes in order, and the notices as a bag of (instant, kind, recipient, game)."""
    outcomes, notices = [], Counter[tuple[Any, ...]]()
    for line in lines:
        if "outcome" in line:
            outcomes.append(line["outcome"])
        elif line.get("mail") not in IGNORED and "mail" in line:
            at = round(datetime.fromisoformat(line["at"]).timestamp())
            notices.update((at, line["mail"], to, line.get("game")) for to in line["to"])
    return outcomes, notices


class Both:
    """Plays each mail to the product and to the model and compares all that comes of it."""

    def __init__(self, head: Mapping[str, Any]) -> None:
        self.script = [json.dumps(head)]
        self.model = Model(head)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "head.jsonl")
            path.write_text(self.script[0], "utf-8")
            self.stage = Stage(read_scenario(path), open_database(None))

    def play(self, mail: Mail, habit: int = 0) -> list[str]:
        """Give the outcomes; AssertionError with the whole scenario where the two differ."""
        text = mail_text(mail.commands, habit)
        line = {"at": mail.at.astimezone(self.model.zone).isoformat()}
        if mail.sender is not None:
            line |= {"from": mail.sender, "text": text}
            line |= {"reply_to": mail.reply_to} if mail.reply_to else {}
        self.script.append(json.dumps(line, ensure_ascii=False))
        outcomes, notices = heard(self.model.play(mail))
        got, got_notices = heard(self.stage.play(Event(mail.at, mail.sender, text, mail.reply_to)))
        self._same("outcomes", outcomes, got)
        if notices != got_notices:
            self._differ(f"notices missing {notices - got_notices}\n  too many {got_notices - notices}")
        expected, final = self.model.final(), self.stage.final()
        for part, value in expected.items():
            self._same(part, value, final[part])
        return outcomes

    def _same(self, what: str, expected: object, got: object) -> None:
        if expected != got:
            self._differ(f"{what}: the model says\n  {expected}\n  and mailflow\n  {got}")

    def _differ(self, how: str) -> None:
        script = "\n".join(self.script)
        raise AssertionError(f"{how}\n  (model: {self.model.why})\n{script}")
