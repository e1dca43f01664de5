-- What was taken over from files: each file a batch, each of its rows known by `row_key`, so that it is not taken twice;
-- what a row brought about (an entry of the journal, a game) is noted by its number, so that it can be undone.

CREATE TABLE import_batch (
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('members', 'balances', 'games')),
    name TEXT NOT NULL,
    imported_at INTEGER NOT NULL,
    undone_at INTEGER,
    PRIMARY KEY (club_id, number)
) STRICT;

CREATE TABLE import_row (
    club_id INTEGER NOT NULL REFERENCES club (id),
    batch INTEGER NOT NULL,
    line INTEGER NOT NULL,
    row_key TEXT NOT NULL,
    entry INTEGER,
    game INTEGER,
    PRIMARY KEY (club_id, batch, line)
) STRICT;

CREATE INDEX import_row_key ON import_row (club_id, row_key);
