-- Who was forgotten: by the number of his account alone, and whether the last trace of it was wiped off the disk.

CREATE TABLE erasure (
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    account INTEGER NOT NULL,
    erased_at INTEGER NOT NULL,
    wiped_at INTEGER,
    PRIMARY KEY (club_id, number)
) STRICT;
