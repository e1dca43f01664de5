"""What is kept, as frozen values, and what may be changed, as frozen values.

No Peewee object ever leaves `store/`: these records do. All amounts are whole cents, all instants are
aware datetimes in UTC. People are named by their handle as registered; `fold_handle` gives the form
that is unique in a club.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeAlias

INITIAL_CREDIT = "equity:initial-credit"
"""Code of the account that faces the members' initial credits (R-ACC-2)."""


@lru_cache(maxsize=65_536)
def fold_handle(handle: str) -> str:
    """Return the form of a handle that is compared: no case, no accents."""
    decomposed = unicodedata.normalize("NFD", handle.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def member_account(handle: str) -> str:
    """Code of a member's account in the journal."""
    return f"member:{handle}"


# ---------------------------------------------------------------- what is kept


class MemberStatus(StrEnum):
    ACTIVE = "active"
    BANNED = "banned"
    LEFT = "left"


class GameState(StrEnum):
    """R-GAME-1."""

    RUNNING = "running"
    RECENT = "recent"
    ARBITRATION = "arbitration"
    FINAL = "final"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Member:
    """Someone who holds, or held, an account. `committed_cents`: buy-ins of his running games.

    `digest`: whether he gets the weekly digest.
    """

    handle: str
    name: str
    address: str
    language: str
    status: MemberStatus
    manager: bool
    joined_at: datetime
    balance_cents: int
    committed_cents: int
    digest: bool = True

    @property
    def available_cents(self) -> int:
        return self.balance_cents - self.committed_cents

    @property
    def active(self) -> bool:
        return self.status is MemberStatus.ACTIVE

    @property
    def manages(self) -> bool:
        """R-BAN-1: a banned manager is no manager while banned."""
        return self.manager and self.active


@dataclass(frozen=True)
class Dispute:
    """A standing objection to a result; a withdrawn one is not a record any more."""

    member: str
    reason: str
    filed_at: datetime
    changed_at: datetime | None


@dataclass(frozen=True)
class Game:
    """A game with its present participants. `places` is empty while no result stands."""

    number: int
    creator: str
    buyin_cents: int
    state: GameState
    participants: tuple[str, ...]
    places: Mapping[int, str]
    rulebook_version: int
    created_at: datetime
    result_at: datetime | None
    window_ends_at: datetime | None
    """First instant at which the result can no longer be disputed."""
    disputes: tuple[Dispute, ...]

    @property
    def pot_cents(self) -> int:
        return self.buyin_cents * len(self.participants)


@dataclass(frozen=True)
class GameStep:
    """One thing that happened to a game. `actor` is None when the clock did it.

    `kind`: created, changed, cancelled, result, disputed, dispute_changed, dispute_withdrawn,
    window_closed, arbitration, rejected, accepted, player_banned. `details` holds handles, numbers and
    cents only, never what somebody wrote (R-ARB-3 deletes texts, steps stay).
    """

    at: datetime
    actor: str | None
    kind: str
    details: Mapping[str, Any]


@dataclass(frozen=True)
class Decision:
    """R-ARB-2: a rejection is kept with its game; `disputes` are (member, reason)."""

    manager: str
    verdict: str
    reason: str
    at: datetime
    disputes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class JournalEntry:
    """A balanced entry. `postings` are (account code, cents) and sum to zero.

    `kind`: opening, closing, result, reversal, transfer, solidarity. `reverses` is the number of the
    entry that this one takes back (R-ACC-5).
    """

    number: int
    kind: str
    at: datetime
    game: int | None
    memo: str
    reverses: int | None
    postings: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class StatementLine:
    """One posting on a member's account as his statement shows it; `balance_cents` is after it.

    `counterparts`: handles of the others in a transfer or a levy (empty for games and openings).
    """

    at: datetime
    kind: str
    game: int | None
    counterparts: tuple[str, ...]
    memo: str
    amount_cents: int
    balance_cents: int


@dataclass(frozen=True)
class Statement:
    """A member's account over a period. `omitted`: earlier lines left out, folded into the opening."""

    since: datetime | None
    until: datetime | None
    opening_cents: int
    lines: tuple[StatementLine, ...]
    closing_cents: int
    omitted: int


@dataclass(frozen=True)
class InjunctionLine:
    """`giver` is to transfer `amount_cents` to `beneficiary` in the club's books (R-INA-3)."""

    giver: str
    beneficiary: str
    amount_cents: int
    paid_cents: int = 0

    @property
    def outstanding_cents(self) -> int:
        return self.amount_cents - self.paid_cents


class InjunctionState(StrEnum):
    PROPOSED = "proposed"
    LAUNCHED = "launched"
    SETTLED = "settled"


@dataclass(frozen=True)
class Injunction:
    """R-INA-3, R-INA-4: one per spell of inactivity. `due_at` only once launched.

    `unplaced_cents`: what could not be placed with anybody.
    """

    id: int
    member: str
    spell_started_at: datetime
    state: InjunctionState
    lines: tuple[InjunctionLine, ...]
    unplaced_cents: int
    proposed_at: datetime
    due_at: datetime | None
    overdue_told: bool


@dataclass(frozen=True)
class Invitation:
    """R-ACC-3: somebody whom the manager asked in and who has not answered yet."""

    handle: str
    address: str
    invited_by: str
    at: datetime


class ApplicationState(StrEnum):
    OPEN = "open"
    APPROVED = "approved"
    DECLINED = "declined"
    SUPERSEDED = "superseded"


@dataclass(frozen=True)
class Application:
    """R-ACC-3: somebody who asks to join. `decided_by`: the manager, once one has answered."""

    number: int
    handle: str
    address: str
    at: datetime
    state: ApplicationState
    decided_by: str | None


class IdentityKind(StrEnum):
    """What an identity change does: to a member's addresses, or to who manages the club."""

    ADD = "add"
    REMOVE = "remove"
    PRIMARY = "primary"
    HAND_OVER = "hand_over"
    APPOINT = "appoint"

    @property
    def is_role(self) -> bool:
        return self in (IdentityKind.HAND_OVER, IdentityKind.APPOINT)


class IdentityState(StrEnum):
    """ASKED: the new address, or the other person, has not said OUI yet. WAITING: confirmed, not in force.

    LAPSED: nobody answered in time, or the rules no longer allow it.
    """

    ASKED = "asked"
    WAITING = "waiting"
    DONE = "done"
    STOPPED = "stopped"
    LAPSED = "lapsed"

    @property
    def is_open(self) -> bool:
        return self in (IdentityState.ASKED, IdentityState.WAITING)


@dataclass(frozen=True)
class IdentityChange:
    """TRUST § 2, class identity. `address` is "" for a role; `other` is who gets the role, else None.

    `due_at`: until when an answer counts (ASKED), or when it takes effect (WAITING).
    """

    number: int
    kind: IdentityKind
    member: str
    address: str
    other: str | None
    state: IdentityState
    asked_at: datetime
    due_at: datetime


@dataclass(frozen=True)
class Erasure:
    """Somebody was forgotten: the number of his account is all that is known of him."""

    number: int
    account: int
    at: datetime


@dataclass(frozen=True)
class RulebookVersion:
    """R-REG-1: `values` is the JSON text of the whole rulebook."""

    number: int
    values: str
    since: datetime
    author: str | None
    reason: str


# ---------------------------------------------------------------- what may change


@dataclass(frozen=True)
class OpenAccount:
    """R-ACC-1, R-ACC-2: opens the account, keeps the acceptance, posts the initial credit.

    `how`: how the rulebook was accepted, for example "founder", "invitation".
    """

    handle: str
    name: str
    address: str
    language: str
    manager: bool
    initial_credit_cents: int
    rulebook_version: int
    how: str


@dataclass(frozen=True)
class CloseAccount:
    """R-ACC-6: posts the reverse of the opening and marks the member as left."""

    member: str


@dataclass(frozen=True)
class Invite:
    handle: str
    address: str
    invited_by: str


@dataclass(frozen=True)
class Apply:
    """R-ACC-3: somebody asks to join; an earlier application from his address is superseded."""

    number: int
    handle: str
    address: str


@dataclass(frozen=True)
class DecideApplication:
    number: int
    state: ApplicationState
    by: str


@dataclass(frozen=True)
class SetLanguage:
    member: str
    language: str


@dataclass(frozen=True)
class SetDigest:
    """Whether the member gets the weekly digest."""

    member: str
    wanted: bool


@dataclass(frozen=True)
class ProposeIdentityChange:
    """ASKED where somebody has yet to say OUI, else WAITING at once."""

    number: int
    kind: IdentityKind
    member: str
    address: str
    other: str | None
    state: IdentityState
    due_at: datetime


@dataclass(frozen=True)
class AgreeToIdentityChange:
    """The second OUI is there: WAITING until it is due."""

    number: int
    due_at: datetime


@dataclass(frozen=True)
class EndIdentityChange:
    """STOPPED or LAPSED: nothing is changed."""

    number: int
    state: IdentityState


@dataclass(frozen=True)
class TakeIdentityEffect:
    """The change is in force; the tokens of whom it concerns are dead from now on."""

    number: int


@dataclass(frozen=True)
class Forget:
    """T-38: who the member was is erased. `mail`: the id of the received mail that asked for it."""

    member: str
    mail: int


@dataclass(frozen=True)
class SetStatus:
    """R-BAN-1, R-BAN-4. `reason` is the manager's, kept with the member."""

    member: str
    status: MemberStatus
    by: str
    reason: str


@dataclass(frozen=True)
class CreateGame:
    number: int
    creator: str
    buyin_cents: int
    participants: tuple[str, ...]
    rulebook_version: int


@dataclass(frozen=True)
class ChangeGame:
    """R-GAME-5: the whole new list and buy-in. `actor` is the creator, or the manager for a ban."""

    game: int
    buyin_cents: int
    participants: tuple[str, ...]
    actor: str
    because_banned: str | None = None


@dataclass(frozen=True)
class CancelGame:
    game: int
    actor: str
    because_banned: str | None = None


@dataclass(frozen=True)
class RecordResult:
    """R-RES-4: places, the state `recent`, the window, and the entry of buy-ins and gains.

    `gains_cents`: handle to gain; the buy-ins are taken from every participant.
    """

    game: int
    actor: str
    places: Mapping[int, str]
    gains_cents: Mapping[str, int]
    window_ends_at: datetime


@dataclass(frozen=True)
class FileDispute:
    """R-DIS-1, R-DIS-2: a new dispute, or a new reason for the one that stands."""

    game: int
    member: str
    reason: str
    received_at: datetime


@dataclass(frozen=True)
class WithdrawDispute:
    game: int
    member: str
    because_banned: bool = False


@dataclass(frozen=True)
class CloseWindow:
    """R-DIS-4: the end of the window; `state` is FINAL or ARBITRATION."""

    game: int
    state: GameState


@dataclass(frozen=True)
class EndArbitration:
    """R-BAN-2: no dispute is left in a case: the game is final without a decision."""

    game: int


@dataclass(frozen=True)
class RejectDisputes:
    """R-ARB-2: the game is final; disputes and decision stay."""

    game: int
    manager: str
    reason: str


@dataclass(frozen=True)
class AcceptDisputes:
    """R-ARB-3, R-ARB-5: the postings are reversed, the texts deleted; RUNNING or CANCELLED."""

    game: int
    manager: str
    state: GameState


@dataclass(frozen=True)
class Transfer:
    """R-TRA-4. `injunction` names the order it fulfils, with the cents that count towards it."""

    giver: str
    beneficiary: str
    amount_cents: int
    note: str
    injunction: int | None = None


@dataclass(frozen=True)
class Levy:
    """R-SOL-2: `contributions_cents` handle to cents, all credited to the debtor in one entry."""

    debtor: str
    contributions_cents: Mapping[str, int]
    by: str


@dataclass(frozen=True)
class ProposeInjunction:
    member: str
    spell_started_at: datetime
    lines: tuple[InjunctionLine, ...]
    unplaced_cents: int


@dataclass(frozen=True)
class LaunchInjunction:
    injunction: int
    by: str
    lines: tuple[InjunctionLine, ...]
    due_at: datetime


@dataclass(frozen=True)
class SettleInjunction:
    injunction: int


@dataclass(frozen=True)
class TellOverdue:
    injunction: int


@dataclass(frozen=True)
class NoteNudge:
    """R-INA-2: `months` without participation at which the member was last asked."""

    member: str
    spell_started_at: datetime
    months: int


@dataclass(frozen=True)
class FileComplaint:
    """R-REG-2."""

    number: int
    author: str
    about: str
    text: str


@dataclass(frozen=True)
class CloseComplaint:
    """R-REG-2: a manager has dealt with it."""

    number: int
    by: str


@dataclass(frozen=True)
class TellUnhandled:
    """The managers are shown these mails, by number, that nobody could handle."""

    mails: tuple[int, ...]


@dataclass(frozen=True)
class SettleUnhandled:
    """A manager has dealt with such a mail: `redone` by a command of his for its writer, or laid aside."""

    mail: int
    by: str
    redone: bool


@dataclass(frozen=True)
class AmendRulebook:
    """R-REG-1: a new version; `values` is the JSON text of the whole rulebook."""

    number: int
    values: str
    author: str
    reason: str


@dataclass(frozen=True)
class TellUndelivered:
    """P-6: managers are told of these mails, by id."""

    mails: tuple[int, ...]


Change: TypeAlias = (
    OpenAccount
    | CloseAccount
    | Invite
    | Apply
    | DecideApplication
    | SetLanguage
    | SetDigest
    | ProposeIdentityChange
    | AgreeToIdentityChange
    | EndIdentityChange
    | TakeIdentityEffect
    | Forget
    | SetStatus
    | CreateGame
    | ChangeGame
    | CancelGame
    | RecordResult
    | FileDispute
    | WithdrawDispute
    | CloseWindow
    | EndArbitration
    | RejectDisputes
    | AcceptDisputes
    | Transfer
    | Levy
    | ProposeInjunction
    | LaunchInjunction
    | SettleInjunction
    | TellOverdue
    | TellUndelivered
    | NoteNudge
    | FileComplaint
    | CloseComplaint
    | TellUnhandled
    | SettleUnhandled
    | AmendRulebook
)


# ---------------------------------------------------------------- mails and proofs


class InboxState(StrEnum):
    """P-1: where a received mail stands; all but RECEIVED are ends."""

    RECEIVED = "received"
    EXECUTED = "executed"
    ANSWERED = "answered"
    PENDING = "pending"
    IGNORED = "ignored"
    QUARANTINED = "quarantined"


@dataclass(frozen=True)
class InboxMail:
    """A mail as it came, but for tokens, which are masked. `attempts`: how often it was begun (P-8).

    `id` is the database's own name for it; `number` counts the club's mails, and is what others are told.
    `carried`: the digest of the token that it carries, or None.
    """

    id: int
    number: int
    raw: bytes
    received_at: datetime
    state: InboxState
    reason: str
    attempts: int
    carried: str | None = None

    @property
    def cause(self) -> str:
        """What the mail makes happen is put down to this name."""
        return f"mail:{self.number}"


@dataclass(frozen=True)
class MailReading:
    """How a received mail was read. `number` is the mail's; `record`: the reader's own, stage by stage."""

    number: int
    received_at: datetime
    state: InboxState
    reason: str
    member: str | None
    record: Mapping[str, Any] = field(hash=False)


FORGED = "forged"
"""T-2: the reason for which a mail was ignored whose sender our border found to be forged."""


@dataclass(frozen=True)
class Forged:
    """T-2: how many mails in a member's name were refused as forged; None: in that of no member.

    `latest_at` and `latest_number` are those of the last one.
    """

    member: str | None
    count: int
    latest_number: int
    latest_at: datetime


@dataclass(frozen=True)
class Unhandled:
    """A member's mail that nobody could handle, and that he has not mended since.

    `told`: the managers were shown it. `record`: how it was read, stage by stage.
    """

    number: int
    received_at: datetime
    member: str
    state: InboxState
    reason: str
    told: bool
    record: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True)
class Complaint:
    """R-REG-2. `author` and `about` are handles; `closed`: a manager has dealt with it."""

    number: int
    author: str
    about: str
    filed_at: datetime
    closed: bool


@dataclass(frozen=True)
class Offer:
    """One command that a mail offers to its reader: what its arguments must be, those named.

    `window_ends_at`: of an offer about a game, which of its cases is meant.
    """

    verb: str
    arguments: Mapping[str, Any] = field(hash=False)
    window_ends_at: datetime | None = None


@dataclass(frozen=True)
class Answerable:
    """What the answer to a mail may do by its reply address alone (TRUST § 3): one of its offers.

    `game`: the one that the mail is about, whose number need not be written then. `until`: how long the reply
    address lives.
    """

    offers: tuple[Offer, ...]
    until: datetime
    game: int | None = None


@dataclass(frozen=True)
class Part:
    """What a mail carries besides its words, made once: every try sends the same bytes (P-4).

    `content_id`: the name, without angle brackets, by which the mail's page shows it (`cid:`); None for a
    file that is attached. `name`: what it is called where it is kept.
    """

    content_type: str
    name: str
    content: bytes
    content_id: str | None = None


@dataclass(frozen=True)
class NewMail:
    """A mail to be sent. Unique on (cause, kind, recipient, about): P-2.

    `cause`: what made us write, for example "mail:12" or "job:digest:2026-01-05". `about` parts
    several mails of one kind, for example the game's number. `address` is where it goes; `recipient`
    the handle, empty for somebody who is no member yet. `token`: id of the token whose text is put into
    the mail when it is sent; the database never holds it. `answerable`: what a token of its own is issued
    for when the mail is queued, where it has none yet. `text` is markup, in the words of `language`.
    `unasked`: nobody did anything that it tells of, so that nobody gets two on one day.
    """

    cause: str
    kind: str
    recipient: str
    address: str
    about: str
    subject: str
    text: str
    game: int | None = None
    in_reply_to: str | None = None
    token: int | None = None
    answerable: Answerable | None = None
    language: str = "fr"
    parts: tuple[Part, ...] = ()
    unasked: bool = False


class OutboxState(StrEnum):
    QUEUED = "queued"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True)
class OutboxMail:
    """A mail to be sent, or sent. `message_id` and `created_at` make every retry the same bytes.

    `tried_since`: from when on the days count after which it is given up; None: since it was made. `parts`:
    there for whoever sends the mail or lists all; gone when it is over.
    """

    id: int
    kind: str
    recipient: str
    address: str
    subject: str
    text: str
    game: int | None
    in_reply_to: str | None
    token: int | None
    message_id: str
    created_at: datetime
    state: OutboxState
    attempts: int
    last_error: str
    tried_since: datetime | None = None
    language: str = "fr"
    parts: tuple[Part, ...] = ()


class Fault(StrEnum):
    """Why a mail did not arrive: HARD will not pass by itself (no such mailbox), SOFT may (mailbox full)."""

    HARD = "hard"
    SOFT = "soft"


@dataclass(frozen=True)
class Undelivered:
    """A mail that was given up, or came back. `error`: what the other server said, without addresses."""

    id: int
    kind: str
    recipient: str
    address: str
    subject: str
    error: str
    failed_at: datetime


@dataclass(frozen=True)
class Bouncing:
    """An address that mails did not reach: how many, for good and not; `recipient`: whose it is, or empty."""

    address: str
    recipient: str
    hard: int
    soft: int
    last_at: datetime


@dataclass(frozen=True)
class Outgoing:
    """How the queue stands: mails waiting, how many were tried before, since when, the last error."""

    waiting: int
    retried: int
    oldest_at: datetime | None
    next_at: datetime | None
    last_error: str


class TokenState(StrEnum):
    OPEN = "open"
    USED = "used"
    DECLINED = "declined"
    SUPERSEDED = "superseded"


@dataclass(frozen=True)
class NewToken:
    """A token to be kept. `member` is None for somebody who is none yet; see `Token` for the rest."""

    purpose: str
    member: str | None
    address: str
    nonce: str
    digest: str
    payload: Mapping[str, Any] = field(hash=False)
    issued_at: datetime
    expires_at: datetime
    ends_at: datetime | None = None
    epoch: int = 0


@dataclass(frozen=True)
class Token:
    """A proof that was asked for: only its SHA-256 is kept, never its text (TRUST § 3).

    `purpose`: confirm, session, answer, resume or invite. `payload`: what it stands for, as JSON: the
    commands as they were shown, or what may be answered. `nonce`: public part from which, with the key,
    the text is derived. `ends_at`: the hard end of a session, whose `expires_at` slides. `misuses`: how
    often somebody else presented it. `current`: whether it is of the club's present epoch (T-37).
    """

    id: int
    purpose: str
    member: str | None
    address: str
    nonce: str
    digest: str
    payload: Mapping[str, Any] = field(hash=False)
    issued_at: datetime
    expires_at: datetime
    state: TokenState
    epoch: int = 0
    ends_at: datetime | None = None
    misuses: int = 0
    current: bool = True

    def lives(self, at: datetime) -> bool:
        """Whether it can be used at an instant."""
        return self.state is TokenState.OPEN and self.current and self.expires_at >= at


@dataclass(frozen=True)
class Tallied:
    """Something that is limited: `kind` was done at an instant by `subject`, an address or a member."""

    subject: str
    kind: str
    at: datetime


@dataclass(frozen=True)
class ClubRow:
    """A club as it is kept; `address` is where its members write. Tokens of another `epoch` are dead."""

    id: int
    name: str
    address: str
    timezone: str
    currency: str
    language: str
    forum: str
    epoch: int = 0
