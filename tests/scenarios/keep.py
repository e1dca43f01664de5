"""The lives we keep, one theme each: writes `kept/NNN-name.jsonl` and what the model expects of it.

Run `python -m tests.scenarios.keep` from the repository's root after a change here or in the model,
and read the diff.
`test_kept.py` holds the files against the product, and this page against the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from mailflow.simulation.model import Command, Mail, Model
from mailflow.simulation.texts import mail_text

FOLDER = Path(__file__).parent / "kept"


@dataclass
class Life:
    """A scenario in the making. Times are the club's civil time; the offset is worked out."""

    name: str
    members: str
    start: str
    zone: str = "Europe/Paris"
    rulebook: dict[str, int] = field(default_factory=dict)
    mails: list[Mail] = field(default_factory=list)

    def head(self) -> dict[str, Any]:
        """The first line. A star behind a handle makes a manager."""
        members = []
        for word in self.members.split():
            handle = word.rstrip("*")
            member: dict[str, Any] = {"handle": handle, "address": f"{handle}@example.org"}
            members.append(member | ({"manager": True} if word.endswith("*") else {}))
        club: dict[str, Any] = {"timezone": self.zone}
        if self.rulebook:
            club["rulebook"] = self.rulebook
        return {"club": club, "members": members, "start": self._at(self.start).isoformat()}

    def _at(self, text: str) -> datetime:
        at = datetime.fromisoformat(text)
        return at if at.tzinfo else at.replace(tzinfo=ZoneInfo(self.zone))

    def mail(self, at: str, sender: str, *commands: Command, reply_to: str | None = None) -> Life:
        self.mails.append(Mail(self._at(at), sender, commands, reply_to))
        return self

    def wait(self, until: str) -> Life:
        self.mails.append(Mail(self._at(until)))
        return self

    def lines(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The scenario and what is expected of it."""
        model, scenario, expected = Model(self.head()), [self.head()], []
        for mail in self.mails:
            line: dict[str, Any] = {"at": mail.at.isoformat()}
            if mail.sender is not None:
                line |= {"from": mail.sender, "text": mail_text(mail.commands)}
                line |= {"reply_to": mail.reply_to} if mail.reply_to else {}
            scenario.append(line)
            expected += model.play(mail)
        return scenario, [*expected, {"final": model.final()}]


def partie(players: str, buyin: int | None = None, *places: str) -> Command:
    args: dict[str, Any] = {"players": players.split()}
    if buyin is not None:
        args["buyin_cents"] = buyin * 100
    if places:
        args["places"] = _places(places)
    return Command("PARTIE", args)


def resultat(game: int | None, *places: str) -> Command:
    return Command("RESULTAT", {"game": game, "places": _places(places)})


def _places(handles: tuple[str, ...]) -> dict[str, list[str]]:
    return {str(i): [h] for i, h in enumerate(handles, start=1)}


def modifie(game: int, **changes: Any) -> Command:
    return Command("MODIFIE", {"game": game, **changes})


def virement(euros: float, to: str) -> Command:
    return Command("VIREMENT", {"amount_cents": round(euros * 100), "to": to})


def about(verb: str, game: int | None, reason: str = "") -> Command:
    return Command(verb, {"game": game, **({"reason": reason} if reason else {})})


def manage(verb: str, member: str, **more: Any) -> Command:
    return Command(verb, {"member": member, **more})


OUI, NON, QUITTE = Command("OUI"), Command("NON"), Command("QUITTE")
SMALL = {"initial_credit_cents": 4000, "reserve_threshold_cents": 2000, "dispute_window_days": 2}


def kept() -> Iterator[Life]:
    """Every life, in order of its number."""
    # A dispute filed in the window's last second counts; one a second later does not.
    life = Life("window-last-second", "mona* anna bela carl", "2026-05-05T12:00:00")
    life.mail("2026-05-05T20:00:00", "anna", partie("bela carl", 2, "bela"))
    life.mail("2026-05-12T23:59:59", "bela", about("CONTESTE", 1, "le classement est faux"))
    life.mail("2026-05-13T00:00:00", "carl", about("CONTESTE", 1, "trop tard"))
    life.mail("2026-05-13T00:00:00", "bela", about("RETIRE", 1))
    yield life.mail("2026-05-13T08:00:00", "mona", about("REJETTE", 1, "aucune preuve"))

    # A result recorded a second before midnight belongs to that day.
    life = Life("result-before-midnight", "mona* anna bela", "2026-05-05T12:00:00", rulebook=SMALL)
    life.mail("2026-05-05T20:00:00", "anna", partie("bela"))
    life.mail("2026-05-05T23:59:59", "anna", resultat(1, "anna"))
    life.mail("2026-05-07T23:59:59", "anna", partie("bela", 1, "bela"))
    yield life.mail("2026-05-08T00:00:00", "bela", about("CONTESTE", 1, "trop tard"))

    # Santiago's 6 September has no midnight; windows and jobs go on.
    life = Life(
        "midnight-that-is-skipped", "mona* anna bela", "2026-09-03T12:00:00", "America/Santiago", SMALL
    )
    life.mail("2026-09-03T20:00:00", "anna", partie("bela", 10, "bela"))
    life.mail("2026-09-05T23:59:59", "bela", about("CONTESTE", 1, "la dernière seconde"))
    yield life.wait("2026-09-07T09:00:00")

    # The last hour of Santiago's 3 April comes twice; the window is open in both.
    life = Life("hour-that-comes-twice", "mona* anna bela", "2027-04-01T12:00:00", "America/Santiago", SMALL)
    life.mail("2027-04-01T20:00:00", "anna", partie("bela", 10, "bela"))
    life.mail("2027-04-03T23:59:59-04:00", "bela", about("CONTESTE", 1, "la dernière seconde"))
    yield life.wait("2027-04-04T10:00:00")

    # Half an hour is gained on Lord Howe Island: reminders keep to the clock on the wall.
    life = Life("half-hour-clocks", "mona* anna bela", "2026-10-02T12:00:00", "Australia/Lord_Howe",
                {**SMALL, "initial_credit_cents": 1500, "reserve_threshold_cents": 1})  # fmt: skip
    life.mail("2026-10-02T20:00:00", "anna", partie("bela", 10, "bela"))
    yield life.wait("2026-10-05T10:00:00")

    # A ban reaches games in every state; the banned may read and complain, and be given what he owes.
    members = "mona* nico* anna bela carl dora"
    life = Life("ban-in-every-state", members, "2026-03-03T12:00:00", rulebook=SMALL)
    life.mail("2026-03-03T13:00:00", "anna", partie("bela carl", 1, "bela"))
    life.mail("2026-03-03T13:05:00", "bela", about("CONTESTE", 1, "erreur"))
    life.wait("2026-03-06T00:00:00")
    life.mail("2026-03-06T12:00:00", "carl", partie("bela dora", 5, "carl"))
    life.mail("2026-03-06T12:01:00", "bela", about("CONTESTE", 2, "erreur"))
    life.mail("2026-03-06T12:02:00", "dora", about("CONTESTE", 2, "moi aussi"))
    life.mail("2026-03-06T12:03:00", "bela", partie("anna dora", 2))
    life.mail("2026-03-06T12:04:00", "dora", partie("anna bela", 3))
    life.mail("2026-03-06T12:05:00", "mona", manage("BANNIT", "bela", reason="mauvais payeur"))
    life.mail("2026-03-06T12:06:00", "bela", Command("COMPTE"), reply_to="member.banned")
    life.mail("2026-03-06T12:07:00", "bela", manage("PLAINTE", "mona", reason="ce n'est pas juste"))
    life.mail("2026-03-06T12:08:00", "bela", virement(1, "anna"))
    life.mail("2026-03-06T12:09:00", "bela", Command("JOUEURS"))
    life.mail("2026-03-06T12:10:00", "anna", partie("bela"))
    life.mail("2026-03-06T12:11:00", "nico", manage("RETABLIT", "bela"))
    life.mail("2026-03-06T12:12:00", "mona", virement(4, "bela"))
    life.mail("2026-03-06T12:13:00", "nico", manage("RETABLIT", "bela"))
    yield life.mail("2026-03-06T12:14:00", "mona", manage("BANNIT", "mona", reason="moi"))

    # The last dispute goes with its banned writer; an accepted one of a banned creator cancels the game.
    life = Life("arbitration-and-bans", "mona* anna bela carl", "2026-03-03T12:00:00", rulebook=SMALL)
    life.mail("2026-03-03T13:00:00", "anna", partie("bela carl", 10, "anna"))
    life.mail("2026-03-03T13:05:00", "bela", about("CONTESTE", 1, "erreur"))
    life.mail("2026-03-04T13:00:00", "carl", partie("bela anna", 5, "carl"))
    life.mail("2026-03-04T13:05:00", "anna", about("CONTESTE", 2, "erreur"))
    life.mail("2026-03-04T13:06:00", "bela", about("CONTESTE", 2, "erreur"))
    life.wait("2026-03-07T00:00:00")
    life.mail("2026-03-07T10:00:00", "mona", manage("BANNIT", "bela", reason="mauvais payeur"))
    life.mail("2026-03-07T10:01:00", "mona", manage("BANNIT", "carl", reason="mauvais payeur"))
    life.mail("2026-03-07T10:02:00", "mona", about("ACCEPTE", 1, "trop tard"))
    life.mail("2026-03-07T10:03:00", "mona", about("ACCEPTE", None, "oui"), reply_to="arbitration.opened")
    yield life.mail("2026-03-07T10:04:00", "mona", about("REJETTE", 2, "encore"))

    # An accepted dispute gives the game back to its creator; the result may be disputed anew.
    life = Life("accepted-and-played-again", "mona* nico* anna bela", "2026-06-02T12:00:00", rulebook=SMALL)
    life.mail("2026-06-02T13:00:00", "anna", partie("bela mona", 10, "anna"))
    life.mail("2026-06-02T13:01:00", "bela", about("CONTESTE", 1, "inversés"))
    life.mail("2026-06-02T13:02:00", "bela", about("CONTESTE", None, "mieux dit"), reply_to="game.result")
    life.mail("2026-06-02T13:03:00", "bela", about("RETIRE", 1))
    life.mail("2026-06-02T13:04:00", "bela", about("CONTESTE", 1, "tout de même"))
    life.wait("2026-06-05T00:00:00")
    life.mail("2026-06-05T09:30:00", "mona", about("ACCEPTE", 1, "ma propre cause"))
    life.mail("2026-06-05T09:31:00", "nico", about("ACCEPTE", 1, "erreur de saisie"))
    life.mail("2026-06-05T09:32:00", "anna", modifie(1, buyin_cents=500, remove=["mona"]))
    life.mail("2026-06-05T09:33:00", "anna", resultat(1, "bela"))
    yield life.wait("2026-06-08T00:00:00")

    # Solidarity: cents left over, a list that changed, an answer too late, a second OUI, and the way back.
    life = Life("solidarity", "mona* anna bela carl", "2026-06-02T12:00:00", rulebook=SMALL)
    life.mail("2026-06-02T13:00:00", "anna", partie("bela carl", 10, "anna"))
    life.mail("2026-06-02T13:01:00", "anna", partie("bela", 1, "anna"))
    life.mail("2026-06-02T13:02:00", "mona", manage("SOLIDARITE", "bela"))
    life.mail("2026-06-02T13:03:00", "mona", manage("BANNIT", "bela", reason="mauvais payeur"))
    life.mail("2026-06-02T13:04:00", "mona", manage("SOLIDARITE", "bela"))
    life.mail("2026-06-02T13:05:00", "anna", virement(0.01, "bela"))
    life.mail("2026-06-02T13:06:00", "mona", OUI, reply_to="confirm")
    life.mail("2026-06-03T01:06:01", "mona", OUI, reply_to="confirm")
    life.mail("2026-06-03T13:06:00", "mona", OUI, reply_to="confirm")
    life.mail("2026-06-03T13:07:00", "mona", OUI, reply_to="confirm")
    life.mail("2026-06-03T13:08:00", "mona", manage("RETABLIT", "bela"))
    life.mail("2026-06-03T13:09:00", "mona", NON, reply_to="confirm")
    life.mail("2026-06-03T13:10:00", "mona", manage("RETABLIT", "bela"))
    yield life.mail("2026-06-03T13:11:00", "mona", OUI, reply_to="confirm")

    # A year of silence to the day, from a 29 February; the order is launched, paid in part, and falls due.
    life = Life("a-year-since-29-february", "mona* anna bela", "2028-02-29T12:00:00")
    life.mail("2028-02-29T13:00:00", "anna", partie("bela", 10, "anna"))
    life.wait("2028-03-08T00:00:00")
    life.mail("2029-02-27T13:00:00", "mona", manage("INJONCTION", "anna"))
    life.wait("2029-02-28T10:00:00")
    life.mail("2029-02-28T11:00:00", "mona", manage("INJONCTION", "anna", amounts={"bela": 1001}))
    life.mail("2029-02-28T11:01:00", "mona", manage("INJONCTION", "anna"))
    life.mail("2029-02-28T11:02:00", "mona", manage("INJONCTION", "anna"))
    life.mail("2029-02-28T11:03:00", "anna", QUITTE)
    life.mail("2029-03-05T11:00:00", "anna", virement(4, "bela"))
    life.wait("2029-03-31T10:00:00")
    life.mail("2029-03-31T11:00:00", "anna", virement(6, "bela"))
    yield life.mail("2029-03-31T11:01:00", "anna", QUITTE)

    # The rulebook changes under way: an old game keeps its window, thresholds hold at once.
    life = Life("rulebook-changes", "mona* anna bela", "2026-06-02T12:00:00", rulebook=SMALL)
    life.mail("2026-06-02T13:00:00", "anna", partie("bela", 10))
    life.mail("2026-06-02T13:01:00", "anna", Command("REGLE", {"settings": {"delai": 1}, "reason": "non"}))
    change = Command("REGLE", {"settings": {"seuil": 3001, "delai": 1}, "reason": "plus court"})
    life.mail("2026-06-02T13:02:00", "mona", change)
    life.mail("2026-06-02T13:03:00", "anna", resultat(1, "bela"))
    life.mail("2026-06-02T13:04:00", "mona", virement(10, "anna"))
    life.mail("2026-06-02T13:05:00", "mona", virement(9.99, "anna"))
    life.mail("2026-06-02T13:06:00", "bela", partie("anna", 1, "anna"))
    yield life.mail("2026-06-04T23:59:59", "bela", about("CONTESTE", 1, "encore à temps"))

    # Several commands in one mail: all of them or none.
    life = Life("several-commands", "mona* anna bela carl", "2026-06-02T12:00:00", rulebook=SMALL)
    first = partie("bela carl", 5), resultat(None, "bela"), partie("carl", 5)
    life.mail("2026-06-02T13:00:00", "anna", *first)
    life.mail("2026-06-02T13:01:00", "anna", resultat(2, "anna"), virement(30, "bela"))
    life.mail("2026-06-02T13:02:00", "anna", resultat(2, "anna"), virement(5, "carl"), Command("COMPTE"))
    yield life.mail("2026-06-02T13:03:00", "bela", partie("carl"), resultat(None, "bela", "carl"))

    # Available to the cent: a transfer down to the reserve, a buy-in that just fits, one that does not.
    life = Life("to-the-cent", "mona* anna bela carl", "2026-06-02T12:00:00", rulebook=SMALL)
    life.mail("2026-06-02T13:00:00", "bela", partie("anna", 10, "anna"))
    life.mail("2026-06-02T13:01:00", "anna", partie("mona carl", 5))
    life.mail("2026-06-02T13:02:00", "anna", virement(10.01, "bela"))
    life.mail("2026-06-02T13:03:00", "anna", virement(10, "bela"))
    life.mail("2026-06-02T13:04:00", "carl", virement(0.01, "bela"))
    life.mail("2026-06-02T13:05:00", "carl", partie("mona", 10, "mona"))
    life.mail("2026-06-02T13:06:00", "carl", partie("mona", 10, "mona"))
    life.mail("2026-06-02T13:07:00", "carl", partie("mona", 10))
    life.mail("2026-06-02T13:08:00", "anna", modifie(2, buyin_cents=1000))
    life.mail("2026-06-02T13:09:00", "carl", modifie(5, buyin_cents=500))
    life.mail("2026-06-02T13:10:00", "anna", modifie(2, buyin_cents=1000))
    life.mail("2026-06-02T13:11:00", "anna", modifie(2, remove=["carl"]))
    yield life.mail("2026-06-02T13:12:00", "anna", modifie(2, add=["carl"]))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for number, life in enumerate(kept(), start=1):
        for ending, lines in zip(("jsonl", "expected.jsonl"), life.lines(), strict=True):
            path = FOLDER / f"{number:03}-{life.name}.{ending}"
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
