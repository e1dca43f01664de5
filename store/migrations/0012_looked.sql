-- Until when all mail that a mailbox received is known: what is due later waits for it (R-DIS-5). 0: not looked yet.

ALTER TABLE mailbox ADD COLUMN looked_at INTEGER NOT NULL DEFAULT 0;
