"""The words of one mail's life: Request, Club (a frozen picture of now), Outcome, Refusal, Notice.

Everything here is a value. Rules and handlers take these and give these; only the desk writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Protocol, TypeVar
from zoneinfo import ZoneInfo

from mailflow.rulebook import Rulebook, from_json
from mailflow.sections.digest import Digest
from mailflow.sections.trust import Caution
from parsers.grammar import Grammar
from store.records import (
    Application,
    Bouncing,
    Change,
    Complaint,
    Decision,
    Forged,
    Game,
    GameStep,
    IdentityChange,
    InboxMail,
    Injunction,
    Invitation,
    JournalEntry,
    MailReading,
    Member,
    MemberStatus,
    Offer,
    RulebookVersion,
    Statement,
    Undelivered,
    Unhandled,
    fold_handle,
)


class Proof(Enum):
    """How fresh the writer's proof of his mailbox is (R-SEC-1, TRUST § 3)."""

    COLD = "cold"
    """Only the sender's address speaks for him: what acts must be confirmed first."""
    BOUND = "bound"
    """He answers to a mail of ours: what it offers is carried out at once, and nothing else."""
    FRESH = "fresh"
    """He writes within a session: what acts is carried out at once; what manages is shown first."""
    GRANTED = "granted"
    """Taken for granted, as in a scenario: all but what asks always is carried out at once."""


@dataclass(frozen=True)
class Request:
    """One command of one member. `thread_game`: the game of the mail that this one answers."""

    verb: str
    arguments: Mapping[str, Any]
    author: Member
    received_at: datetime
    text: str = ""
    thread_game: int | None = None

    def get(self, key: str, default: Any = None) -> Any:
        return self.arguments.get(key, default)

    @property
    def game_number(self) -> int | None:
        """The number that was written, else the one that the thread tells."""
        written: int | None = self.arguments.get("game")
        return self.thread_game if written is None else written


class Books(Protocol):
    """What can be looked up in the club's books, as they stand now."""

    def game(self, number: int) -> Game | None: ...
    def next_game_number(self) -> int: ...
    def open_games(self) -> tuple[Game, ...]: ...
    def open_games_of(self, handle: str) -> tuple[Game, ...]: ...
    def running_games_of(self, handle: str) -> tuple[Game, ...]: ...
    def history(self, handle: str | None, since: datetime | None, limit: int) -> tuple[Game, ...]: ...
    def steps(self, number: int) -> tuple[GameStep, ...]: ...
    def decision(self, number: int) -> Decision | None: ...
    def entries(self, number: int) -> tuple[JournalEntry, ...]: ...
    def statement(
        self, handle: str, since: datetime | None, until: datetime | None, limit: int
    ) -> Statement: ...
    def balance_changes(self, since: datetime) -> Mapping[str, int]: ...
    def balances_at(self, first: datetime, step: timedelta, steps: int) -> Mapping[str, tuple[int, ...]]: ...
    def results_between(self, since: datetime, until: datetime) -> tuple[Game, ...]: ...
    def raw(self, mail: int) -> bytes: ...
    def quarantined_since(self, since: datetime) -> tuple[InboxMail, ...]: ...
    def unhandled(self, since: datetime, until: datetime) -> tuple[Unhandled, ...]: ...
    def is_settled(self, mail: int) -> bool: ...
    def reading(self, mail: int) -> MailReading | None: ...
    def opening_cents(self, handle: str) -> int: ...
    def last_participations(self) -> Mapping[str, datetime]: ...
    def levies_for(self, handle: str) -> tuple[tuple[str, int], ...]: ...
    def injunctions(self) -> tuple[Injunction, ...]: ...
    def injunction_of_spell(self, handle: str, spell_started_at: datetime) -> Injunction | None: ...
    def nudged_months(self, handle: str, spell_started_at: datetime) -> int: ...
    def invitation(self, handle: str) -> Invitation | None: ...
    def invitation_for_address(self, address: str) -> Invitation | None: ...
    def application(self, number: int) -> Application | None: ...
    def application_from(self, address: str) -> Application | None: ...
    def open_applications(self) -> tuple[Application, ...]: ...
    def applications_since(self, since: datetime) -> int: ...
    def next_application_number(self) -> int: ...
    def addresses(self, handle: str) -> tuple[str, ...]: ...
    def address_asked_at(self, address: str) -> datetime | None: ...
    def identity_change(self, number: int) -> IdentityChange | None: ...
    def identity_changes_of(self, handle: str) -> tuple[IdentityChange, ...]: ...
    def next_identity_number(self) -> int: ...
    def complaints(self) -> tuple[Complaint, ...]: ...
    def next_complaint_number(self) -> int: ...
    def rulebook_version(self, number: int) -> RulebookVersion: ...
    def ban_reason(self, handle: str) -> str: ...
    def handle_at(self, address: str) -> str | None: ...
    def last_due(self, job: str) -> datetime | None: ...
    def previous_due(self, job: str) -> datetime | None: ...
    def unasked_since(self, since: datetime) -> Mapping[str, str]: ...
    def forged_since(self, since: datetime) -> tuple[Forged, ...]: ...
    def undelivered(self) -> tuple[Undelivered, ...]: ...
    def bouncing(self, since: datetime) -> tuple[Bouncing, ...]: ...
    def chain_head(self) -> str: ...
    def journal_sum(self) -> int: ...


@dataclass(frozen=True)
class Club:
    """A frozen picture of now. `members` is keyed by folded handle, in that order.

    `grammar`: the verbs that may be written, for help and suggestions. `epoch`: 0, or the second at which the
    club was last restored (T-37). `caution`: how long proofs last, and how much we let ourselves be made to
    write. `digest`: what the weekly digest shows.
    """

    name: str
    address: str
    timezone: ZoneInfo
    currency: str
    language: str
    forum: str
    now: datetime
    rulebook: Rulebook
    rulebook_version: int
    grammar: Grammar
    members: Mapping[str, Member]
    books: Books = field(repr=False)
    epoch: int = 0
    caution: Caution = field(default_factory=Caution)
    digest: Digest = field(default_factory=Digest)

    def member(self, handle: str) -> Member | None:
        """Find a member by any way of writing his handle; one who left is a member no more."""
        found = self.members.get(fold_handle(handle))
        return None if found is None or found.status is MemberStatus.LEFT else found

    @property
    def account_holders(self) -> tuple[Member, ...]:
        """Members whose account is open: the active and the banned."""
        return tuple(m for m in self.members.values() if m.status is not MemberStatus.LEFT)

    @property
    def active(self) -> tuple[Member, ...]:
        return tuple(m for m in self.members.values() if m.active)

    @property
    def managers(self) -> tuple[Member, ...]:
        """R-BAN-1: a banned manager is not among them."""
        return tuple(m for m in self.members.values() if m.manages)

    def impartial_managers(self, game: Game) -> tuple[Member, ...]:
        """R-ARB-1: the managers who do not take part in the game."""
        return tuple(m for m in self.managers if m.handle not in game.participants)

    def judges(self, game: Game) -> tuple[Member, ...]:
        """R-ARB-1: who decides a case: the impartial managers, or all where there is none."""
        return self.impartial_managers(game) or self.managers

    def rulebook_of(self, game: Game) -> Rulebook:
        """R-REG-1: the rulebook under which the game was created."""
        if game.rulebook_version == self.rulebook_version:
            return self.rulebook
        return from_json(self.books.rulebook_version(game.rulebook_version).values)


@dataclass(frozen=True)
class Refusal:
    """A rule says no. `code` picks the words, `figures` fill them: handles, numbers, cents."""

    rule: str
    code: str
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Notice:
    """A mail that must go out: one per recipient. `own` adds what only that recipient is shown.

    `about` parts notices of one kind to one person that come from the same cause. `within`: the kind of the
    mail of the same day in which it stands already, so that it is no mail of its own.
    """

    kind: str
    to: tuple[str, ...]
    game: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    address: str = ""
    """Where it goes when that is not the recipient's primary address."""
    about: str = ""
    within: str = ""
    offers: Mapping[str, tuple[Offer, ...]] = field(default_factory=dict)
    """By recipient: the commands that his answer to it carries out at once (TRUST § 3), besides its verbs."""


@dataclass(frozen=True)
class Wish:
    """What a member is to be asked in place of his mail, at a manager's (`by`) word.

    `command`: verb, arguments and text. `mail`, `received_at`: the one of which nobody could make anything.
    """

    member: str
    command: Mapping[str, Any]
    mail: int
    received_at: datetime
    by: str


@dataclass(frozen=True)
class Outcome:
    """What a request, or a due job, comes to: done with changes and notices, or refused.

    `answer`: facts of the direct answer, None when the author's own notice is the answer.
    `ask`: even fresh proof is not enough, the author must have said OUI to it (R-SOL-4, R-BAN-4). `wish`:
    what somebody else is asked then.
    """

    refusals: tuple[Refusal, ...] = ()
    changes: tuple[Change, ...] = ()
    notices: tuple[Notice, ...] = ()
    answer: Mapping[str, Any] | None = None
    ask: bool = False
    game: int | None = None
    wish: Wish | None = None

    @property
    def refused(self) -> bool:
        return bool(self.refusals)


def refused(*refusals: Refusal) -> Outcome:
    """Return an outcome that changes nothing."""
    return Outcome(refusals=refusals)


P = TypeVar("P")
Check = Callable[[P, Club], Refusal | None]


def broken(checks: Sequence[Check[P]], proposal: P, club: Club) -> tuple[Refusal, ...]:
    """Apply every check to a proposal; return all refusals, not just the first."""
    return tuple(r for check in checks if (r := check(proposal, club)) is not None)
