-- Who is at work on what, and until when: one process at a time per club and subject (P-5). `fence` grows with
-- each holder, and a transaction of an earlier one is refused. Without a holder the lease is free.

CREATE TABLE lease (
    club_id INTEGER NOT NULL REFERENCES club (id),
    name TEXT NOT NULL,
    holder TEXT,
    fence INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    PRIMARY KEY (club_id, name)
) STRICT, WITHOUT ROWID;
