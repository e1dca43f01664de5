"""An evening at a real desk on a real file, played by somebody who does not give up.

Mail comes in, the desk handles it, the sender sends, a dispute comes, a week passes and the jobs run. One
process lives through it all, so that what it keeps in mind across a fault is put to the test as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from mailflow.doors.sender import Sender
from mailflow.intake import sealed
from store import inbox, journal, outbox, sql
from store.errors import StoreUnavailable
from store.records import OutboxMail
from tests.desk.desk_scene import Scene, reopen

EVENING = "PARTIE buyin=2 joueurs=bela,carl\nRESULTAT 1=carl\nPARTIE buyin=3 joueurs=dora"
DISPUTE = "CONTESTE 1 non"


@dataclass
class Evening:
    """`lifted` is called when something has failed twice: from then on nothing may fail any more.

    `acknowledged`: the mails that were taken, as the entry keeps them; `sent`: what the relay took.
    """

    path: Path
    lifted: Callable[[], None] = lambda: None
    failures: int = 0
    sent: list[str] = field(default_factory=list)
    acknowledged: list[bytes] = field(default_factory=list)
    _scene: Scene = field(init=False)
    _sender: Sender = field(init=False)

    def play(self) -> dict[str, Any]:
        """Play it all and return what must be the same whatever failed on the way."""
        scene = self._scene = self._insist(lambda: reopen(self.path))
        try:
            self._sender = Sender(
                scene.db, scene.club.id, scene.bytes_of, self, lambda: scene.now, "the sender"
            )
            self._comes(scene.written("anna", EVENING))
            self._comes(self._insist(lambda: scene.reply(scene.latest("confirm", "anna"), "OUI")))
            self._comes(self._insist(lambda: scene.reply(scene.latest("game.result", "carl"), DISPUTE)))
            self._passes(timedelta(days=8))
            self.lifted()
            for minutes in (6, 30, 90):
                self._passes(timedelta(minutes=minutes))
            return self._state()
        finally:
            scene.db.close()

    def send(self, mail: OutboxMail, raw: bytes) -> None:
        """The relay takes a mail."""
        self.sent.append(mail.message_id)

    def close(self) -> None:
        """The relay keeps nothing open."""

    def _comes(self, raw: bytes) -> None:
        """A mail is offered until it is taken, and what it brings goes out."""
        masked, _ = self._insist(lambda: sealed(self._scene.db, raw))
        self._insist(lambda: self._scene.keep(raw))
        self.acknowledged.append(masked)
        self._passes(timedelta(minutes=1))

    def _passes(self, time: timedelta) -> None:
        self._scene.now += time
        self._insist(self._scene.work)
        self._insist(self._sender.run)

    def _insist(self, act: Callable[[], Any]) -> Any:
        """P-7: whatever fails says that it may pass; it is tried once more, and then when all is well."""
        for _ in range(2):
            try:
                return act()
            except StoreUnavailable:
                self.failures += 1
        self.lifted()
        return act()

    def _state(self) -> dict[str, Any]:
        """Numbers of mails do not count: a mail whose 250 was lost comes twice, and is ignored once."""
        scene = self._scene
        db, club_id = scene.db, scene.club.id
        states = Counter(inbox.counts(db, club_id))
        kept = {bytes(raw) for (raw,) in sql.rows(db, "SELECT content FROM inbox_raw")}
        listed = outbox.listing(db, club_id)
        scene.is_sound()
        return {
            "ledger": sql.value(db, "SELECT sum(amount_cents) FROM posting"),
            "balances": scene.balances,
            "entries": [(e.kind, e.game, e.reverses, e.postings) for e in journal.entries(db, club_id)],
            "game": (scene.game().state, dict(scene.game().places)),
            "outbox": sorted((m.kind, m.recipient, m.state.value) for m in listed),
            "not sent once": {m.message_id for m in listed} ^ set(self.sent)
            | {name for name, times in Counter(self.sent).items() if times > 1},
            "lost": len(set(self.acknowledged) - kept),
            "waiting": states["received"],
            "quarantined": states["quarantined"],
            "done": {name: states[name] for name in ("executed", "answered", "pending")},
            "tokens": sorted(sql.rows(db, "SELECT purpose, state FROM token")),
            "jobs": sql.value(db, "SELECT count(*) FROM audit WHERE kind <> 'mail'"),
        }
