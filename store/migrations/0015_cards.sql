-- What awaits the managers: complaints that they have dealt with, and mails that nobody could handle.

ALTER TABLE complaint ADD COLUMN closed_at INTEGER;
ALTER TABLE complaint ADD COLUMN closed_by TEXT;

-- `mail`: its number. `told_at`: when the managers were shown it. `redone`: by a command for its writer.
CREATE TABLE card (
    club_id INTEGER NOT NULL REFERENCES club (id),
    mail INTEGER NOT NULL,
    told_at INTEGER NOT NULL,
    settled_at INTEGER,
    settled_by TEXT,
    redone INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (club_id, mail)
) STRICT;
