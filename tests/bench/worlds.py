"""Clubs to measure on: an ordinary one, and one with a ledger of a hundred thousand games."""

from __future__ import annotations

import quopri
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mailflow.desk import Desk
from mailflow.founding import Founder, found
from mailflow.identify import Trust
from mailflow.proofs import Keyring
from mailflow.rulebook import shipped
from mailflow.rules.payouts import gains_cents
from mailflow.sections.trust import Caution
from mailflow.settings import Charter
from store import changes
from store.database import open_database, unit_of_work
from store.records import CloseWindow, CreateGame, GameState, RecordResult

START = datetime(2023, 1, 2, 8, tzinfo=UTC)
ADDRESS = "club@example.org"


def open_club(
    path: Path,
    members: int,
    at: datetime = START,
    trust: Trust = Trust.EVERYBODY,
    caution: Caution | None = None,
) -> Desk:
    """Found a club of so many members in a new file; senders count as fresh, unless said otherwise."""
    db = open_database(path)
    rulebook = shipped("friends")
    charter = Charter("Les amis", ADDRESS, "Europe/Paris", "EUR", "fr", "", rulebook)
    founders = [Founder(handle(i), f"{handle(i)}@example.org", i == 0) for i in range(members)]
    desk = Desk(db, found(db, charter, founders, at), Keyring(b"k" * 32), trust, caution=caution or Caution())
    desk.agenda.start(at)
    return desk


def handle(number: int) -> str:
    return f"m{number:04d}"


def fill(desk: Desk, games: int, members: int, players: int = 7) -> datetime:
    """Play so many games over three years; return the instant after the last."""
    choose, rulebook = random.Random(1), shipped("friends")
    step, at = timedelta(days=3 * 365) / games, START
    for first in range(0, games, 2000):
        with unit_of_work(desk.db):
            for number in range(first + 1, min(first + 2000, games) + 1):
                seated = tuple(handle(i) for i in choose.sample(range(members), players))
                places = {place: seated[place - 1] for place in (1, 2, 3)}
                result = RecordResult(
                    number,
                    seated[0],
                    places,
                    gains_cents(100, players, places, rulebook),
                    at + timedelta(days=8),
                )
                created = CreateGame(number, seated[0], 100, seated, 1)
                done = (created, result, CloseWindow(number, GameState.FINAL))
                for part, change in enumerate(done):
                    changes.apply(desk.db, desk.club.id, change, at, f"bench:{number}:{part}")
                at += step
    return at


def ordinary_mails(count: int, members: int) -> Iterator[bytes]:
    """Mails as an evening brings them: games, results, transfers, disputes, accounts."""
    choose = random.Random(2)
    for number in range(count):
        who = choose.randrange(members)
        others = [handle(i) for i in choose.sample([i for i in range(members) if i != who], 6)]
        text = choose.choice(
            (
                f"PARTIE buyin=1 joueurs={','.join(others[:4])} 1={handle(who)} 2={others[0]}",
                f"PARTIE buyin=2 joueurs={','.join(others)} 1={others[0]} 2={others[1]} 3={handle(who)}",
                f"VIREMENT 0,50 à {others[0]}",
                f"CONTESTE {max(1, number // 3)} le classement est faux",
                "COMPTE",
            )
        )
        yield mail(f"{handle(who)}@example.org", text, number)


def mail(sender: str, text: str, number: int) -> bytes:
    """A mail as a common program sends it: about a kilobyte, quoted-printable, with a signature."""
    words = f"Bonsoir,\n\n{text}\n\nMerci et bonne soirée\n-- \nle joueur\n"
    body = quopri.encodestring(words.encode()).replace(b"\n", b"\r\n")
    head = (
        "Received: from mail.example.net (mail.example.net [192.0.2.7])\r\n\tby mx.example.org; "
        f"Mon, 2 Jan 2023 20:00:00 +0100\r\nFrom: Un joueur <{sender}>\r\nTo: Le club <{ADDRESS}>\r\n"
        "Subject: ce soir\r\nDate: Mon, 2 Jan 2023 20:00:00 +0100\r\n"
        f"Message-ID: <{number}@bench.example>\r\n"
        "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: quoted-printable\r\nUser-Agent: Mozilla Thunderbird\r\n\r\n"
    )
    return head.encode() + body
