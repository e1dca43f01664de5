"""What the judge knows of the proofs that the club has sent out: questions, sessions, reply addresses.

Written from TRUST § 2 and § 3: each proof is kept by what its owner was mailed, and by when the club received
his answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from mailflow.simulation.model import Command
from mailflow.simulation.town import HOUR, MINUTE, Letter

MANAGE = frozenset({"BANNIT", "RETABLIT", "SOLIDARITE", "INJONCTION", "REGLE", "ACCEPTE", "REJETTE"})
"""What needs an OUI of its own each time; a decision, unless it answers the case."""
ACT = frozenset(
    {"PARTIE", "MODIFIE", "ANNULE", "RESULTAT", "CONTESTE", "RETIRE", "VIREMENT", "QUITTE", "PLAINTE"}
)
OFFERED = {
    "game.result": ("CONTESTE", "RETIRE"),
    "dispute.filed": ("CONTESTE", "RETIRE"),
    "dispute.changed": ("CONTESTE", "RETIRE"),
    "dispute.withdrawn": ("CONTESTE", "RETIRE"),
    "arbitration.opened": ("ACCEPTE", "REJETTE"),
}
"""What a notice's reply address lets its recipient do with its game."""
LISTS = ("digest.weekly", "mail.unhandled", "complaint.received")
"""What has a reply address for whatever it lists."""

NEVER = datetime.max.replace(tzinfo=UTC)
SESSION, SESSION_MAX = 60 * MINUTE, 8 * HOUR
CONFIRM, CONFIRM_MANAGE = 24 * HOUR, 12 * HOUR


@dataclass
class Proof:
    """Something that a member was mailed, to one address, with a secret reply address."""

    id: int
    owner: str
    address: str
    state: str = "open"


@dataclass
class Question(Proof):
    """A confirmation: the letters whose commands it shows, in its words."""

    letters: list[Letter] = field(default_factory=list)
    received_at: list[datetime] = field(default_factory=list)
    until: datetime = NEVER
    apart: bool = False
    text: str = ""

    @property
    def commands(self) -> list[Command]:
        return [command for letter in self.letters for command in letter.commands]

    @property
    def instants(self) -> list[datetime]:
        """When each command was received."""
        pairs = zip(self.letters, self.received_at, strict=True)
        return [at for letter, at in pairs for _ in letter.commands]


@dataclass
class Session(Proof):
    until: datetime = NEVER
    ends: datetime = NEVER

    def slide(self, received_at: datetime) -> None:
        self.until = min(self.ends, max(self.until, received_at + SESSION))


@dataclass
class ReplyAddress(Proof):
    """`verbs` on `game`; or, of a list that a manager was sent, on any of its `games`."""

    game: int = 0
    verbs: tuple[str, ...] = ()
    games: tuple[int, ...] = ()


@dataclass
class Proofs:
    """All of them, by the id under which the mails carry them, and by the secret once it was seen."""

    by_id: dict[int, Proof] = field(default_factory=dict)
    by_secret: dict[str, Proof] = field(default_factory=dict)

    def add(self, proof: Proof) -> None:
        self.by_id[proof.id] = proof

    def seen(self, proof_id: int, secret: str) -> None:
        """A mail went out that carries a secret."""
        proof = self.by_id.get(proof_id)
        if proof is not None:
            self.by_secret[secret.lower()] = proof

    def of(self, letter: Letter) -> Proof | None:
        """The proof that a letter carries, whosever it is."""
        return None if letter.token is None else self.by_secret.get(letter.token.lower())

    def questions(self, owner: str, at: datetime) -> list[Question]:
        """A member's questions that can still be answered, the oldest first."""
        return [
            p
            for p in self.by_id.values()
            if isinstance(p, Question) and p.owner == owner and p.state == "open" and at <= p.until
        ]

    def holding(self, game: int, ends: datetime, now: datetime) -> bool:
        """Whether a dispute of the game that came in time waits for its OUI."""
        return any(
            command.verb == "CONTESTE" and command.args.get("game") == game and received < ends
            for p in self.by_id.values()
            if isinstance(p, Question) and p.state == "open" and now <= p.until
            for command, received in zip(p.commands, p.instants, strict=True)
        )

    def revoke(self, owner: str, kinds: tuple[type[Proof], ...] = (Proof,)) -> None:
        """End what a member holds: he is banned, or said FIN."""
        for proof in self.by_id.values():
            if proof.owner == owner and isinstance(proof, kinds) and proof.state == "open":
                proof.state = "revoked"

    def tidy(self, before: datetime) -> None:
        """Forget what has long been over, so that looking stays cheap."""
        for proof_id in [
            i
            for i, p in self.by_id.items()
            if isinstance(p, (Question, Session)) and p.until < before and p.state != "open"
        ]:
            del self.by_id[proof_id]


def live_session(proof: Proof | None, letter: Letter, received_at: datetime) -> Session | None:
    """The session that makes a letter fresh, if it does."""
    if not isinstance(proof, Session) or proof.state != "open":
        return None
    good = proof.owner == letter.author == letter.claimed and proof.address == letter.draft.sender
    return proof if good and received_at <= proof.until else None


def permitted(proof: Proof | None, letter: Letter, received_at: datetime) -> str:
    """Why a letter's commands may be carried out at once, or "" where nothing permits it."""
    if not any(c.verb in MANAGE or c.verb in ACT for c in letter.commands):
        return "reading"
    if live_session(proof, letter, received_at) and not any(c.verb in MANAGE for c in letter.commands):
        return "session"
    if isinstance(proof, ReplyAddress) and proof.state == "open" and proof.owner == letter.author:
        games = proof.games or (proof.game,)
        offered = all(c.verb in proof.verbs and c.args.get("game") in games for c in letter.commands)
        return "reply address" if offered else ""
    return ""


def manages(commands: Iterable[Command]) -> bool:
    return any(c.verb in MANAGE for c in commands)


_REQUESTS = re.compile(r"Ton OUI vaut pour tes (\d+) demandes")
_SPACES = re.compile(r"[\s\u202f\xa0*_]+")


def requests_in(text: str) -> int:
    """How many requests a confirmation says that it stands for."""
    found = _REQUESTS.search(_SPACES.sub(" ", text))
    return int(found[1]) if found else 1


def unseen(command: Command, text: str) -> list[str]:
    """What of a command's substance a confirmation's words do not show."""
    shown, args = _SPACES.sub(" ", text), command.args
    wanted = [*args.get("players", ()), *args.get("add", ()), *args.get("remove", ())]
    wanted += [who for places in args.get("places", {}).values() for who in places]
    wanted += [args[name] for name in ("to", "member", "reason") if name in args]
    if args.get("game") is not None:
        wanted.append(f"partie {args['game']}")
    if command.verb == "VIREMENT":
        wanted.append(f"{args['amount_cents'] // 100},{args['amount_cents'] % 100:02d} €")
    return [str(one) for one in wanted if _SPACES.sub(" ", str(one)).lower() not in shown.lower()]
