"""Wiring: settings, database, key, desk and doors are made here and handed down; nobody else does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from socket import gethostname

from mailflow.books import club_in, open_books
from mailflow.desk import Desk
from mailflow.doors.imap_session import open_session
from mailflow.doors.maildir import MaildirTransport
from mailflow.doors.relay import RelayTransport
from mailflow.doors.sent import SentCopies
from mailflow.doors.transport import Transport
from mailflow.errors import SettingsError
from mailflow.founding import Founder, open_account
from mailflow.identify import Trust
from mailflow.model import Notice, Refusal, broken
from mailflow.picture import picture
from mailflow.proofs import Keyring
from mailflow.return_paths import return_path
from mailflow.rules.accounts import INVITE_CHECKS, Newcomer, keywords
from mailflow.settings import Settings, checked_address
from mailflow.signing import Signer
from store.database import Database, Server, for_club, unit_of_work
from store.records import ClubRow, OutboxMail

KEY_BYTES_MIN = 16


@dataclass(frozen=True)
class Office:
    """A club open for work."""

    settings: Settings
    db: Database
    club: ClubRow
    desk: Desk


@contextmanager
def open_office(settings: Settings, trust: Trust, now: datetime) -> Iterator[Office]:
    """Open the club's database, founding the club if it is new. Raises SettingsError."""
    with open_offices([settings], trust, now) as (office,):
        yield office


@contextmanager
def open_offices(clubs: Sequence[Settings], trust: Trust, now: datetime) -> Iterator[tuple[Office, ...]]:
    """Open several clubs; those that share a database share its connections. Raises SettingsError."""
    opened: dict[Path | Server, Database] = {}
    try:
        for settings in clubs:
            if settings.books not in opened:
                opened[settings.books] = open_books(settings)
        yield tuple(office_on(settings, opened[settings.books], trust, now) for settings in clubs)
    finally:
        for db in opened.values():
            db.close()


def office_on(settings: Settings, db: Database, trust: Trust, now: datetime) -> Office:
    """Open a club whose books are in a database that is open. Raises SettingsError.

    The desk has a handle of its own: what it writes may stand under a lease, what comes in does not.
    """
    keyring = Keyring(_key(settings))
    club = club_in(db, settings, now)
    desk = Desk(
        for_club(db, club.id), club, keyring, trust, settings.border, settings.caution, settings.digest
    )
    desk.agenda.start(now)
    return Office(settings, for_club(db, club.id), club, desk)


def transport_of(office: Office, stopwatch: Callable[[], float]) -> Transport:
    """Return how mail leaves: the relay of the settings, or the outbox folder where there is none."""
    relay, address = office.settings.relay, office.club.address
    if not relay.host:
        return MaildirTransport(office.settings.outbox)

    own_paths = relay.bounce_address and office.settings.border.plus

    def sender_of(mail: OutboxMail) -> str:
        return return_path(office.desk.keyring, address, mail.id) if own_paths else address

    transport = RelayTransport(relay, address.rpartition("@")[2], sender_of, stopwatch)
    box = office.settings.imap
    if not (box.host and box.sent):
        return transport
    return SentCopies(transport, box.sent, lambda: open_session(box))


def signer_of(settings: Settings) -> Signer | None:
    """Return what signs outgoing mail, where the settings ask for it. Raises SettingsError."""
    return Signer(settings.dkim) if settings.dkim.domain else None


def name_of(settings: Settings) -> str:
    """Name whoever works in this folder: its lock says that there is no second one."""
    return f"{gethostname()}:{settings.folder.resolve()}"


def add_member(office: Office, member: Founder, now: datetime) -> tuple[Refusal, ...]:
    """Open an account for somebody by the operator's hand; return why not, if not (R-ACC-3)."""
    address = checked_address(member.address)
    if address == office.club.address:
        raise SettingsError(f"{address} is the club's own address")
    member = replace(member, address=address)
    with unit_of_work(office.db):
        club = picture(office.db, office.club, now)
        newcomer = Newcomer(member.handle, address, keywords(club.grammar))
        refusals = broken(INVITE_CHECKS, newcomer, club)
        if not refusals:
            open_account(office.db, office.club, member, club.rulebook, club.rulebook_version, now)
    return refusals


def welcome(office: Office, handle: str, now: datetime) -> None:
    """R-ACC-1: tell a member of his account, of the rulebook, and of how to write to the club."""
    club = picture(office.db, office.club, now)
    facts = {
        "handle": handle,
        "invited_by": "",
        "credit_cents": club.rulebook.initial_credit_cents,
        "is_me": True,
    }
    notice = Notice("member.opened", (handle,), None, facts)
    cause = f"operator:{handle}:{now.isoformat()}"
    with unit_of_work(office.db):
        office.desk.register.queue(office.desk.answers.notices((notice,), club, cause), now)


def make_key(settings: Settings, key: bytes) -> None:
    """Write the club's secret key to a file that only its owner can read; an existing one stays."""
    try:
        descriptor = os.open(settings.key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "w") as file:
        file.write(key.hex() + "\n")


def _key(settings: Settings) -> bytes:
    try:
        key = bytes.fromhex(settings.key_file.read_text("ascii").strip())
    except FileNotFoundError as error:
        raise SettingsError(f"there is no {settings.key_file}: put your copy of it back") from error
    except OSError as error:
        raise SettingsError(f"the key in {settings.key_file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(
            f"the key in {settings.key_file} cannot be read: it is not one line of hex digits"
        ) from error
    if len(key) < KEY_BYTES_MIN:
        raise SettingsError(f"the key in {settings.key_file} is too short")
    return key
