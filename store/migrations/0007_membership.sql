-- Applications of people who want to join, changes of addresses and roles that wait, and what was forgotten.

CREATE TABLE application (
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    handle TEXT NOT NULL,
    address TEXT NOT NULL,
    applied_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'approved', 'declined', 'superseded')),
    decided_by TEXT,
    decided_at INTEGER,
    PRIMARY KEY (club_id, number)
) STRICT;

CREATE UNIQUE INDEX application_address ON application (club_id, address) WHERE state = 'open';
CREATE INDEX application_time ON application (club_id, applied_at);

CREATE TABLE identity_change (
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('add', 'remove', 'primary', 'hand_over', 'appoint')),
    member_id INTEGER NOT NULL REFERENCES member (id),
    address TEXT NOT NULL,
    other_id INTEGER REFERENCES member (id),
    state TEXT NOT NULL CHECK (state IN ('asked', 'waiting', 'done', 'stopped', 'lapsed')),
    asked_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (club_id, number),
    -- It is about an address, or about somebody else.
    CHECK ((kind IN ('hand_over', 'appoint')) = (other_id IS NOT NULL)),
    CHECK ((state IN ('asked', 'waiting')) = (ended_at IS NULL))
) STRICT;

CREATE INDEX identity_change_due ON identity_change (club_id, due_at, number) WHERE ended_at IS NULL;
CREATE INDEX identity_change_member ON identity_change (member_id);
