-- Mails and accounts are numbered within their club, as games and entries are. What leaves the database or
-- goes into a digest names these numbers: ids may have gaps, and differ when several clubs share a database.
-- A file held one club, whose ids ran without a gap; so its ids are its numbers, and all digests stay true.

ALTER TABLE account ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE account SET number = id;
CREATE UNIQUE INDEX account_number ON account (club_id, number);

ALTER TABLE inbox ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE inbox SET number = id;
CREATE UNIQUE INDEX inbox_number ON inbox (club_id, number);
