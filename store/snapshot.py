"""What a club's books say: the picture of its members, and everything that can be looked up.

`Books` is the one object that readers are given. Each look-up is a plain, indexed query; they live by
subject in `store.games`, `store.statements` and `store.orders`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import peewee

from store import (
    audit,
    delivery,
    games,
    identity_changes,
    inbox,
    ledger,
    membership,
    orders,
    outbox,
    people,
    readings,
    runs,
    sql,
    statements,
    unhandled,
)
from store.instants import from_micros
from store.records import (
    Application,
    Bouncing,
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
    RulebookVersion,
    Statement,
    Undelivered,
    Unhandled,
)


def members(db: peewee.Database, club_id: int) -> tuple[Member, ...]:
    """Return all members, those banned and those who left included, by folded handle; one query."""
    text = (
        "SELECT m.handle, m.name, coalesce(d.address, ''), m.language, m.status, m.manager, m.joined_at,"
        " a.balance_cents, coalesce(c.cents, 0), m.digest FROM member m JOIN account a ON a.id = m.account_id"
        " LEFT JOIN address d ON d.member_id = m.id AND d.is_primary = 1"
        " LEFT JOIN (SELECT p.member_id, sum(g.buyin_cents) AS cents"
        " FROM game g JOIN participant p ON p.game_id = g.id"
        " WHERE g.club_id = ? AND g.state = 'running' GROUP BY p.member_id) c ON c.member_id = m.id"
        " WHERE m.club_id = ? ORDER BY m.folded"
    )
    return tuple(map(_member, sql.rows(db, text, (club_id, club_id))))


@dataclass(frozen=True)
class Books:
    """Look-ups in one club's books. Handles are found in any form that folds alike.

    A handle that nobody bears raises UnknownName; other things that are missing give None or nothing.
    """

    db: peewee.Database
    club_id: int

    # ------------------------------------------------------------ games

    def game(self, number: int) -> Game | None:
        return games.game(self.db, self.club_id, number)

    def next_game_number(self) -> int:
        return games.next_number(self.db, self.club_id)

    def open_games(self) -> tuple[Game, ...]:
        """Running, recent and in arbitration, by number."""
        return games.open_games(self.db, self.club_id)

    def open_games_of(self, handle: str) -> tuple[Game, ...]:
        """The open games in which he takes part, by number."""
        return games.open_games_of(self.db, self.club_id, handle)

    def running_games_of(self, handle: str) -> tuple[Game, ...]:
        """Those of his open games that are running."""
        return games.running_games_of(self.db, self.club_id, handle)

    def history(self, handle: str | None, since: datetime | None, limit: int) -> tuple[Game, ...]:
        """Games of any state created since an instant, the newest first; of one member, or all."""
        return games.history(self.db, self.club_id, handle, since, limit)

    def steps(self, number: int) -> tuple[GameStep, ...]:
        return games.steps(self.db, self.club_id, number)

    def decision(self, number: int) -> Decision | None:
        return games.decision(self.db, self.club_id, number)

    def results_between(self, since: datetime, until: datetime) -> tuple[Game, ...]:
        """Games whose standing result was recorded in [since, until), by number."""
        return games.results_between(self.db, self.club_id, since, until)

    def window_ends(self, limit: int, skipped: int = 0) -> tuple[tuple[datetime, int], ...]:
        """When the windows of recent games end, and their numbers, the first to end first."""
        return games.window_ends(self.db, self.club_id, limit, skipped)

    def last_participations(self) -> Mapping[str, datetime]:
        """R-INA-1, for every member."""
        return games.last_participations(self.db, self.club_id)

    # ------------------------------------------------------------ the journal

    def entries(self, number: int) -> tuple[JournalEntry, ...]:
        """The journal entries about a game."""
        return statements.entries_of_game(self.db, self.club_id, number)

    def statement(self, handle: str, since: datetime | None, until: datetime | None, limit: int) -> Statement:
        """The newest `limit` lines of his account in [since, until)."""
        return statements.statement(self.db, self.club_id, handle, since, until, limit)

    def balance_changes(self, since: datetime) -> Mapping[str, int]:
        """By how much each member's balance has changed since; unchanged ones are there with 0."""
        return statements.balance_changes(self.db, self.club_id, since)

    def balances_at(self, first: datetime, step: timedelta, steps: int) -> Mapping[str, tuple[int, ...]]:
        """Each member's balances at an instant and after each of some equal steps."""
        return statements.balances_at(self.db, self.club_id, first, step, steps)

    def opening_cents(self, handle: str) -> int:
        """What a member's account was opened with. Raises UnknownName."""
        return statements.opening_cents(self.db, self.club_id, handle)

    def levies_for(self, handle: str) -> tuple[tuple[str, int], ...]:
        """(payer, cents) of joint solidarity for him since his present ban began."""
        return statements.levies_for(self.db, self.club_id, handle)

    def journal_sum(self) -> int:
        return ledger.journal_sum(self.db, self.club_id)

    def reading(self, mail: int) -> MailReading | None:
        """How the received mail with this number was read."""
        return readings.fetch(self.db, self.club_id, mail)

    def raw(self, mail: int) -> bytes:
        """The received mail with this number, its tokens masked. Raises UnknownName."""
        return inbox.numbered(self.db, self.club_id, mail).raw

    def quarantined_since(self, since: datetime) -> tuple[InboxMail, ...]:
        """Mails received since an instant that are set aside."""
        return tuple(m for m in inbox.quarantined(self.db, self.club_id) if m.received_at >= since)

    def unhandled(self, since: datetime, until: datetime) -> tuple[Unhandled, ...]:
        """Members' mails received in (since, until] that wait for somebody who can make something of them."""
        return unhandled.waiting(self.db, self.club_id, since, until)

    def is_settled(self, mail: int) -> bool:
        """Whether a manager has dealt with a mail that nobody could handle."""
        return unhandled.is_settled(self.db, self.club_id, mail)

    # ------------------------------------------------------------ orders and papers

    def injunctions(self) -> tuple[Injunction, ...]:
        """Those proposed or launched."""
        return orders.open_injunctions(self.db, self.club_id)

    def injunction_of_spell(self, handle: str, spell_started_at: datetime) -> Injunction | None:
        """In whatever state."""
        return orders.injunction_of_spell(self.db, self.club_id, handle, spell_started_at)

    def nudged_months(self, handle: str, spell_started_at: datetime) -> int:
        return orders.nudged_months(self.db, self.club_id, handle, spell_started_at)

    def invitation(self, handle: str) -> Invitation | None:
        """The open one."""
        return orders.invitation(self.db, self.club_id, handle)

    def invitation_for_address(self, address: str) -> Invitation | None:
        """The open one."""
        return orders.invitation_for_address(self.db, self.club_id, address)

    # ------------------------------------------------------------ joining, and who somebody is

    def application(self, number: int) -> Application | None:
        """In whatever state."""
        return membership.application(self.db, self.club_id, number)

    def application_from(self, address: str) -> Application | None:
        """The newest from an address, in whatever state."""
        return membership.latest_from(self.db, self.club_id, address)

    def open_applications(self) -> tuple[Application, ...]:
        """Those that no manager has decided, the oldest first."""
        return membership.open_applications(self.db, self.club_id)

    def applications_since(self, since: datetime) -> int:
        """How many came in after an instant."""
        return membership.count_since(self.db, self.club_id, since)

    def next_application_number(self) -> int:
        return membership.next_application_number(self.db, self.club_id)

    def addresses(self, handle: str) -> tuple[str, ...]:
        """His registered addresses, the primary one first."""
        return identity_changes.addresses_of(self.db, self.club_id, handle)

    def address_asked_at(self, address: str) -> datetime | None:
        """When the address was last asked whether it is a member's."""
        return identity_changes.last_asked_at(self.db, self.club_id, address)

    def identity_change(self, number: int) -> IdentityChange | None:
        """In whatever state."""
        return identity_changes.identity_change(self.db, self.club_id, number)

    def identity_changes_of(self, handle: str) -> tuple[IdentityChange, ...]:
        """Those asked for or waiting."""
        return identity_changes.open_changes_of(self.db, self.club_id, handle)

    def next_identity_number(self) -> int:
        return identity_changes.next_number(self.db, self.club_id)

    # ------------------------------------------------------------ papers

    def complaints(self) -> tuple[Complaint, ...]:
        """All of them, the oldest first."""
        return orders.complaints(self.db, self.club_id)

    def next_complaint_number(self) -> int:
        return orders.next_complaint_number(self.db, self.club_id)

    def rulebook(self) -> RulebookVersion:
        """The version that stands."""
        return orders.rulebook(self.db, self.club_id)

    def rulebook_version(self, number: int) -> RulebookVersion:
        return orders.rulebook_version(self.db, self.club_id, number)

    def ban_reason(self, handle: str) -> str:
        return orders.ban_reason(self.db, self.club_id, handle)

    def handle_at(self, address: str) -> str | None:
        """Whose registered address this is, his first or another."""
        return people.handle_at(self.db, self.club_id, address)

    def last_due(self, job: str) -> datetime | None:
        """When a job was due the last time that it was run."""
        return runs.last_due(self.db, self.club_id, job)

    def previous_due(self, job: str) -> datetime | None:
        """When a job was due the time before the last."""
        return runs.previous_due(self.db, self.club_id, job)

    def unasked_since(self, since: datetime) -> Mapping[str, str]:
        """Who was written to unasked from an instant on, and by which kind of mail."""
        return outbox.unasked_since(self.db, self.club_id, since)

    def forged_since(self, since: datetime) -> tuple[Forged, ...]:
        """T-2: mails that bore somebody's address and were refused, received since an instant."""
        return readings.forged_since(self.db, self.club_id, since)

    def undelivered(self) -> tuple[Undelivered, ...]:
        """Mails that were given up or came back and that no manager was told of."""
        return delivery.untold(self.db, self.club_id)

    def bouncing(self, since: datetime) -> tuple[Bouncing, ...]:
        """Addresses that mails did not reach since an instant."""
        return delivery.bouncing(self.db, self.club_id, since)

    def chain_head(self) -> str:
        return audit.head(self.db, self.club_id)


def _member(row: sql.Row) -> Member:
    handle, name, address, language, status, manager, joined_at, balance_cents, committed_cents, digest = row
    return Member(
        handle=handle,
        name=name,
        address=address,
        language=language,
        status=MemberStatus(status),
        manager=bool(manager),
        joined_at=from_micros(joined_at),
        balance_cents=balance_cents,
        committed_cents=committed_cents,
        digest=bool(digest),
    )
