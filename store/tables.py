"""All tables, on one page: what each row means, its columns and what they refer to.

The migrations make these tables, with their indexes, checks and triggers; a test holds both equal. No
table is bound to a database (see `store.sql`). Every row belongs to a club. A column `…_at` is an
instant in microseconds (see `store.instants`), `…_cents` is money, `…_json` is JSON text.
"""

from __future__ import annotations

from peewee import (
    AutoField,
    BigIntegerField,
    BlobField,
    CompositeKey,
    DeferredForeignKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

# ---------------------------------------------------------------- the club and its members


class SchemaVersion(Model):
    """A migration that was applied."""

    number = IntegerField(primary_key=True)
    name = TextField()

    class Meta:
        table_name = "schema_version"


class Club(Model):
    """A club. `epoch`: tokens of another epoch are dead; a restored backup gets a new one (T-37)."""

    id = AutoField()
    name = TextField()
    address = TextField()
    timezone = TextField()
    currency = TextField()
    language = TextField()
    forum = TextField()
    created_at = BigIntegerField()
    epoch = BigIntegerField(default=0)

    class Meta:
        table_name = "club"


class Rulebook(Model):
    """R-REG-1: a version of the rulebook. `author` is a handle, absent for the first."""

    club = ForeignKeyField(Club)
    number = IntegerField()
    values_json = TextField()
    since_at = BigIntegerField()
    author = TextField(null=True)
    reason = TextField()

    class Meta:
        table_name = "rulebook"
        primary_key = CompositeKey("club", "number")


class Account(Model):
    """An account of the journal, by its number in the club. A trigger keeps `balance_cents`, the sum of
    its postings."""

    id = AutoField()
    club = ForeignKeyField(Club)
    code = TextField()
    balance_cents = BigIntegerField(default=0)
    number = IntegerField(default=0)

    class Meta:
        table_name = "account"


class Member(Model):
    """`folded`: the handle as it is compared. `opening_entry`: number of what a closing takes back.

    `digest`: whether he gets the weekly digest.
    """

    id = AutoField()
    club = ForeignKeyField(Club)
    handle = TextField()
    folded = TextField()
    name = TextField()
    language = TextField()
    status = TextField()
    manager = IntegerField()
    joined_at = BigIntegerField()
    account = ForeignKeyField(Account)
    opening_entry = IntegerField()
    banned_at = BigIntegerField(null=True)
    banned_by = TextField(null=True)
    ban_reason = TextField(default="")
    left_at = BigIntegerField(null=True)
    digest = IntegerField(default=1)

    class Meta:
        table_name = "member"


class Address(Model):
    """An address a member writes from. The primary one is where his mails go."""

    id = AutoField()
    club = ForeignKeyField(Club)
    member = ForeignKeyField(Member)
    address = TextField()
    is_primary = IntegerField()

    class Meta:
        table_name = "address"


class Acceptance(Model):
    """R-ACC-1: which rulebook a member accepted, when and how."""

    id = AutoField()
    club = ForeignKeyField(Club)
    member = ForeignKeyField(Member)
    rulebook_version = IntegerField()
    accepted_at = BigIntegerField()
    how = TextField()

    class Meta:
        table_name = "acceptance"


class Invitation(Model):
    """`state`: open, accepted, superseded."""

    id = AutoField()
    club = ForeignKeyField(Club)
    handle = TextField()
    folded = TextField()
    address = TextField()
    invited_by = TextField()
    invited_at = BigIntegerField()
    state = TextField()

    class Meta:
        table_name = "invitation"


class Application(Model):
    """R-ACC-3: somebody who asks to join. `state`: open, approved, declined, superseded."""

    club = ForeignKeyField(Club)
    number = IntegerField()
    handle = TextField()
    address = TextField()
    applied_at = BigIntegerField()
    state = TextField()
    decided_by = TextField(null=True)
    decided_at = BigIntegerField(null=True)

    class Meta:
        table_name = "application"
        primary_key = CompositeKey("club", "number")


class IdentityChange(Model):
    """A change of addresses or of the manager that waits, or waited. `due_at`: when the clock acts on it.

    `address` is the one it is about, `other` the member whom a role goes to.
    """

    club = ForeignKeyField(Club)
    number = IntegerField()
    kind = TextField()
    member = ForeignKeyField(Member)
    address = TextField()
    other = ForeignKeyField(Member, null=True)
    state = TextField()
    asked_at = BigIntegerField()
    due_at = BigIntegerField()
    ended_at = BigIntegerField(null=True)

    class Meta:
        table_name = "identity_change"
        primary_key = CompositeKey("club", "number")


# ---------------------------------------------------------------- the journal (append-only)


class Erasure(Model):
    """T-38: somebody was forgotten. `account`: its number; `wiped_at`: the disk bears no trace any more."""

    club = ForeignKeyField(Club)
    number = IntegerField()
    account = IntegerField()
    erased_at = BigIntegerField()
    wiped_at = BigIntegerField(null=True)

    class Meta:
        table_name = "erasure"
        primary_key = CompositeKey("club", "number")


class Seal(Model):
    """Says that an entry is complete. Only a balanced entry can be sealed, only a sealed one committed."""

    entry = DeferredForeignKey("Entry", primary_key=True)

    class Meta:
        table_name = "seal"


class Game(Model):
    """`result_entry` is the number of the entry of the result that stands, if one does."""

    id = AutoField()
    club = ForeignKeyField(Club)
    number = IntegerField()
    creator = ForeignKeyField(Member)
    buyin_cents = BigIntegerField()
    state = TextField()
    rulebook_version = IntegerField()
    created_at = BigIntegerField()
    result_at = BigIntegerField(null=True)
    window_ends_at = BigIntegerField(null=True)
    result_entry = IntegerField(null=True)

    class Meta:
        table_name = "game"


class Entry(Model):
    """A journal entry. Its id refers, when the transaction commits, to its seal.

    `number` counts in the club. `effect_key` is unique in the club: one cause, one effect.
    """

    id = AutoField()
    club = ForeignKeyField(Club)
    number = IntegerField()
    kind = TextField()
    at = BigIntegerField()
    game = ForeignKeyField(Game, null=True)
    reverses = ForeignKeyField("self", column_name="reverses", null=True)
    effect_key = TextField()

    class Meta:
        table_name = "entry"


class Posting(Model):
    """A line of an entry. `at` repeats the entry's, so that one index answers for a period."""

    entry = ForeignKeyField(Entry)
    line = IntegerField()
    account = ForeignKeyField(Account)
    at = BigIntegerField()
    amount_cents = BigIntegerField()

    class Meta:
        table_name = "posting"
        primary_key = CompositeKey("entry", "line")


class Memo(Model):
    """What somebody wrote about an entry. Apart from it, because the journal cannot forget and this can."""

    entry = ForeignKeyField(Entry, primary_key=True)
    memo = TextField()

    class Meta:
        table_name = "memo"


# ---------------------------------------------------------------- games


class Participant(Model):
    """`place` is the paid place, absent while no result stands."""

    game = ForeignKeyField(Game)
    member = ForeignKeyField(Member)
    position = IntegerField()
    place = IntegerField(null=True)

    class Meta:
        table_name = "participant"
        primary_key = CompositeKey("game", "member")


class Dispute(Model):
    game = ForeignKeyField(Game)
    member = ForeignKeyField(Member)
    reason = TextField()
    filed_at = BigIntegerField()
    changed_at = BigIntegerField(null=True)

    class Meta:
        table_name = "dispute"
        primary_key = CompositeKey("game", "member")


class Decision(Model):
    """R-ARB-2: a rejection; an accepted case leaves no decision."""

    game = ForeignKeyField(Game, primary_key=True)
    manager = TextField()
    verdict = TextField()
    reason = TextField()
    decided_at = BigIntegerField()

    class Meta:
        table_name = "decision"


class GameStep(Model):
    """What happened to a game; `actor` is a handle, absent when the clock did it."""

    id = AutoField()
    game = ForeignKeyField(Game)
    at = BigIntegerField()
    actor = TextField(null=True)
    kind = TextField()
    details_json = TextField()

    class Meta:
        table_name = "game_step"


# ---------------------------------------------------------------- inactivity, complaints


class Injunction(Model):
    """R-INA-3, R-INA-4: one per member and spell of inactivity."""

    id = AutoField()
    club = ForeignKeyField(Club)
    member = ForeignKeyField(Member)
    spell_started_at = BigIntegerField()
    state = TextField()
    unplaced_cents = BigIntegerField()
    proposed_at = BigIntegerField()
    launched_at = BigIntegerField(null=True)
    launched_by = TextField(null=True)
    due_at = BigIntegerField(null=True)
    overdue_told = IntegerField(default=0)

    class Meta:
        table_name = "injunction"


class InjunctionLine(Model):
    injunction = ForeignKeyField(Injunction)
    position = IntegerField()
    giver = ForeignKeyField(Member)
    beneficiary = ForeignKeyField(Member)
    amount_cents = BigIntegerField()
    paid_cents = BigIntegerField()

    class Meta:
        table_name = "injunction_line"
        primary_key = CompositeKey("injunction", "position")


class Nudge(Model):
    """R-INA-2: the months without participation at which a member was last asked."""

    member = ForeignKeyField(Member)
    spell_started_at = BigIntegerField()
    months = IntegerField()

    class Meta:
        table_name = "nudge"
        primary_key = CompositeKey("member", "spell_started_at")


class Complaint(Model):
    """R-REG-2. `author` and `about` are handles."""

    club = ForeignKeyField(Club)
    number = IntegerField()
    author = TextField()
    about = TextField()
    complaint = TextField()
    filed_at = BigIntegerField()
    closed_at = BigIntegerField(null=True)
    closed_by = TextField(null=True)

    class Meta:
        table_name = "complaint"
        primary_key = CompositeKey("club", "number")


class Card(Model):
    """A mail that nobody could handle, by its number, and what the managers made of it.

    `told_at`: when they were shown it. `redone`: by a command for its writer; otherwise it was laid aside.
    """

    club = ForeignKeyField(Club)
    mail = IntegerField()
    told_at = BigIntegerField()
    settled_at = BigIntegerField(null=True)
    settled_by = TextField(null=True)
    redone = IntegerField()

    class Meta:
        table_name = "card"
        primary_key = CompositeKey("club", "mail")


# ---------------------------------------------------------------- mails, proofs, jobs, audit


class Inbox(Model):
    """A received mail, by its number in the club. `offered` names the offer, so that it is kept once.

    `carried`: the digest of the token that the mail carries, if it carries one.
    """

    id = AutoField()
    club = ForeignKeyField(Club)
    source = TextField()
    offered = TextField()
    received_at = BigIntegerField()
    state = TextField()
    reason = TextField(default="")
    attempts = IntegerField(default=0)
    fingerprint = TextField(null=True)
    number = IntegerField(default=0)
    carried = TextField(null=True)

    class Meta:
        table_name = "inbox"


class InboxRaw(Model):
    """The bytes of a received mail, apart so that looking at states does not read them."""

    inbox = ForeignKeyField(Inbox, primary_key=True)
    content = BlobField()

    class Meta:
        table_name = "inbox_raw"


class Reading(Model):
    """How a mail was read, as JSON; `member` is who wrote it, if a member did."""

    inbox = ForeignKeyField(Inbox, primary_key=True)
    member = ForeignKeyField(Member, null=True)
    record_json = TextField()

    class Meta:
        table_name = "reading"


class Token(Model):
    id = AutoField()
    club = ForeignKeyField(Club)
    purpose = TextField()
    member = ForeignKeyField(Member, null=True)
    address = TextField()
    nonce = TextField()
    digest = TextField()
    payload_json = TextField()
    issued_at = BigIntegerField()
    expires_at = BigIntegerField()
    state = TextField()
    epoch = BigIntegerField(default=0)
    ends_at = BigIntegerField(null=True)
    used_by = TextField(null=True)
    misuses = IntegerField(default=0)

    class Meta:
        table_name = "token"


class Tally(Model):
    """Something that is limited, done at an instant by an address or a member (see `store.tallies`)."""

    id = AutoField()
    club = ForeignKeyField(Club)
    subject = TextField()
    kind = TextField()
    at = BigIntegerField()

    class Meta:
        table_name = "tally"


class Outbox(Model):
    """A mail to send. `game` is the game's number; `next_at` is when to try (again).

    `tried_since`: from when on days count after which it is given up, if not since it was made.
    `held_by`, `held_until`: who is just sending it. `failed_at`, `fault`: when it was given up or came back,
    for good or not; `told`: whether a manager knows. `unasked`: of those nobody gets two on one day.
    """

    id = AutoField()
    club = ForeignKeyField(Club)
    cause = TextField()
    kind = TextField()
    recipient = TextField()
    about = TextField()
    address = TextField()
    subject = TextField()
    body = TextField()
    game = IntegerField(null=True)
    in_reply_to = TextField(null=True)
    token = ForeignKeyField(Token, null=True)
    message_id = TextField()
    created_at = BigIntegerField()
    state = TextField()
    attempts = IntegerField(default=0)
    next_at = BigIntegerField()
    last_error = TextField(default="")
    sent_at = BigIntegerField(null=True)
    held_by = TextField(null=True)
    held_until = BigIntegerField(null=True)
    tried_since = BigIntegerField(null=True)
    failed_at = BigIntegerField(null=True)
    fault = TextField(null=True)
    told = IntegerField(default=0)
    language = TextField(default="fr")
    unasked = IntegerField(default=0)

    class Meta:
        table_name = "outbox"


class OutboxPart(Model):
    """A file, or a picture of its page, that a mail carries until it is over (a trigger sees to that)."""

    outbox = ForeignKeyField(Outbox)
    number = IntegerField()
    content_type = TextField()
    name = TextField()
    content_id = TextField(null=True)
    content = BlobField()

    class Meta:
        table_name = "outbox_part"
        primary_key = CompositeKey("outbox", "number")


class Mailbox(Model):
    """A folder of an IMAP account, as long as its UIDVALIDITY stays. `looked_at`: 0 before the first look."""

    id = AutoField()
    club = ForeignKeyField(Club)
    account = TextField()
    folder = TextField()
    uidvalidity = BigIntegerField()
    looked_at = BigIntegerField(default=0)

    class Meta:
        table_name = "mailbox"


class MailboxMail(Model):
    """A mail taken from a mailbox. `digest`: of its bytes; `settled`: it was moved to where it belongs."""

    mailbox = ForeignKeyField(Mailbox)
    uid = BigIntegerField()
    inbox = ForeignKeyField(Inbox)
    digest = TextField()
    settled = IntegerField(default=0)

    class Meta:
        table_name = "mailbox_mail"
        primary_key = CompositeKey("mailbox", "uid")


class Run(Model):
    """A job that was run for the instant at which it was due."""

    club = ForeignKeyField(Club)
    job = TextField()
    due_at = BigIntegerField()
    ran_at = BigIntegerField()

    class Meta:
        table_name = "run"
        primary_key = CompositeKey("club", "job", "due_at")


class Lease(Model):
    """Who is at work on what (`store.leases`). `holder` is absent while the lease is free."""

    club = ForeignKeyField(Club)
    name = TextField()
    holder = TextField(null=True)
    fence = IntegerField()
    until_at = BigIntegerField()

    class Meta:
        table_name = "lease"
        primary_key = CompositeKey("club", "name")


class Arrival(Model):
    """A club whose books are being moved into this database, and are not served yet (`store.moving`)."""

    club = ForeignKeyField(Club, primary_key=True)
    began_at = BigIntegerField()

    class Meta:
        table_name = "arrival"


class ImportBatch(Model):
    """A file that was taken over (`store.imports`)."""

    club = ForeignKeyField(Club)
    number = IntegerField()
    kind = TextField()
    name = TextField()
    imported_at = BigIntegerField()
    undone_at = BigIntegerField(null=True)

    class Meta:
        table_name = "import_batch"
        primary_key = CompositeKey("club", "number")


class ImportRow(Model):
    """A row of such a file; `entry` and `game` are the numbers of what it brought about."""

    club = ForeignKeyField(Club)
    batch = IntegerField()
    line = IntegerField()
    row_key = TextField()
    entry = IntegerField(null=True)
    game = IntegerField(null=True)

    class Meta:
        table_name = "import_row"
        primary_key = CompositeKey("club", "batch", "line")


class Audit(Model):
    """P-10: one event. `hash` covers the row and the hash of the one before."""

    club = ForeignKeyField(Club)
    number = IntegerField()
    at = BigIntegerField()
    cause = TextField()
    kind = TextField()
    payload_json = TextField()
    hash = TextField()

    class Meta:
        table_name = "audit"
        primary_key = CompositeKey("club", "number")


ALL: tuple[type[Model], ...] = (
    SchemaVersion,
    Club,
    Rulebook,
    Account,
    Member,
    Address,
    Acceptance,
    Invitation,
    Application,
    IdentityChange,
    Erasure,
    Seal,
    Game,
    Entry,
    Posting,
    Memo,
    Participant,
    Dispute,
    Decision,
    GameStep,
    Injunction,
    InjunctionLine,
    Nudge,
    Complaint,
    Card,
    Inbox,
    InboxRaw,
    Reading,
    Token,
    Tally,
    Outbox,
    OutboxPart,
    Mailbox,
    MailboxMail,
    Run,
    Lease,
    Arrival,
    ImportBatch,
    ImportRow,
    Audit,
)
