-- Clubs whose books are just being moved into this database: they are not served before that is finished.

CREATE TABLE arrival (
    club_id INTEGER PRIMARY KEY NOT NULL REFERENCES club (id),
    began_at INTEGER NOT NULL
) STRICT;
