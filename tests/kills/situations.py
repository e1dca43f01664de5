"""The situations in which the process is killed: each acting and managing command, and the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from mailflow.doors.sender import deliver
from mailflow.founding_file import NewClub, write_settings
from store import outbox
from store.records import OutboxMail
from tests.desk.desk_scene import CLUB, KEY, Scene, open_scene

from .books import Files

Letter = tuple[str, str, bytes]
"""Sender, envelope recipient, bytes."""


@dataclass(frozen=True)
class Situation:
    """`before` sets the scene; `letter` gives the mail that is sent; `later`: how far time then jumps."""

    name: str
    before: Callable[[Scene], None]
    letter: Callable[[Scene], Letter] | None
    later: timedelta | None = None


def says(who: str, text: str) -> Callable[[Scene], Letter]:
    """A new mail to the plain address."""
    return lambda scene: (f"{who}@example.org", CLUB, scene.written(who, text))


def replies(who: str, kind: str, text: str) -> Callable[[Scene], Letter]:
    """An answer to the newest mail of a kind."""

    def letter(scene: Scene) -> Letter:
        ours = scene.latest(kind, who)
        mail = scene.composed(ours)
        to = (mail["Reply-To"] or mail["From"]).addresses[0].addr_spec
        return f"{who}@example.org", to, scene.reply(ours, text)

    return letter


def decides(text: str) -> Callable[[Scene], Letter]:
    """The manager answers the mail that brought him the case."""
    return replies("anna", "arbitration.opened", text)


def nothing(scene: Scene) -> None:
    """A club in which nothing has happened."""


def having(*lines: tuple[str, str]) -> Callable[[Scene], None]:
    """Each member has written his line, and confirmed it."""

    def before(scene: Scene) -> None:
        for who, text in lines:
            scene.do(who, text)
            scene.now += timedelta(minutes=30)

    return before


def after_window(*lines: tuple[str, str]) -> Callable[[Scene], None]:
    """As `having`, and the dispute window of the game has ended."""

    def before(scene: Scene) -> None:
        having(*lines)(scene)
        scene.now += timedelta(days=8)
        scene.work()

    return before


def after_a_year(*lines: tuple[str, str]) -> Callable[[Scene], None]:
    """As `having`, and nobody has played since: the proposals lie before the manager (R-INA-3)."""

    def before(scene: Scene) -> None:
        having(*lines)(scene)
        scene.now += timedelta(days=370)
        scene.work()

    return before


def not_understood(scene: Scene) -> None:
    """dora was not understood and wrote no more; the next morning the managers have her mail as a card."""
    scene.write("dora", "PARTIE buyin=trois joueurs=carl")
    scene.now += timedelta(days=2)
    scene.work()


EVENING = "PARTIE buyin=2 joueurs=bela,carl\nRESULTAT 1=carl\nPARTIE buyin=3 joueurs=dora"
RUNNING = ("anna", "PARTIE buyin=5 joueurs=bela,carl")
PLAYED = ("anna", "PARTIE buyin=5 joueurs=bela,carl 1=bela")
DISPUTED = ("carl", "CONTESTE 1 le classement est faux")
BANNED = ("anna", "BANNIT bela a triché")
LOST = ("anna", "PARTIE buyin=10 joueurs=bela,carl 1=carl")

SITUATIONS: tuple[Situation, ...] = (
    Situation("PARTIE", nothing, says("anna", "PARTIE buyin=2 joueurs=bela,carl")),
    Situation("PARTIE with its result", nothing, says("anna", "PARTIE buyin=5 joueurs=bela,carl 1=bela")),
    Situation(
        "an evening",
        nothing,
        says("anna", EVENING),
    ),
    Situation("MODIFIE", having(RUNNING), says("anna", "MODIFIE 1 buyin=10")),
    Situation("ANNULE", having(RUNNING), says("anna", "ANNULE 1")),
    Situation("RESULTAT", having(RUNNING), says("anna", "RESULTAT 1 1=carl")),
    Situation("CONTESTE", having(PLAYED), says("carl", "CONTESTE 1 je n'ai pas joué")),
    Situation(
        "CONTESTE by reply", having(PLAYED), replies("carl", "game.result", "CONTESTE je n'ai pas joué")
    ),
    Situation("RETIRE", having(PLAYED, DISPUTED), says("carl", "RETIRE 1")),
    Situation("VIREMENT", having(PLAYED), says("carl", "VIREMENT 4,50 à anna")),
    Situation("QUITTE", nothing, says("dora", "QUITTE")),
    Situation("LANGUE", nothing, says("dora", "LANGUE fr")),
    Situation("PLAINTE", nothing, says("dora", "PLAINTE bela il crie")),
    Situation("ADRESSE", nothing, says("dora", "ADRESSE +dora@example.net")),
    Situation("NOMME", nothing, says("anna", "NOMME bela")),
    Situation("OUBLIE", having(("dora", "QUITTE")), says("dora", "OUBLIEZ-MOI")),
    Situation("TRANSMET", nothing, says("anna", "TRANSMET bela")),
    Situation(
        "ACCEPTE",
        after_window(PLAYED, DISPUTED),
        decides("ACCEPTE erreur"),
    ),
    Situation(
        "REJETTE",
        after_window(PLAYED, DISPUTED),
        decides("REJETTE non"),
    ),
    Situation("BANNIT", having(RUNNING), says("anna", "BANNIT bela a triché")),
    Situation("BANNIT a disputer", having(PLAYED, DISPUTED), says("anna", "BANNIT carl a triché")),
    Situation("RETABLIT", having(BANNED), says("anna", "RETABLIT bela")),
    Situation("SOLIDARITE", having(LOST, BANNED), says("anna", "SOLIDARITE bela")),
    Situation("INJONCTION", after_a_year(LOST), says("anna", "INJONCTION bela")),
    Situation("INVITE", nothing, says("anna", "INVITE emil emil@example.org")),
    Situation("ANNONCE", nothing, says("anna", "ANNONCE On joue jeudi.")),
    Situation("REGLE", nothing, says("anna", "REGLE reserve=60 on reste prudent")),
    Situation("BILAN", nothing, says("dora", "BILAN non")),
    Situation("REFAIRE", not_understood, replies("anna", "mail.unhandled", "REFAIRE 1 PARTIE joueurs=carl")),
    Situation("CLASSE", having(("dora", "PLAINTE bela il crie")), says("anna", "CLASSE plainte 1")),
    Situation("COMPTE", having(PLAYED), says("carl", "COMPTE")),
    Situation("a refusal", nothing, says("anna", "VIREMENT 500 à bela")),
    Situation("a word that is no command", nothing, says("anna", "BONJOUR tout le monde")),
    Situation("the end of a window", having(PLAYED), None, timedelta(days=8)),
    Situation("the end of a disputed window", having(PLAYED, DISPUTED), None, timedelta(days=8)),
    Situation("a week's jobs", having(PLAYED), None, timedelta(days=16)),
)


BY_MAILBOX = frozenset(
    {
        "PARTIE",
        "an evening",
        "CONTESTE by reply",
        "VIREMENT",
        "ADRESSE",
        "ACCEPTE",
        "BANNIT",
        "COMPTE",
        "a refusal",
    }
)
"""What is played by way of a mailbox as well: what comes after the mail is in is the same as by SMTP."""


def template(situation: Situation, folder: Path, relay_port: int, books: Files) -> Scene:
    """Make the club of a situation in a folder: settings, key, books; all mails so far are sent."""
    folder.mkdir()
    club = NewClub("Le club", CLUB, port=0, relay_host="127.0.0.1", relay_port=relay_port)
    write_settings(folder, club)
    (folder / "secret.key").write_text(KEY.hex())
    scene = open_scene(books.new(folder))
    situation.before(scene)
    deliver(scene.db, scene.club.id, scene.bytes_of, Nowhere(), scene.now)
    sent = [mail.message_id for mail in outbox.listing(scene.db, scene.club.id)]
    (folder / "sent-before").write_text("\n".join(sent))
    return scene


class Nowhere:
    """Takes every mail."""

    def send(self, mail: OutboxMail, raw: bytes) -> None: ...
    def close(self) -> None: ...
