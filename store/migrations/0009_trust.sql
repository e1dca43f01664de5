-- Sessions, reply addresses, limits: what a token is good for, and what is counted against a sender.

-- A restored backup gets a new epoch, by which every token issued before is dead (T-37).
ALTER TABLE club ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;

-- `ends_at`: the hard end of a session. `used_by`: the cause whose mail used it up. `misuses`: how often
-- somebody else presented it.
ALTER TABLE token ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE token ADD COLUMN ends_at INTEGER;
ALTER TABLE token ADD COLUMN used_by TEXT;
ALTER TABLE token ADD COLUMN misuses INTEGER NOT NULL DEFAULT 0;

-- The digest of the token that a received mail carries: its text is masked before the mail is kept.
ALTER TABLE inbox ADD COLUMN carried TEXT;

-- What an address, or a member, did of late that is limited.
CREATE TABLE tally (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    subject TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX tally_subject ON tally (club_id, subject, at);
