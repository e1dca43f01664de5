-- In which language a mail is written: the reader's own, or the one that he is written to in for want of it. So far
-- there was one.

ALTER TABLE outbox ADD COLUMN language TEXT NOT NULL DEFAULT 'fr';
