-- The first schema: all tables of store/tables.py, with what the database itself enforces.
-- A migration is frozen once it has been released: mend it by a later one.

CREATE TABLE schema_version (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;

-- ------------------------------------------------------------ the club and its members

CREATE TABLE club (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    address TEXT NOT NULL UNIQUE,
    timezone TEXT NOT NULL,
    currency TEXT NOT NULL,
    language TEXT NOT NULL,
    forum TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE rulebook (
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    values_json TEXT NOT NULL,
    since_at INTEGER NOT NULL,
    author TEXT,
    reason TEXT NOT NULL,
    PRIMARY KEY (club_id, number)
) STRICT;

CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    code TEXT NOT NULL,
    balance_cents INTEGER NOT NULL DEFAULT 0,
    UNIQUE (club_id, code)
) STRICT;

CREATE TABLE member (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    handle TEXT NOT NULL,
    folded TEXT NOT NULL,
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'banned', 'left')),
    manager INTEGER NOT NULL CHECK (manager IN (0, 1)),
    joined_at INTEGER NOT NULL,
    account_id INTEGER NOT NULL UNIQUE REFERENCES account (id),
    opening_entry INTEGER NOT NULL,
    banned_at INTEGER,
    banned_by TEXT,
    ban_reason TEXT NOT NULL DEFAULT '',
    left_at INTEGER,
    UNIQUE (club_id, folded)
) STRICT;

CREATE TABLE address (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    member_id INTEGER NOT NULL REFERENCES member (id),
    address TEXT NOT NULL,
    is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
    UNIQUE (club_id, address)
) STRICT;

CREATE UNIQUE INDEX address_primary ON address (member_id) WHERE is_primary = 1;

CREATE TABLE acceptance (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    member_id INTEGER NOT NULL REFERENCES member (id),
    rulebook_version INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    how TEXT NOT NULL,
    FOREIGN KEY (club_id, rulebook_version) REFERENCES rulebook (club_id, number)
) STRICT;

CREATE TABLE invitation (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    handle TEXT NOT NULL,
    folded TEXT NOT NULL,
    address TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    invited_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'superseded'))
) STRICT;

CREATE UNIQUE INDEX invitation_handle ON invitation (club_id, folded) WHERE state = 'open';
CREATE UNIQUE INDEX invitation_address ON invitation (club_id, address) WHERE state = 'open';

-- ------------------------------------------------------------ games

CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    creator_id INTEGER NOT NULL REFERENCES member (id),
    buyin_cents INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'recent', 'arbitration', 'final', 'cancelled')),
    rulebook_version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    result_at INTEGER,
    window_ends_at INTEGER,
    result_entry INTEGER,
    UNIQUE (club_id, number),
    FOREIGN KEY (club_id, rulebook_version) REFERENCES rulebook (club_id, number),
    -- A result stands exactly in these three states.
    CHECK ((state IN ('recent', 'arbitration', 'final')) = (result_entry IS NOT NULL)),
    CHECK ((result_entry IS NULL) = (result_at IS NULL)),
    CHECK ((result_entry IS NULL) = (window_ends_at IS NULL))
) STRICT;

CREATE INDEX game_state ON game (club_id, state, window_ends_at, number);
CREATE INDEX game_result ON game (club_id, result_at) WHERE result_at IS NOT NULL;

CREATE TABLE participant (
    game_id INTEGER NOT NULL REFERENCES game (id),
    member_id INTEGER NOT NULL REFERENCES member (id),
    position INTEGER NOT NULL,
    place INTEGER,
    PRIMARY KEY (game_id, member_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX participant_member ON participant (member_id, game_id);

CREATE TABLE dispute (
    game_id INTEGER NOT NULL REFERENCES game (id),
    member_id INTEGER NOT NULL REFERENCES member (id),
    reason TEXT NOT NULL,
    filed_at INTEGER NOT NULL,
    changed_at INTEGER,
    PRIMARY KEY (game_id, member_id),
    FOREIGN KEY (game_id, member_id) REFERENCES participant (game_id, member_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE decision (
    game_id INTEGER PRIMARY KEY REFERENCES game (id),
    manager TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    decided_at INTEGER NOT NULL
) STRICT;

CREATE TABLE game_step (
    id INTEGER PRIMARY KEY,
    game_id INTEGER NOT NULL REFERENCES game (id),
    at INTEGER NOT NULL,
    actor TEXT,
    kind TEXT NOT NULL,
    details_json TEXT NOT NULL
) STRICT;

CREATE INDEX game_step_game ON game_step (game_id, id);

CREATE TRIGGER game_stays_ended BEFORE UPDATE OF state ON game
WHEN OLD.state IN ('final', 'cancelled') AND NEW.state <> OLD.state
BEGIN
    SELECT RAISE(ABORT, 'nothing leaves final or cancelled');
END;

-- ------------------------------------------------------------ the journal

-- An entry must have a seal when the transaction commits; the seal is only given to a whole, balanced
-- entry. So what is committed sums to zero, whoever wrote it.

CREATE TABLE entry (
    id INTEGER PRIMARY KEY REFERENCES seal (entry_id) DEFERRABLE INITIALLY DEFERRED,
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    game_id INTEGER REFERENCES game (id),
    reverses INTEGER REFERENCES entry (id),
    effect_key TEXT NOT NULL,
    UNIQUE (club_id, number),
    UNIQUE (club_id, effect_key)
) STRICT;

CREATE UNIQUE INDEX entry_reverses ON entry (reverses) WHERE reverses IS NOT NULL;
CREATE INDEX entry_game ON entry (game_id) WHERE game_id IS NOT NULL;

CREATE TABLE seal (
    entry_id INTEGER PRIMARY KEY REFERENCES entry (id)
) STRICT;

CREATE TABLE posting (
    entry_id INTEGER NOT NULL REFERENCES entry (id),
    line INTEGER NOT NULL,
    account_id INTEGER NOT NULL REFERENCES account (id),
    at INTEGER NOT NULL,
    amount_cents INTEGER NOT NULL,
    PRIMARY KEY (entry_id, line)
) STRICT, WITHOUT ROWID;

-- Answers for statements, sums over a period and recomputed balances without the table itself.
CREATE INDEX posting_account ON posting (account_id, at, entry_id, line, amount_cents);

CREATE TABLE memo (
    entry_id INTEGER PRIMARY KEY REFERENCES entry (id),
    memo TEXT NOT NULL
) STRICT;

CREATE TRIGGER posting_before_seal BEFORE INSERT ON posting
WHEN EXISTS (SELECT 1 FROM seal WHERE entry_id = NEW.entry_id)
BEGIN
    SELECT RAISE(ABORT, 'the entry is sealed');
END;

CREATE TRIGGER posting_keeps_balance AFTER INSERT ON posting
BEGIN
    UPDATE account SET balance_cents = balance_cents + NEW.amount_cents WHERE id = NEW.account_id;
END;

CREATE TRIGGER seal_needs_balance BEFORE INSERT ON seal
WHEN (SELECT count(*) >= 2 AND sum(amount_cents) = 0 FROM posting WHERE entry_id = NEW.entry_id) IS NOT 1
BEGIN
    SELECT RAISE(ABORT, 'the entry has fewer than two postings or does not sum to zero');
END;

CREATE TRIGGER seal_needs_one_club BEFORE INSERT ON seal
WHEN EXISTS (
    SELECT 1 FROM posting p
    JOIN entry e ON e.id = p.entry_id
    JOIN account a ON a.id = p.account_id
    WHERE p.entry_id = NEW.entry_id AND (a.club_id <> e.club_id OR p.at <> e.at)
)
BEGIN
    SELECT RAISE(ABORT, 'a posting is of another club or instant than its entry');
END;

CREATE TRIGGER entry_is_new BEFORE INSERT ON entry
WHEN EXISTS (SELECT 1 FROM entry WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TRIGGER entry_keeps BEFORE UPDATE ON entry
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TRIGGER entry_stays BEFORE DELETE ON entry
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TRIGGER posting_keeps BEFORE UPDATE ON posting
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TRIGGER posting_stays BEFORE DELETE ON posting
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TRIGGER seal_keeps BEFORE UPDATE ON seal
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TRIGGER seal_stays BEFORE DELETE ON seal
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

-- ------------------------------------------------------------ inactivity, complaints

CREATE TABLE injunction (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    member_id INTEGER NOT NULL REFERENCES member (id),
    spell_started_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('proposed', 'launched', 'settled')),
    unplaced_cents INTEGER NOT NULL,
    proposed_at INTEGER NOT NULL,
    launched_at INTEGER,
    launched_by TEXT,
    due_at INTEGER,
    overdue_told INTEGER NOT NULL DEFAULT 0 CHECK (overdue_told IN (0, 1)),
    UNIQUE (member_id, spell_started_at)
) STRICT;

CREATE INDEX injunction_state ON injunction (club_id, state);

CREATE TABLE injunction_line (
    injunction_id INTEGER NOT NULL REFERENCES injunction (id),
    position INTEGER NOT NULL,
    giver_id INTEGER NOT NULL REFERENCES member (id),
    beneficiary_id INTEGER NOT NULL REFERENCES member (id),
    amount_cents INTEGER NOT NULL,
    paid_cents INTEGER NOT NULL CHECK (paid_cents BETWEEN 0 AND amount_cents),
    PRIMARY KEY (injunction_id, position),
    UNIQUE (injunction_id, giver_id, beneficiary_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE nudge (
    member_id INTEGER NOT NULL REFERENCES member (id),
    spell_started_at INTEGER NOT NULL,
    months INTEGER NOT NULL,
    PRIMARY KEY (member_id, spell_started_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE complaint (
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    author TEXT NOT NULL,
    about TEXT NOT NULL,
    complaint TEXT NOT NULL,
    filed_at INTEGER NOT NULL,
    PRIMARY KEY (club_id, number)
) STRICT;

-- ------------------------------------------------------------ mails, proofs, jobs

CREATE TABLE inbox (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    source TEXT NOT NULL,
    offered TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    state TEXT NOT NULL
        CHECK (state IN ('received', 'executed', 'answered', 'pending', 'ignored', 'quarantined')),
    reason TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    fingerprint TEXT,
    UNIQUE (club_id, offered)
) STRICT;

CREATE INDEX inbox_state ON inbox (club_id, state, received_at, id);
CREATE UNIQUE INDEX inbox_fingerprint ON inbox (club_id, fingerprint) WHERE fingerprint IS NOT NULL;

CREATE TABLE inbox_raw (
    inbox_id INTEGER PRIMARY KEY REFERENCES inbox (id),
    content BLOB NOT NULL
) STRICT;

CREATE TABLE token (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    purpose TEXT NOT NULL,
    member_id INTEGER REFERENCES member (id),
    address TEXT NOT NULL,
    nonce TEXT NOT NULL,
    digest TEXT NOT NULL,
    payload_json TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'used', 'declined', 'superseded')),
    UNIQUE (club_id, digest)
) STRICT;

CREATE INDEX token_open ON token (club_id, member_id, purpose, issued_at) WHERE state = 'open';

CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    cause TEXT NOT NULL,
    kind TEXT NOT NULL,
    recipient TEXT NOT NULL,
    about TEXT NOT NULL,
    address TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    game INTEGER,
    in_reply_to TEXT,
    token_id INTEGER REFERENCES token (id),
    message_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL,
    last_error TEXT NOT NULL DEFAULT '',
    sent_at INTEGER,
    UNIQUE (club_id, cause, kind, recipient, about),
    UNIQUE (club_id, message_id)
) STRICT;

CREATE INDEX outbox_due ON outbox (club_id, next_at, id) WHERE state = 'queued';
CREATE INDEX outbox_latest ON outbox (club_id, kind, recipient, id);

CREATE TABLE run (
    club_id INTEGER NOT NULL REFERENCES club (id),
    job TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    ran_at INTEGER NOT NULL,
    PRIMARY KEY (club_id, job, due_at)
) STRICT, WITHOUT ROWID;

-- ------------------------------------------------------------ audit

CREATE TABLE audit (
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    cause TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload_json TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (club_id, number)
) STRICT, WITHOUT ROWID;

-- Numbers without a gap: nothing can be put between two rows, nor in the place of one.
CREATE TRIGGER audit_appends BEFORE INSERT ON audit
WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM audit WHERE club_id = NEW.club_id)
BEGIN
    SELECT RAISE(ABORT, 'the audit chain is append-only');
END;

CREATE TRIGGER audit_keeps BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit chain is append-only');
END;

CREATE TRIGGER audit_stays BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit chain is append-only');
END;
